// The buttons of a message: a label each, forget, undo. Number keys press them.

import { h, plain, put } from "../dom.js";
import { bind } from "../keys.js";
import { label } from "../labels.js";
import { choicesFor, numberKeys, otherLabel } from "./choices.js";
import { correct, undo } from "./correct.js";

// makeActions returns the buttons; show takes a message.
export function makeActions(signal) {
  const root = h("div", { class: "actions" });
  let now = null;
  const name = () => now.place || now.source || now.id;
  const to = (text) => now?.may.correct && correct([name()], { label: text });
  const forget = () => now?.may.forget && correct([name()], { forget: true });
  const field = otherLabel(to); // what is typed in it stays
  const show = (message) => {
    now = message;
    const undoable = message.may.undo && message.correction;
    put(root, h("h2", {}, "Which label is right?"), h("div", { class: "choices" }, buttons(message, to)), message.may.correct && field,
      h("div", { class: "row more" },
        h("button", { disabled: !message.may.forget, onclick: forget, title: "Takes what was learned from this message out of the model" }, h("kbd", {}, "f"), "Forget"),
        h("button", { disabled: !undoable, onclick: () => undo([message.correction.place]) }, h("kbd", {}, "u"), "Undo")),
      message.may.why_not && h("p", { class: "soft small" }, message.may.why_not),
      h("p", { class: "soft small" }, "Written to the training topic at once, learned within a moment, and it can be undone."));
  };
  bind(signal, "Message", [
    ["1 … 9", "it is that label", () => {}],
    ["/", "type a label", () => root.querySelector(".other-label")?.focus()],
    ["f", "forget the message", forget],
    ["u", "undo the correction of this message", () => (now?.may.undo && now.correction ? undo([now.correction.place]) : undo())],
    ...numberKeys((i) => now && choices(now)[i] !== undefined && to(choices(now)[i])),
  ]);
  return { root, show };
}

// current is the label that the model has, or the one that was decided.
const current = (message) => (message.learned ? message.learned.label : message.decided?.label ?? message.now?.decision?.label);

// choices are the labels with a key: by the decision as it was made, so that they do not move under the hand.
const choices = (message) => choicesFor((message.decided ?? message.now?.decision)?.posterior);

function buttons(message, to) {
  return choices(message).map((text, i) => {
    const is = text === current(message);
    return h("button", { disabled: !message.may.correct, "aria-pressed": String(is), title: is ? "the label it has now" : plain(text), onclick: () => to(text) }, h("kbd", {}, i + 1), label(text), is ? h("span", { class: "soft small" }, message.learned ? "learned" : "decided") : null);
  });
}
