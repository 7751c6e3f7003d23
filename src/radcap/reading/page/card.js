// Cards of readings. It draws and says what the page holds: no text becomes markup.
"use strict";
(() => {
  const root = document.documentElement;
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (two) => parseInt(two, 16));
  const scales = { for: bytes("COLOURS-FOR"), against: bytes("COLOURS-AGAINST") };
  const steps = scales.for.length / 3 - 1;
  const longest = 128;
  const hints = new WeakMap();

  root.classList.add("on");

  // The grid of a map: its size, and values from -1 (against) to 1 (for).
  function grid(code) {
    const [size, text] = code.split(" ");
    const [width, height] = size.split("x").map(Number);
    const values = Float32Array.from(atob(text), (sign) => (sign.charCodeAt(0) - 128) / 127);
    return { width, height, values };
  }

  // The value between cells, as if each cell's value stood in its middle.
  function between(map, x, y) {
    const left = Math.min(Math.max(x, 0), map.width - 1);
    const top = Math.min(Math.max(y, 0), map.height - 1);
    const [column, row] = [Math.floor(left), Math.floor(top)];
    const [next, below] = [Math.min(column + 1, map.width - 1), Math.min(row + 1, map.height - 1)];
    const at = (across, down) => map.values[down * map.width + across];
    const upper = at(column, row) + (left - column) * (at(next, row) - at(column, row));
    const lower = at(column, below) + (left - column) * (at(next, below) - at(column, below));
    return upper + (top - row) * (lower - upper);
  }

  function draw(canvas, map) {
    const factor = longest / Math.max(map.width, map.height);
    canvas.width = Math.max(1, Math.round(map.width * factor));
    canvas.height = Math.max(1, Math.round(map.height * factor));
    const pen = canvas.getContext("2d");
    const drawn = pen.createImageData(canvas.width, canvas.height);
    for (let y = 0, at = 0; y < canvas.height; y += 1) {
      for (let x = 0; x < canvas.width; x += 1, at += 4) {
        const value = between(map, (x + 0.5) / factor - 0.5, (y + 0.5) / factor - 0.5);
        const strength = Math.min(Math.abs(value), 1);
        const scale = value < 0 ? scales.against : scales.for;
        drawn.data.set(scale.subarray(3 * Math.round(strength * steps)).subarray(0, 3), at);
        drawn.data[at + 3] = Math.round(255 * strength);
      }
    }
    pen.putImageData(drawn, 0, 0);
  }

  function press(card, chosen) {
    for (const one of card.querySelectorAll("button[data-line]")) {
      one.setAttribute("aria-pressed", String(one === chosen));
    }
  }

  function clear(card) {
    press(card, null);
    card.querySelector(".stage canvas").hidden = true;
    card.querySelector(".line").textContent = hints.get(card);
  }

  function show(card, button) {
    if (button.getAttribute("aria-pressed") === "true") return clear(card);
    const canvas = card.querySelector(".stage canvas");
    press(card, button);
    canvas.hidden = !button.dataset.map;
    canvas.setAttribute("aria-label", `Map: ${button.dataset.line}`);
    if (button.dataset.map) draw(canvas, grid(button.dataset.map));
    card.querySelector(".line").textContent = button.dataset.line;
    canvas.parentElement.scrollIntoView({ block: "nearest" }); // on a phone the words are far below the picture
  }

  // One opacity for all cards: who compares two maps wants them alike.
  function opacity(value) {
    root.style.setProperty("--map-opacity", String(value / 100));
    for (const one of document.querySelectorAll(".reading .over input")) one.value = String(value);
  }

  function attach(card) {
    if (hints.has(card)) return;
    hints.set(card, card.querySelector(".line").textContent);
    card.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button && button.dataset.line) show(card, button);
      else if (button && button.matches(".clear")) clear(card);
    });
    card.addEventListener("input", (event) => {
      if (event.target.matches(".over input")) opacity(Number(event.target.value));
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    for (const one of document.querySelectorAll('.reading button[aria-pressed="true"]')) clear(one.closest(".reading"));
  });
  for (const one of document.querySelectorAll(".reading")) attach(one);
  window.radcapReading = { attach, clear };
})();
