// The queue: one message after the other, the one first whose label would teach most. A number key labels it and goes on.

import * as api from "../api.js";
import { h, outside, put, say, shown } from "../dom.js";
import { count, percent, plural } from "../format.js";
import { bind } from "../keys.js";
import { label, learnLabels, status, word } from "../labels.js";
import { address, go } from "../address.js";
import { choicesFor, likeliest, numberKeys, otherLabel } from "./choices.js";
import { correct } from "./correct.js";

// queue fills the body with the messages that wait.
export function queue(body, says, params, signal) {
  const list = h("ol", { class: "queue", "aria-label": "Messages to label" });
  const empty = h("div", { class: "card empty", hidden: true });
  const state = { seen: new Set(), open: 0, loading: false };
  body.append(list, empty);
  const load = async () => {
    if (state.loading) return;
    state.loading = true;
    try {
      const found = await api.review({ order: "unsure", limit: 30 }, signal);
      learnLabels(found.classes);
      say(says, found.waiting ? `${plural(found.waiting, "message waits", "messages wait")}. Choose the right label, or press its number; the next one comes by itself.` : "");
      const fresh = found.items.filter((i) => !state.seen.has(i.decision.place));
      for (const i of fresh) state.seen.add(i.decision.place);
      const first = state.open === 0;
      state.open += fresh.length;
      list.append(...fresh.map((i) => item(i, decide)));
      if (first && fresh.length) focusItem(list.querySelector("li:not(.done)"));
      empty.hidden = state.open > 0;
      put(empty, h("h2", {}, "Nothing waits"), h("p", {}, "Every decision that the console remembers is sure, or was labelled. Unsure ones appear here by themselves."));
    } finally {
      state.loading = false;
    }
  };
  const decide = async (li, what) => {
    if (li.classList.contains("done")) return;
    finish(li, what);
    state.open--;
    step(list, li, 1);
    const receipts = await correct([li.dataset.place], what);
    if (!receipts && !signal.aborted) reopen(li, state);
    if (state.open < 5) load().catch(() => {});
  };
  api.poll(signal, 4000, () => (state.open < 5 ? load() : undefined), (error) => say(says, error.message));
  bindKeys(signal, list, decide, state);
}

// close says which labels are close.
function close(d) {
  if (d.label === null) return "no label: " + d.status;
  if (d.truth !== null && d.confidence !== null) return ["decided ", outside(d.label), `, ${percent(d.confidence, 0)}, and labelled `, outside(d.truth), ": is the label right?"];
  return likeliest(d.posterior).slice(0, 2).map(([name, p], i) => [i > 0 && ", ", outside(name), " ", percent(p, 0)]);
}

function item({ decision: d, like }, decide) {
  const li = h("li", { tabindex: -1, "data-place": d.place },
    h("p", { class: "text-line" }, d.snippet === null ? h("i", { class: "soft" }, "the text is not at hand: ", outside(d.id)) : h("bdi", {}, shown(d.snippet))),
    h("p", { class: "why-line" }, status(d.status), h("span", {}, close(d)), like > 0 && h("span", {}, `${count(like)} like it`), h("span", { class: "words-line" }, d.evidence.map(word)), h("a", { href: address("message", { place: d.place }) }, "open")),
    h("div", { class: "choices" }, choicesFor(d.posterior).map((text, i) => h("button", { "data-label": text, onclick: () => decide(li, { label: text }) }, h("kbd", {}, i + 1), label(text))), otherLabel((text) => decide(li, { label: text })), h("button", { class: "plain" }, h("kbd", {}, "s"), "skip")),
    h("span", { class: "outcome" }));
  return li;
}

function finish(li, what) {
  li.classList.add("done");
  put(li.querySelector(".outcome"), what.forget ? "forgotten" : ["✓ ", label(what.label)]);
}

function reopen(li, state) {
  li.classList.remove("done");
  put(li.querySelector(".outcome"));
  state.open++;
}

function focusItem(li) {
  li?.focus({ preventScroll: true });
  li?.scrollIntoView({ block: "nearest" });
}

// step goes to the next message that waits, or by one with any.
function step(list, from, by, any = false) {
  for (let li = by > 0 ? from.nextElementSibling : from.previousElementSibling; li; li = by > 0 ? li.nextElementSibling : li.previousElementSibling) {
    if (any || !li.classList.contains("done")) return focusItem(li);
  }
}

const current = (list) => document.activeElement?.closest?.(".queue > li") || list.querySelector("li:not(.done)");

function bindKeys(signal, list, decide, state) {
  const now = (run) => () => {
    const li = current(list);
    if (li) run(li);
  };
  const skip = (li) => {
    if (li.classList.contains("done")) return;
    li.classList.add("done");
    put(li.querySelector(".outcome"), "skipped");
    state.open--;
    step(list, li, 1);
  };
  list.addEventListener("click", (event) => event.target.closest("button.plain") && skip(event.target.closest("li")));
  bind(signal, "Review", [
    ["1 … 9", "it is that label; go on", () => {}],
    ["s", "skip it", now(skip)],
    ["f", "forget it", now((li) => decide(li, { forget: true }))],
    ["j", "next", now((li) => step(list, li, 1, true))],
    ["k", "the one before", now((li) => step(list, li, -1, true))],
    ["Enter", "open it", now((li) => go("message", { place: li.dataset.place }))],
    ["/", "type its label", now((li) => li.querySelector(".other-label")?.focus())],
    ...numberKeys((i) => now((li) => {
      const choice = li.querySelectorAll("[data-label]")[i];
      if (choice) decide(li, { label: choice.dataset.label });
    })()),
  ]);
}
