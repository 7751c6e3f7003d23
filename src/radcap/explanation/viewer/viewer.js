// The viewer of explanations. It only shows and hides what the page holds: no text becomes markup.
"use strict";
(() => {
  const root = document.documentElement;
  const images = [...document.querySelectorAll("section.image")];
  const links = [...document.querySelectorAll(".strip-of-images a")];
  const told = document.getElementById("told");
  const help = document.getElementById("help");
  function openHelp() {
    help.showModal();
    help.querySelector("[data-help=close]").focus(); // autofocus would ask for it when the page opens
  }
  const slider = document.getElementById("opacity");
  const position = document.getElementById("position");
  const chosen = images.map((image) => image.querySelector('.statement[aria-pressed="true"]')?.dataset.mark);
  let current = 0;

  if (images.length === 0) return;
  root.classList.add("on");

  const order = (button) => Number(button.dataset.mark.split("-")[1]);

  // One button for each statement, the first on the page: that in the caption where there is one.
  function buttons() {
    const found = new Map();
    for (const one of images[current].querySelectorAll(".statement")) {
      if (!found.has(one.dataset.mark)) found.set(one.dataset.mark, one);
    }
    return [...found.values()].sort((a, b) => order(a) - order(b));
  }

  function announce(button) {
    const details = images[current].querySelector(`[data-details="${button.dataset.mark}"]`);
    const words = [...details.querySelectorAll(".label, .legend, .note")].map((part) => part.textContent);
    told.textContent = words.join(". ");
  }

  function choose(button) {
    const image = images[current];
    const mark = button.dataset.mark;
    for (const one of image.querySelectorAll(".statement")) {
      one.setAttribute("aria-pressed", String(one.dataset.mark === mark));
    }
    for (const layer of image.querySelectorAll("[data-layer]")) {
      layer.hidden = layer.dataset.layer !== mark;
      if (!layer.hidden) load(layer);
    }
    for (const details of image.querySelectorAll("[data-details]")) {
      details.hidden = details.dataset.details !== mark;
    }
    chosen[current] = mark;
    announce(button);
  }

  function load(layer) {
    for (const picture of layer.querySelectorAll("img[data-src]")) {
      picture.src = picture.dataset.src;
      picture.removeAttribute("data-src");
    }
  }

  function step(by) {
    const all = buttons();
    if (all.length === 0) return;
    const before = all.findIndex((one) => one.dataset.mark === chosen[current]);
    const place = (before + by + all.length) % all.length;
    choose(all[place]);
    all[place].focus();
  }

  function show(place) {
    current = Math.min(Math.max(place, 0), images.length - 1);
    images.forEach((image, number) => { image.hidden = number !== current; });
    links.forEach((link, number) => {
      if (number === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    if (links.length > 0) links[current].scrollIntoView({ block: "nearest", inline: "nearest" });
    if (position) position.textContent = `${current + 1} of ${images.length}`;
  }

  function move(by) {
    const place = current + by;
    if (place < 0 || place >= images.length) return;
    show(place);
    history.replaceState(null, "", `#image-${current + 1}`);
    told.textContent = `Image ${current + 1} of ${images.length}`;
  }

  function fromAddress() {
    const found = /^#image-(\d+)$/.exec(location.hash);
    if (found) show(Number(found[1]) - 1);
  }

  function toggle(kind) {
    const button = document.querySelector(`[data-toggle="${kind}"]`);
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    if (kind === "raw") root.classList.toggle("raw-alone", on);
    else root.classList.toggle(`no-${kind}`, !on);
  }

  function opacity(value) {
    slider.value = String(value);
    root.style.setProperty("--opacity", String(Number(slider.value) / 100));
    document.getElementById("opacity-told").textContent = `${slider.value} %`;
  }

  const keys = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    j: () => move(1),
    h: () => toggle("heat"),
    c: () => toggle("contour"),
    b: () => toggle("boxes"),
    r: () => toggle("raw"),
    "+": () => opacity(Number(slider.value) + 5),
    "=": () => opacity(Number(slider.value) + 5),
    "-": () => opacity(Number(slider.value) - 5),
    "?": openHelp,
  };

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const arrow = name.startsWith("Arrow");
    if (!Object.hasOwn(keys, name)) return;
    if (arrow && event.target.closest("input, .scroll")) return;
    if (!arrow && !document.getElementById("keys").checked) return;
    if ((name === "ArrowUp" || name === "ArrowDown") && images.length === 1) return;
    event.preventDefault();
    keys[name]();
  }

  document.addEventListener("keydown", pressed);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches(".statement")) choose(button);
    if (button.dataset.toggle) toggle(button.dataset.toggle);
    if (button.dataset.step) move(Number(button.dataset.step));
    if (button.dataset.help === "open") openHelp();
    if (button.dataset.help === "close") help.close();
  });
  slider.addEventListener("input", () => opacity(slider.value));
  window.addEventListener("hashchange", fromAddress);
  show(0);
  fromAddress();
})();
