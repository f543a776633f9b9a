// Message: one text, why it got its label, and the buttons that change it.

import * as api from "../api.js";
import { h, outside, put } from "../dom.js";
import { count, moment } from "../format.js";
import { bind } from "../keys.js";
import { label } from "../labels.js";
import { makeActions } from "../parts/actions.js";
import { change } from "../parts/change.js";
import { verdictOf, viewOf } from "../parts/view.js";
import { address, go } from "../address.js";

export const title = "Message";

export function open(root, params, signal) {
  const state = { params, message: null };
  const head = h("div", { class: "head" }, h("h1", {}, "Message"));
  const judged = h("section", { class: "card w7", "aria-label": "Decision" }, h("p", { class: "loading" }, "Fetching the text…"));
  const actions = makeActions(signal);
  const body = h("div");
  const changed = h("div");
  root.append(head, changed, h("div", { class: "grid top" }, judged, h("section", { class: "card w5", "aria-label": "Correct" }, actions.root)), body);
  const show = (message) => {
    state.message = message;
    showHead(head, message);
    put(judged, both(message));
    actions.show(message);
    put(body, message.now ? viewOf(message.now, message.decided, compare, provenance(message)) : [missing(message), provenance(message)]);
  };
  const compare = (sides) => go("message", { ...state.params, ...sides }, true);
  const load = async () => {
    const message = await api.message(state.params, signal);
    show(message);
    put(changed, await change(message, signal));
  };
  const failed = (error) => !state.message && put(judged, h("div", { class: "empty", role: "alert" }, h("h2", {}, "This message cannot be shown"), h("p", {}, error.message), h("p", {}, h("a", { href: address("live") }, "Back to Live"))));
  // Asked again while a correction is on its way, so that it is seen to be counted.
  const again = api.poll(signal, 2000, async () => {
    if (!state.message || state.message.correction?.outcome === "written") await load();
  }, failed);
  addEventListener("corrected", () => load().catch(failed), { signal });
  bindKeys(signal, state);
  return {
    change(next) {
      state.params = next;
      state.message = null;
      put(changed);
      again();
    },
  };
}

function bindKeys(signal, state) {
  const to = (place) => place && go("message", { place: place.place });
  bind(signal, "Message", [
    ["j", "the decision before this one", () => to(state.message?.before)],
    ["k", "the decision after this one", () => to(state.message?.after)],
    ["Escape", "back", () => (history.length > 1 ? history.back() : go("live"))],
  ]);
}

function showHead(head, message) {
  const step = (place, text, sign) => place ? h("a", { class: "button", href: address("message", { place: place.place }), "aria-label": text, title: text }, sign) : h("button", { disabled: true, "aria-label": text }, sign);
  put(head, h("h1", {}, "Message ", outside(message.id)), h("p", {}, message.time ? moment(Date.parse(message.time)) : ""),
    h("span", { class: "steps-nav row" }, step(message.after, "Newer decision (k)", "↑"), step(message.before, "Older decision (j)", "↓")));
}

// both shows the decision as it was made and, where it is another one, as the model would make it now.
function both({ decided, now }) {
  const isSame = decided?.model?.offset === now?.decision?.model?.offset && decided?.label === now?.decision?.label;
  const [first, second] = decided ? [decided, isSame ? null : now?.decision] : [now?.decision, null];
  if (!first) return h("p", { class: "soft" }, "There is no decision on this message.");
  const model = (d, says) => h("h2", {}, says, d.model?.offset != null && h("span", { class: "soft" }, ` · model offset ${count(d.model.offset)}`));
  return h("div", { class: "then-now" },
    h("div", { class: isSame ? "then now" : decided ? "then" : "now" }, model(first, decided ? (isSame ? "Decided, and so by the model now" : "Decided") : "By the model now"), verdictOf(first)),
    second && h("div", { class: "now" }, model(second, "By the model now"), verdictOf(second)));
}

function missing(message) {
  return h("section", { class: "card empty" }, h("h2", {}, "The text is not there"), h("p", {}, message.why_not || "Its topic does not keep it any more."), h("p", {}, "What the decision itself says stands above."));
}

function provenance({ place, source, key, decided, now, learned }) {
  const by = decided || now?.decision;
  const line = (name, ...says) => says.some((x) => x) && h("div", {}, h("dt", {}, name), h("dd", {}, says));
  return h("section", { class: "card provenance", "aria-label": "Where it comes from" }, h("h2", {}, "Where it comes from"), h("dl", { class: "pairs" },
    line("Decision", place && h("code", {}, outside(place))),
    line("Document", source && h("code", {}, outside(source))),
    line("Key", key && h("code", {}, outside(key))),
    by?.model && line("Model", outside(by.model.name), ` at offset ${count(by.model.offset)}, ${count(by.model.documents)} documents learned, spec `, h("code", {}, by.model.spec)),
    by?.scoring && line("Scored by", outside(by.scoring.candidate), `, temper ${by.scoring.temper.toPrecision(4)}`),
    line("Learned as", learned ? [label(learned.label), " from ", h("code", {}, outside(`${learned.topic}/${learned.partition}/${learned.offset}`)), learned.time ? `, ${moment(Date.parse(learned.time))}` : ""] : "not learned: no label has come for it")));
}
