// Elements and text. Text from outside goes through text() or shown(): it becomes text nodes, isolated from the direction of what
// stands beside it, with characters that cannot be seen written out. Nothing here, nor anywhere else, parses markup.

const SVG = "http://www.w3.org/2000/svg";

// h makes an element of HTML. Of the properties, on* are listeners, class, data-* and aria-* attributes, style an object of CSS properties.
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

// s makes an element of SVG.
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) set(element, name, value);
  append(element, children);
  return element;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
  else if (name === "value" || name === "checked" || name === "selected" || name === "indeterminate") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

// put replaces what an element holds.
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// say changes the text of an element only if it is another one: it costs no layout then, and screen readers stay silent.
export function say(element, text) {
  const value = String(text);
  if (element.textContent !== value) element.textContent = value;
}

// Characters that cannot be seen or that reorder what stands beside them: controls but for tab and line feed, format characters,
// unassigned ones, half surrogates, line and paragraph separators, variation selectors and tags. The joiners shape letters and stay.
const unseen = /(?![\u200c\u200d\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u3164\uffa0]/gu;

// code is how a character that cannot be seen is written: U+202E.
const code = (c) => "U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// plain returns the text with such characters written out, on one line, for titles and attributes.
export function plain(text) {
  return String(text).replace(/[\t\n\r]+/g, " ").replace(unseen, (c) => `[${code(c)}]`);
}

// shown returns nodes of the text, with such characters in small boxes.
export function shown(text) {
  const value = String(text);
  const nodes = [];
  let from = 0;
  for (const found of value.matchAll(unseen)) {
    if (found.index > from) nodes.push(value.slice(from, found.index));
    nodes.push(h("span", { class: "unseen" }, code(found[0])));
    from = found.index + found[0].length;
  }
  if (from < value.length) nodes.push(value.slice(from));
  return nodes;
}

// outside is text from outside within a line: a label, a word, an id.
export function outside(text, properties) {
  return h("bdi", properties, shown(text));
}

// short cuts a text off behind n characters, never within one.
export function short(text, n) {
  const value = String(text);
  if (value.length <= n) return value;
  const cut = value.slice(0, n);
  return (/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut) + "…";
}
