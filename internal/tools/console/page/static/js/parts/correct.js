// What writes: a label, a forget, an undo. Each is durable before it is said, and can be taken back.

import * as api from "../api.js";
import { h, outside, plain } from "../dom.js";
import { percent, plural } from "../format.js";
import { bind } from "../keys.js";
import { label } from "../labels.js";
import { currentSession } from "../session.js";
import { toast } from "./toast.js";
import { askToken } from "./token.js";

const done = []; // corrections of this tab, the newest last: their places, and what takes the message away that offers to undo them

// correct writes {label} or {forget: true} for documents, and returns the receipts, or null if nothing was written.
export async function correct(documents, what) {
  const receipts = await write({ documents, ...what, wait_seconds: 5 });
  if (!receipts) return null;
  if (receipts.some((r) => r.reason === "new_label")) return askNew(documents, what, receipts.find((r) => r.reason === "new_label"));
  const written = receipts.filter((r) => r.place && (r.outcome === "counted" || r.outcome === "written"));
  tell(receipts, written, what);
  return written.length ? receipts : null;
}

// askNew asks once more for a label that no document has: a slip of the hand would become a label.
function askNew(documents, what, { message }) {
  return new Promise((settle) => {
    const use = () => {
      settle(correct(documents, { ...what, new: true }));
      away();
    };
    const away = toast(plain(message) + (message.endsWith("?") ? "" : "."), { bad: true, stay: 20000, button: h("button", { onclick: use }, "It is a new label"), gone: () => settle(null) });
  });
}

// undo takes the last correction of this tab back, or those at the places.
export async function undo(places = done.at(-1)?.places) {
  if (!places) {
    toast("There is nothing to undo in this tab. The history of corrections is on the page Review.");
    return null;
  }
  const receipts = await write({ documents: places, undo: true, wait_seconds: 5 });
  if (!receipts) return null;
  const at = done.findIndex((d) => d.places.join() === places.join());
  if (at >= 0) done.splice(at, 1)[0].away();
  const refused = receipts.filter((r) => r.outcome === "refused" || r.outcome === "skipped");
  if (refused.length) toast(`Not undone: ${plain(refused[0].message || refused[0].reason)}`, { bad: true });
  else toast(["Undone: ", outside(receipts[0].id), receipts.length > 1 ? ` and ${receipts.length - 1} more` : "", moved(receipts[0])]);
  changed();
  return receipts;
}

// withToken calls what writes, asks for the token if that is missing or wrong, and returns null if nothing was written.
export async function withToken(run) {
  if (currentSession()?.read_only) {
    toast("This console is read-only: it was started so.", { bad: true });
    return null;
  }
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (error.status === 401 && (await askToken())) continue;
      if (error.status !== 401) toast("Nothing was written. " + plain(error.message), { bad: true, stay: 12000 });
      return null;
    }
  }
}

const write = async (body) => (await withToken(() => api.correct(body)))?.receipts;

function tell(receipts, written, what) {
  const failed = receipts.length - written.length;
  const bad = receipts.find((r) => !written.includes(r));
  if (!written.length) {
    toast(["Not changed: ", plain(bad.message || bad.reason)], { bad: true, stay: 12000 });
    return;
  }
  const places = written.map((r) => r.place);
  const counted = written.every((r) => r.outcome === "counted");
  const away = toast([
    what.forget ? "Forgotten: " : [label(what.label), " learned from "],
    written.length === 1 ? outside(written[0].id) : plural(written.length, "message"),
    counted ? "" : " (written; counted soon)",
    written.length === 1 && moved(written[0]),
    failed > 0 && `, ${failed} not: ${plain(bad.message || bad.reason)}`,
  ], { button: h("button", { onclick: () => undo(places) }, h("kbd", {}, "u"), "Undo") });
  done.push({ places, away });
  changed();
}

function moved({ before, after }) {
  if (!before || !after || before.class !== after.class) return null;
  return [". ", outside(after.class), ` ${percent(before.posterior)} → ${percent(after.posterior)}`];
}

// A page that shows what changed listens for this event of the window.
const changed = () => dispatchEvent(new Event("corrected"));

bind(null, "Everywhere", [["u", "undo your last correction", () => undo()]]);
