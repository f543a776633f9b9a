// The waterfall: from the prior, word by word, to the margin. What is drawn adds up to what stands at its end.

import { h, outside, plain } from "../dom.js";
import { signed } from "../format.js";
import { label } from "../labels.js";
import { address } from "../address.js";

const most = 14; // steps that are drawn before the smaller ones are one

const kinds = { prior: "before any word: how often each label is", rest: "everything else: words that are not there, and evidence that the decision does not carry" };

// marginOf returns how the margin of a decision adds up; null where nothing is compared, or the decision carries no words.
export function marginOf(d) {
  if (!d || d.runner_up === null || (d.rest === null && !d.evidence.length)) return null;
  const prior = d.prior[d.label] - d.prior[d.runner_up];
  const parts = d.evidence.map((e) => ({ ...e, kind: e.block ? "block" : "term", name: e.block || e.term }));
  const steps = [{ kind: "prior", name: "prior", weight: prior }, ...parts, { kind: "rest", name: "rest", weight: d.rest }];
  return { for: d.label, against: d.runner_up, temper: d.scoring?.temper ?? 1, steps, margin: d.margin };
}

// waterfall draws the steps of for against the other label; plain: without the temper.
export function waterfall(w, plain) {
  const scaled = (x) => (x === null || !plain ? x : x / w.temper);
  const rows = w.steps.map((step) => ({ ...step, size: scaled(step.weight) })).filter((step) => step.size !== 0 || step.kind === "prior");
  const [prior, middle, rest] = [rows.filter((r) => r.kind === "prior"), rows.filter((r) => r.kind === "term" || r.kind === "block").sort((a, b) => Math.abs(b.size ?? Infinity) - Math.abs(a.size ?? Infinity)), rows.filter((r) => r.kind === "rest")];
  const root = h("div", { class: "waterfall" });
  let all = false;
  const draw = () => {
    const steps = [...prior, ...(all ? middle : fold(middle)), ...rest];
    const total = scaled(w.margin);
    const scale = makeScale(steps, total);
    let sum = 0;
    const lines = steps.map((step) => {
      const from = sum;
      sum += step.size ?? 0;
      return line(step, scale, from, sum);
    });
    root.replaceChildren(sides(w), h("ol", { class: "steps" }, lines, sumLine(w, total, scale)));
    if (middle.length > most) root.append(h("button", { class: "plain", onclick: () => draw((all = !all)) }, all ? "Only the largest" : `All ${middle.length} words`));
  };
  draw();
  return root;
}

function sides(w) {
  return h("p", { class: "sides" }, h("span", { class: "against" }, "← ", label(w.against)), h("span", { class: "for" }, label(w.for), " →"));
}

// fold makes one step of the smaller ones behind the largest.
function fold(steps) {
  if (steps.length <= most) return steps;
  const small = steps.slice(most - 1);
  return [...steps.slice(0, most - 1), { kind: "small", name: `${small.length} smaller ones`, size: small.reduce((sum, s) => sum + (s.size ?? 0), 0) }];
}

function makeScale(steps, total) {
  let sum = 0;
  let [low, high] = [0, 0];
  for (const step of steps) {
    sum += step.size ?? 0;
    low = Math.min(low, sum);
    high = Math.max(high, sum);
  }
  if (Number.isFinite(total)) [low, high] = [Math.min(low, total), Math.max(high, total)];
  const span = high - low || 1;
  return (x) => ((x - low) / span) * 100;
}

function line(step, scale, from, to) {
  const side = step.size === null || step.size < 0 ? "against" : "for";
  return h("li", { class: "step " + side, "data-kind": step.kind, "data-term": step.kind === "term" ? step.name : null, "data-weight": step.size },
    h("span", { class: "step-name", title: kinds[step.kind] || null }, name(step)),
    track(scale, from, to),
    h("span", { class: "n" }, signed(step.size)));
}

function name(step) {
  if (step.kind === "term") {
    const written = step.as?.length && step.as[0].toLowerCase() !== step.name ? h("span", { class: "soft small" }, " ", outside(step.as.join(", "))) : null;
    return [h("a", { href: address("model", { term: step.name }), class: "quiet" }, outside(step.name)), step.count > 1 ? h("span", { class: "soft" }, ` ×${step.count}`) : null, written];
  }
  if (step.kind === "block") return [h("span", { class: "soft small" }, plain(step.name) + " "), outside(step.value || (step.fields || []).join(", "))];
  return h("i", { class: "soft" }, step.name);
}

function track(scale, from, to) {
  const [left, right] = [scale(Math.min(from, to)), scale(Math.max(from, to))];
  return h("span", { class: "step-track" },
    h("span", { class: "zero", style: { left: scale(0) + "%" } }),
    h("i", { style: { left: left + "%", width: Math.max(right - left, 0.4) + "%" } }));
}

function sumLine(w, total, scale) {
  const side = total === null || total < 0 ? "against" : "for";
  return h("li", { class: "step sum " + side, "data-kind": "margin", "data-weight": total },
    h("span", { class: "step-name" }, "margin"), Number.isFinite(total) ? track(scale, 0, total) : h("span"), h("span", { class: "n" }, signed(total)));
}
