// The address: #/page?name=value holds the page and its filter. Nothing else reads or writes it.

import { h, put } from "./dom.js";

const pages = {
  live: () => import("./pages/live.js"),
  message: () => import("./pages/message.js"),
  review: () => import("./pages/review.js"),
  quality: () => import("./pages/quality.js"),
  model: () => import("./pages/model.js"),
  try: () => import("./pages/try.js"),
  operations: () => import("./pages/operations.js"),
};

let now = { name: "", page: null, stop: null };

// read returns the page and the parameters of the address.
function read() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { name: path in pages ? path : "live", params: Object.fromEntries(new URLSearchParams(query || "")) };
}

// address returns the address of a page; parameters without a value are left out.
export function address(name, params = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, v]) => v !== undefined && v !== null && v !== ""));
  return `#/${name}` + (query.size ? "?" + query : "");
}

// go opens a page; with replace the address before it is not kept.
export function go(name, params, replace = false) {
  const to = address(name, params);
  if (to === location.hash) return;
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  show();
}

// filter keeps parameters of the page in the address without opening it again.
export function filter(params) {
  history.replaceState(null, "", address(now.name, params));
  last = location.hash;
}

let last = null; // the address that is shown: a link fires two events

async function show() {
  if (location.hash === last) return;
  last = location.hash;
  const { name, params } = read();
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

// takeToken returns the token of an address like /#token=…, which the demo prints, and takes it out of the address.
export function takeToken() {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", address("live"));
  return decodeURIComponent(found[1]);
}

// start shows the page of the address, now and whenever it changes.
export function start() {
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  return show();
}
