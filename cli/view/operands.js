"use strict";
// Where the operands have their entries, how tiles cut them, and how much work each part of the result takes.
const Operands = (() => {
  const { element, number } = Picture;
  const SIDE = 240, HEAD = 20;

  // "B(i,k)" of an expression: the variables of a tensor.
  function variablesOf(expression, tensor) {
    const found = new RegExp(`(?:^|[^\\w])${tensor}\\(([^)]*)\\)`).exec(expression);
    return found ? found[1].split(",").map((v) => v.trim()) : [];
  }
  const edgesOf = (tiling) => new Map(String((tiling || {}).edges || "").split(",").filter((e) => e.includes(":")).map((e) => [e.split(":")[0], Number(e.split(":")[1])]));
  const edge = (edges, tiling, v) => edges.get(v) || Number((tiling || {}).edges) || (tiling || {}).tile || 0;

  // One tensor: its squares, and lines where sub-tiles begin.
  function spy(t, report) {
    const rows = t.picture, down = rows.length, across = rows[0].length, order = t.dims.length;
    const scale = SIDE / Math.max(across, down), wide = across * scale, high = Math.max(down * scale, 10);
    const variables = variablesOf(report.expression, t.tensor), edges = edgesOf(report.tiling);
    const of = order > 1 ? [0, 1] : [null, 0];
    const says = `${t.tensor}(${variables.join(",")}): ${t.dims.map((d) => number(d)).join(" x ")}, ${number(t.entries)} entries, ${number(100 * t.density, 2)} % of the places${t.bandwidth === undefined ? "" : `, bandwidth ${number(t.bandwidth)}`}${order > 2 ? `; modes 1 and 2 of ${order}` : ""}`;
    const svg = element("svg", { viewBox: `0 0 ${SIDE} ${high + HEAD}`, width: SIDE, height: high + HEAD, role: "img", "aria-label": says, "font-family": "sans-serif", "font-size": 12 });
    svg.append(element("title", {}, says), element("text", { x: 0, y: 13 }, `${t.tensor}(${variables.join(",")})`));
    svg.append(element("rect", { x: 0.5, y: HEAD + 0.5, width: Math.max(1, wide - 1), height: Math.max(1, high - 1), class: "frame" }));
    rows.forEach((row, r) => [...row].forEach((digit, c) => {
      if (digit === "0") return;
      const rect = element("rect", { x: (c * scale).toFixed(2), y: (HEAD + r * scale).toFixed(2), width: Math.max(1, scale * 0.94).toFixed(2), height: Math.max(1, down === 1 ? high : scale * 0.94).toFixed(2), class: "entry" });
      rect.style.fillOpacity = (0.25 + 0.75 * Math.sqrt(parseInt(digit, 36) / 35)).toFixed(2);
      svg.append(rect);
    }));
    of.forEach((mode, way) => {
      const step = mode === null ? 0 : edge(edges, report.tiling, variables[mode]), dim = mode === null ? 0 : t.dims[mode];
      if (!step || dim / step > 64) return;
      for (let at = step; at < dim; at += step) {
        const x = (at / dim) * wide, y = HEAD + (at / dim) * high;
        svg.append(way ? element("line", { x1: x, x2: x, y1: HEAD, y2: HEAD + high, class: "cut" }) : element("line", { x1: 0, x2: wide, y1: y, y2: y, class: "cut" }));
      }
    });
    return element("figure", {}, svg, element("figcaption", {}, says));
  }

  // Cycles by part of the result, summed over the runs that make it.
  function work(timeline, report) {
    const runs = (timeline || {}).runs || [];
    if (!runs.length) return null;
    const sums = new Map();
    for (const run of runs) {
      const key = `${run.at[0] || 0},${run.at[1] || 0}`;
      sums.set(key, (sums.get(key) || 0) + run.cycles);
    }
    const most = Math.max(...sums.values()), all = [...sums.values()].reduce((a, b) => a + b, 0);
    const parts = runs.map((r, i) => [i, r.cycles]), figure = sums.size > 1 ? [...sums] : parts.map(([i, n]) => [`0,${i}`, n]);
    const keys = figure.map(([k]) => k.split(",").map(Number)), ys = [...new Set(keys.map((k) => k[0]))].sort((a, b) => a - b), xs = [...new Set(keys.map((k) => k[1]))].sort((a, b) => a - b);
    const top = Math.max(...figure.map(([, n]) => n)), scale = SIDE / Math.max(xs.length, ys.length, 3), height = Math.max(24, ys.length * scale);
    const name = sums.size > 1 ? "part of the result" : "pair of sub-tiles";
    const says = `cycles of each ${name}: ${number(figure.length)}, the largest ${number(top)}, ${number((top * figure.length) / figure.reduce((a, [, n]) => a + n, 0), 1)} times the mean; ${number(all)} in all${(timeline.runs_in_all || 0) > runs.length ? `, of the first ${number(runs.length)} of ${number(timeline.runs_in_all)} runs` : ""}`;
    const svg = element("svg", { viewBox: `0 0 ${SIDE} ${height + HEAD}`, width: SIDE, height: height + HEAD, role: "img", "aria-label": says, "font-family": "sans-serif", "font-size": 12 });
    svg.append(element("title", {}, says), element("text", { x: 0, y: 13 }, `work of each ${name}`));
    figure.forEach(([key, n]) => {
      const [y, x] = key.split(",").map(Number), rect = element("rect", { x: (xs.indexOf(x) * scale).toFixed(2), y: (HEAD + ys.indexOf(y) * scale).toFixed(2), width: (scale * 0.96).toFixed(2), height: (ys.length === 1 ? height : scale * 0.96).toFixed(2), class: "work" });
      rect.style.fillOpacity = (0.12 + (0.88 * n) / (sums.size > 1 ? most : top)).toFixed(2);
      rect.append(element("title", {}, `${sums.size > 1 ? `from (${y + 1},${x + 1})` : `run ${x}`}: ${number(n)} cycles`));
      svg.append(rect);
      if (scale >= 38) svg.append(element("text", { x: xs.indexOf(x) * scale + scale / 2, y: HEAD + (ys.length === 1 ? height / 2 + 4 : (ys.indexOf(y) + 0.5) * scale + 4), "text-anchor": "middle", "font-size": 11, class: "on" }, number(n)));
    });
    return element("figure", {}, svg, element("figcaption", {}, says));
  }

  function draw(box, report, timeline) {
    const figures = (report.tensors || []).filter((t) => t.picture && t.picture.length && t.picture[0].length).map((t) => spy(t, report)), done = work(timeline, report);
    box.replaceChildren(...figures, ...(done ? [done] : []));
    return figures.length + (done ? 1 : 0);
  }
  return { draw };
})();
