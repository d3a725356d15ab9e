"use strict";
// Draws what cli/view.c collected. One thing is picked at a time: a SAM node, a tile or a net; every part of the page shows it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const state = { kernel: 0, graph: "sam", colour: "kind", picked: null, sort: "stalled" };
  const sides = [["east", 1, 0], ["south", 0, 1], ["west", -1, 0], ["north", 0, -1]]; // name, x, y

  function element(name, attributes = {}, ...children) {
    const svg = ["svg", "g", "rect", "line", "path", "circle", "text", "title"].includes(name);
    const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }
  const number = (value, digits = 0) => Number(value).toLocaleString("en", { maximumFractionDigits: digits });
  const kernel = () => data.kernels[state.kernel];
  const cells = () => (kernel().netlist ? kernel().netlist.cells : []);
  const nets = () => (kernel().netlist ? kernel().netlist.nets : []);
  const cellIndex = (name) => cells().findIndex((c) => c.name === name);
  const tileName = (i) => `x${kernel().sites[i][0]}y${kernel().sites[i][1]}`;
  const cellAt = (tile) => cells().findIndex((_, i) => tileName(i) === tile.split(" ")[0]);
  const channels = () => kernel().report.stalls || [];

  // ---- what is picked ----------------------------------------------------------------------------
  // A pick is {cells, nets, sam, title}: indices of cells and nets, ids of SAM nodes.
  function pickCell(i) {
    const touching = nets().flatMap((n, k) => (n.source.cell === cells()[i].name || n.sinks.some((s) => s.cell === cells()[i].name) ? [k] : []));
    pick({ key: `cell ${cells()[i].name}`, cells: [i], nets: touching, sam: cells()[i].sam === undefined ? [] : [cells()[i].sam], title: cells()[i].name });
  }
  function pickNet(k) {
    const ends = [nets()[k].source, ...nets()[k].sinks].map((p) => cellIndex(p.cell));
    pick({ key: `net ${k}`, cells: ends, nets: [k], sam: ends.flatMap((i) => (cells()[i].sam === undefined ? [] : [cells()[i].sam])), title: `net ${kernel().routes[k].id}`, net: k });
  }
  function pickSam(id) {
    const own = cells().flatMap((c, i) => (c.sam === id ? [i] : []));
    if (own.length === 1) return pickCell(own[0]);
    const names = own.map((i) => cells()[i].name);
    const inside = nets().flatMap((n, k) => (names.includes(n.source.cell) || n.sinks.some((s) => names.includes(s.cell)) ? [k] : []));
    return pick({ key: `sam ${id}`, cells: own, nets: inside, sam: [id], title: `SAM node ${id}` });
  }
  // What a click does, Enter and the space bar do too.
  function onPick(e, action) {
    e.onclick = action;
    e.setAttribute("tabindex", "0");
    e.setAttribute("role", "button");
    e.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      action();
    };
  }
  function pick(what) {
    state.picked = state.picked && what && state.picked.key === what.key ? null : what;
    showPick();
  }
  function showPick() {
    const p = state.picked;
    document.querySelectorAll(".picked, .faint").forEach((e) => e.classList.remove("picked", "faint"));
    if (p) {
      p.cells.forEach((i) => document.querySelectorAll(`[data-cell="${i}"]`).forEach((e) => e.classList.add("picked")));
      document.querySelectorAll(".route").forEach((e) => e.classList.add(p.nets.includes(Number(e.dataset.net)) ? "picked" : "faint"));
      p.nets.forEach((k) => document.querySelectorAll(`tr[data-net="${k}"]`).forEach((e) => e.classList.add("picked")));
      document.querySelectorAll("#graph .node").forEach((e) => {
        const title = e.querySelector("title").textContent;
        const own = state.graph === "sam" ? p.sam.includes(title) : p.cells.some((i) => cells()[i].name === title);
        e.classList.toggle("picked", own);
      });
      document.querySelectorAll("#channels tbody tr").forEach((e) => {
        const ends = [cellAt(e.dataset.from), cellAt(e.dataset.to)];
        e.classList.toggle("picked", p.cells.length === 1 ? ends.includes(p.cells[0]) : ends.every((i) => p.cells.includes(i)));
      });
    }
    ["graph", "floor"].forEach((id) => bringIntoSight(byId(id)));
    drawDetails();
  }
  // Scrolls a box, not the page, until the first picked thing in it shows.
  function bringIntoSight(box) {
    const e = box.querySelector(".node.picked, .tile.picked");
    if (!e) return;
    const there = e.getBoundingClientRect(), here = box.getBoundingClientRect();
    if (there.top < here.top || there.bottom > here.bottom) box.scrollTop += there.top - here.top - here.height / 2;
    if (there.left < here.left || there.right > here.right) box.scrollLeft += there.left - here.left - here.width / 2;
  }

  // ---- header --------------------------------------------------------------------------------------
  function drawHeader() {
    const r = data.report;
    document.title = `onyx: ${r.expression}`;
    byId("expression").textContent = r.expression;
    const rows = [["engine", r.engine], ["check", r.check], ["board", r.board], ["cycles", number(r.cycles.total)]];
    if (r.fmax_mhz) rows.push(["clock", `${number(r.fmax_mhz)} MHz`], ["time", `${number(r.time_us, 2)} µs`]);
    rows.push(["tiles", `${r.tiles.pe} PE, ${r.tiles.mem} MEM, ${r.tiles.io} IO`], ["words", number(r.bitstream.words)], ["copies", r.unroll], ["pairs of sub-tiles", number(r.subtiles.run)], ["nonzeros of the result", number(r.result_nnz)]);
    byId("figures").replaceChildren(...rows.map(([k, v]) => element("div", {}, element("dt", {}, k), element("dd", {}, String(v)))));
    byId("kernels").replaceChildren(...(data.kernels.length < 2 ? [] : data.kernels.map((k, i) => {
      const b = element("button", { "aria-selected": i === state.kernel }, k.name);
      b.onclick = () => { state.kernel = i; state.picked = null; draw(); };
      return b;
    })));
  }

  // Links and handlers that a graph's file may have: where they lead and what they do is not ours.
  function disarm(e) {
    [...e.attributes].forEach((a) => {
      if (/^on/i.test(a.name) || (/href$/i.test(a.name) && !/^(#|https?:)/i.test(a.value.trim()))) e.removeAttribute(a.name);
    });
  }

  // ---- graphs --------------------------------------------------------------------------------------
  function drawGraph() {
    const text = state.graph === "sam" ? kernel().graph_svg : kernel().netlist_svg;
    const box = byId("graph");
    if (!text) {
      box.replaceChildren(element("p", { class: "none" }, "No drawing: Graphviz (dot) was not there when the page was written."));
      return;
    }
    box.innerHTML = text;
    box.querySelectorAll("*").forEach(disarm);
    box.querySelectorAll(".node").forEach((node) => {
      const title = node.querySelector("title").textContent;
      onPick(node, () => (state.graph === "sam" ? pickSam(title) : pickCell(cellIndex(title))));
      const shape = node.querySelector("polygon, ellipse, path"), fill = shape && getComputedStyle(shape).fill.match(/\d+/g);
      node.classList.toggle("dark", Boolean(fill) && 0.3 * fill[0] + 0.6 * fill[1] + 0.1 * fill[2] < 110); // white on it reads better
    });
  }

  // ---- the array -----------------------------------------------------------------------------------
  const TILE = 46, GAP = 26, PITCH = TILE + GAP, EDGE = 12;
  // Shares of the cycles, 0 to 1, by cell: the most that a producer waited for it; the most a channel of it moved.
  function shares(member) {
    const share = cells().map(() => 0);
    for (const c of channels()) {
      const all = c.moved + c.stalled + c.held + c.starved + c.idle;
      const i = cellAt(c.to);
      if (i >= 0 && all) share[i] = Math.max(share[i], c[member] / all);
    }
    return share;
  }
  function drawFloor() {
    if (!kernel().netlist) {
      byId("floor").replaceChildren(element("p", { class: "none" }, "Nothing is placed: this engine runs the graph."));
      return;
    }
    const b = data.board, sites = kernel().sites;
    const all = byId("whole").checked;
    const hops = kernel().routes.flatMap((r) => r.hops);
    const xs = [...sites, ...hops].map((s) => s[0]), ys = [...sites, ...hops].map((s) => s[1]);
    const x0 = all ? 0 : Math.min(...xs), x1 = all ? b.width - 1 : Math.max(...xs), y0 = 0, y1 = all ? b.height - 1 : Math.max(...ys);
    const left = (x) => EDGE + (x - x0) * PITCH, top = (y) => EDGE + (y - y0) * PITCH;
    const width = 2 * EDGE + (x1 - x0 + 1) * PITCH - GAP, height = 2 * EDGE + (y1 - y0 + 1) * PITCH - GAP;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif" });
    const heatColour = state.colour === "stall" ? "204,51,17" : "68,119,170";
    const heat = state.colour === "stall" ? shares("stalled") : state.colour === "busy" ? shares("moved") : null;
    svg.classList.toggle("heat", Boolean(heat));
    byId("legend").replaceChildren();
    if (heat) {
      const scale = element("i");
      scale.style.background = `linear-gradient(to right, rgba(${heatColour},0), rgb(${heatColour}))`;
      byId("legend").append("0 ", scale, " 100 %");
    }
    const used = new Map(sites.map((s, i) => [`${s[0]},${s[1]}`, i]));
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) {
        const i = used.get(`${x},${y}`), kind = y === 0 ? "io" : b.columns[x];
        const tile = element("rect", { x: left(x), y: top(y), width: TILE, height: TILE, rx: 3, class: `tile ${kind}${i === undefined ? "" : " used"}` });
        if (i === undefined) {
          tile.append(element("title", {}, `x${x}y${y} ${kind}`));
          svg.append(tile);
          continue;
        }
        const cell = cells()[i];
        tile.dataset.cell = i;
        onPick(tile, () => pickCell(i));
        if (heat) tile.style.fill = `rgba(${heatColour},${heat[i]})`;
        tile.append(element("title", {}, `x${x}y${y} ${cell.mode} ${cell.name}${heat ? `: ${number(heat[i] * 100)} % of the cycles` : ""}`));
        svg.append(tile);
        const words = [cell.mode.replace("fiber_access", "fibers").replace("io_", ""), cell.name.length > 8 ? `${cell.name.slice(0, 7)}…` : cell.name];
        words.forEach((w, line) => svg.append(element("text", { x: left(x) + TILE / 2, y: top(y) + 19 + 14 * line, "text-anchor": "middle", "font-size": line ? 9 : 10 }, w)));
      }
    }
    if (byId("routes").checked) drawRoutes(svg, left, top);
    byId("floor").replaceChildren(svg);
  }
  // A hop crosses the gap beside its tile, shifted by its track; opposite directions lie apart. Consecutive hops are joined inside the tile.
  function hopEnds([x, y, side, track], left, top) {
    const [, dx, dy] = sides[side];
    const across = ((track + 1) * TILE) / (2 * data.board.tracks + 2) + (side > 1 ? TILE / 2 : 0);
    const from = dx ? [left(x) + (dx > 0 ? TILE : 0), top(y) + across] : [left(x) + across, top(y) + (dy > 0 ? TILE : 0)];
    return [from, [from[0] + dx * GAP, from[1] + dy * GAP]];
  }
  function drawRoutes(svg, left, top) {
    kernel().routes.forEach((route, k) => {
      const colour = `hsl(${(k * 47) % 360},65%,42%)`;
      const parts = route.hops.map((h) => hopEnds(h, left, top));
      const path = parts.map(([a, b]) => `M${a}L${b}`).join("");
      // From hop to hop through a tile: the hop that enters the tile which the next one leaves.
      const joints = route.hops.map((h, i) => {
        const before = route.hops.findIndex((g, n) => n < i && g[0] + sides[g[2]][1] === h[0] && g[1] + sides[g[2]][2] === h[1]);
        return before < 0 ? "" : `M${parts[before][1]}L${parts[i][0]}`;
      }).join("");
      const line = element("path", { d: path + joints, class: "route", stroke: colour });
      line.dataset.net = k;
      line.onclick = () => pickNet(k);
      line.append(element("title", {}, `${route.id}: ${nets()[k].source.cell} to ${nets()[k].sinks.map((s) => s.cell).join(", ")}; ${route.hops.length} hops, ${route.delay_ps} ps`));
      svg.append(line);
      route.hops.forEach((h, i) => {
        if (h[4]) svg.append(element("circle", { cx: parts[i][0][0], cy: parts[i][0][1], r: 3, class: "fifo", fill: h[4] === 1 ? "#178017" : "#a01010" }));
      });
    });
  }

  // ---- details -------------------------------------------------------------------------------------
  function rowsOf(pairs) {
    return element("table", {}, element("tbody", {}, ...pairs.map(([k, v]) => element("tr", {}, element("td", { class: "name" }, k), element("td", {}, String(v))))));
  }
  function portText(pin, output) {
    const cell = cells()[cellIndex(pin.cell)], ports = data.ports[cell.mode];
    return `${pin.cell} ${(ports && (output ? ports.out : ports.in)[pin.port]) || pin.port}`;
  }
  function drawDetails() {
    const p = state.picked, box = byId("details");
    box.replaceChildren(element("h2", {}, p ? p.title : "Nothing is picked"));
    if (!p) {
      box.append(element("p", { class: "none" }, "Click a node, a tile, a route or a row: it is shown in every stage."));
      return;
    }
    if (p.net !== undefined) {
      const n = nets()[p.net], r = kernel().routes[p.net];
      box.append(rowsOf([["from", portText(n.source, true)], ...n.sinks.map((s) => ["to", portText(s, false)]), ["hops", r.hops.length], ["delay", `${r.delay_ps} ps`], ["floor", `${r.floor_ps} ps`], ["SplitFIFO pairs", r.hops.filter((h) => h[4] === 1).length]]));
      return;
    }
    for (const i of p.cells) {
      const c = cells()[i];
      box.append(rowsOf([["tile", tileName(i)], ["mode", c.mode], ["SAM node", c.sam === undefined ? "" : c.sam], ...(c.stream ? [["stream", `${c.stream.tensor}, ${c.stream.level < 0 ? "values" : `level ${c.stream.level}`}`]] : [])]));
      const what = data.ports[c.mode];
      if (what && what.doc) box.append(element("p", {}, what.doc));
      nets().forEach((n) => {
        const other = n.source.cell === c.name ? n.sinks.map((s) => `${portText(n.source, true)} → ${portText(s, false)}`) : n.sinks.filter((s) => s.cell === c.name).map((s) => `${portText(n.source, true)} → ${portText(s, false)}`);
        other.forEach((t) => box.append(element("div", {}, t)));
      });
      const fields = Object.entries(c.config);
      box.append(element("h2", {}, `${fields.length} fields`), ...fields.map(([k, v]) => element("div", {}, element("code", {}, `${k} = ${v}`))));
    }
    if (!p.cells.length) box.append(element("p", { class: "none" }, "No tile does this: the host or the form of the data does."));
  }

  // ---- timing, channels, words, stages -------------------------------------------------------------
  function drawTiming() {
    const t = kernel().timing;
    if (!t) {
      byId("critical").replaceChildren(element("p", { class: "none" }, "Not routed."));
      byId("nets").replaceChildren();
      return;
    }
    const box = byId("critical");
    box.replaceChildren(element("p", {}, `${t.period_ps} ps (${number(t.fmax_mhz)} MHz), floor ${t.floor_ps} ps; limited by ${t.limited_by.kind}: ${t.limited_by.why}`));
    (t.critical_path || []).forEach((step) => {
      const at = step.x === undefined ? "" : ` x${step.x}y${step.y} ${step.side} track ${step.track}`;
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(160 * step.delay_ps) / t.period_ps}px`;
      box.append(element("div", {}, bar, ` ${step.what}${at}: ${step.delay_ps} ps, at ${step.arrival_ps}`));
    });
    const order = kernel().routes.map((_, k) => k).sort((a, b) => kernel().routes[b].delay_ps - kernel().routes[a].delay_ps);
    byId("nets").replaceChildren(element("thead", {}, element("tr", {}, ...["slowest nets", "ps", "floor", "hops"].map((h, i) => element("th", i ? {} : { class: "name" }, h)))), element("tbody", {}, ...order.slice(0, 12).map((k) => {
      const r = kernel().routes[k], row = element("tr", {}, element("td", { class: "name" }, `${r.id} ${nets()[k].source.cell}`), ...[r.delay_ps, r.floor_ps, r.hops.length].map((v) => element("td", {}, String(v))));
      row.dataset.net = k;
      row.onclick = () => pickNet(k);
      return row;
    })));
  }
  function drawChannels() {
    const columns = ["moved", "stalled", "held", "starved", "idle"], table = byId("channels");
    if (!channels().length) {
      table.replaceChildren(element("tbody", {}, element("tr", {}, element("td", { class: "none name" }, "Only engine cycle counts them."))));
      return;
    }
    const heads = ["from", "to", ...columns].map((h, i) => {
      const th = element("th", i < 2 ? { class: "name" } : {}, h + (state.sort === h ? " ▾" : ""));
      if (i > 1) th.onclick = () => { state.sort = h; drawChannels(); showPick(); };
      return th;
    });
    const rows = [...channels()].sort((a, b) => b[state.sort] - a[state.sort]).map((c) => {
      const all = columns.reduce((sum, k) => sum + c[k], 0);
      const row = element("tr", {}, element("td", { class: "name" }, c.from), element("td", { class: "name" }, c.to), ...columns.map((k) => {
        const bar = element("span", { class: k === "moved" ? "bar" : "bar wait" });
        bar.style.width = `${all ? (40 * c[k]) / all : 0}px`;
        return element("td", {}, bar, ` ${number(c[k])}`);
      }));
      Object.assign(row.dataset, { from: c.from, to: c.to });
      row.onclick = () => { const i = cellAt(c.to); if (i >= 0) pickCell(i); };
      return row;
    });
    table.replaceChildren(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  }
  // io.trace: "run R in|out COLUMN: cycle cycle ...". Darkness of a pixel: words in its cycles.
  function drawWords() {
    const box = byId("trace"), lines = (kernel().io_trace || "").split("\n").filter(Boolean);
    if (!lines.length) {
      box.replaceChildren(element("p", { class: "none" }, "Run with --io-trace to see them."));
      return;
    }
    const runs = lines.map((l) => { const [head, cycles] = l.split(":"), [, run, way, column] = head.split(" "); return { run: Number(run), way, column: Number(column), at: cycles.trim() ? cycles.trim().split(" ").map(Number) : [] }; });
    const first = runs.filter((r) => r.run === runs[0].run), last = first.reduce((m, r) => Math.max(m, r.at.length ? r.at[r.at.length - 1] : 0), 1);
    const width = 900, bins = 300;
    const svg = element("svg", { viewBox: `0 0 ${width + 170} ${first.length * 22 + 24}`, width: width + 170, "font-size": 11, "font-family": "sans-serif" });
    first.forEach((r, line) => {
      const count = new Array(bins).fill(0), cell = cellAt(`x${r.column}y0`);
      r.at.forEach((c) => count[Math.min(bins - 1, Math.floor((c * bins) / (last + 1)))]++);
      const label = `${cell >= 0 ? cells()[cell].name.replace("_", " ") : `${r.way} column ${r.column}`}, ${r.at.length} words`;
      svg.append(element("text", { x: 160, y: 15 + 22 * line, "text-anchor": "end" }, label));
      count.forEach((n, i) => { if (n) svg.append(element("rect", { x: 168 + (i * width) / bins, y: 3 + 22 * line, width: width / bins, height: 16, fill: r.way === "in" ? "#4477aa" : "#cc3311", opacity: Math.min(1, 0.15 + (n * bins) / (last + 1)) })); });
    });
    svg.append(element("text", { x: 168, y: first.length * 22 + 16 }, `cycle 0 of run ${first[0].run}`), element("text", { x: 168 + width, y: first.length * 22 + 16, "text-anchor": "end" }, `cycle ${number(last)}`));
    box.replaceChildren(svg);
  }
  function drawStages() {
    const walls = Object.entries(kernel().report.wall_s || {}).filter(([k, v]) => k !== "total" && v > 0);
    const most = Math.max(...walls.map(([, v]) => v), 1e-9);
    byId("walls").replaceChildren(...walls.map(([k, v]) => {
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(220 * v) / most}px`;
      return element("div", {}, bar, ` ${k} ${v < 0.001 ? `${number(v * 1e6)} µs` : v < 1 ? `${number(v * 1e3, 1)} ms` : `${number(v, 2)} s`}`);
    }));
  }

  function draw() {
    drawHeader();
    drawGraph();
    drawFloor();
    drawTiming();
    drawChannels();
    drawWords();
    drawStages();
    showPick();
  }
  document.querySelectorAll("[data-graph], [data-colour]").forEach((b) => {
    b.onclick = () => {
      const key = b.dataset.graph ? "graph" : "colour";
      state[key] = b.dataset[key];
      document.querySelectorAll(`[data-${key}]`).forEach((o) => o.setAttribute("aria-selected", o === b));
      if (key === "graph") drawGraph(); else drawFloor();
      showPick();
    };
  });
  document.querySelectorAll("[data-fit]").forEach((box) => { box.onchange = () => byId(box.dataset.fit).classList.toggle("fit", box.checked); });
  document.onkeydown = (event) => { if (event.key === "Escape" && state.picked) pick(null); };
  byId("routes").onchange = byId("whole").onchange = () => { drawFloor(); showPick(); };
  draw();
})();
