// Model: the classes and how far they are, their words, one word through time, the numbers, the spec.

import * as api from "../api.js";
import { h, outside, plain, put, say } from "../dom.js";
import { count, number, percent, plural } from "../format.js";
import { bind } from "../keys.js";
import { colourOf, label } from "../labels.js";
import { chart } from "../parts/chart.js";
import { ellipses } from "../parts/ellipses.js";
import { keepScroll } from "../parts/table.js";
import { oneTerm, wordsOf } from "../parts/words.js";
import { stays } from "../parts/window.js";
import { address, go } from "../address.js";

export const title = "Model";

export function open(root, params, signal) {
  const says = h("p", {}, "…");
  const boxes = Object.fromEntries(["classes", "words", "term", "blocks", "window", "spec"].map((n) => [n, h("div")]));
  const size = chart("Documents and words over time", { format: count, height: 150, signal });
  const field = h("input", { type: "search", placeholder: "A word", "aria-label": "A word", autocomplete: "off", spellcheck: "false" });
  const ask = h("form", { class: "row", role: "search" }, field, h("button", {}, "Show"));
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) go("model", { ...state.params, term: field.value.trim() });
  });
  const state = { params };
  const figures = h("div");
  root.append(h("div", { class: "head" }, h("h1", {}, "Model"), says), h("div", { class: "grid" },
    card("w7", "Labels", boxes.classes), card("w5", "As it grew", size.root),
    card("w7", "Words of a label", boxes.words), card("w5", "One word", [ask, boxes.term]),
    h("section", { class: "card wide", "aria-label": "Numbers", hidden: true }, h("h2", {}, "Beside the words"), figures),
    card("w5", "Blocks and fingerprints", boxes.blocks), card("w7", "Spec", boxes.spec), card("wide", "What stays counted", boxes.window)));
  bind(signal, "Model", [["/", "look a word up", () => field.focus()]]);
  let first = true;
  api.poll(signal, 3000, async () => {
    const model = await api.model({}, signal);
    showModel(model, says, boxes, size);
    if (first) showWords(state, model, boxes, signal);
    first = false;
  }, (error) => say(says, error.message));
  showTerm(state.params.term, field, boxes.term, signal);
  showNumbers(figures, signal);
  return {
    change(next) {
      const before = state.params;
      state.params = next;
      if (next.term !== before.term) showTerm(next.term, field, boxes.term, signal);
      if (next.class !== before.class || next.against !== before.against) api.model({}, signal).then((m) => showWords(state, m, boxes, signal), () => {});
    },
  };
}

const card = (width, name, content) => h("section", { class: "card " + width, "aria-label": name }, h("h2", {}, name), content);

function showModel(model, says, boxes, size) {
  say(says, `${model.name}: ${plural(model.documents, "document")} learned, ${plural(model.vocabulary, "word")}${model.frozen ? " (frozen at the limit)" : ""}, offset ${count(model.offset)}${model.behind ? `, ${count(model.behind)} behind` : ""}.`);
  keepScroll(boxes.classes, classes(model), model.problems.map((p) => h("p", { class: "problem" }, "! " + plain(p))));
  if (model.size.length > 1) size.draw(model.size.map((p) => Date.parse(p.time)), [{ name: "documents", values: model.size.map((p) => p.documents), colour: "--accent" }, { name: "words", values: model.size.map((p) => p.vocabulary), colour: "--l2" }]);
  put(boxes.blocks, blocks(model));
  keepScroll(boxes.window, stays(model.window));
  if (boxes.spec.textContent !== model.spec) put(boxes.spec, h("pre", { class: "scroll", tabindex: 0, "aria-label": "Spec" }, plainLines(model.spec)));
}

const plainLines = (text) => text.split("\n").map(plain).join("\n");

function classes(model) {
  if (!model.classes.length) return h("p", { class: "soft" }, "No document was learned yet.");
  const rows = model.classes.map((c) => {
    const far = c.min_documents ? Math.min(1, c.documents / c.min_documents) : 1;
    return h("tr", {}, h("th", { scope: "row" }, h("a", { class: "quiet", href: address("model", { class: c.name }) }, label(c.name))),
      h("td", { class: "n" }, count(c.documents)), h("td", {}, h("span", { class: "bar-track" }, h("i", { class: colourOf(c.name), style: { width: c.share * 100 + "%" } }))), h("td", { class: "n" }, percent(c.share)), h("td", { class: "n" }, count(c.tokens)),
      h("td", {}, far >= 1 ? "✓ enough" : h("span", { class: "soft" }, `${count(c.documents)} of ${count(c.min_documents)} needed`)));
  });
  return [h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Labels" }, h("table", { class: "classes" },
    h("thead", {}, h("tr", {}, [["label", ""], ["documents", "n"], ["share", "", 2], ["words", "n"], ["for decisions", ""]].map(([n, c, span]) => h("th", { scope: "col", class: c, colspan: span }, n)))), h("tbody", {}, rows))), imbalance(model)];
}

const imbalance = (model) =>
  model.imbalance !== null && h("p", { class: "soft small" }, model.imbalance < 1.05 ? "All labels have about as many documents." : `The largest label has ${number(model.imbalance, 3)} times the documents of the smallest.`);

function blocks(model) {
  const line = (name, ...what) => h("div", {}, h("dt", {}, name), h("dd", {}, what));
  return h("dl", { class: "pairs" }, model.blocks.map((b) => line(b.name, `${b.kind}, `, outside(b.fields.join(", ")), b.detail ? h("span", { class: "soft" }, ` ${plain(b.detail)}`) : "")),
    line("temper", model.temper ?? "none"), line("counting", h("code", {}, model.fingerprint.counting)), line("scoring", h("code", {}, model.fingerprint.scoring)), line("digest", h("code", {}, model.digest)));
}

// showWords shows the words of the chosen class, or of the first.
async function showWords(state, model, boxes, signal) {
  const names = model.classes.map((c) => c.name);
  if (!names.length) return;
  const name = names.includes(state.params.class) ? state.params.class : names[0];
  const choose = (says, options, chosen, key) => {
    const select = h("select", { "aria-label": says }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
    select.addEventListener("change", () => go("model", { ...state.params, [key]: select.value }, true));
    return select;
  };
  const heads = h("div", { class: "row" }, choose("Label", names.map((n) => [n, plain(n)]), name, "class"), "against", choose("Against", [["", "all others"], ...names.filter((n) => n !== name).map((n) => [n, plain(n)])], state.params.against || "", "against"));
  try {
    const words = await api.classWords(name, { against: state.params.against !== name ? state.params.against : "", limit: 20 }, signal);
    put(boxes.words, heads, wordsOf(words));
  } catch (error) {
    if (!signal.aborted) put(boxes.words, heads, h("p", { class: "problem" }, error.message));
  }
}

async function showTerm(name, field, box, signal) {
  if (!name) {
    put(box, h("p", { class: "soft" }, "Look a word up: how often each label had it, and how that changed."));
    return;
  }
  field.value = name;
  try {
    put(box, oneTerm(await api.term(name, signal), signal));
  } catch (error) {
    if (!signal.aborted) put(box, h("p", { class: "problem" }, error.message));
  }
}

async function showNumbers(box, signal) {
  const found = await api.numbers({}, signal).catch(() => null);
  if (!found || signal.aborted) return;
  const drawn = ellipses(found);
  box.parentNode.hidden = drawn.length === 0;
  put(box, h("div", { class: "densities" }, drawn));
}
