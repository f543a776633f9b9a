// The figures of the page Live: one look says how fast, how right, how late, and which labels.

import { h, put, say } from "../dom.js";
import { count, percent, plural, rate, seconds } from "../format.js";
import { colourOf, label } from "../labels.js";
import { spark } from "./spark.js";

// tile returns a figure with its name and a note; extra stands beside it.
export function tile(name, extra) {
  const value = h("b", { class: "value" }, "–");
  const note = h("small", {}, " ");
  return { value, note, root: h("div", { class: "tile" }, h("h2", {}, name), h("div", { class: "tile-value" }, value, extra), note) };
}

// makeFigures returns the row of figures. show takes the answer of /v1/stats, judge that of /v1/quality.
export function makeFigures() {
  const curve = spark("Decisions of the last minute, by second");
  const speed = tile("Decisions a second", curve.svg);
  const right = tile("Accuracy");
  const late = tile("Time to a decision");
  const waiting = tile("Waiting");
  const learned = tile("Learned");
  const bars = h("ul", { class: "label-bars" });
  const root = h("section", { class: "figures", "aria-label": "Figures" }, h("div", { class: "tile labels-tile" }, h("h2", {}, "Labels, last 10 seconds"), bars), [speed, right, late, waiting, learned].map((t) => t.root));
  const shownBars = new Map();
  return {
    root,
    show(stats) {
      say(speed.value, rate(stats.per_second));
      say(speed.note, `${count(stats.decisions)} since the console started`);
      curve.draw(stats.history.map((p) => p.decisions));
      const { p50_ms: p50, p99_ms: p99 } = stats.latency;
      say(late.value, p50 === null ? "–" : seconds(p50 / 1000));
      say(late.note, p99 === null ? "none in the last 10 seconds" : `half are faster; 99 % within ${seconds(p99 / 1000)}`);
      showLag(waiting, stats.lag);
      say(learned.value, count(stats.documents));
      say(learned.note, corrected(stats.corrections) + buried(stats.status));
      showBars(bars, shownBars, stats.labels);
    },
    judge({ scored }) {
      const newest = scored.find((w) => w.newest === 1000);
      say(right.value, percent(newest?.accuracy));
      say(right.note, newest ? `of the last ${count(newest.records)} records, before they were learned` : "no record was scored before it was learned");
    },
  };
}

const corrected = ({ written, counted }) => `documents; ${plural(counted, "correction")}` + (written ? `, ${written} on the way` : "");

const buried = (status) => (status?.dead_letters.total ? `; ${plural(status.dead_letters.total, "dead letter")}` : "");

function showLag(waiting, lag) {
  const all = [["to label", lag.documents], ["to learn", lag.training]];
  const known = all.filter(([, n]) => n !== null);
  say(waiting.value, known.length ? count(known.reduce((sum, [, n]) => sum + n, 0)) : "–");
  say(waiting.note, known.length ? known.map(([what, n]) => `${count(n)} ${what}`).join(", ") : "the brokers do not say");
}

// showBars draws a bar for each label: its share of the last ten seconds. Bars stay in the order of the names, so that they do not jump.
function showBars(list, shown, labels) {
  const named = labels.filter((l) => l.per_second > 0 || (l.label !== null && l.decisions > 0)).sort((a, b) => b.decisions - a.decisions);
  const most = named.slice(0, 5).sort((a, b) => String(a.label).localeCompare(String(b.label)));
  const all = named.reduce((sum, l) => sum + l.per_second, 0);
  const names = most.map((l) => l.label).join("\0");
  if (shown.names !== names) {
    shown.names = names;
    shown.clear();
    put(list, most.map((l) => {
      const fill = h("i", { class: colourOf(l.label) });
      const share = h("span", { class: "n" });
      const speed = h("span", { class: "n soft" });
      shown.set(l.label, { fill, share, speed });
      return h("li", {}, label(l.label), h("span", { class: "bar-track" }, fill), share, speed);
    }), named.length > 5 && h("li", { class: "soft small" }, `and ${named.length - 5} more`));
  }
  for (const l of most) {
    const { fill, share, speed } = shown.get(l.label);
    const part = all > 0 ? l.per_second / all : 0;
    fill.style.setProperty("width", (part * 100).toFixed(1) + "%");
    say(share, percent(part, 0));
    say(speed, rate(l.per_second) + "/s");
  }
}
