// A small curve without axes: what came in the last minute, beside the number that says it.

import { s } from "../dom.js";

// spark returns a curve and a function that draws it again.
export function spark(says) {
  const area = s("path", { class: "area" });
  const line = s("path", { class: "curve" });
  const svg = s("svg", { class: "spark", viewBox: "0 0 120 32", preserveAspectRatio: "none", role: "img", "aria-label": says }, area, line);
  const draw = (values) => {
    if (values.length < 2) return;
    const top = Math.max(1, ...values);
    const points = values.map((v, i) => `${((i * 120) / (values.length - 1)).toFixed(1)} ${(30 - (v / top) * 27).toFixed(1)}`);
    line.setAttribute("d", "M" + points.join("L"));
    area.setAttribute("d", `M0 32L${points.join("L")}L120 32Z`);
  };
  return { svg, draw };
}
