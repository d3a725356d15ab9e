"use strict";
// The roofline of a run: operations a cycle against operations for each word at the array's edge, with the roofs of the streams and
// multipliers that the kernel has, those of the whole array, and what the run reached.
const Roofline = (() => {
  const { element, number } = Picture;
  const WIDTH = 420, HEIGHT = 260, LEFT = 54, RIGHT = 400, TOP = 16, BOTTOM = 210;

  // Figures of a kernel: { operations, words, cycles, streams, units, mhz }, or null where the run counted nothing.
  function figuresOf(kernel, report) {
    const counts = (report.energy || {}).counts, cells = kernel.netlist ? kernel.netlist.cells : [];
    if (!counts || !counts.operation || !counts.buffer || !report.cycles || !report.cycles.kernel) return null;
    const of = (test) => cells.filter((c) => test(c.mode)).length;
    return { operations: counts.operation, words: counts.buffer, cycles: report.cycles.kernel, streams: of((m) => /^(io|glb)_/.test(m)), units: of((m) => /^(alu|reduce)/.test(m)) || 1, mhz: report.fmax_mhz || 0 };
  }

  function draw(box, f, board) {
    const reached = f.operations / f.cycles, at = f.operations / f.words;
    const all = { streams: 2 * board.width, units: board.columns.filter((c) => c === "pe").length * (board.height - 1) };
    const roof = (r, x) => Math.min(r.units, r.streams * x);
    const low = 10 ** Math.floor(Math.log10(Math.min(reached, at * f.streams, 1)) - 0.2), high = 10 ** Math.ceil(Math.log10(all.units));
    const left = 10 ** Math.floor(Math.log10(Math.min(at, 0.02) * 0.9)), right = 10 ** Math.ceil(Math.log10(Math.max(at * 4, (all.units / all.streams) * 2)));
    const x = (v) => LEFT + ((RIGHT - LEFT) * Math.log10(v / left)) / Math.log10(right / left), y = (v) => BOTTOM - ((BOTTOM - TOP) * Math.log10(v / low)) / Math.log10(high / low);
    const own = roof(f, at), says = `${number(reached, 3)} operations a cycle${f.mhz ? ` (${number(reached * f.mhz)} million a second at ${number(f.mhz)} MHz)` : ""}, ${number((100 * reached) / own, 1)} % of the ${number(own, 2)} that ${f.streams} streams and ${f.units} arithmetic tiles allow at ${number(at, 2)} operations a word; bound by ${own < f.units ? "the streams" : "the arithmetic tiles"}`;
    const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": says, "font-family": "sans-serif", "font-size": 11 });
    svg.append(element("title", {}, says));
    const text = (tx, ty, words, more) => svg.append(element("text", Object.assign({ x: tx, y: ty }, more), words));
    for (let v = left; v <= right * 1.001; v *= 10) {
      svg.append(element("line", { x1: x(v), x2: x(v), y1: TOP, y2: BOTTOM, class: "grid" }));
      text(x(v), BOTTOM + 15, number(v, 4), { "text-anchor": "middle", class: "axis" });
    }
    for (let v = low; v <= high * 1.001; v *= 10) {
      svg.append(element("line", { x1: LEFT, x2: RIGHT, y1: y(v), y2: y(v), class: "grid" }));
      text(LEFT - 5, y(v) + 4, number(v, 4), { "text-anchor": "end", class: "axis" });
    }
    text((LEFT + RIGHT) / 2, BOTTOM + 32, "operations for each word at the array's edge", { "text-anchor": "middle", class: "axis" });
    text(14, (TOP + BOTTOM) / 2, "operations a cycle", { "text-anchor": "middle", class: "axis", transform: `rotate(-90 14 ${(TOP + BOTTOM) / 2})` });
    const line = (r, name, words) => {
      const knee = r.units / r.streams, from = Math.max(left, low / r.streams);
      svg.append(element("path", { d: `M${x(from)} ${y(roof(r, from))}${knee > from && knee < right ? `L${x(knee)} ${y(r.units)}` : ""}L${RIGHT} ${y(roof(r, right))}`, class: `roof ${name}` }));
      text(RIGHT, y(r.units) - 4, words, { "text-anchor": "end" });
    };
    line(all, "all", `the array: ${all.streams} streams, ${all.units} PE`);
    line(f, "own", `placed: ${f.streams} streams, ${f.units} arithmetic`);
    svg.append(element("line", { x1: x(at), x2: x(at), y1: y(own), y2: y(reached), class: "lost" }), element("circle", { cx: x(at), cy: y(reached), r: 5, class: "reached" }));
    text(x(at) + 9, y(reached) + 4, `${number(reached, 2)}, ${number((100 * reached) / own)} %`);
    box.replaceChildren(element("figure", {}, svg, element("figcaption", {}, says)));
  }
  return { draw, figuresOf };
})();
