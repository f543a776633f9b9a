// A label has a shape and a colour, which its name alone decides: a colour alone says nothing here.

import { h, outside, plain, s, shown } from "./dom.js";

const shapes = [
  "M6 1.2A4.8 4.8 0 1 1 5.99 1.2Z", // circle
  "M1.6 1.6H10.4V10.4H1.6Z", // square
  "M6 .8 11.4 10.6H.6Z", // triangle
  "M6 .4 11.6 6 6 11.6.4 6Z", // diamond
  "M4.2 1H7.8V4.2H11V7.8H7.8V11H4.2V7.8H1V4.2H4.2Z", // cross
  "M6 11.2.6 1.4H11.4Z", // triangle, down
  "M3.2 .9H8.8L11.6 6 8.8 11.1H3.2L.4 6Z", // hexagon
  "M6 .3 7.6 4.2 11.8 4.5 8.6 7.2 9.6 11.4 6 9.1 2.4 11.4 3.4 7.2.2 4.5 4.4 4.2Z", // star
];
const colours = 8;

let names = [];

// learnLabels takes the names of the classes, and keeps those that were met elsewhere.
export function learnLabels(found) {
  if (found.every((name) => names.includes(name))) return;
  names = [...new Set([...names, ...found])].sort();
}

// knownLabels returns all names met so far, in order.
export const knownLabels = () => names;

// hash is FNV-1a of the name: colour and shape of a label stay whatever labels come beside it.
function hash(name) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) sum = Math.imul(sum ^ name.charCodeAt(i), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
}

const colour = (name) => hash(name) % colours;

// colourOf returns the class of CSS that sets --label.
export const colourOf = (name) => (name ? "label-" + colour(name) : "");

// sides returns the properties of CSS that give the two sides of a comparison the colours of their labels, if these differ.
export function sides(one, other) {
  const against = colour(one) === colour(other) ? "var(--soft)" : `var(--l${colour(other)})`;
  return { "--for": `var(--l${colour(one)})`, "--against": against };
}

// mark returns the shape of a label.
export function mark(name) {
  return s("svg", { class: "mark " + colourOf(name), viewBox: "0 0 12 12", "aria-hidden": "true" }, s("path", { d: shapes[Math.floor(hash(name) / colours) % shapes.length] }));
}

// label returns a label with its shape; no label is said in words.
export function label(name, more = "") {
  if (name === null || name === undefined || name === "") return h("span", { class: "label none" }, "no label");
  return h("span", { class: "label " + more, title: plain(name) }, mark(name), h("bdi", {}, breakable(name)));
}

// breakable returns nodes of a name that a line may break behind _ and the like.
const breakable = (name) => String(name).split(/(?<=[_/.-])/).map((part, i) => [i > 0 && h("wbr"), shown(part)]);

const signs = { ok: "✓", unsure: "?", cold: "○", empty: "∅", impossible: "⊘" };
const meanings = {
  ok: "The label is the one that costs least.",
  unsure: "Leaving it open costs less than the best label.",
  cold: "The label or the next best has too few documents yet.",
  empty: "No word is known: the prior decided, and the shape of the text where it enters.",
  impossible: "No class can have this document.",
};

// statuses are all that a decision can have.
export const statuses = Object.keys(signs);

// status returns the status of a decision with its sign.
export function status(name) {
  return h("span", { class: "status " + name, title: meanings[name] || "" }, h("span", { "aria-hidden": "true" }, signs[name] || "·"), " " + name);
}

// word returns a word of the evidence, its sign first: for the label or against it.
export function word(evidence) {
  const name = evidence.term ?? (evidence.value ? `${evidence.block.includes("[") ? evidence.fields.join(", ") : evidence.block} ${evidence.value}` : (evidence.fields || []).join(", "));
  const side = evidence.weight === null || evidence.weight < 0 ? "against" : "for";
  return h("span", { class: "word " + side }, h("span", { class: "sign" }, side === "for" ? "+" : "−"), outside((evidence.as && evidence.as[0]) || name));
}
