// Two diagrams on a unit square: reliability, and coverage against accuracy.

import { h, s } from "../dom.js";
import { count, percent } from "../format.js";

const [width, height, left, bottom, top] = [360, 250, 44, 34, 8];
const x = (v) => left + v * (width - left - 12);
const y = (v) => height - bottom - v * (height - bottom - top);

function frame(says, horizontal, vertical, ticksY, scaleY, ...marks) {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return s("svg", { class: "diagram", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": says },
    ticksY.map((t) => [s("line", { class: "gridline", x1: x(0), x2: x(1), y1: scaleY(t), y2: scaleY(t) }), s("text", { x: left - 6, y: scaleY(t) + 4, "text-anchor": "end" }, percent(t, Number.isInteger(Math.round(t * 1e4) / 100) ? 0 : 1))]),
    ticks.map((t) => s("text", { x: x(t), y: height - bottom + 15, "text-anchor": t === 0 ? "start" : t === 1 ? "end" : "middle" }, percent(t, 0))),
    marks,
    s("text", { x: x(0.5), y: height - 4, "text-anchor": "middle" }, horizontal),
    s("text", { x: x(0) + 4, y: top + 12 }, vertical));
}

// reliability draws the share of right decisions by what they said of themselves. A point's area is the number of decisions.
export function reliability(bins, ece) {
  const full = bins.filter((b) => b.count > 0 && b.confidence !== null);
  if (!full.length) return h("p", { class: "soft" }, "Nothing to show before labels come.");
  const most = Math.max(...full.map((b) => b.count));
  const points = full.map((b) => s("circle", { class: "point", cx: x(b.confidence), cy: y(b.accuracy), r: (2.5 + 8 * Math.sqrt(b.count / most)).toFixed(1) }, s("title", {}, `says ${percent(b.confidence)}, right ${percent(b.accuracy)}, ${count(b.count)} decisions`)));
  const gaps = full.map((b) => s("line", { class: "gap", x1: x(b.confidence), x2: x(b.confidence), y1: y(b.confidence), y2: y(b.accuracy) }));
  return h("div", {}, frame(`Reliability: calibration error ${percent(ece)}`, "what it says", "how often it is right", [0, 0.25, 0.5, 0.75, 1], y,
    s("line", { class: "diagonal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }), gaps, points),
  h("p", { class: "soft small" }, `Calibration error (ECE) ${percent(ece)}: how far the points are from the line, on average. Large points are many decisions.`));
}

// coverage draws the accuracy of what is left above each threshold.
export function coverage(points) {
  const full = points.filter((p) => p.accuracy !== null).sort((a, b) => a.coverage - b.coverage);
  if (full.length < 2) return h("p", { class: "soft" }, "Nothing to show before labels come.");
  const low = Math.max(0, Math.floor(Math.min(...full.map((p) => p.accuracy)) * 20 - 1) / 20);
  const scale = (v) => y((v - low) / (1 - low));
  const ticks = [0, 1, 2, 3, 4].map((i) => low + ((1 - low) * i) / 4);
  const line = "M" + full.map((p) => `${x(p.coverage).toFixed(1)} ${scale(p.accuracy).toFixed(1)}`).join("L");
  const marks = full.map((p) => s("circle", { class: "point", cx: x(p.coverage), cy: scale(p.accuracy), r: 3 }, s("title", {}, `from ${percent(p.threshold, 0)} on: ${percent(p.coverage)} are left, ${percent(p.accuracy)} of them right`)));
  const good = full.filter((p) => p.accuracy >= 0.99).at(-1);
  return h("div", {}, frame("Coverage against accuracy", "share that is left", "how much of it is right", ticks, scale, s("path", { class: "curve-line", d: line }), marks),
    h("p", { class: "soft small" }, good ? `99 % right if those below ${percent(good.threshold, 0)} go to a person: ${percent(1 - good.coverage)} of all.` : "No threshold leaves decisions that are 99 % right."));
}
