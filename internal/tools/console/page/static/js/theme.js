// Light or dark as the reader chose, set before the first paint: so this is no module.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("bayestream-theme");
  } catch {
    // a browser that keeps nothing follows the system
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
