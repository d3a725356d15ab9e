"use strict";
// Pictures that are moved and zoomed, and saved as files. A picture is an SVG element in a box; its viewBox is what shows.
const Picture = (() => {
  function element(name, attributes = {}, ...children) {
    const svg = ["svg", "defs", "g", "rect", "line", "path", "circle", "text", "title", "desc"].includes(name);
    const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }
  const number = (value, digits = 0) => Number(value).toLocaleString("en", { maximumFractionDigits: digits });
  const MOST = 40; // times larger than the whole picture
  // Gives the picture in a box its whole size at first; wheel, drag, double click and the keys + - 0 change what shows. It shows what
  // `before`, a picture of the same size that it takes the place of, did. `shown` is told how many pixels a unit of it is.
  function place(box, svg, before, shown) {
    const whole = svg.viewBox.baseVal.width ? [svg.viewBox.baseVal.x, svg.viewBox.baseVal.y, svg.viewBox.baseVal.width, svg.viewBox.baseVal.height] : [0, 0, svg.width.baseVal.value, svg.height.baseVal.value];
    let at = (before && before.whole.join() === whole.join() && before.at()) || whole;
    svg.setAttribute("width", "100%");
    svg.setAttribute("height", "100%");
    svg.setAttribute("preserveAspectRatio", "xMidYMin meet");
    svg.setAttribute("tabindex", "0");
    const scale = () => Math.min(box.clientWidth / at[2], box.clientHeight / at[3]);
    const show = (to) => {
      at = to;
      svg.setAttribute("viewBox", to.map((n) => n.toFixed(2)).join(" "));
      if (shown) shown(scale());
    };
    const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    function zoom(by, x, y) {
      const width = Math.min(whole[2], Math.max(whole[2] / MOST, at[2] * by)), scale = width / at[2];
      if (width === whole[2]) return show(whole);
      return show([x - (x - at[0]) * scale, y - (y - at[1]) * scale, width, at[3] * scale]);
    }
    const middle = (by) => zoom(by, at[0] + at[2] / 2, at[1] + at[3] / 2);
    svg.onwheel = (event) => {
      event.preventDefault();
      const p = point(event);
      zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), p.x, p.y);
    };
    let from = null;
    svg.onpointerdown = (event) => { if (event.button === 0) from = { p: point(event), moved: false }; };
    svg.onpointermove = (event) => {
      if (!from || !(event.buttons & 1)) { from = null; return; }
      const p = point(event), dx = from.p.x - p.x, dy = from.p.y - p.y;
      if (!from.moved && Math.hypot(dx, dy) * svg.getScreenCTM().a < 4) return;
      if (!from.moved) svg.setPointerCapture(event.pointerId);
      from.moved = true;
      show([at[0] + dx, at[1] + dy, at[2], at[3]]);
    };
    // A drag is no click on what it ends on.
    svg.addEventListener("click", (event) => { if (from && from.moved) event.stopPropagation(); from = null; }, true);
    svg.ondblclick = () => show(whole);
    svg.onkeydown = (event) => {
      const done = { "+": () => middle(0.7), "-": () => middle(1.4), 0: () => show(whole) }[event.key];
      if (done) { event.preventDefault(); done(); }
    };
    box.replaceChildren(svg);
    show(at);
    return { fit: () => show(whole), again: () => show(at), zoom: middle, at: () => (at === whole ? null : at), whole,
      // Moves what shows, without changing its size, until a thing in it does.
      see(e) {
        const there = e.getBoundingClientRect(), here = box.getBoundingClientRect();
        if (there.left >= here.left && there.right <= here.right && there.top >= here.top && there.bottom <= here.bottom) return;
        const p = point({ clientX: there.left + there.width / 2, clientY: there.top + there.height / 2 });
        show([p.x - at[2] / 2, p.y - at[3] / 2, at[2], at[3]]);
      } };
  }

  // ---- files ---------------------------------------------------------------------------------------
  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  const SHOWN = ["display", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "opacity", "font-family", "font-size", "font-weight"];
  // A copy of all of the picture that needs no style sheet, on the colour of the page.
  function alone(svg, whole) {
    const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((e, i) => {
      const style = getComputedStyle(e);
      to[i].setAttribute("style", SHOWN.map((key) => `${key}:${style.getPropertyValue(key)}`).join(";"));
      ["tabindex", "role", "class"].forEach((key) => to[i].removeAttribute(key));
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("viewBox", whole.join(" "));
    copy.setAttribute("width", whole[2]);
    copy.setAttribute("height", whole[3]);
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    [["x", whole[0]], ["y", whole[1]], ["width", whole[2]], ["height", whole[3]], ["fill", getComputedStyle(svg.closest("section")).backgroundColor]].forEach(([key, value]) => paper.setAttribute(key, value));
    copy.prepend(paper);
    return new XMLSerializer().serializeToString(copy);
  }
  const box = (svg) => { const b = svg.viewBox.baseVal; return [b.x, b.y, b.width, b.height]; };
  // Pictures one beside the other as a single one, as text.
  function together(svgs) {
    const sizes = svgs.map((svg) => [Number(svg.dataset.wide) || box(svg)[2], Number(svg.dataset.high) || box(svg)[3]]), gap = 16;
    if (svgs.length === 1) return alone(svgs[0], box(svgs[0]));
    let at = 0;
    const parts = svgs.map((svg, i) => { const x = at; at += sizes[i][0] + gap; return alone(svg, box(svg)).replace("<svg", `<svg x="${x}"`); });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${at - gap}" height="${Math.max(...sizes.map((s) => s[1]))}">${parts.join("")}</svg>`;
  }
  // A canvas as a picture: pixels, since it has nothing else.
  const wrap = (canvas) => `<svg xmlns="http://www.w3.org/2000/svg" width="${canvas.clientWidth}" height="${canvas.clientHeight}"><image width="${canvas.clientWidth}" height="${canvas.clientHeight}" href="${canvas.toDataURL()}"/></svg>`;
  function saveSvg(name, svg, whole) {
    save(`${name}.svg`, new Blob([alone(svg, whole)], { type: "image/svg+xml" }));
  }
  function savePng(name, svg, whole) {
    const scale = Math.min(2, 8000 / Math.max(whole[2], whole[3])), image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = Math.ceil(whole[2] * scale);
      canvas.height = Math.ceil(whole[3] * scale);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(`${name}.png`, blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(svg, whole))}`;
  }
  return { element, number, place, save, saveSvg, savePng, alone, box, together, wrap };
})();
