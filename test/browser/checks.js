// Returns a list of what is wrong with the page, a sentence each. The page is an argument of nothing: what is
// checked holds for all of them.
(() => {
  const problems = [];
  const say = (what) => problems.push(what);
  const name = (e) => {
    const text = (e.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `<${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}${e.getAttribute("class") ? "." + e.getAttribute("class") : ""}> "${text}"`;
  };
  const hidden = (e) => !e.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });

  // Colours, as the browser computes them, drawn on a canvas to have them in one form.
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  const colors = new Map();
  const rgba = (color) => {
    if (!colors.has(color)) colors.set(color, draw(color));
    return colors.get(color);
  };
  const draw = (color) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = color;
    brush.fillRect(0, 0, 1, 1);
    const d = brush.getImageData(0, 0, 1, 1).data;
    return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), sheet);
  };
  const sheet = (() => {
    const probe = document.body.appendChild(document.createElement("div"));
    probe.style.background = "Canvas"; // what the browser paints behind all, light or dark
    const color = rgba(getComputedStyle(probe).backgroundColor);
    probe.remove();
    return color;
  })();
  const luminance = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };

  // The page as a whole.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) say(`the page is ${document.documentElement.scrollWidth} wide, the window ${width}`);
  if (document.querySelectorAll("h1").length !== 1) say("there is not one <h1>");
  if (!document.title.trim()) say("the page has no title");
  if (document.documentElement.lang !== "en") say("the page does not say its language");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
  const ground = behind(document.body);
  if (luminance(ground) > 0.2 === dark) say(`the ground has luminance ${luminance(ground).toFixed(2)}, dark is ${dark}`);

  // Text: readable, within the page or within what can be scrolled, and not cut off.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const letters = [];
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE", "title", "desc"].includes(e.tagName) || hidden(e)) continue;
    letters.push([walker.currentNode, e]);
  }
  for (const [node, e] of letters) {
    const style = getComputedStyle(e);
    const inPicture = e instanceof SVGElement;
    const color = over(rgba(inPicture ? style.fill : style.color), behind(e));
    const ratio = contrast(color, behind(inPicture ? e.ownerSVGElement : e));
    const size = parseFloat(style.fontSize);
    if (ratio < (size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)} of ${name(e)}`);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (!e.closest(".scroll, pre") && (r.right > width + 1 || r.left < -1)) say(`text from ${r.left.toFixed(0)} to ${r.right.toFixed(0)} in a window of ${width}: ${name(e)}`);
      if (r.height < 8) say(`text ${r.height.toFixed(1)} high: ${name(e)}`);
      for (let at = e; at && at !== document.body; at = at.parentElement) {
        const s = getComputedStyle(at);
        if (s.overflowX !== "hidden" && s.overflowX !== "clip") continue;
        const box = at.getBoundingClientRect();
        if (r.right > box.right + 1 || r.left < box.left - 1) say(`text is cut off: ${name(e)}`);
      }
    }
  }

  // Pictures: named, within their frame, with marks, and no text over other text.
  for (const svg of document.querySelectorAll("svg:not([aria-hidden])")) {
    if (hidden(svg)) continue;
    const of = (svg.closest("section") || svg).id || "a picture";
    const frame = svg.getBoundingClientRect();
    if (svg.getAttribute("role") !== "img") say(`${of} is no image for a screen reader`);
    const ids = (svg.getAttribute("aria-labelledby") || "").split(" ");
    if (ids.length < 2 || ids.some((id) => !(document.getElementById(id)?.textContent || "").trim())) say(`${of} has no title and description`);
    const texts = [...svg.querySelectorAll("text")].map((e) => [e, e.getBoundingClientRect()]);
    for (const [i, [e, r]] of texts.entries()) {
      if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1) say(`${of}: text beyond the frame: ${name(e)}`);
      for (const [other, q] of texts.slice(i + 1)) {
        // On one line there must be a gap.
        if (Math.min(r.right, q.right) - Math.max(r.left, q.left) > -2 && Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > 3) say(`${of}: ${name(e)} lies over ${name(other)}`);
      }
    }
    const marks = [...svg.querySelectorAll("path, circle, rect")];
    if (!marks.length) say(`${of} has no marks`);
    for (const e of marks) {
      const style = getComputedStyle(e);
      const r = e.getBBox();
      if (!(r.width + r.height > 0)) say(`${of}: a mark without size: ${name(e)}`);
      const view = svg.viewBox.baseVal;
      const outside = r.x < view.x - 12 || r.y < view.y - 12 || r.x + r.width > view.width + 12 || r.y + r.height > view.height + 12;
      if (outside) say(`${of}: a mark beyond the frame: ${name(e)}`);
      if (style.fill === "none" && style.stroke === "none") say(`${of}: a mark without colour: ${name(e)}`);
      if (!/\b(curve|mark|boundary|ring|dot)\b/.test(e.getAttribute("class"))) continue; // grounds may be faint
      const color = rgba(style.fill !== "none" ? style.fill : style.stroke);
      const ratio = contrast(over([color[0], color[1], color[2], 1], [0, 0, 0, 1]), behind(svg));
      if (ratio < 3) say(`${of}: contrast ${ratio.toFixed(2)} of ${name(e)}`);
    }
    const grid = svg.querySelectorAll("line.grid").length;
    const ticks = texts.filter(([e]) => /^[-−]?[\d.]+(e[-+]?\d+)?[kM]?$/.test(e.textContent)).length;
    if (grid !== ticks || grid < 4) say(`${of}: ${grid} lines of the grid have ${ticks} numbers`);
    const named = [...svg.querySelectorAll("text.name")].filter((e) => e.textContent.trim()).length;
    if (named !== 2) say(`${of}: ${named} axes have a name`);
  }

  // Tables: heads that say what they head; what can be scrolled can be reached by the keyboard.
  for (const t of document.querySelectorAll("table")) {
    if (!t.querySelector("th[scope=col]") || !t.querySelector("th[scope=row]")) say(`a table without heads: ${name(t)}`);
    const columns = new Set([...t.rows].map((r) => r.cells.length));
    if (columns.size !== 1) say(`a table with rows of ${[...columns].join(" and ")} fields: ${name(t)}`);
  }
  for (const e of document.querySelectorAll(".scroll, pre")) {
    if (!hidden(e) && e.tabIndex < 0) say(`cannot be reached by the keyboard: ${name(e)}`);
  }
  return problems;
})()
