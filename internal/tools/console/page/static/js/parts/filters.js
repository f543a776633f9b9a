// The filter of the page Live: label, status, word, confidence. The address holds it; the server applies it.

import { h, plain, put } from "../dom.js";
import { statuses } from "../labels.js";
import { bind } from "../keys.js";
import { filter } from "../address.js";

const names = ["label", "status", "word", "min", "max"];

// makeFilters returns the fields; changed is called with the filter when it is another one.
export function makeFilters(params, signal, changed) {
  const fields = makeFields();
  let timer = 0;
  const read = () => Object.fromEntries(names.map((n) => [n, fields[n].value]).filter(([, v]) => v !== ""));
  const apply = () => {
    clearTimeout(timer);
    const value = read();
    clear.hidden = Object.keys(value).length === 0;
    filter(value);
    changed(value);
  };
  const clear = h("button", { class: "plain", onclick: () => write({}) && apply() }, "Clear");
  const write = (value) => {
    if (value.label && !hasOption(fields.label, value.label)) fields.label.append(h("option", { value: value.label }, plain(value.label)));
    for (const n of names) fields[n].value = value[n] ?? "";
    clear.hidden = Object.keys(read()).length === 0;
    return true;
  };
  for (const n of names) fields[n].addEventListener("change", apply);
  fields.word.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 300);
  });
  signal.addEventListener("abort", () => clearTimeout(timer));
  bind(signal, "Live", [["/", "filter by a word", () => fields.word.focus()]]);
  write(params);
  return {
    root: h("div", { class: "row filters", role: "search", "aria-label": "Filter" }, fields.word, fields.label, fields.status, h("span", { class: "field" }, "confidence", fields.min, "to", fields.max), clear),
    show: (stats) => offer(fields.label, stats.labels),
    change(next) {
      write(next);
      changed(read());
    },
  };
}

function makeFields() {
  const number = (says, placeholder) => h("input", { type: "number", min: 0, max: 1, step: 0.05, "aria-label": says, placeholder, class: "narrow" });
  return {
    word: h("input", { type: "search", "aria-label": "Word", placeholder: "Word", class: "word-field", autocomplete: "off", spellcheck: "false" }),
    label: h("select", { "aria-label": "Label" }, h("option", { value: "" }, "any label")),
    status: h("select", { "aria-label": "Status" }, h("option", { value: "" }, "any status"), statuses.map((s) => h("option", { value: s }, s))),
    min: number("Least confidence", "0"),
    max: number("Largest confidence", "1"),
  };
}

const hasOption = (select, value) => [...select.options].some((o) => o.value === value);

// offer adds labels that were met to the choice, in the order of their names.
function offer(select, labels) {
  const missing = labels.filter((l) => l.label && !hasOption(select, l.label));
  if (!missing.length) return;
  const chosen = select.value;
  const all = [...new Set([...[...select.options].slice(1).map((o) => o.value), ...missing.map((l) => l.label)])].sort();
  put(select, h("option", { value: "" }, "any label"), all.map((name) => h("option", { value: name }, plain(name))));
  select.value = chosen;
}
