// A list that shows its first entries, and the others when asked.

import { h } from "../dom.js";
import { count } from "../format.js";

const shown = 8;

// folded returns a list of items.
export function folded(kind, items) {
  const list = (part) => h("ul", { class: kind }, part);
  if (items.length <= shown + 1) return list(items);
  return h("div", {}, list(items.slice(0, shown)), h("details", { class: "fold" }, h("summary", {}, `${count(items.length - shown)} more`), list(items.slice(shown))));
}
