// The router: shows the page that the address names.

import { address, follow, moved, parts } from "./address.js";
import { h, put } from "./dom.js";

const pages = {
  live: () => import("./pages/live.js"),
  message: () => import("./pages/message.js"),
  review: () => import("./pages/review.js"),
  quality: () => import("./pages/quality.js"),
  model: () => import("./pages/model.js"),
  try: () => import("./pages/try.js"),
};

let now = { name: "", page: null, stop: null };

async function show() {
  if (!moved()) return;
  const { name, params } = parts();
  if (name === now.name && now.page?.change) {
    now.page.change(params);
    return;
  }
  now.stop?.abort();
  const stop = new AbortController();
  now = { name, page: null, stop };
  const main = document.getElementById("main");
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!(name in pages)) {
    document.title = "No such page · Bayestream";
    put(main, h("div", { class: "page empty", role: "alert" }, h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: address("live") }, "To Live"))));
    return;
  }
  try {
    const module = await pages[name]();
    if (stop.signal.aborted) return;
    document.title = module.title + " · Bayestream";
    const root = h("div", { class: "page " + name });
    now.page = module.open(root, params, stop.signal) || {};
    put(main, root);
    scrollTo(0, 0);
  } catch (error) {
    if (!stop.signal.aborted) put(main, broken(error));
  }
}

function broken(error) {
  console.error(error);
  return h("div", { class: "empty", role: "alert" }, h("h1", {}, "This page did not load"),
    h("p", {}, "The console may have been stopped, or another version of it runs now."),
    h("p", {}, h("button", { onclick: () => location.reload() }, "Load again")));
}

// start shows the page of the address, now and whenever it changes.
export function start() {
  follow(show);
  return show();
}
