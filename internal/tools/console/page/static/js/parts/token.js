// The question for the token: writing needs it, reading does not.

import { identify, identity, session } from "../api.js";
import { h } from "../dom.js";

// askToken opens a dialog and returns whether a token was given that the server takes.
export function askToken() {
  return new Promise((answer) => {
    const now = identity();
    const token = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true, id: "token-field" });
    const by = h("input", { autocomplete: "name", maxlength: 60, id: "by-field", value: now.by });
    const problem = h("p", { role: "alert", class: "problem" });
    const dialog = h("dialog", { class: "token", "aria-labelledby": "token-title" },
      h("h2", { id: "token-title" }, "Who may change labels"),
      h("p", {}, "Reading is free; writing needs the console's token. The demo prints an address with it when it starts; in production it is in the file that ", h("code", {}, "--token-file"), " names."),
      h("div", { class: "fields" }, h("label", { for: "token-field" }, "Token"), token, h("label", { for: "by-field" }, "Your name, shown beside your corrections (optional)"), by),
      problem,
      h("form", { method: "dialog" }, h("button", { type: "button", onclick: () => dialog.close("") }, "Cancel"), h("button", { type: "button", class: "main", onclick: () => check() }, "Use it")));
    const check = async () => {
      identify(token.value.trim(), by.value.trim());
      try {
        if ((await session({})).authorized) return dialog.close("taken");
        problem.textContent = "This is not the console's token.";
      } catch (error) {
        problem.textContent = error.message;
      }
      identify("", by.value.trim());
      token.focus();
    };
    dialog.addEventListener("keydown", (event) => event.key === "Enter" && event.target.tagName === "INPUT" && check());
    dialog.addEventListener("close", () => {
      dialog.remove();
      answer(dialog.returnValue === "taken");
    });
    document.body.append(dialog);
    dialog.showModal();
    token.focus();
  });
}
