// Live: decisions as they come, and on top what a look from afar should tell.

import * as api from "../api.js";
import { h } from "../dom.js";
import { makeFigures } from "../parts/figures.js";
import { makeFilters } from "../parts/filters.js";
import { makeHealth } from "../parts/health.js";
import { makeList } from "../parts/list.js";

export const title = "Live";

export function open(root, params, signal) {
  const figures = makeFigures();
  const health = makeHealth();
  const list = makeList(signal);
  let stop = null;
  const follow = (filter) => {
    stop?.abort();
    stop = new AbortController();
    list.clear(filter);
    api.stream({ ...filter, last: 100, rate: 25 }, AbortSignal.any([signal, stop.signal]), list);
  };
  const filters = makeFilters(params, signal, follow);
  root.append(
    h("div", { class: "head" }, h("h1", {}, "Live"), health.sentence),
    health.strip,
    figures.root,
    h("section", { class: "card stream", "aria-label": "Decisions" }, h("div", { class: "stream-head" }, filters.root, list.controls), list.root),
  );
  follow(params);
  api.poll(signal, 1000, async () => {
    const stats = await api.stats({}, signal);
    figures.show(stats);
    health.show(stats);
    filters.show(stats);
  }, health.failed);
  api.poll(signal, 5000, async () => figures.judge(await api.quality({ points: 10 }, signal)));
  return { change: filters.change };
}
