// Health in one sentence and one strip: workers, the topics that are read, this console itself.

import { h, outside, plain, put } from "../dom.js";
import { count, plural } from "../format.js";

// light returns one sign with what it is about: good, to look at, or bad; each has a shape of its own.
export function light(level, ...says) {
  const sign = { ok: "✓", warn: "!", bad: "✕" }[level];
  return h("span", { class: "health " + level }, h("b", { class: "sign", "aria-label": { ok: "well:", warn: "look:", bad: "wrong:" }[level], role: "img" }, sign), h("span", {}, says));
}

const levelOf = (worker) => (worker.up ? (worker.ready ? "ok" : "warn") : "bad");

// makeHealth returns a sentence and a strip; show takes the answer of /v1/stats.
export function makeHealth() {
  const sentence = h("p", { class: "verdict" }, "…");
  const strip = h("div", { class: "strip", role: "group", "aria-label": "Health" });
  let last = "";
  return {
    sentence,
    strip,
    show(stats) {
      const items = lights(stats);
      const shape = JSON.stringify(items);
      if (shape === last) return;
      last = shape;
      put(sentence, verdict(items));
      put(strip, items.map((i) => h("span", { title: plain(i.detail) }, light(i.level, i.url ? h("a", { href: i.url, rel: "noreferrer" }, outside(i.name)) : outside(i.name), " ", h("span", { class: "soft" }, i.says, i.next && [" ", h("code", {}, i.next)])))));
    },
    failed(error) {
      last = "";
      put(sentence, light("bad", error.message));
    },
  };
}

function lights(stats) {
  const { workers, findings } = stats.status ?? { workers: [], findings: [] };
  const items = workers.map((w) => ({ level: levelOf(w), name: w.role || w.name, says: `${w.name} ${w.up ? (w.ready ? "ready" : "not ready") : "down"}`, detail: `${w.name}: ${w.detail || "all checks pass"}`, url: w.url }));
  for (const f of findings) {
    if (f.level !== "note" && !items.some((i) => i.name === f.part)) items.push({ level: f.level, name: f.part, says: f.says, next: f.next, detail: f.says });
  }
  const late = stats.behind > 5000 || stats.lag.model > 1000;
  items.push({ level: late ? "warn" : "ok", name: "console", says: late ? `${count(stats.behind)} decisions behind` : `up to date`, detail: "This console's own replica of the model" });
  return items;
}

function verdict(items) {
  const bad = items.filter((i) => i.level === "bad");
  const warn = items.filter((i) => i.level === "warn");
  if (bad.length) return light("bad", `${plural(bad.length, "part is", "parts are")} down: ${bad.map((i) => plain(i.name)).join(", ")}`);
  if (warn.length) return light("warn", `${plural(warn.length, "part needs", "parts need")} a look: ${warn.map((i) => plain(i.name)).join(", ")}`);
  return light("ok", "Everything runs");
}
