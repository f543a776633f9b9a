// Drift: the alarms of the model log, with the labels and the words that moved.

import { address } from "../address.js";
import { h, outside } from "../dom.js";
import { count, moment, percent, plural } from "../format.js";
import { label } from "../labels.js";

// drift returns the alarms, the newest first.
export function drift(found) {
  if (!found || !(found.records || found.found)) return h("p", { class: "soft" }, "Too little is known yet to tell: no record was scored before it was learned.");
  const now = h("p", { class: "soft small" }, `Now: ${count(found.errors)} errors in ${plural(found.records, "scored record")}, ${Math.round(found.excess)} more than chance explains; above 50 it is a drift.`);
  if (!found.alarms.length) return [h("p", {}, "✓ No alarm: the stream looks as it did."), now];
  const older = found.found - found.alarms.length;
  return [h("ul", { class: "alarms" }, found.alarms.toReversed().map(alarm)), older > 0 && h("p", { class: "soft small" }, `${plural(older, "older alarm")} not shown.`), now];
}

function alarm(a) {
  return h("li", {},
    h("p", {}, h("b", { class: "warn-sign" }, "!"), " ", h("time", { datetime: a.time }, moment(Date.parse(a.time))), ` Errors went from ${percent(a.before)} to ${percent(a.after)} `,
      h("span", { class: "soft" }, `of ${plural(a.scored, "record")} since ${moment(Date.parse(a.since_time))}, found at `, h("code", {}, outside(`${a.topic}/${a.partition}/${a.end}`)), `, model offset ${count(a.offset)}`)),
    a.classes.map((c) => h("p", { class: "row" }, label(c.name), `share ${percent(c.share_before)} → ${percent(c.share_after)}, decided wrong ${percent(c.errors_before)} → ${percent(c.errors_after)}`)),
    a.words.length > 0 && h("p", { class: "row" }, a.words.map(moved)));
}

// moved returns a word with a link to its counts; a value of another block is named with the block.
function moved(w) {
  const rose = w.after > w.before;
  const isWord = w.table === "text";
  return h(isWord ? "a" : "span", { class: "moved-word", href: isWord && address("model", { term: w.term }) },
    h("span", { role: "img", "aria-label": rose ? "more" : "less" }, rose ? "↑" : "↓"), " ", outside(isWord ? w.term : `${w.table} ${w.term}`), " ", label(w.class), ` ${percent(w.before, 2)} → ${percent(w.after, 2)}`);
}
