// Dead letters: by reason, one of them opened, sent again when its cause is mended.

import * as api from "../api.js";
import { h, outside, plain, put, shown, short } from "../dom.js";
import { ago, count } from "../format.js";
import { address } from "../address.js";
import { withToken } from "./correct.js";
import { toast } from "./toast.js";

// deadLetters returns an element; reasons takes the counts by reason, change the parameters of the address.
export function deadLetters(params, signal) {
  const state = { reason: params.reason || "", known: "" };
  const chips = h("div", { class: "row" });
  const list = h("div", { class: "letters" });
  const load = async () => {
    try {
      const dead = await api.dead({ reason: state.reason, limit: 20 }, signal);
      put(list, dead.letters.length ? dead.letters.map((l) => letter(l, load)) : h("p", { class: "soft" }, "None: every record could be used."), dead.more && h("p", { class: "soft small" }, "Older ones are on the topic: bayestream dead lists them."));
    } catch (error) {
      if (!signal.aborted) put(list, h("p", { class: "problem" }, error.message));
    }
  };
  load();
  return {
    root: h("div", {}, chips, list),
    reasons(all) {
      const known = JSON.stringify(all) + state.reason;
      if (known === state.known) return;
      const more = state.known !== "";
      state.known = known;
      put(chips, all.map((r) => h("a", { class: "button", href: address("operations", r.reason === state.reason ? {} : { reason: r.reason }), "aria-current": r.reason === state.reason ? "true" : null, title: plain(r.what) }, plain(r.reason), " ", h("b", {}, count(r.count)))));
      if (more && !list.querySelector("details[open]")) load();
    },
    change(next) {
      state.reason = next.reason || "";
      state.known = "";
      load();
    },
  };
}

function letter(l, load) {
  const again = h("button", { disabled: l.of === null, onclick: () => send(l.place, again).then((done) => done && load()) }, l.again ? "Send again once more" : "Send again");
  return h("details", { class: "letter" },
    h("summary", {}, h("b", {}, plain(l.reason)), " ", h("span", {}, plain(l.what)), " ", h("span", { class: "soft small" }, ago(Date.parse(l.time)), l.again ? ", sent again before" : "")),
    h("p", {}, plain(l.detail)),
    h("dl", { class: "pairs" }, pair("record", l.of ? h("code", {}, outside(l.of)) : "unknown"), pair("letter", h("code", {}, outside(l.place))), pair("found by", plain(l.stage)), l.key !== null && pair("key", h("code", {}, outside(l.key))), l.headers.map((header) => pair(plain(header.name), outside(header.value)))),
    l.value === null ? h("p", { class: "soft" }, "The record had no value.") : h("pre", { class: "scroll tall", tabindex: 0, "aria-label": "Value" }, h("bdi", {}, shown(short(l.value, 16384)))),
    l.cut && h("p", { class: "soft small" }, "The value is longer than what is shown."),
    h("p", { class: "row" }, again, h("span", { class: "soft small" }, "Mend the cause first, or it comes back here.")));
}

const pair = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

async function send(place, button) {
  button.disabled = true;
  const answer = await withToken(() => api.sendAgain({ letters: [place] }));
  button.disabled = false;
  if (!answer) return false;
  const [receipt] = answer.receipts;
  if (receipt.outcome === "written") toast(["Sent again, to ", outside(receipt.place), "."]);
  else toast(`Not sent: ${plain(receipt.message)}`, { bad: true });
  return receipt.outcome === "written";
}
