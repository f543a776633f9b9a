// Try: paste a text or drop a mail. Nothing is stored.

import * as api from "../api.js";
import { h, outside, put, shown, short } from "../dom.js";
import { bytes, count } from "../format.js";
import { bind } from "../keys.js";
import { verdictOf, viewOf } from "../parts/view.js";

export const title = "Try";

const limit = 1 << 20; // bytes that the server takes
const kept = { format: "text", document: "" }; // while the page is open, so that going away and back loses nothing

export function open(root, params, signal) {
  const area = h("textarea", { rows: 7, "aria-label": "Document", placeholder: "Paste a text, or drop a mail (.eml) or a JSON record here", spellcheck: "false", value: kept.document });
  const format = h("select", { "aria-label": "Format" }, [["text", "Text"], ["mail", "Mail (RFC 822)"], ["json", "JSON record"]].map(([v, says]) => h("option", { value: v, selected: v === kept.format }, says)));
  const note = h("span", { class: "soft small", role: "status" });
  const result = h("div");
  const state = { sides: {}, number: 0 };
  const run = () => attempt(state, area, format, note, result, signal, (sides) => run(Object.assign(state, { sides })));
  const soon = delayed(signal, () => run((state.sides = {})));
  area.addEventListener("input", soon);
  format.addEventListener("change", soon);
  const drop = h("section", { class: "card drop", "aria-label": "Document" }, area, h("div", { class: "row" }, format, file(take), h("button", { onclick: () => take("text", "") }, "Clear"), note));
  acceptDrops(drop, (f) => f.text().then((text) => take(guess(f.name, text), text)));
  function take(kind, text) {
    area.value = text;
    format.value = kind;
    run((state.sides = {}));
  }
  bind(signal, "Try", [["/", "write", () => area.focus()]]);
  root.append(h("div", { class: "head" }, h("h1", {}, "Try"), h("p", {}, "See how the model reads a text. Nothing is stored.")), drop, result);
  run();
  return {};
}

const guess = (name, text) => (/\.eml$/i.test(name) || /^(from |received:|return-path:|mime-version:)/i.test(text) ? "mail" : /^\s*\{/.test(text) ? "json" : "text");

function delayed(signal, run) {
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, 250);
  };
}

function file(take) {
  const field = h("input", { type: "file", class: "hidden" });
  field.addEventListener("change", async () => {
    const one = field.files[0];
    if (!one) return;
    const text = await one.text();
    take(guess(one.name, text), text);
    field.value = "";
  });
  return h("label", { class: "button file" }, "Open a file", field);
}

function acceptDrops(zone, take) {
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
}

// attempt asks for the view of what is written. Of several answers only that of the last question is shown.
async function attempt(state, area, format, note, result, signal, compare) {
  Object.assign(kept, { document: area.value, format: format.value });
  const number = ++state.number;
  if (!area.value.trim()) {
    note.textContent = "";
    put(result, h("div", { class: "empty" }, h("h2", {}, "Nothing to read yet"), h("p", {}, "Words appear here as you write them: how each one weighs, what the whole comes to, and every step from bytes to terms.")));
    return;
  }
  const size = new Blob([area.value]).size;
  if (size > limit) {
    note.textContent = `${bytes(size)} are more than the ${bytes(limit)} that can be tried`;
    return;
  }
  try {
    const tried = await api.attempt({ format: format.value, document: area.value, ...state.sides });
    if (signal.aborted || number !== state.number) return;
    note.textContent = "";
    put(result, tried.now.decision && h("section", { class: "card tried", "aria-label": "Decision" }, verdictOf(tried.now.decision)), viewOf(tried.now, null, compare), steps(tried.steps));
  } catch (error) {
    if (number === state.number) note.textContent = error.message;
  }
}

const meanings = { bytes: "as it came", visible: "what a reader would see of the HTML", normalised: "one form of letters", words: "cut by Unicode's rules", classes: "addresses and numbers as what they are", "without stop words": "", stems: "without endings", terms: "what is counted" };

// steps shows every stage of the tokenizer.
function steps(segments) {
  return h("section", { class: "card", "aria-label": "Tokenizer" }, h("h2", {}, "From bytes to terms"), segments.map((segment) => [
    segments.length > 1 && h("h3", {}, segment.segment),
    h("ol", { class: "tokens" }, segment.steps.map((step) => h("li", {}, h("div", { class: "step-title" }, h("b", {}, step.name), h("span", { class: "soft small" }, ` ${meanings[step.name] ?? ""} `), step.items.length > 1 && h("span", { class: "soft small" }, count(step.items.length))), items(step.items)))),
  ]));
}

function items(all) {
  if (all.length === 1) return h("p", { class: "token-text" }, h("bdi", {}, shown(short(all[0], 4000))));
  return h("p", { class: "token-list" }, all.slice(0, 400).map((item) => h("span", { class: "token" }, outside(short(item, 100)))), all.length > 400 && h("span", { class: "soft" }, `and ${count(all.length - 400)} more`));
}
