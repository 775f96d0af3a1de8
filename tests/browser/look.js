// SPDX-License-Identifier: MIT
// Looks at a page as it is laid out now: what is wrong with it, and which charts it has.
(() => {
  "use strict";
  const problems = [];
  const say = (what, element) =>
    problems.push(what + (element ? `: <${element.localName} class="${element.getAttribute("class") || ""}"> ` +
      element.textContent.slice(0, 40) : ""));
  const root = document.documentElement;
  const slack = 0.6; // pixels: places are rounded

  // Only what the report writes may be there: nothing that runs, loads, links or hides.
  const elements = new Set(("html head meta title style body header main section div h1 h2 p span figure figcaption " +
    "table thead tbody tr th td svg desc g defs pattern path rect line text").split(" "));
  const attributes = new Set(("lang charset http-equiv content name class scope title tabindex role aria-label viewBox " +
    "x y x1 y1 x2 y2 d width height id patternUnits patternTransform textLength lengthAdjust").split(" "));
  for (const element of document.querySelectorAll("*")) {
    if (!elements.has(element.localName)) say("unknown element", element);
    for (const { name, value } of element.attributes) {
      if (!attributes.has(name)) say(`unknown attribute ${name}`, element);
      if (/nan|inf|null|undefined/i.test(value) && /^([xyd]|[xy][12]|width|height|viewBox)$/.test(name))
        say(`no number in ${name}`, element);
    }
  }
  if (document.querySelectorAll("style").length !== 1) say("not one style");
  if (document.querySelectorAll("title").length < 1 || !document.title) say("no title");
  if (root.lang !== "en") say("no language");

  // Nothing wider than the page, but what scrolls by itself.
  if (root.scrollWidth > root.clientWidth) say(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
  for (const element of document.body.querySelectorAll("*:not(svg *)")) {
    const box = element.getBoundingClientRect();
    if (!element.closest(".scroll table") && (box.right > root.clientWidth + slack || box.left < -slack))
      say("sticks out of the page", element);
  }
  for (const box of document.querySelectorAll(".scroll"))
    if (getComputedStyle(box).overflowX !== "auto" || box.tabIndex !== 0) say("does not scroll", box);
  for (const table of document.querySelectorAll("table")) {
    if (!table.closest(".scroll")) say("a table that cannot scroll", table);
    for (const th of table.querySelectorAll("th")) if (!th.scope) say("a heading without scope", th);
  }

  // Contrast of every text with what is behind it: 4.5, as WCAG 2 AA asks.
  const rgb = (color) => (color.match(/[\d.]+/g) || []).map(Number);
  const light = (color) => rgb(color).slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const seen = (color) => (rgb(color)[3] ?? 1) > 0;
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement)
      if (seen(getComputedStyle(e).backgroundColor)) return getComputedStyle(e).backgroundColor;
    return "rgb(255, 255, 255)";
  };
  const ground = (text) => { // a letter in a bar stands on the bar, unless it brings its own ground
    const part = [...text.classList].find((name) => name.startsWith("on-"));
    const style = getComputedStyle(text);
    if (style.stroke !== "none") return style.stroke;
    return part ? getComputedStyle(text.closest("svg").querySelector("rect." + part.slice(3))).fill : behind(text);
  };
  for (const element of document.body.querySelectorAll("*:not(svg *)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (own && contrast(getComputedStyle(element).color, behind(element)) < 4.5) say("too faint", element);
  }

  // Charts: named, filled, nothing outside, no text over another, no letter too small.
  const charts = [];
  for (const figure of document.querySelectorAll("figure")) {
    const svg = figure.querySelector("svg");
    const title = figure.querySelector("h2").textContent;
    const outer = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => ({ text, box: text.getBoundingClientRect() }));
    const marks = svg.querySelectorAll("path:not(.whisker):not(.curve):not(.published), rect[class=cpu], rect[class=sys]");
    charts.push({ title, marks: marks.length, whiskers: svg.querySelectorAll("path.whisker").length });
    if (svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")) say("a chart without a name", figure);
    if (!svg.querySelector(":scope > title") || !svg.querySelector(":scope > desc")) say("a chart without words", figure);
    if (outer.width < 300 || outer.height < 60) say("a chart that is not seen", figure);
    for (const shape of svg.querySelectorAll("text, path, rect, line")) {
      const box = shape.getBoundingClientRect();
      if (shape.closest("pattern")) continue;
      if (box.left < outer.left - slack || box.right > outer.right + slack || box.top < outer.top - slack ||
          box.bottom > outer.bottom + slack) say(`outside of the chart "${title}"`, shape);
    }
    const scale = outer.width / svg.viewBox.baseVal.width;
    for (const { text } of texts) {
      if (parseFloat(getComputedStyle(text).fontSize) * scale < 10) say("letters below 10 pixels", text);
      if (contrast(getComputedStyle(text).fill, ground(text)) < 4.5) say("too faint", text);
    }
    texts.sort((a, b) => a.box.top - b.box.top);
    texts.forEach((a, i) => {
      for (let k = i + 1; k < texts.length && texts[k].box.top < a.box.bottom - 2; k++) {
        const b = texts[k];
        if (a.box.right - slack > b.box.left && b.box.right - slack > a.box.left)
          say(`"${b.text.textContent.slice(0, 30)}" lies over`, a.text);
      }
    });
  }
  return { problems: [...new Set(problems)], charts };
})();
