// The server's API: nothing else talks to it. internal/tools/console/openapi.yaml says what each answer holds.

import { query } from "./address.js";

// ApiError is an answer that is none: its status (0: nothing answered), its reason in one word and a sentence.
export class ApiError extends Error {
  constructor(status, reason, message) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

let linkListener = () => {};
let linked = true;

// onLink calls the function when the server cannot be reached, and when it can again.
export function onLink(listener) {
  linkListener = listener;
}

function setLink(up) {
  if (linked === up) return;
  linked = up;
  linkListener(up);
}

const store = {
  get: (name) => {
    try {
      return sessionStorage.getItem(name) || "";
    } catch {
      return "";
    }
  },
  set: (name, value) => {
    try {
      sessionStorage.setItem(name, value);
    } catch {
      // a browser that keeps nothing asks again
    }
  },
};
const kept = { token: store.get("bayestream-token"), by: store.get("bayestream-by") };

// identify keeps the token and the name for this tab.
export function identify(token, by) {
  kept.token = token;
  kept.by = by;
  store.set("bayestream-token", token);
  store.set("bayestream-by", by);
}

// identity returns what identify kept.
export const identity = () => kept;

async function ask(path, { signal, method = "GET", body } = {}) {
  const headers = {};
  if (kept.token) headers.Authorization = "Bearer " + kept.token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store", credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    setLink(false);
    throw new ApiError(0, "unreachable", "The console does not answer. It may have been stopped; this page asks again by itself.");
  }
  setLink(true);
  const value = await answer.json().catch(() => null);
  if (answer.ok && value !== null) return value;
  const failure = value?.error || {};
  throw new ApiError(answer.status, failure.reason || "error", failure.message || `The console answered with status ${answer.status}.`);
}

const get = (path) => (params, signal) => ask(path + query(params), { signal });
const post = (path) => (body) => ask(path, { method: "POST", body });

export const session = get("/v1/session");
export const stats = get("/v1/stats");
export const history = get("/v1/history");
export const message = get("/v1/message");
export const corrections = get("/v1/corrections");
export const review = get("/v1/review");
export const quality = get("/v1/quality");
export const model = get("/v1/model");
export const numbers = get("/v1/model/numbers");
export const classWords = (name, params, signal) => ask("/v1/model/classes/" + encodeURIComponent(name) + query(params), { signal });
export const term = (name, signal) => ask("/v1/model/terms/" + encodeURIComponent(name), { signal });
export const attempt = post("/v1/try");
// correct takes {documents, label | forget | undo}; who does it is added here.
export const correct = (body) => post("/v1/corrections")(kept.by ? { ...body, by: kept.by } : body);

// stream follows the decisions until the signal ends; decision gets each as it came, in JSON, since of many only some are looked at. It lets go while the page is hidden, and comes back with the last ones.
export function stream(params, signal, { decision, opened, lost }) {
  let source = null;
  let retry = 0;
  const close = () => {
    clearTimeout(retry);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (signal.aborted || document.hidden) return;
    source = new EventSource("/v1/events" + query(params));
    source.onopen = () => {
      setLink(true);
      opened();
    };
    source.onmessage = (event) => decision(event.data);
    source.onerror = () => {
      lost();
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, 3000);
    };
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()), { signal });
  signal.addEventListener("abort", close);
  open();
}

// poll asks again and again while the page can be seen, less often while it fails. It returns a function that asks now.
export function poll(signal, milliseconds, run, failed = () => {}) {
  let timer = 0;
  let busy = false;
  let failures = 0;
  const turn = async () => {
    clearTimeout(timer);
    if (signal.aborted || busy || document.hidden) return;
    busy = true;
    try {
      await run(signal);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) console.error(error);
      failures++;
      failed(error);
    } finally {
      busy = false;
    }
    timer = setTimeout(turn, Math.min(15000, milliseconds * 2 ** failures));
  };
  document.addEventListener("visibilitychange", turn, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  turn();
  return turn;
}
