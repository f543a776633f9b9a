// Curves over time, drawn by uPlot. Each curve has a colour and a dash of its own, and its name and value stand in words above it.

import { h, plain, put, s, say } from "../dom.js";
import { time } from "../format.js";

const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 4], [1, 5], [12, 4], [6, 2, 2, 2]];
let library = null;

// chart returns an element and a function that draws: series are { name, values, colour }, times are in milliseconds.
export function chart(says, { format, height = 190, range, signal }) {
  const keys = h("p", { class: "keys" });
  const box = h("div", { class: "plot", role: "img", "aria-label": says });
  const state = { plot: null, data: null, series: null };
  const build = async () => {
    library ||= import("../../lib/uPlot-1.6.32.min.js");
    const uPlot = (await library).default;
    if (signal.aborted || !state.data) return;
    state.plot?.destroy();
    box.replaceChildren();
    const values = showKeys(keys, state.series, format);
    state.plot = new uPlot(options(box, state.series, { format, height, range, show: values }), state.data, box);
    values(null, state.data);
  };
  const resize = new ResizeObserver(() => state.plot && box.clientWidth > 0 && state.plot.setSize({ width: box.clientWidth, height }));
  resize.observe(box);
  signal.addEventListener("abort", () => {
    resize.disconnect();
    state.plot?.destroy();
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", build, { signal });
  addEventListener("themechange", build, { signal });
  return {
    root: h("div", { class: "chart" }, keys, box),
    draw(times, series) {
      const same = state.series?.map((one) => one.name).join("\0") === series.map((one) => one.name).join("\0");
      state.series = series;
      state.data = [times.map((t) => t / 1000), ...series.map((one) => one.values)];
      if (!same || !state.plot) return build();
      state.plot.setData(state.data);
    },
    empty: (says) => state.plot || put(keys, says),
  };
}

// colourIn returns a colour of the style sheet as the browser computes it: a canvas does not know variables.
function colourIn(element, variable) {
  const probe = element.appendChild(h("span", { style: { color: `var(${variable})` } }));
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function options(box, series, { format, height, range, show }) {
  const colour = (variable) => colourIn(box, variable);
  const [soft, lines] = [colour("--soft"), colour("--line")];
  const axis = { stroke: soft, grid: { stroke: lines, width: 1 }, ticks: { stroke: lines, width: 1 }, font: "11px system-ui, sans-serif" };
  return {
    width: box.clientWidth || 600,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [(plot) => show(plot.cursor.idx, plot.data)], setData: [(plot) => show(plot.cursor.idx, plot.data)] },
    scales: { y: { range: range || ((plot, low, high) => padded(low, high)) } },
    axes: [{ ...axis, space: 70, size: 30, values: (plot, all, i, room, step) => all.map((v) => hours(v, step)) }, { ...axis, size: 64, values: (plot, all) => all.map((v) => format(v)) }],
    series: [{}, ...series.map((one, i) => ({ label: one.name, stroke: colour(one.colour), width: 1.75, dash: dashes[i % dashes.length], points: { show: false }, spanGaps: true }))],
  };
}

const hours = (seconds, step) => (step < 60 ? time(seconds * 1000) : time(seconds * 1000).slice(0, 5));

const padded = (low, high) => {
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
};

// showKeys writes the names, each beside a piece of its line, and returns what writes the values at the cursor.
function showKeys(keys, series, format) {
  const values = series.map(() => h("b", { class: "n" }, "–"));
  put(keys, series.map((one, i) => h("span", { class: "key" }, sample(one, i), h("bdi", {}, plain(one.name)), values[i])));
  return (at, data) => values.forEach((value, i) => {
    const all = data[i + 1];
    say(value, format(at == null ? all.findLast((v) => v !== null) : all[at]));
  });
}

const sample = (one, i) => s("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" }, s("path", { d: "M0 4H26", "stroke-dasharray": dashes[i % dashes.length].join(" "), style: { stroke: `var(${one.colour})` } }));
