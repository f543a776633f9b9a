// Many at once: all decisions with a word, ticked or not, and one label for them.

import * as api from "../api.js";
import { h, outside, put, say, shown } from "../dom.js";
import { percent, plural } from "../format.js";
import { bind } from "../keys.js";
import { knownLabels, label } from "../labels.js";
import { filter } from "../address.js";
import { choicesFor, numberKeys, otherLabel } from "./choices.js";
import { correct } from "./correct.js";

// many fills the body with a field for the word and what was found with it.
export function many(body, says, params, signal) {
  const field = h("input", { type: "search", "aria-label": "Word", placeholder: "A word", value: params.word || "", autocomplete: "off", spellcheck: "false" });
  const decided = h("select", { "aria-label": "Decided as" }, h("option", { value: "" }, "any label"), knownLabels().map((n) => h("option", { value: n, selected: n === params.label }, n)));
  const list = h("ol", { class: "queue ticked", "aria-label": "Messages with the word" });
  const bar = h("div", { class: "many", role: "group", "aria-label": "Label those that are ticked", hidden: true });
  const count = h("b");
  say(says, "All messages with a word, and one label for those you tick.");
  const ticked = () => [...list.querySelectorAll("input:checked")].map((box) => box.value);
  const recount = () => say(count, ticked().length ? plural(ticked().length, "message") : "None of the messages");
  const load = async () => {
    filter({ order: "word", word: field.value, label: decided.value });
    bar.hidden = true;
    if (!field.value.trim()) return put(list);
    try {
      const found = await api.review({ order: "word", word: field.value.trim(), label: decided.value, limit: 100 }, signal);
      choices = choicesFor(sumOf(found.items));
      drawBar();
      put(list, found.items.length ? found.items.map(item) : h("li", { class: "soft" }, "No open decision has this word."));
      bar.hidden = found.items.length === 0;
      recount();
    } catch (error) {
      if (!signal.aborted) put(list, h("li", { class: "problem" }, error.message));
    }
  };
  const use = async (name) => {
    const places = ticked();
    if (places.length && (await correct(places, { label: name }))) load();
  };
  let choices = [];
  const drawBar = () => put(bar, count, "are", choices.map((name, i) => h("button", { onclick: () => use(name) }, h("kbd", {}, i + 1), label(name))), otherLabel(use), h("button", { class: "plain", onclick: () => toggleAll(list, recount) }, h("kbd", {}, "a"), "all or none"));
  const form = h("form", { class: "row tabs", role: "search" }, field, decided, h("button", { class: "main" }, "Find"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    load();
  });
  list.addEventListener("change", recount);
  body.append(form, list, bar);
  bind(signal, "Review", [["/", "look for a word", () => field.focus()], ["a", "tick all or none", () => toggleAll(list, recount)], ["1 … 9", "label those that are ticked", () => {}],
    ...numberKeys((i) => choices[i] !== undefined && use(choices[i]))]);
  if (field.value) load();
  else field.focus();
}

// sumOf adds the posteriors of messages up.
function sumOf(items) {
  const sum = {};
  for (const { decision } of items) for (const [name, p] of Object.entries(decision.posterior)) sum[name] = (sum[name] ?? 0) + p;
  return sum;
}

function item({ decision: d }) {
  return h("li", {}, h("label", { class: "pick" }, h("input", { type: "checkbox", value: d.place }), h("span", {}, d.snippet === null ? outside(d.id) : h("bdi", {}, shown(d.snippet)), " ", h("span", { class: "soft small" }, label(d.label), " ", percent(d.confidence)))));
}

function toggleAll(list, recount) {
  const boxes = [...list.querySelectorAll("input")];
  const on = boxes.some((b) => !b.checked);
  for (const b of boxes) b.checked = on;
  recount();
}
