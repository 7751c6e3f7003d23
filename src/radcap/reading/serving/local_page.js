
// The local page. Images wait in line and go to the server one by one; only its own markup becomes markup.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const desk = byId("desk").dataset;
  const limit = Number(desk.limit);
  const head = { "X-Radcap-Token": desk.token };
  const ended = "radcap has ended. Start it again with radcap read --serve, then load its new page.";
  const readings = new Map();
  let line = [];
  let done = 0;
  let given = 0;
  let busy = false;
  let loaded = false;

  const say = (text) => { byId("told").textContent = text; };

  function made(name, text, more = {}) {
    const one = Object.assign(document.createElement(name), more);
    one.textContent = text;
    return one;
  }

  function button(text, act, more = {}) {
    const one = made("button", text, { type: "button", ...more });
    one.addEventListener("click", act);
    return one;
  }

  // ---- the model

  function state(text, kind) {
    byId("state").className = `state ${kind}`;
    if (byId("state-told").textContent !== text) byId("state-told").textContent = text;
  }

  async function watch() {
    try {
      const told = await (await fetch("/state", { headers: head })).json();
      if (told.error) return state(told.error, "ended");
      if (told.ready) {
        loaded = true;
        return state(`The model ${told.model} is ready.`, "ready");
      }
    } catch {
      return state(ended, "ended");
    }
    setTimeout(watch, 500);
  }

  // ---- the line

  function ask(image) {
    const query = new URLSearchParams();
    if (image.anyway) query.set("anyway", "1");
    if (image.example) query.set("example", image.example);
    const headers = { ...head, "X-Radcap-Name": encodeURIComponent(image.name) };
    return fetch(`/read?${query}`, { method: "POST", headers, body: image.data ?? "" });
  }

  async function answer(image) {
    if (image.file && image.file.size > limit) {
      const most = Math.floor(limit / 2 ** 20);
      return { error: `The file is larger than ${most} MB. Read it with the command: radcap read FILE.` };
    }
    try {
      if (image.file) image.data = await image.file.arrayBuffer();
    } catch {
      return { error: "It cannot be opened here. A folder is read by the command: radcap read FOLDER." };
    }
    try {
      return await (await ask(image)).json();
    } catch {
      state(ended, "ended");
      return { error: ended };
    } finally {
      image.data = null;
    }
  }

  async function next() {
    const image = line.find((one) => one.waits);
    if (busy || !image) return;
    busy = true;
    image.waits = false;
    const began = Date.now();
    const tell = () => {
      const seconds = Math.round((Date.now() - began) / 1000);
      image.told.textContent = loaded ? `is being read, ${seconds} s` : "waits for the model";
    };
    tell();
    const clock = setInterval(tell, 1000);
    const found = await answer(image);
    clearInterval(clock);
    done += 1;
    busy = false;
    if (found.error) refuse(image, found);
    else show(image, found);
    progress();
    next();
  }

  function bring(name, more) {
    const image = { name, waits: true, ...more };
    image.item = made("li", "");
    image.told = made("span", "waits", { className: "told" });
    image.item.append(made("span", name, { className: "name" }), " ", image.told);
    byId("line").append(image.item);
    line.push(image);
    given += 1;
  }

  function leave(image) {
    line = line.filter((one) => one !== image);
    image.item.remove();
    progress();
  }

  function progress() {
    byId("line-section").hidden = line.length === 0;
    if (line.every((one) => !one.waits) && !busy) [done, given] = [0, 0];
    const working = given > 0;
    byId("line-title").textContent = working ? "In line" : "Not read";
    byId("progress").parentElement.hidden = !working;
    byId("progress").max = Math.max(given, 1);
    byId("progress").value = done;
    byId("progress-told").textContent = `${done} of ${given}`;
  }

  function add(files) {
    if (files.length === 0) return say("There is no file in what was given. Addresses are not fetched.");
    for (const file of files) bring(file.name, { file });
    say(files.length === 1 ? `${files[0].name} waits to be read.` : `${files.length} images wait to be read.`);
    progress();
    next();
  }

  function refuse(image, found) {
    image.item.className = "wrong";
    image.told.textContent = found.error;
    if (found.anyway) image.item.append(button("Read it all the same", () => again(image, true)));
    else if (found.error === ended) image.item.append(button("Try again", () => again(image, false)));
    image.item.append(button("Dismiss", () => leave(image), { ariaLabel: `Dismiss ${image.name}` }));
    say(`${image.name} was not read. ${found.error}`);
  }

  function again(image, anyway) {
    leave(image);
    bring(image.name, { file: image.file, example: image.example, anyway });
    say(`${image.name} waits to be read.`);
    progress();
    next();
  }

  // ---- readings

  function show(image, found) {
    leave(image);
    const box = made("div", "", { className: "read" });
    box.innerHTML = found.card; // made by our server, which escapes all that is not its own
    box.append(tools(box, found));
    readings.set(box, found.reading);
    byId("readings").prepend(box);
    window.radcapReading.attach(box.querySelector(".reading"));
    kept();
    const seen = found.reading.concepts.map((one) => one.name).slice(0, 4).join(", ");
    say(`${image.name} is read: ${seen || "no concept was decided for"}.`);
    if (line.every((one) => !one.waits)) box.scrollIntoView({ block: "nearest" });
  }

  function kept() {
    byId("readings-section").hidden = readings.size === 0;
    document.documentElement.classList.toggle("has-readings", readings.size > 0);
  }

  function tools(box, found) {
    const name = found.reading.image;
    const row = made("div", "Save: ", { className: "save", role: "group", ariaLabel: `The reading of ${name}` });
    const stem = name.replace(/\.[A-Za-z0-9]{1,5}$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "-") || "image";
    const json = () => save(`${JSON.stringify(found.reading, null, 2)}\n`, `${stem}.reading.json`);
    row.append(button("Reading (JSON)", json));
    const forms = { text: ["Report (text)", "txt"], html: ["Report (HTML)", "html"], json: ["Report (JSON)", "json"], fhir: ["Report (FHIR)", "fhir.json"] };
    for (const [form, [title, ending]] of Object.entries(forms)) {
      row.append(button(title, () => report(found.key, form, `${stem}.report.${ending}`)));
    }
    row.append(button("Remove", () => remove(box), { className: "remove", ariaLabel: `Remove ${name}` }));
    return row;
  }

  async function report(key, form, name) {
    try {
      const found = await fetch(`/reports/${key}.${form}`, { headers: head });
      if (!found.ok) return say((await found.json()).error);
      save(await found.blob(), name);
    } catch {
      state(ended, "ended");
    }
  }

  function save(what, name) {
    const address = URL.createObjectURL(new Blob([what]));
    const link = Object.assign(document.createElement("a"), { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    say(`${name} is saved.`);
  }

  function remove(box) {
    readings.delete(box);
    box.remove();
    kept();
    (byId("readings").querySelector(".reading") ?? byId("files")).focus();
  }

  // ---- what people do

  const root = document.documentElement;
  const hold = (event) => { event.preventDefault(); root.classList.add("over-page"); };
  addEventListener("dragenter", hold);
  addEventListener("dragover", hold);
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) root.classList.remove("over-page"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("over-page");
    add([...event.dataTransfer.files]);
  });
  addEventListener("paste", (event) => { if (event.clipboardData.files.length) add([...event.clipboardData.files]); });
  addEventListener("beforeunload", (event) => { if (busy || line.some((one) => one.waits)) event.preventDefault(); });
  byId("files").addEventListener("change", (event) => {
    add([...event.target.files]);
    event.target.value = "";
  });
  byId("examples").addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-example]");
    if (!chosen) return;
    bring(chosen.dataset.example, { example: chosen.dataset.example });
    say(`The example ${chosen.textContent} waits to be read.`);
    progress();
    next();
  });
  byId("save-all").addEventListener("click", () => {
    const lines = [...readings.values()].reverse().map((one) => `${JSON.stringify(one)}\n`);
    save(lines.join(""), "readings.jsonl");
  });
  byId("remove-all").addEventListener("click", () => { for (const box of [...readings.keys()]) remove(box); });
  watch();
})();
