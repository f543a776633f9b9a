// Numbers and categories of a document: the value on the curves of the classes, and how often each class had the category.

import { h, outside, plain, s } from "../dom.js";
import { count, number, percent, signed } from "../format.js";
import { colourOf, label } from "../labels.js";
import { folded } from "./folded.js";

const [width, height] = [320, 96];

// densities returns a figure for each number and each category of a view.
export function densities(view) {
  const numbers = view.numbers.flatMap((block) => block.fields.map((field) => numberFigure(block, field)));
  const values = view.values.map(valueFigure);
  return [...numbers, ...values];
}

function numberFigure(block, field) {
  const says = field.value === null ? "missing: does not vote" : block.abstained ? "does not vote" : `block ${signed(block.weight)}`;
  return h("figure", { class: "density" },
    h("figcaption", {}, h("b", {}, outside(field.field)), " ", number(field.value, 5), " ", h("span", { class: "soft" }, `${block.kind}; ${says}`)),
    field.classes.some((c) => c.deviation > 0) ? curves(field) : null,
    folded("density-classes", field.classes.map((c) => h("li", {}, label(c.class), " ", h("span", { class: "soft" }, `${number(c.mean)} ± ${number(c.deviation)}`, c.share === null ? "" : `, ${percent(c.share, 0)}`)))));
}

// curves draws the normal density of each class over the range where any of them is, and a line at the value.
function curves(field) {
  const classes = field.classes.filter((c) => c.deviation > 0);
  const ends = classes.flatMap((c) => [c.mean - 3.2 * c.deviation, c.mean + 3.2 * c.deviation]);
  if (field.value !== null) ends.push(field.value);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = (v) => ((v - low) / (high - low || 1)) * width;
  const density = (c, v) => Math.exp(-0.5 * ((v - c.mean) / c.deviation) ** 2) / c.deviation;
  const top = Math.max(...classes.map((c) => 1 / c.deviation));
  const paths = classes.map((c) => {
    const points = Array.from({ length: 97 }, (_, i) => low + ((high - low) * i) / 96).map((v) => `${x(v).toFixed(1)} ${(height - 14 - (density(c, v) / top) * (height - 22)).toFixed(1)}`);
    return s("path", { class: "bell " + colourOf(c.class), d: "M" + points.join("L") });
  });
  const at = field.value === null ? [] : [s("line", { class: "at", x1: x(field.value), x2: x(field.value), y1: 2, y2: height - 14 })];
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Densities of ${plain(field.field)} by class, and its value` },
    paths, at, s("line", { class: "axis", x1: 0, x2: width, y1: height - 14, y2: height - 14 }),
    s("text", { x: 0, y: height - 2 }, number(low)), s("text", { x: width, y: height - 2, "text-anchor": "end" }, number(high)));
}

// byCount puts the largest first where there are so many that some are folded away.
const byCount = (counts) => (counts.length > 9 ? [...counts].sort((a, b) => b.count - a.count) : counts);

function valueFigure(value) {
  const all = value.counts.reduce((sum, c) => sum + c.count, 0);
  return h("figure", { class: "density" },
    h("figcaption", {}, h("b", {}, outside(value.field)), " ", value.value === null ? h("i", {}, "missing") : outside(value.value), " ", value.value !== null && h("span", { class: "soft" }, value.votes ? signed(value.weight) : "does not vote")),
    folded("label-bars", byCount(value.counts).map((c) => h("li", {}, label(c.class), h("span", { class: "bar-track" }, h("i", { class: colourOf(c.class), style: { width: (all ? (c.count / all) * 100 : 0) + "%" } })), h("span", { class: "n" }, count(c.count)), h("span")))));
}
