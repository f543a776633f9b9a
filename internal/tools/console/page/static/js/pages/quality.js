// Quality: how good the decisions were: on every record of the stream before it was learned, and by what people said later.

import * as api from "../api.js";
import { h, put, say } from "../dom.js";
import { count, percent, plural } from "../format.js";
import { label } from "../labels.js";
import { chart } from "../parts/chart.js";
import { confusion } from "../parts/confusion.js";
import { coverage, reliability } from "../parts/diagrams.js";
import { drift } from "../parts/drift.js";
import { tile } from "../parts/figures.js";
import { race } from "../parts/race.js";
import { row } from "../parts/row.js";
import { keepScroll, table } from "../parts/table.js";
import { address } from "../address.js";

export const title = "Quality";

export function open(root, params, signal) {
  const says = h("p", {}, "…");
  const tiles = Object.fromEntries([["accuracy", "Accuracy"], ["log_loss", "Log loss"], ["ece", "Calibration error"], ["judged", "Where a label came later"]].map(([k, name]) => [k, tile(name)]));
  const state = { params, newest: 1000, quality: null };
  const chooser = windows(state, () => state.quality && showTiles(tiles, chooser, state));
  const right = chart("Accuracy and macro F1 over time", { format: (v) => percent(v), signal, range: (plot, low, high) => [Math.max(0, Math.min(low - 0.02, 0.95)), Math.min(1, high + 0.01)] });
  const loss = chart("Log loss over time", { format: (v) => v?.toFixed(3) ?? "–", signal });
  const contest = race(signal);
  const boxes = { confusion: h("div"), reliability: h("div"), coverage: h("div"), drift: h("div"), teachers: h("div") };
  const cell = h("section", { class: "card wide cell-messages", "aria-label": "Messages", hidden: true });
  const racing = section("wide", "The race of the candidates", "log loss of each way to score the words", contest.root);
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Quality"), says, chooser.root),
    h("section", { class: "figures four", "aria-label": "Figures" }, Object.values(tiles).map((t) => t.root)),
    h("div", { class: "grid" },
      section("w6", "Decisions whose label came later", "a biased sample: people label what is wrong", right.root), section("w6", "How surprised it is", "log loss: what the true label was given; 0 is best", loss.root),
      section("w4", "Which labels it mixes up", "a row is what was true, a column what was decided", boxes.confusion), section("w4", "Is it as sure as it should be?", "on the line, of those that say 80 % are 80 % right", boxes.reliability),
      section("w4", "If unsure ones went to a person", "how much is left, and how much of that is right", boxes.coverage),
      cell, section("wide", "Drift", "when the stream changed, and the labels and words that moved; the same for every replica", boxes.drift),
      section("wide", "Who taught how well", "labels by name, where somebody else labelled the document later; people look at what seems wrong, so it is no fair sample", boxes.teachers), racing));
  api.poll(signal, 4000, async () => {
    const quality = await api.quality({}, signal);
    state.quality = quality;
    say(says, quality.scored.length ? "Every labelled record is scored before it is learned: on those the figures are fair." : "No record was scored before it was learned: nothing to judge by yet.");
    showTiles(tiles, chooser, state);
    draw(quality, right, loss, boxes);
    racing.hidden = quality.race === null;
    contest.show(quality.race);
  }, (error) => say(says, error.message));
  const openCell = () => showCell(cell, state.params, signal);
  openCell();
  return { change: (next) => openCell((state.params = next)) };
}

// windows lets the reader choose how many of the newest records are judged.
function windows(state, changed) {
  const buttons = [[100, "last 100"], [1000, "last 1,000"], [0, "all"]].map(([newest, says]) => h("button", { "data-newest": newest, onclick: () => changed((state.newest = newest)) }, says));
  return { buttons, root: h("div", { class: "choice", role: "group", "aria-label": "Records to judge" }, buttons) };
}

function showTiles(tiles, { buttons }, { newest, quality }) {
  for (const b of buttons) b.setAttribute("aria-pressed", String(Number(b.dataset.newest) === newest));
  const w = quality.scored.find((one) => one.newest === newest);
  say(tiles.accuracy.value, percent(w?.accuracy));
  say(tiles.accuracy.note, w ? `of ${plural(w.records, "record")}, before they were learned` : "none was scored yet");
  say(tiles.log_loss.value, w?.log_loss.toFixed(3) ?? "–");
  say(tiles.log_loss.note, "0 is best");
  say(tiles.ece.value, percent(w?.ece));
  say(tiles.ece.note, w && w.ece === null ? "is kept of the last 1,000" : "how far from what it says");
  say(tiles.judged.value, percent(quality.accuracy));
  say(tiles.judged.note, judged(quality));
}

const few = 50;

// judged says what the decisions are worth whose label came later: people correct what is wrong, so they are no fair sample.
function judged({ joined, decisions, unscored }) {
  if (!joined) return "of no decision yet";
  return `of ${count(joined)} among ${plural(decisions, "decision")}. A biased sample: people label what is wrong${joined < few ? ", and these are few" : ""}.` + (unscored ? ` ${count(unscored)} list other labels and have no log loss.` : "");
}

const section = (width, name, note, content) => h("section", { class: "card " + width, "aria-label": name }, h("h2", {}, name, " ", h("span", { class: "note" }, note)), content);

function draw(quality, right, loss, boxes) {
  const times = quality.series.map((p) => Date.parse(p.time));
  if (times.length > 1) {
    right.draw(times, [{ name: "accuracy", values: quality.series.map((p) => p.accuracy), colour: "--accent" }, { name: "macro F1", values: quality.series.map((p) => p.macro_f1), colour: "--l2" }]);
    loss.draw(times, [{ name: "log loss", values: quality.series.map((p) => p.log_loss), colour: "--accent" }]);
  } else {
    for (const one of [right, loss]) one.empty("Nothing to show before labels come.");
  }
  put(boxes.confusion, confusion(quality.confusion));
  put(boxes.reliability, reliability(quality.reliability, quality.ece));
  put(boxes.coverage, coverage(quality.coverage));
  put(boxes.drift, drift(quality.drift));
  keepScroll(boxes.teachers, table("Teachers", [["name", ""], ["labels", "n"], ["judged later", "n"], ["of these right", "n"]], quality.teachers.map(teacher), "No label says by whom it is."));
}

function teacher({ by, labels, agreed, corrected }) {
  const judged = agreed + corrected;
  return [by, count(labels), count(judged), judged ? percent(agreed / judged) : "–"];
}

// showCell lists the messages of a cell of the confusion table.
async function showCell(box, { truth, label: decided }, signal) {
  box.hidden = !truth || !decided;
  if (box.hidden) return;
  const head = h("h2", {}, "Decided ", label(decided), ", labelled ", label(truth), " ", h("a", { href: address("quality"), class: "note" }, "close"));
  try {
    const { decisions } = await api.history({ truth, label: decided, limit: 50 }, signal);
    put(box, head, decisions.length ? h("ol", { class: "rows" }, decisions.map((d) => h("li", {}, row(d)))) : h("p", { class: "soft" }, "The console remembers none of them any more."));
    box.scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (!signal.aborted) put(box, head, h("p", { class: "problem" }, error.message));
  }
}
