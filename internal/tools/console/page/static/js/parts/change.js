// What a correction did: before and after, and the counts that changed.

import * as api from "../api.js";
import { h, outside, plain } from "../dom.js";
import { percent, signed } from "../format.js";
import { label } from "../labels.js";

// change returns a box on the last correction of a message, or null.
export async function change(message, signal) {
  const state = message.correction;
  if (!state) return null;
  const found = (await api.corrections({ limit: 50 }, signal)).corrections.find((c) => c.place === state.place);
  return h("section", { class: "card change " + state.outcome, "aria-label": "Correction", "data-outcome": state.outcome }, sentence(state), found && [moved(found), counts(found)]);
}

function sentence({ action, label: to, outcome, reason }) {
  const what = action === "undo" ? ["Correction undone", to === null ? "" : [": ", label(to), " again"]] : action === "forget" ? ["Forgotten"] : ["Corrected to ", label(to)];
  const says = { written: "written, and counted in a moment", counted: "counted", skipped: `not counted: ${plain(reason)}` }[outcome];
  const sign = { written: "…", counted: "✓", skipped: "✕" }[outcome];
  return h("p", {}, h("b", { class: "sign", "aria-hidden": "true" }, sign), " ", h("b", {}, what), h("span", { class: "soft" }, " – ", says));
}

// moved draws the probability of one class before and after.
function moved({ before, after }) {
  if (!before || !after) return null;
  return h("p", { class: "moved", "data-before": before.posterior, "data-after": after.posterior }, label(before.class), " ", h("b", {}, percent(before.posterior, 2)), " → ", h("b", {}, before.class === after.class ? "" : [outside(after.class), " "], percent(after.posterior, 2)));
}

function counts({ counts: all }) {
  if (!all?.length) return null;
  return h("p", { class: "soft" }, "Documents: ", all.map((c, i) => [i ? ", " : "", outside(c.class), " ", signed(c.documents, 0)]));
}
