// The confusion table: rows are true, columns decided. The right ones have a frame, the wrong ones a shade by their share of the row.

import { h, outside, plain } from "../dom.js";
import { count, percent } from "../format.js";
import { label } from "../labels.js";
import { address } from "../address.js";

const most = 12;

// confusion returns the table; its cells open the messages behind them.
export function confusion({ classes, cells }) {
  if (!cells.length) return h("p", { class: "soft" }, "Nothing to show before labels come.");
  const at = new Map(cells.map((c) => [c.truth + "\0" + c.label, c.count]));
  const size = (name) => cells.reduce((sum, c) => sum + (c.truth === name || c.label === name ? c.count : 0), 0);
  const named = [...classes].sort((a, b) => size(b) - size(a)).slice(0, most).sort();
  const rows = named.map((truth) => {
    const counts = named.map((decided) => at.get(truth + "\0" + decided) || 0);
    const all = counts.reduce((a, b) => a + b, 0);
    return h("tr", {}, h("th", { scope: "row" }, label(truth)), counts.map((n, i) => cell(truth, named[i], n, all)), h("td", { class: "n soft" }, all ? percent(counts[named.indexOf(truth)] / all) : "–"));
  });
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion table" },
    h("table", { class: "confusion" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "true"), named.map((n) => h("th", { scope: "col", class: "n", title: plain(n) }, outside(n))), h("th", { scope: "col", class: "n" }, "recall"))), h("tbody", {}, rows)),
    classes.length > most && h("p", { class: "soft small" }, `The ${most} largest of ${classes.length} labels.`));
}

function cell(truth, decided, n, all) {
  if (!n) return h("td", { class: "n none" }, "0");
  const hit = truth === decided;
  return h("td", { class: hit ? "n hit" : "n miss", style: { "--shade": Math.round(12 + (70 * n) / all) + "%" } },
    h("a", { href: address("quality", { truth, label: decided }), "aria-label": `${count(n)} of ${plain(truth)} decided ${plain(decided)}` }, count(n)));
}
