// What stays counted: all, or what a window holds.

import { h, outside, plain } from "../dom.js";
import { count, moment, plural, seconds } from "../format.js";
import { light } from "./health.js";
import { table } from "./table.js";

// stays returns what a window holds; null: there is none.
export function stays(window) {
  if (!window) return h("p", { class: "soft" }, "All that was learned, until somebody forgets it: the spec has no limits.window.");
  const span = (p) => (p.oldest ? [seconds((Date.parse(p.newest) - Date.parse(p.oldest)) / 1000), h("span", { class: "soft" }, ` since ${moment(Date.parse(p.oldest))}`)] : "–");
  return [
    h("p", {}, light(window.exact ? "ok" : "warn", h("b", {}, plural(window.inside, "document")), `: ${plain(window.holds)}. `, window.exact ? "" : plain(window.detail))),
    h("p", { class: "soft small" }, window.owed ? `${plural(window.owed, "document has", "documents have")} left the window and will be taken out: ingest reads the texts again.` : "Nothing has left the window that is not taken out."),
    window.gone > 0 && h("p", { class: "problem" }, `${plural(window.gone, "document", "documents")} cannot be taken out: the texts are gone from the topic.`),
    table("What the window holds", [["topic", ""], ["partition", "n"], ["documents", "n"], ["from the oldest to the newest", ""]], window.partitions.map((p) => [outside(p.topic), p.partition, count(p.inside), span(p)]), "No partition was counted yet."),
  ];
}
