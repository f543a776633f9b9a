// Operations: partitions, dead letters, checkpoints, what is in force, and whether the replicas agree.

import * as api from "../api.js";
import { h, outside, plain, put, say } from "../dom.js";
import { ago, bytes, count, seconds } from "../format.js";
import { deadLetters } from "../parts/dead.js";
import { light } from "../parts/health.js";
import { keepScroll, table } from "../parts/table.js";

export const title = "Operations";

export function open(root, params, signal) {
  const says = h("p", {}, "…");
  const boxes = Object.fromEntries(["workers", "partitions", "checkpoints", "digests", "configuration"].map((n) => [n, h("div")]));
  const dead = deadLetters(params, signal);
  let known = [];
  const whole = h("input", { type: "checkbox", onchange: () => put(boxes.configuration, configuration(known, whole.checked)) });
  root.append(h("div", { class: "head" }, h("h1", {}, "Operations"), says), h("div", { class: "grid" },
    card("wide", "Workers", "their own checks, asked every few seconds", boxes.workers),
    card("wide", "Partitions", "where each one is read to", boxes.partitions),
    card("wide", "Dead letters", "records that could not be used, and why", dead.root),
    card("w6", "Digests", "replicas at one offset have the same, or one of them is wrong", boxes.digests),
    card("w6", "Checkpoints", "of the model file", boxes.checkpoints),
    card("wide", "Configuration in force", "what is not the default, without secrets", [h("label", { class: "row" }, whole, "show defaults too"), boxes.configuration])));
  api.poll(signal, 3000, async () => {
    const [operations, workers] = await Promise.all([api.operations({}, signal), api.workers({}, signal)]);
    say(says, summary(operations));
    keepScroll(boxes.workers, workersOf(workers));
    keepScroll(boxes.partitions, partitions(operations.partitions));
    keepScroll(boxes.checkpoints, checkpoints(operations.checkpoints));
    keepScroll(boxes.digests, digests(operations.digests, operations.agree));
    known = operations.configuration;
    keepScroll(boxes.configuration, configuration(known, whole.checked));
    dead.reasons(operations.dead);
  }, (error) => say(says, error.message));
  return { change: dead.change };
}

const card = (width, name, note, content) => h("section", { class: "card " + width, "aria-label": name }, h("h2", {}, name, " ", h("span", { class: "note" }, note)), content);

function summary({ partitions: all, dead_total: dead }) {
  const lag = all.reduce((sum, p) => sum + (p.lag ?? 0), 0);
  return `${count(all.length)} partitions, ${count(lag)} records waiting, ${count(dead)} dead letters.`;
}

function workersOf({ workers }) {
  if (!workers.length) return h("p", { class: "soft" }, "No workers are named: start the console with --workers URL,… to see their health here.");
  return h("ul", { class: "workers" }, workers.map((w) => h("li", {},
    h("p", {}, light(w.up ? (w.ready ? "ok" : "warn") : "bad", h("b", {}, outside(w.role || "worker")), " ", outside(w.name), " ", h("span", { class: "soft" }, w.up ? (w.ready ? "ready" : "not ready") : "does not answer", w.version ? `, ${plain(w.version)}` : "", w.asked ? `, asked ${ago(Date.parse(w.asked))}` : ""))),
    !w.up && w.detail && h("p", { class: "problem" }, plain(w.detail)),
    h("p", { class: "checks" }, w.checks.map((c) => h("span", { title: plain(c.detail) }, light(c.ok ? "ok" : "bad", plain(c.name), c.ok ? "" : `: ${plain(c.detail)}`)))))));
}

// needsOwner are the uses of partitions that a group divides.
const needsOwner = new Set(["training", "documents"]);
const uses = { training: "to learn from", documents: "to label", labels: "labels", model: "model log", dead_letters: "dead letters" };

function partitions(all) {
  const owned = all.some((p) => p.owner || p.group);
  const heads = [["topic", ""], ["partition", "n"], ["use", ""], ["read to", "n"], ["end", "n"], ["waiting", "n"], ["skipped", "n"], ...(owned ? [["owner", ""], ["group", ""]] : [])];
  const line = (p) => [outside(p.topic), p.partition, uses[p.use] || p.use, count(p.at), count(p.end), p.lag === null ? "–" : p.lag > 0 ? h("b", {}, count(p.lag)) : "0", count(p.skipped), ...(owned ? [p.owner ? outside(p.owner) : needsOwner.has(p.use) ? light("warn", "nobody") : "–", outside(p.group ?? "–")] : [])];
  return table("Partitions", heads, all.map(line), "No partitions are known yet.");
}

function checkpoints(all) {
  return table("Checkpoints", [["worker", ""], ["role", ""], ["age", "n"], ["took", "n"], ["rows", "n"], ["file", ""]],
    all.map((c) => [outside(c.worker), c.role, seconds(c.age_seconds), seconds(c.seconds), count(c.rows), c.file ? [h("code", {}, outside(c.file)), ` ${bytes(c.file_bytes)}`] : "–"]), "No worker says when it wrote its model file.");
}

function digests(all, agree) {
  const verdict = agree === null ? h("p", { class: "soft" }, "Not comparable yet: no two stand at one offset.") : agree ? h("p", {}, light("ok", "All replicas at one offset have the same counts.")) : h("p", { role: "alert" }, light("bad", h("b", {}, "Replicas at one offset differ. "), "One of them is wrong: run bayestream verify."));
  const rows = all.map((d) => [outside(d.worker), count(d.offset), h("code", {}, d.counts), h("code", {}, d.ledger ?? "–")]);
  return [verdict, table("Digests", [["replica", ""], ["offset", "n"], ["counts", ""], ["ledger", ""]], rows, "No replica says its digest.")];
}

// configuration puts the settings of all side by side; usual ones only if somebody asks for all.
function configuration(all, whole) {
  const names = [...new Set(all.flatMap((c) => c.settings.filter((s) => whole || !s.usual).map((s) => s.name)))].sort();
  const of = (c, name) => c.settings.find((s) => s.name === name);
  const cell = (s) => (!s || s.value === "" ? "–" : h("code", { class: s.usual ? "soft" : null }, outside(s.value)));
  return table("Configuration", [["setting", ""], ...all.map((c) => [[c.role === "console" ? "" : `${plain(c.role)} `, outside(c.of)], ""])], names.map((name) => [h("code", { class: "whole" }, plain(name)), ...all.map((c) => cell(of(c, name)))]), "No worker says its settings.");
}
