// Tables that are drawn again and again: the place to which a reader has scrolled stays.

import { h, put } from "../dom.js";

// table returns a table that can be scrolled; heads are pairs of name and class, the first cell of a row is its head.
export function table(says, heads, rows, empty) {
  if (!rows.length) return h("p", { class: "soft" }, empty);
  const cells = (row) => row.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: heads[i][1] }, cell)));
  return h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": says }, h("table", {}, h("thead", {}, h("tr", {}, heads.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))));
}

// keepScroll replaces what a box holds, unless somebody has the focus in it, and scrolls to where it was.
export function keepScroll(box, ...content) {
  if (box.querySelector("a, button, input")?.matches(":focus") || hasSelection(box)) return;
  const focused = box.contains(document.activeElement);
  const at = box.querySelector(".scroll");
  const [top, left] = [at?.scrollTop ?? 0, at?.scrollLeft ?? 0];
  put(box, ...content);
  const now = box.querySelector(".scroll");
  now?.scrollTo(left, top);
  if (focused) now?.focus({ preventScroll: true });
}

// hasSelection reports whether somebody is about to copy something from the box.
function hasSelection(box) {
  const selection = getSelection();
  return selection.type === "Range" && box.contains(selection.anchorNode);
}
