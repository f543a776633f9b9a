// Review: what a person should label next, by keyboard; many at once by a word; conflicts; who corrected what when.

import { h, put } from "../dom.js";
import { address } from "../address.js";
import { conflicts } from "../parts/conflicts.js";
import { ledger } from "../parts/ledger.js";
import { many } from "../parts/many.js";
import { queue } from "../parts/queue.js";

export const title = "Review";

const orders = { unsure: ["Unsure first", queue], word: ["By a word", many], conflicts: ["Conflicts", conflicts], history: ["History", ledger] };

export function open(root, params, signal) {
  const tabs = h("nav", { class: "tabs", "aria-label": "Kinds of review" });
  const says = h("p");
  const body = h("div");
  let stop = null;
  root.append(h("div", { class: "head" }, h("h1", {}, "Review"), says), tabs, body);
  const show = (now) => {
    const order = now.order in orders ? now.order : "unsure";
    stop?.abort();
    stop = new AbortController();
    put(tabs, Object.entries(orders).map(([name, [text]]) => h("a", { class: "button", href: address("review", { order: name }), "aria-current": name === order ? "true" : null }, text)));
    put(body);
    orders[order][1](body, says, now, AbortSignal.any([signal, stop.signal]));
  };
  show(params);
  return { change: show };
}
