// The whole view of a document: the probabilities, the text with its words, the waterfall, the numbers, what would turn it over.
// The pages Message and Try show it.

import { h, outside, plain, put } from "../dom.js";
import { count, percent, signed } from "../format.js";
import { colourOf, knownLabels, label, sides, status } from "../labels.js";
import { densities } from "./densities.js";
import { folded } from "./folded.js";
import { linkWords, markedText } from "./text.js";
import { marginOf, waterfall } from "./waterfall.js";

// verdictOf returns label, status and the probability of the likeliest classes.
export function verdictOf(decision) {
  const classes = Object.entries(decision.posterior).map(([name, posterior]) => ({ name, posterior: posterior ?? 0 })).sort((a, b) => b.posterior - a.posterior);
  const sure = decision.posterior[decision.label] ?? null;
  const others = decision.others?.classes ?? 0;
  const bar = (c) => h("li", { "data-class": c.name, "data-posterior": c.posterior }, label(c.name),
    h("span", { class: "bar-track" }, h("i", { class: colourOf(c.name), style: { width: c.posterior * 100 + "%" } })),
    h("span", { class: "n", title: plain(c.posterior) }, percent(c.posterior, 2)));
  return h("div", { class: "judged" },
    h("p", { class: "judged-head" }, h("span", { class: "big" }, label(decision.label)), sure !== null && h("span", { class: "big soft" }, percent(sure, 2)), status(decision.status)),
    folded("label-bars posterior", classes.map(bar)),
    others > 0 && h("p", { class: "soft small" }, `and ${count(others)} labels that the decision does not list`));
}

// show puts a view into its places; compare is called with {for, against} when other labels are chosen.
export function viewOf(view, decided, compare, ...more) {
  const now = view.compared ?? view.decision;
  const w = marginOf(now);
  const root = h("div", { class: "grid view", style: w ? sides(w.for, w.against) : {} });
  const figures = densities(view);
  root.append(
    h("div", { class: "w7 stack" },
      h("section", { class: "card", "aria-label": "Text" }, h("h2", {}, "The words"), view.segments.length ? markedText(view) : h("p", { class: "soft" }, "No text."), hashes(view), view.decision && known(view.decision)),
      figures.length ? h("section", { class: "card", "aria-label": "Numbers" }, h("h2", {}, "Beside the words"), h("div", { class: "densities" }, figures)) : null, more),
    h("section", { class: "card w5", "aria-label": "Why" }, why(now, decided, compare), w && flip(view)));
  linkWords(root);
  return root;
}

const hashes = (view) => view.hashed && h("p", { class: "soft small" }, "The words of this model have a key that the console was not given: hashes are shown, and words are not marked in the text.");

function known({ tokens, truncated }) {
  if (!tokens.total) return null;
  return h("p", { class: "soft small" }, `${count(tokens.known)} of ${count(tokens.total)} words are known to the model.`, truncated ? " The text has more distinct words than the limit: the first of them decided." : "");
}

// why draws the waterfall, then or now, tempered or plain.
function why(now, decided, compare) {
  const box = h("div");
  const margins = { now: marginOf(now), then: marginOf(decided) };
  const state = { then: false, plain: false };
  const draw = () => {
    const w = state.then ? margins.then : margins.now;
    put(box, w ? waterfall(w, state.plain) : h("p", { class: "soft" }, "There is nothing to compare: the model has one class, or the decision carries no words."));
  };
  const choice = (says, on, off, name) => h("div", { class: "choice", role: "group", "aria-label": says }, [[off, false], [on, true]].map(([text, value]) => {
    const b = h("button", { "aria-pressed": String(state[name] === value), onclick: () => {
      state[name] = value;
      for (const other of b.parentNode.children) other.setAttribute("aria-pressed", String(other === b));
      draw();
    } }, text);
    return b;
  }));
  draw();
  const tempered = margins.now && margins.now.temper !== 1;
  return [h("div", { class: "why-head" }, h("h2", {}, "Why"), margins.then && choice("Which model", "then", "model now", "then"), tempered && choice("Temper", "plain", `temper ${margins.now.temper.toPrecision(3)}`, "plain")), margins.now && sidesChoice(now, compare), box];
}

// sidesChoice lets the reader compare two other labels, where there are more than two.
function sidesChoice(decision, compare) {
  const names = [...new Set([...Object.keys(decision.posterior), ...knownLabels()])].sort();
  if (names.length < 3) return null;
  const select = (says, chosen) => h("select", { "aria-label": says }, names.map((n) => h("option", { value: n, selected: n === chosen }, plain(n))));
  const one = select("For", decision.label);
  const other = select("Against", decision.runner_up);
  const changed = () => one.value !== other.value && compare({ for: one.value, against: other.value });
  one.addEventListener("change", changed);
  other.addEventListener("change", changed);
  return h("p", { class: "row" }, one, "against", other);
}

function flip({ flip: f }) {
  if (!f) return h("p", { class: "flip" }, h("b", {}, "What would turn it over: "), "no words that could be left out.");
  const words = f.without.slice(0, 8).map((w, i) => [i ? ", " : "", h("b", {}, outside(w))]);
  return h("p", { class: "flip" }, h("b", {}, "What would turn it over: "), "without ", words, f.words > 8 ? ` and ${f.words - 8} more` : "", " it would be ", label(f.label), ` (margin ${signed(f.margin)}).`);
}
