// The keyboard: each page says its keys and what they do, and ? shows them.

import { h, put } from "./dom.js";

const bound = []; // { group, keys, says, run }

// bind adds keys until the signal ends. A key is that of KeyboardEvent.key, two with a space between are pressed one after the other.
export function bind(signal, group, keys) {
  const added = keys.map(([key, says, run]) => ({ group, key, says, run }));
  bound.push(...added);
  signal?.addEventListener("abort", () => {
    for (const one of added) bound.splice(bound.indexOf(one), 1);
  });
}

let first = ""; // of two keys
let firstAt = 0;

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (writes(event.target) || (document.querySelector("dialog[open]") && event.key !== "?")) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  if (event.key === " " && event.target.closest("a, button, summary")) return;
  const pair = first && performance.now() - firstAt < 1500 ? first + " " + event.key : "";
  first = "";
  const found = bound.findLast((b) => b.key === pair) || bound.findLast((b) => b.key === event.key);
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (bound.some((b) => b.key.startsWith(event.key + " "))) {
    first = event.key;
    firstAt = performance.now();
  }
}

const writes = (target) => target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;

const names = { ArrowDown: "↓", ArrowUp: "↑", Enter: "enter", Escape: "esc", " ": "space" };

// showKeys opens or closes the list of all keys.
function showKeys() {
  const dialog = document.getElementById("keys");
  if (dialog.open) {
    dialog.close();
    return;
  }
  const groups = [...new Set(bound.map((b) => b.group))].reverse();
  put(dialog.querySelector("div"), groups.map((group) => h("section", {}, h("h3", {}, group), h("dl", {}, bound.filter((b) => b.group === group && b.says).map(line)))));
  dialog.showModal();
}

function line({ key, says }) {
  const keys = key.split(/(?<=.) (?=.)/).map((k) => h("kbd", {}, names[k] || k));
  return h("div", {}, h("dt", {}, keys), h("dd", {}, says));
}

// listen starts to listen.
export function listen() {
  addEventListener("keydown", pressed);
  document.getElementById("show-keys").addEventListener("click", showKeys);
  const dialog = document.getElementById("keys");
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  bind(null, "Everywhere", [["?", "show or hide these keys", showKeys]]);
}
