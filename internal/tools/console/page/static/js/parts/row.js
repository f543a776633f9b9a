// A decision on a line: when, what, how sure, and the three words that said most.

import { h, outside, plain, shown, short } from "../dom.js";
import { percent, time } from "../format.js";
import { colourOf, label, status, word } from "../labels.js";
import { address } from "../address.js";

// row returns a link to the message.
export function row(d) {
  return h("a", { class: "decision", href: address("message", { place: d.place }) },
    h("time", { datetime: d.time }, time(Date.parse(d.time))),
    h("span", { class: "row-label" }, label(d.label)),
    confidence(d),
    h("span", { class: "row-status" }, status(d.status)),
    h("span", { class: "row-text" }, d.snippet === null ? h("i", { class: "soft" }, "the text is not at hand: ", outside(d.id)) : h("bdi", {}, shown(short(d.snippet, 160)))),
    h("span", { class: "row-words " + colourOf(d.label), title: d.evidence_by === "now" ? "by the model now; the decision carries no words" : null }, d.evidence.map(word)),
    h("span", { class: "row-truth" }, truth(d)));
}

function truth(d) {
  if (d.correction && d.correction.outcome !== "skipped") return d.correction.action === "forget" ? "forgotten" : corrected(d.correction.label);
  if (d.truth === null || d.truth === d.label) return null;
  return [h("span", { class: "wrong-sign", title: "the label that came later is another one" }, "✕ is"), label(d.truth)];
}

// corrected says that a person gave a label.
export const corrected = (name) => [h("span", { title: "corrected" }, "✎ now"), label(name)];

// confidence draws how sure a decision is, as a bar with its number.
export function confidence(d) {
  if (d.confidence === null) return h("span", { class: "sure" }, h("span", { class: "n" }, "–"));
  return h("span", { class: "sure " + colourOf(d.label) },
    h("span", { class: "bar-track" }, h("i", { style: { width: (d.confidence * 100).toFixed(1) + "%" } })),
    h("span", { class: "n", title: plain(d.confidence) }, percent(d.confidence)));
}
