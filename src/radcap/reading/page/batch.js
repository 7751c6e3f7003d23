// A page of readings: filters and keys. It shows and hides what the page holds.
"use strict";
(() => {
  const cards = [...document.querySelectorAll(".reading")];
  const help = document.getElementById("help");
  function openHelp() {
    help.showModal();
    help.querySelector("[data-help=close]").focus(); // autofocus would ask for it when the page opens
  }
  const words = document.getElementById("words");
  const modality = document.getElementById("modality");
  const findings = document.getElementById("findings");
  const left = document.getElementById("left");
  const text = new Map();
  let current = null;

  if (cards.length === 0) return;

  // What is searched: the name of the file, the caption and the names of the concepts.
  function told(card) {
    if (!text.has(card)) {
      const parts = [...card.querySelectorAll("h2 code, .caption, .seen .name")];
      text.set(card, parts.map((one) => one.textContent).join("\n").toLowerCase());
    }
    return text.get(card);
  }

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const kind = !modality.value || card.dataset.modality === modality.value;
      const found = !findings.checked || card.dataset.findings !== "0";
      card.hidden = !(kind && found && wanted.every((one) => told(card).includes(one)));
      shown += card.hidden ? 0 : 1;
    }
    const all = shown === cards.length ? "" : ` of ${cards.length}`;
    left.textContent = `${shown}${all} ${cards.length === 1 ? "reading" : "readings"}`;
    document.querySelector(".none").hidden = shown > 0;
  }

  function go(card) {
    if (current) current.classList.remove("current");
    current = card;
    card.classList.add("current");
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: "start" });
  }

  // The reading that a person looks at: the one with the focus, else the first that is in sight.
  function place(shown) {
    const here = document.activeElement?.closest(".reading") ?? current;
    const at = shown.indexOf(here);
    if (at >= 0) return at;
    const first = shown.findIndex((one) => one.getBoundingClientRect().top > 0);
    return (first < 0 ? shown.length : first) - 0.5;
  }

  function step(by) {
    const shown = cards.filter((one) => !one.hidden);
    if (shown.length === 0) return;
    const at = place(shown);
    const next = by > 0 ? Math.floor(at + 1) : Math.ceil(at - 1);
    go(shown[Math.min(Math.max(next, 0), shown.length - 1)]);
  }

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => words.focus(),
    "?": openHelp,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
    if (event.target.closest('input[type="search"], select')) return;
    const name = event.key.toLowerCase();
    if (!Object.hasOwn(keys, name) || !document.getElementById("keys").checked) return;
    event.preventDefault();
    keys[name]();
  });
  document.querySelector("[data-help=open]").addEventListener("click", openHelp);
  help.querySelector("[data-help=close]").addEventListener("click", () => help.close());
  for (const one of [words, modality, findings]) one.addEventListener("input", filter);
  filter(); // a browser that comes back keeps what was typed
})();
