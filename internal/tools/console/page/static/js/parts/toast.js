// Short messages at the corner that go away by themselves.

import { h } from "../dom.js";

// toast shows a message; a button may stand behind it, and gone is called when the message goes. It returns a function that takes it away.
export function toast(content, { bad = false, stay = 8000, button = null, gone = () => {} } = {}) {
  const box = h("div", { class: bad ? "toast bad" : "toast" }, h("span", {}, content), button);
  const away = () => {
    box.remove();
    gone();
  };
  let timer = setTimeout(away, stay);
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", () => {
    timer = setTimeout(away, 3000);
  });
  const all = document.getElementById("toasts");
  all.append(box);
  while (all.childElementCount > 4) all.firstChild.remove();
  return away;
}
