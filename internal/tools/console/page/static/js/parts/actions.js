// The buttons of a message: a label each, forget, undo. Number keys press them.

import { h, plain, put } from "../dom.js";
import { bind } from "../keys.js";
import { knownLabels, label } from "../labels.js";
import { correct, undo } from "./correct.js";

// makeActions returns the buttons; show takes a message.
export function makeActions(signal) {
  const root = h("div", { class: "actions" });
  let now = null;
  const name = () => now.place || now.source || now.id;
  const to = (text) => now?.may.correct && correct([name()], { label: text });
  const forget = () => now?.may.forget && correct([name()], { forget: true });
  const show = (message) => {
    now = message;
    const undoable = message.may.undo && message.correction;
    put(root, h("h2", {}, "Which label is right?"), h("div", { class: "choices" }, buttons(message, to)), other(message, to),
      h("div", { class: "row more" },
        h("button", { disabled: !message.may.forget, onclick: forget, title: "Takes what was learned from this message out of the model" }, h("kbd", {}, "f"), "Forget"),
        h("button", { disabled: !undoable, onclick: () => undo([message.correction.place]) }, h("kbd", {}, "u"), "Undo")),
      message.may.why_not && h("p", { class: "soft small" }, message.may.why_not),
      h("p", { class: "soft small" }, "Written to the training topic at once, learned within a moment, and it can be undone."));
  };
  bind(signal, "Message", [
    ["1 … 9", "it is that label", () => {}],
    ["f", "forget the message", forget],
    ["u", "undo the correction of this message", () => (now?.may.undo && now.correction ? undo([now.correction.place]) : undo())],
    ...Array.from({ length: 9 }, (_, i) => [String(i + 1), "", () => knownLabels()[i] !== undefined && to(knownLabels()[i])]),
  ]);
  return { root, show };
}

// current is the label that the model has, or the one that was decided.
const current = (message) => (message.learned ? message.learned.label : message.decided?.label ?? message.now?.decision?.label);

function buttons(message, to) {
  return knownLabels().slice(0, 40).map((text, i) => {
    const is = text === current(message);
    return h("button", { disabled: !message.may.correct, "aria-pressed": String(is), title: is ? "the label it has now" : plain(text), onclick: () => to(text) }, i < 9 ? h("kbd", {}, i + 1) : null, label(text), is ? h("span", { class: "soft small" }, message.learned ? "learned" : "decided") : null);
  });
}

function other(message, to) {
  if (!message.may.correct) return null;
  const field = h("input", { "aria-label": "Another label", placeholder: "Another label", maxlength: 256, autocomplete: "off" });
  const use = () => field.value.trim() && to(field.value.trim());
  field.addEventListener("keydown", (event) => event.key === "Enter" && use());
  return h("details", {}, h("summary", {}, "Another label"), h("div", { class: "row" }, field, h("button", { onclick: use }, "Use it")));
}
