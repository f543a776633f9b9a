// The start: the bar, the session, the keys, the page of the address.

import { go, takeToken } from "./address.js";
import * as api from "./api.js";
import { put } from "./dom.js";
import * as keys from "./keys.js";
import { learnLabels } from "./labels.js";
import { start } from "./router.js";
import { setSession } from "./session.js";

const forever = new AbortController().signal;

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("bayestream-theme", root.dataset.theme);
  } catch {
    // then it holds for this page
  }
  dispatchEvent(new Event("themechange"));
}

const link = document.getElementById("link");

function showLink(up) {
  link.className = up ? "link" : "link lost";
  link.textContent = up ? "" : "no connection, trying again";
}

// askSession says who we are and what may be done; while the console still reads its history, the page says so.
function askSession() {
  const notice = document.getElementById("notice");
  let stop = new AbortController();
  api.poll(stop.signal, 1500, async () => {
    const session = await api.session({}, forever);
    learnLabels(session.classes);
    setSession(session);
    notice.hidden = session.ready;
    if (!session.ready) put(notice, "The console is catching up: " + (session.detail || "it reads its history") + ". Figures are not complete yet.");
    if (!session.ready) return;
    stop.abort();
    api.poll(forever, 15000, async () => learnLabels((await api.session({}, forever)).classes)); // labels come while the page is open
  });
}

document.getElementById("theme").addEventListener("click", theme);
document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
api.onLink(showLink);
keys.listen();
keys.bind(forever, "Go to", [
  ["g l", "Live", () => go("live")],
  ["g r", "Review", () => go("review")],
  ["g q", "Quality", () => go("quality")],
  ["g m", "Model", () => go("model")],
  ["g t", "Try", () => go("try")],
]);
const token = takeToken();
if (token) api.identify(token, api.identity().by);
askSession();
start();
