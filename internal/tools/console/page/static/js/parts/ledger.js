// The history of corrections: who, what, when, what it did, and the way back.

import * as api from "../api.js";
import { h, outside, plain, put, say } from "../dom.js";
import { moment, percent, signed } from "../format.js";
import { label } from "../labels.js";
import { address } from "../address.js";
import { undo } from "./correct.js";
import { keepScroll, table } from "./table.js";

// ledger fills the body with the corrections, newest first.
export function ledger(body, says, params, signal) {
  const box = h("section", { class: "card", "aria-label": "Corrections" });
  body.append(box);
  say(says, "All corrections on the training topic, from this console and from others.");
  const load = async () => {
    const { corrections, more } = await api.corrections({ limit: 100 }, signal);
    keepScroll(box, table("Corrections", [["when", ""], ["message", ""], ["change", ""], ["by", ""], ["state", ""], ["before → after", ""], ["counts", ""], ["", ""]], corrections.map(line), "Nobody corrected anything yet. Open a message, or use the queue."), more && h("p", { class: "soft small" }, "Older ones are on the training topic."));
  };
  const again = api.poll(signal, 3000, load, (error) => put(box, h("p", { class: "problem" }, error.message)));
  addEventListener("corrected", again, { signal });
}

const outcomes = { written: "… written", counted: "✓ counted", skipped: "✕ not counted" };

function line(c) {
  return [moment(Date.parse(c.time)), h("a", { href: address("message", c.source ? { place: c.source } : { id: c.id }) }, outside(c.id)),
    c.action === "forget" || c.label === null ? h("span", {}, c.action === "undo" ? "undone: not learned" : "forgotten") : [c.action === "undo" ? "undone: " : "", c.was !== null && c.was !== c.label ? [label(c.was), " → "] : "", label(c.label)],
    c.by ? outside(c.by) : h("span", { class: "soft" }, c.way === "console" ? "somebody" : "another program"),
    [outcomes[c.outcome], c.reason ? h("span", { class: "soft" }, ` ${plain(c.reason)}`) : "", c.undone ? h("span", { class: "soft" }, ", undone since") : ""],
    c.before && c.after ? [outside(c.after.class), ` ${percent(c.before.posterior)} → ${percent(c.after.posterior)}`] : "–",
    (c.counts || []).map((n, i) => [i ? ", " : "", outside(n.class), " ", signed(n.documents, 0)]),
    c.may_undo ? h("button", { onclick: () => undo([c.place]) }, "Undo") : ""];
}
