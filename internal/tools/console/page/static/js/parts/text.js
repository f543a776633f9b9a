// The text with each word marked where it stands. Shade says how much a word weighs, the line under it for which side: whole for the
// label, broken for the other one. Grey words with a dotted line are unknown to the model.

import { h, shown } from "../dom.js";
import { bytes, signed } from "../format.js";
import { label } from "../labels.js";
import { marginOf } from "./waterfall.js";

const most = 30000; // characters that are shown before somebody asks for all

// markedText returns the segments of a view.
export function markedText(view) {
  const top = Math.max(0.5, ...view.terms.map((t) => Math.abs(t.weight ?? 0)));
  const parts = view.segments.map((segment) => {
    const box = h("div", { class: segment.lines ? "text lines" : "text", dir: "auto", tabindex: 0, role: "group", "aria-label": "Text: " + (segment.name || segment.mark || "all") });
    fillText(box, segment.pieces, view, top);
    return h("div", { class: "segment" }, segment.name && view.segments.length > 1 ? h("h3", {}, segment.name) : null, box, segment.cut > 0 ? h("p", { class: "soft small" }, `${bytes(segment.cut)} more are not shown.`) : null);
  });
  return h("div", { class: "marked" }, legend(view), parts);
}

function legend(view) {
  const w = marginOf(view.compared ?? view.decision);
  return h("p", { class: "legend" },
    w && h("span", {}, h("span", { class: "piece for" , style: { "--shade": "45%" } }, "word"), " for ", label(w.for)),
    w && h("span", {}, h("span", { class: "piece against", style: { "--shade": "45%" } }, "word"), " for ", label(w.against)),
    h("span", {}, h("span", { class: "piece unknown" }, "word"), " unknown"));
}

// fillText adds pieces until enough are shown, and a button for the others.
function fillText(box, pieces, view, top, from = 0) {
  let length = 0;
  let i = from;
  const fragment = document.createDocumentFragment();
  for (; i < pieces.length && length < most; i++) {
    length += pieces[i].text.length;
    fragment.append(piece(pieces[i], view, top));
  }
  box.append(fragment);
  if (i < pieces.length) {
    const more = h("button", { onclick: () => more.replaceWith("") || fillText(box, pieces, view, top, i) }, "Show more");
    box.append(more);
  }
}

function piece({ text, terms }, view, top) {
  if (!terms.length) return h("span", {}, shown(text));
  const found = terms.map((i) => view.terms[i]);
  const known = found.filter((t) => t.known);
  const weight = known.reduce((sum, t) => sum + (t.weight ?? 0), 0);
  if (!known.length) return h("span", { class: "piece unknown", title: "unknown to the model: does not vote" }, shown(text));
  const side = weight < 0 ? "against" : weight > 0 ? "for" : "even";
  const shade = Math.round(8 + 52 * Math.min(1, Math.abs(weight) / top));
  return h("span", { class: "piece " + side, style: { "--shade": shade + "%" }, title: found.map((t) => `${t.term} ${t.known ? signed(t.weight) : "unknown"}`).join(", "), "data-terms": found.map((t) => t.term).join(" ") }, shown(text));
}

// linkWords lights up a word in the text and its step in the waterfall together.
export function linkWords(root) {
  let lit = [];
  const light = (event) => {
    for (const e of lit) e.classList.remove("lit");
    lit = [];
    const at = event.type === "pointerover" && event.target.closest?.("[data-terms], [data-term]");
    if (!at) return;
    const terms = at.dataset.term !== undefined ? [at.dataset.term] : at.dataset.terms.split(" ");
    lit = [...root.querySelectorAll("[data-term], [data-terms]")].filter((e) => terms.some((t) => e.dataset.term === t || e.dataset.terms?.split(" ").includes(t)));
    for (const e of lit) e.classList.add("lit");
  };
  root.addEventListener("pointerover", light);
  root.addEventListener("pointerleave", light);
}
