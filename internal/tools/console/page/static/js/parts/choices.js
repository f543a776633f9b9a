// The labels to choose from for a message: up to nine with a number key, the rest by typing.

import { h, plain } from "../dom.js";
import { knownLabels, learnLabels } from "../labels.js";

const mostKeys = 9;
let fields = 0; // of other labels: each list of names has an id

// likeliest returns the labels with their posteriors, the likeliest first.
export const likeliest = (posterior) => Object.entries(posterior ?? {}).sort((a, b) => (b[1] ?? 0) - (a[1] ?? 0));

// choicesFor returns the labels that have a number key: all in the order of their names where they are few, else the likeliest.
export function choicesFor(posterior) {
  learnLabels(Object.keys(posterior ?? {})); // the page may be older than its labels
  const all = knownLabels();
  if (all.length <= mostKeys) return all;
  return [...new Set([...likeliest(posterior).map(([name]) => name), ...all])].slice(0, mostKeys);
}

// numberKeys returns the keys 1 to 9 for bind; choose is called with the place of the choice, from 0 on.
export const numberKeys = (choose) => Array.from({ length: mostKeys }, (_, i) => [String(i + 1), "", () => choose(i)]);

// otherLabel returns a field for a label that has no key. It offers the known ones as they are typed.
export function otherLabel(use, says = "Another label") {
  const names = h("datalist", { id: "labels-" + ++fields });
  const field = h("input", { class: "other-label", "aria-label": says, placeholder: says, list: names.id, maxlength: 256, autocomplete: "off", spellcheck: "false" });
  const offer = () => {
    if (names.childElementCount !== knownLabels().length) names.replaceChildren(...knownLabels().map((name) => h("option", { value: name }, plain(name))));
  };
  field.addEventListener("focus", offer);
  field.addEventListener("input", offer); // more may be known by now
  const take = () => {
    const name = field.value.trim();
    if (!name) return;
    field.value = "";
    field.blur(); // the keys of the page hold again
    use(name);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") take();
    if (event.key === "Escape") field.blur();
  });
  return h("span", { class: "row other" }, field, names, h("button", { onclick: take }, "Use it"));
}
