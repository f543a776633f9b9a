// Conflicts: the same text with two labels. One of them is wrong.

import * as api from "../api.js";
import { h, outside, put, say, shown } from "../dom.js";
import { plural } from "../format.js";
import { label } from "../labels.js";
import { address } from "../address.js";
import { correct } from "./correct.js";

// conflicts fills the body with the texts that have several labels.
export function conflicts(body, says, params, signal) {
  const list = h("ol", { class: "queue", "aria-label": "Texts with several labels" });
  body.append(list);
  const load = async () => {
    const found = await api.review({ order: "conflicts", limit: 50 }, signal);
    say(says, found.conflicts.length ? `${plural(found.conflicts.length, "text has", "texts have")} several labels.` : "");
    put(list, found.conflicts.length ? found.conflicts.map(conflict) : h("li", { class: "empty" }, h("h2", {}, "No conflicts"), h("p", {}, "No text that the console remembers has two labels.")));
  };
  load().catch((error) => !signal.aborted && say(says, error.message));
  addEventListener("corrected", () => load().catch(() => {}), { signal });
}

function conflict({ text, labels }) {
  const all = labels.flatMap((l) => l.documents);
  return h("li", {}, h("p", { class: "text-line" }, h("bdi", {}, shown(text))),
    h("p", { class: "why-line" }, labels.map((l) => h("span", {}, label(l.label), " ", l.documents.slice(0, 5).map((d, i) => [i ? ", " : "", h("a", { href: address("message", { place: d }) }, outside(d))])))),
    h("div", { class: "choices" }, labels.map((l) => h("button", { onclick: () => correct(all, { label: l.label }) }, "all are ", label(l.label)))));
}
