// Words in the model: the strongest of a label, and one of them through time.

import { h, outside, plain } from "../dom.js";
import { count, number, plural, signed } from "../format.js";
import { colourOf, label } from "../labels.js";
import { folded } from "./folded.js";
import { address } from "../address.js";
import { chart } from "./chart.js";

// wordsOf lists the words that speak for a class and those that speak against it.
export function wordsOf(found) {
  const top = Math.max(0.1, ...[...found.words_for, ...found.words_against].map((w) => Math.abs(w.weight)));
  const list = (name, words, side) => h("div", {}, h("h3", {}, name), words.length ? h("ol", { class: "strong-words" }, words.map((w) => h("li", {},
    h("a", { class: "quiet", href: address("model", { class: found.name, against: found.against, term: w.term }) }, outside(w.term)),
    h("span", { class: "bar-track" }, h("i", { class: side === "for" ? colourOf(found.name) : "grey", style: { width: (Math.abs(w.weight) / top) * 100 + "%" } })),
    h("span", { class: "n" }, signed(w.weight)), h("span", { class: "n soft", title: `${w.count} times in ${plain(found.name)}, ${w.others} in others` }, `${count(w.count)} : ${count(w.others)}`)))) : h("p", { class: "soft" }, "none yet"));
  return h("div", {}, found.hashed && h("p", { class: "soft small" }, "The words have a key that the console was not given: hashes are shown."), h("div", { class: "two-lists" }, list("Speak for it", found.words_for, "for"), list("Speak against it", found.words_against, "against")));
}

// oneTerm shows the counts of a word by label, and through time.
export function oneTerm(found, signal) {
  const renamed = found.term !== found.asked && h("p", { class: "soft small" }, "“", outside(found.asked), "” is counted as “", outside(found.term), "”.");
  if (!found.known) return h("div", {}, renamed, h("p", {}, "The model has never met ", h("b", {}, outside(found.term)), ": it does not vote."));
  const most = Math.max(...found.counts.map((c) => c.per_thousand));
  const curves = chart(`Counts of ${plain(found.term)} over time`, { format: count, height: 140, signal });
  if (found.series.length > 1) curves.draw(found.series.map((p) => Date.parse(p.time)), found.classes.slice(0, 8).map((c, i) => ({ name: c, colour: "--l" + (i % 8), values: found.series.map((p) => p.counts[i]) })));
  return h("div", {}, renamed,
    folded("label-bars term-counts", found.counts.map((c) => h("li", {}, label(c.class), h("span", { class: "bar-track" }, h("i", { class: colourOf(c.class), style: { width: (most ? c.per_thousand / most : 0) * 100 + "%" } })), h("span", { class: "n" }, `${count(c.count)} ×`), h("span", { class: "n soft" }, `${number(c.per_thousand, 2)} ‰`)))),
    found.series.length > 1 ? curves.root : h("p", { class: "soft small" }, "How it changes is seen from now on."),
    found.decisions.length > 0 && h("p", { class: "small" }, h("a", { href: address("live", { word: found.term }) }, `${plural(found.decisions.length, "recent decision")} with it`)));
}
