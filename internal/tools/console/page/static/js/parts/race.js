// The race of the candidates: how each way to score the words did on the same records.

import { h, outside, put } from "../dom.js";
import { count, number } from "../format.js";
import { chart } from "./chart.js";

// race returns an element; show takes the race of an answer, which may be null.
export function race(signal) {
  const curves = chart("Log loss of the candidates over time", { format: (v) => v?.toFixed(3) ?? "–", height: 170, signal });
  const table = h("div");
  const root = h("div");
  return {
    root,
    show(contest) {
      if (!contest) return put(root);
      if (!curves.root.isConnected) put(root, curves.root, table);
      if (contest.series.length > 1) curves.draw(contest.series.map((p) => Date.parse(p.time)), contest.candidates.slice(0, 8).map((c, i) => ({ name: c.name, colour: "--l" + (i % 8), values: contest.series.map((p) => p.log_loss[i]) })));
      curves.root.hidden = contest.series.length < 2;
      const byCost = contest.candidates.some((c) => c.cost);
      const lost = (c) => byCost ? c.cost ?? 0 : c.errors;
      const sorted = [...contest.candidates].sort((a, b) => (b.name === contest.leader) - (a.name === contest.leader) || lost(a) - lost(b) || a.log_loss - b.log_loss);
      put(table, h("p", { class: "soft small" }, (byCost ? "The one with the least cost decides; the log loss, or the errors where small classes weigh more, count beside it." : "The one with the fewest errors and the least log loss decides; four nats of loss weigh as an error.") + " It gives way to another only when that one is clearly better."), h("table", {}, h("thead", {}, h("tr", {}, ["candidate", "errors", ...(byCost ? ["cost"] : []), "log loss", "documents"].map((n, i) => h("th", { scope: "col", class: i ? "n" : "" }, n)))),
        h("tbody", {}, sorted.map((c) => h("tr", {}, h("th", { scope: "row" }, outside(c.name), c.name === contest.leader ? h("b", { class: "leads" }, " ★ leads") : ""), h("td", { class: "n" }, count(c.errors)), byCost ? h("td", { class: "n" }, number(c.cost ?? 0)) : "", h("td", { class: "n" }, c.log_loss?.toFixed(4) ?? "–"), h("td", { class: "n" }, count(c.documents)))))));
    },
  };
}
