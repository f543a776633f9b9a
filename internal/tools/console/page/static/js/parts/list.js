// The list of the page Live. Decisions may come faster than anybody reads or a browser draws: they are collected, and a few times a
// second the newest go into the list, which never has more than 150 rows.

import { h, put, say } from "../dom.js";
import { count } from "../format.js";
import { bind } from "../keys.js";
import { choicesFor, numberKeys } from "./choices.js";
import { correct } from "./correct.js";
import { corrected, row } from "./row.js";

const rows = 150;
const pace = 350; // milliseconds between two changes of the list
const soon = 30; // milliseconds until the first decisions are in it
const atOnce = 12; // decisions that a change adds, once the list is filled
const first = 100; // decisions that fill the empty list, as many as are asked for
const rest = 4000; // milliseconds that the list stays still after the pointer moved over it

// makeList returns the list, its controls, and what the stream calls.
export function makeList(signal) {
  const view = { list: h("ol", { class: "rows", "aria-label": "Decisions, newest first" }), note: h("span", { class: "soft small", role: "status" }), empty: h("div", { class: "empty" }, "Waiting for decisions…") };
  const state = { waiting: [], passed: 0, paused: false, heldUntil: 0, filtered: false, timer: 0 };
  const pause = h("button", { "aria-pressed": "false", onclick: () => toggle() }, h("kbd", {}, "p"), h("span", {}, "Pause"));
  const toggle = () => {
    state.paused = !state.paused;
    pause.setAttribute("aria-pressed", String(state.paused));
    say(pause.lastChild, state.paused ? "Go on" : "Pause");
    schedule();
  };
  const draw = () => {
    state.timer = 0;
    if (!signal.aborted) requestAnimationFrame(() => step(view, state, schedule));
  };
  const schedule = () => {
    if (!state.timer) state.timer = setTimeout(draw, view.list.firstChild ? pace : soon);
  };
  holdUnderPointer(view.list, state, schedule);
  bindKeys(signal, view.list, toggle, () => document.activeElement?.blur());
  return {
    root: h("div", { class: "list" }, view.list, view.empty),
    controls: h("div", { class: "row controls" }, view.note, pause),
    clear(filter) {
      state.filtered = Object.keys(filter).length > 0;
      Object.assign(state, { waiting: [], passed: 0 });
      view.list.replaceChildren();
      say(view.empty, "Waiting for decisions…");
      view.empty.hidden = false;
    },
    opened() {
      if (view.list.firstChild || state.waiting.length) return;
      say(view.empty, state.filtered ? "No decision matches the filter yet." : "No decision yet. They appear here as soon as they are made.");
    },
    lost: () => say(view.note, "no connection, trying again"),
    decision(line) {
      state.waiting.push(line);
      if (state.waiting.length > 2 * rows) {
        state.passed += state.waiting.length - rows;
        state.waiting.splice(0, state.waiting.length - rows);
      }
      schedule();
    },
  };
}

const held = (view, state) => state.paused || performance.now() < state.heldUntil || view.list.contains(document.activeElement);

// step moves some of the waiting decisions into the list. While the list is still, they wait, and the newest are kept.
function step(view, state, schedule) {
  const filled = view.list.childElementCount > 0;
  if (filled && held(view, state)) {
    const n = state.waiting.length + state.passed;
    say(view.note, n ? `${count(n)} new since it stands still` : "stands still");
    if (!state.paused) schedule();
    return;
  }
  const taken = state.waiting.slice(filled ? -atOnce : -first).map((line) => JSON.parse(line));
  state.passed += state.waiting.length - taken.length + taken.reduce((sum, d) => sum + d.skipped, 0);
  state.waiting = [];
  if (taken.length) {
    add(view.list, taken);
    view.empty.hidden = true;
    say(view.note, filled && state.passed ? `fast: one in ${count(1 + Math.round(state.passed / taken.length))} is shown` : "");
  }
  state.passed = 0;
  if (filled || taken.length) schedule(); // else the next decision does
}

function add(list, decisions) {
  const fragment = document.createDocumentFragment();
  for (const d of decisions) {
    const known = document.getElementById(rowID(d.place));
    if (known && list.contains(known)) continue;
    const li = h("li", { id: rowID(d.place), class: "row-in" }, row(d));
    posteriors.set(li, d.posterior);
    fragment.prepend(li);
  }
  list.prepend(fragment);
  while (list.childElementCount > rows) list.lastChild.remove();
}

const posteriors = new WeakMap(); // of the rows, for their number keys

const rowID = (place) => "d-" + place;

// holdUnderPointer keeps the list still while somebody points at it: a row must not move away under a click.
function holdUnderPointer(list, state, schedule) {
  const hold = () => {
    state.heldUntil = performance.now() + rest;
    schedule();
  };
  list.addEventListener("pointermove", hold);
  list.addEventListener("pointerdown", hold);
  list.addEventListener("pointerleave", () => {
    state.heldUntil = 0;
  });
}

// bindKeys: j and k move through the rows, which holds the list; numbers label the row.
function bindKeys(signal, list, toggle, leave) {
  const move = (by) => {
    const at = document.activeElement?.closest?.(".rows > li");
    const next = at ? (by > 0 ? at.nextElementSibling : at.previousElementSibling) : list.firstElementChild;
    next?.querySelector("a")?.focus();
  };
  const labelRow = (n) => {
    const at = document.activeElement?.closest?.(".rows > li");
    const label = at && choicesFor(posteriors.get(at))[n];
    if (at && label !== undefined) correct([at.id.slice(2)], { label }).then((done) => done && mend(at, label));
  };
  bind(signal, "Live", [
    ["j", "next row; the list stands still", () => move(1)],
    ["k", "row before", () => move(-1)],
    ["Enter", "open the row", () => {}],
    ["1 … 9", "correct the row: 1 is the first label by name, of more than nine the likeliest", () => {}],
    ["p", "pause or go on", toggle],
    ["Escape", "leave the row", leave],
    ...numberKeys(labelRow),
  ]);
}

function mend(item, label) {
  put(item.querySelector(".row-truth"), corrected(label));
}
