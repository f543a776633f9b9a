// The address: #/page?name=value holds the page and its filter. Nothing else reads or writes it.

let seen = null; // the address that was answered by moved: a link fires two events
let opened = () => {};

// query returns parameters as they stand in an address; those without a value are left out.
export function query(params = {}) {
  const pairs = new URLSearchParams(Object.entries(params).filter(([, v]) => v !== undefined && v !== null && v !== ""));
  return pairs.size ? "?" + pairs : "";
}

// address returns the address of a page.
export const address = (name, params) => `#/${name}` + query(params);

// parts returns the page and the parameters of the address; without a page, the first one.
export function parts() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { name: path || "live", params: Object.fromEntries(new URLSearchParams(query || "")) };
}

// moved says whether the address is another one than at the last call.
export function moved() {
  if (location.hash === seen) return false;
  seen = location.hash;
  return true;
}

// go opens a page; with replace the address before it is not kept.
export function go(name, params, replace = false) {
  const to = address(name, params);
  if (to === location.hash) return;
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  opened();
}

// filter keeps parameters of the page in the address without opening it again.
export function filter(params) {
  history.replaceState(null, "", address(parts().name, params));
  seen = location.hash;
}

// takeToken returns the token of an address like /#token=…, which the demo prints, and takes it out of the address.
export function takeToken() {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", address("live"));
  return decodeURIComponent(found[1]);
}

// follow calls f whenever the address may have changed.
export function follow(f) {
  opened = f;
  addEventListener("hashchange", f);
  addEventListener("popstate", f);
}
