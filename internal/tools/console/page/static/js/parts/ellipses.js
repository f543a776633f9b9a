// Blocks of numbers: an ellipse of one and of two standard deviations for each class, and the line between two of LDA; categories as bars.

import { h, outside, plain, s } from "../dom.js";
import { count, number } from "../format.js";
import { colourOf, label } from "../labels.js";
import { folded } from "./folded.js";

const [width, height, pad] = [360, 260, 26];

// ellipses returns a figure for each pair of neighbouring fields, for each single field, and for each field of categories.
export function ellipses({ blocks, values }) {
  return [...blocks.flatMap(blockFigures), ...values.map(bars)];
}

function blockFigures(block) {
  const classes = block.classes.filter((c) => !c.problem && c.mean.length);
  if (!classes.length) return [h("figure", {}, h("figcaption", {}, h("b", {}, outside(block.fields.join(", "))), h("span", { class: "soft" }, ` ${block.kind}: too few values yet`)))];
  const pairs = block.fields.length < 2 ? [[0, 0]] : block.fields.slice(1).map((_, i) => [0, i + 1]).slice(0, 6);
  return pairs.map(([a, b]) => figure(block, classes, a, b));
}

function figure(block, classes, a, b) {
  const single = a === b;
  const spread = (c, i) => Math.sqrt(Math.max(0, c.covariance[i]?.[i] ?? 0)) || 1e-6;
  const extent = (i) => [Math.min(...classes.map((c) => c.mean[i] - 2.6 * spread(c, i))), Math.max(...classes.map((c) => c.mean[i] + 2.6 * spread(c, i)))];
  const [x0, x1] = extent(a);
  const [y0, y1] = single ? [0, classes.length] : extent(b);
  const x = (v) => pad + ((v - x0) / (x1 - x0 || 1)) * (width - pad - 8);
  const y = (v) => height - pad - ((v - y0) / (y1 - y0 || 1)) * (height - pad - 8);
  const shapes = classes.map((c, i) => (single ? interval(c, i, x, y, spread(c, a)) : ellipse(c, a, b, x, y)));
  const lines = single ? [] : block.lines.filter((l) => l.fields[0] === block.fields[a] && l.fields[1] === block.fields[b]).map((l) => boundary(l, [x0, x1], [y0, y1], x, y));
  const axes = [s("line", { class: "axis", x1: pad, x2: width - 8, y1: height - pad, y2: height - pad }), s("text", { x: pad, y: height - pad + 14 }, number(x0)), s("text", { x: width - 8, y: height - pad + 14, "text-anchor": "end" }, number(x1)), s("text", { x: width / 2, y: height - 2, "text-anchor": "middle" }, plain(block.fields[a]))];
  if (!single) axes.push(s("line", { class: "axis", x1: pad, x2: pad, y1: 8, y2: height - pad }), s("text", { x: pad + 4, y: 16 }, `${plain(block.fields[b])} ${number(y1)}`), s("text", { x: pad + 4, y: height - pad - 4 }, number(y0)));
  const fields = single ? block.fields[a] : `${block.fields[a]}, ${block.fields[b]}`;
  return h("figure", {}, h("figcaption", {}, h("b", {}, outside(fields)), h("span", { class: "soft" }, ` ${block.kind}${lines.length ? ", with the line between the labels" : ""}`)),
    s("svg", { class: "diagram", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Means and deviations by label of ${plain(fields)}` }, s("g", {}, axes), shapes, lines),
    folded("density-classes", classes.map((c) => h("li", {}, label(c.class), h("span", { class: "soft" }, ` ${count(c.documents)}`)))));
}

// ellipse draws where one and two standard deviations are, from the square root of the covariance.
function ellipse(c, a, b, x, y) {
  const [p, q, r] = [c.covariance[a]?.[a] ?? 0, c.covariance[a]?.[b] ?? 0, c.covariance[b]?.[b] ?? 0];
  const l11 = Math.sqrt(Math.max(p, 1e-12));
  const l21 = q / l11;
  const l22 = Math.sqrt(Math.max(r - l21 * l21, 1e-12));
  const ring = (k) => "M" + Array.from({ length: 73 }, (_, i) => (i * Math.PI) / 36).map((t) => `${x(c.mean[a] + k * l11 * Math.cos(t)).toFixed(1)} ${y(c.mean[b] + k * (l21 * Math.cos(t) + l22 * Math.sin(t))).toFixed(1)}`).join("L") + "Z";
  return s("g", { class: colourOf(c.class) }, s("path", { class: "ring inner", d: ring(1) }), s("path", { class: "ring", d: ring(2) }), s("circle", { class: "mean", cx: x(c.mean[a]), cy: y(c.mean[b]), r: 3 }), s("text", { class: "on-plot", x: x(c.mean[a]) + 6, y: y(c.mean[b]) - 5 }, plain(c.class)));
}

function interval(c, i, x, y, deviation) {
  const at = y(i + 0.5);
  return s("g", { class: colourOf(c.class) }, s("line", { class: "ring", x1: x(c.mean[0] - 2 * deviation), x2: x(c.mean[0] + 2 * deviation), y1: at, y2: at }), s("line", { class: "ring thick", x1: x(c.mean[0] - deviation), x2: x(c.mean[0] + deviation), y1: at, y2: at }), s("circle", { class: "mean", cx: x(c.mean[0]), cy: at, r: 4 }), s("text", { class: "on-plot", x: x(c.mean[0]), y: at - 9, "text-anchor": "middle" }, plain(c.class)));
}

// boundary draws normal · x = offset within the figure.
function boundary({ normal: [n, m], offset }, [x0, x1], [y0, y1], x, y) {
  const points = [];
  for (const v of [x0, x1]) if (m !== 0) points.push([v, (offset - n * v) / m]);
  for (const v of [y0, y1]) if (n !== 0) points.push([(offset - m * v) / n, v]);
  const inside = points.filter(([v, w]) => v >= x0 - 1e-9 && v <= x1 + 1e-9 && w >= y0 - 1e-9 && w <= y1 + 1e-9);
  if (inside.length < 2) return null;
  const [from, to] = [inside[0], inside.at(-1)];
  return s("line", { class: "between", x1: x(from[0]), y1: y(from[1]), x2: x(to[0]), y2: y(to[1]) });
}

function bars(value) {
  const most = value.bins.reduce((top, b) => b.counts.reduce((t, c) => Math.max(t, c.count), top), 1); // too many for arguments
  const bar = (c) => h("li", { class: "bin", title: plain(c.class) }, label(c.class), h("span", { class: "bar-track" }, h("i", { class: colourOf(c.class), style: { width: (c.count / most) * 100 + "%" } })), h("span", { class: "n" }, count(c.count)));
  const rows = value.bins.slice(0, 60).map((b) => h("tr", {}, h("th", { scope: "row" }, outside(b.value)), h("td", {}, folded("bins", b.counts.map(bar)))));
  return h("figure", {}, h("figcaption", {}, h("b", {}, outside(value.field)), h("span", { class: "soft" }, ` ${value.bins.length} values`)),
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Values of " + plain(value.field) }, h("table", {}, h("tbody", {}, rows))));
}
