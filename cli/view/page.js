"use strict";
// Draws what cli/view.c collected of a run, or of two. One thing is picked at a time: a SAM node, a tile or a net; every part of the
// page shows it. What is picked and how it is looked at stands in the address, behind '#', so that it can be sent.
(() => {
  const byId = (id) => document.getElementById(id);
  const { element, number } = Picture;
  const { data, FIRST, state, run, kernel, reportOf, report, cells, nets, cellIndex, tileName, cellAt, readLine, channels, waitOf, laneName, groupsOf, programOf } = Shown;

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
    remember();
  }
  // By the key of a pick: "cell B0", "net 3", "sam 7".
  function pickKey(key) {
    const [kind, ...rest] = key.split(" "), name = rest.join(" ");
    if (kind === "cell" && cellIndex(name) >= 0) pickCell(cellIndex(name));
    if (kind === "net" && nets()[name]) pickNet(Number(name));
    if (kind === "sam") pickSam(name);
  }
  const sinkOf = (channel) => cellAt(channel.to);
  // The net that a channel is of: it ends in the same tile and comes from the same one.
  const netOf = (c) => nets().findIndex((n) => cellIndex(n.source.cell) === cellAt(c.from) && n.sinks.some((s) => cellIndex(s.cell) === cellAt(c.to)));
  // True if a channel is of what is picked; null where nothing is.
  function inPick(c) {
    const p = state.picked, ends = [cellAt(c.from), cellAt(c.to)];
    if (!p || ends.every((i) => i < 0)) return null;
    if (p.net !== undefined) return netOf(c) === p.net;
    return p.cells.length === 1 ? ends.includes(p.cells[0]) : ends.every((i) => p.cells.includes(i));
  }
  function showPick() {
    const p = state.picked;
    document.querySelectorAll(".picked, .faint").forEach((e) => e.classList.remove("picked", "faint"));
    if (p) {
      p.cells.forEach((i) => document.querySelectorAll(`[data-cell="${i}"]`).forEach((e) => e.classList.add("picked")));
      document.querySelectorAll(".route").forEach((e) => e.classList.add(p.nets.includes(Number(e.dataset.net)) ? "picked" : "faint"));
      document.querySelectorAll(".fifo").forEach((e) => e.classList.toggle("faint", !p.nets.includes(Number(e.dataset.of))));
      p.nets.forEach((k) => document.querySelectorAll(`tr[data-net="${k}"]`).forEach((e) => e.classList.add("picked")));
      document.querySelectorAll("#graph .node").forEach((e) => {
        const title = e.querySelector("title").textContent;
        const own = state.graph === "sam" ? p.sam.includes(title) : p.cells.some((i) => cells()[i].name === title);
        e.classList.toggle("picked", own);
      });
      document.querySelectorAll("#graph .edge").forEach((e) => {
        const [a, b] = e.querySelector("title").textContent.split("->");
        const marked = (title) => (state.graph === "sam" ? p.sam.includes(title) : p.cells.some((i) => cells()[i].name === title));
        const single = state.graph === "sam" ? p.sam.length === 1 : p.cells.length === 1;
        e.classList.toggle("picked", single ? marked(a) || marked(b) : marked(a) && marked(b));
      });
      document.querySelectorAll("#moved tbody tr").forEach((e) => e.classList.toggle("picked", p.cells.some((i) => cells()[i].name === e.dataset.name)));
      document.querySelectorAll("#trace .lane").forEach((e) => e.classList.toggle("picked", p.cells.includes(Number(e.dataset.lane))));
      document.querySelectorAll("#channels tbody tr").forEach((e) => e.classList.toggle("picked", Boolean(e.dataset.to) && inPick(e.dataset)));
    }
    for (const [id, picture] of Object.entries(state.pictures)) {
      const e = byId(id).querySelector(".node.picked, .tile.picked");
      if (e) picture.see(e);
    }
    if (state.line) state.line.paint();
    drawDetails();
  }

  // ---- the address and the search -------------------------------------------------------------------
  function remember() {
    const words = Object.keys(FIRST).map((key) => [key, key === "pick" ? (state.picked ? state.picked.key : "") : state[key]]).filter(([key, value]) => String(value) !== String(FIRST[key]));
    const hash = words.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
    if (location.hash.slice(1) !== hash) history.replaceState(null, "", hash ? `#${hash}` : location.pathname);
  }
  function recall() {
    Object.assign(state, FIRST, { picked: null });
    for (const word of location.hash.slice(1).split("&").filter(Boolean)) {
      const [key, value] = word.split("=");
      if (key in FIRST && value !== undefined) state[key] = typeof FIRST[key] === "number" ? Number(value) || 0 : decodeURIComponent(value);
    }
    state.run = Math.min(state.run, data.runs.length - 1);
    state.kernel = Math.min(state.kernel, run().kernels.length - 1);
  }
  // Everything that can be looked for, by what it is called: [words, action].
  function things() {
    const tiles = cells().map((c, i) => [[c.name, kernel().sites ? `${tileName(i)} ${c.mode}` : c.mode], () => pickCell(i)]);
    const wires = nets().map((n, k) => [[kernel().routes[k].id], () => pickNet(k)]);
    const titles = state.graph === "sam" ? [...document.querySelectorAll("#graph .node")].map((n) => [[n.textContent.replace(/\s+/g, " ").trim()], () => pickSam(n.querySelector("title").textContent)]) : [];
    return [...tiles, ...wires, ...titles];
  }
  function search(text, take) {
    const wanted = text.trim().toLowerCase(), found = wanted ? things().filter(([names]) => names.some((n) => n.toLowerCase().includes(wanted))) : [];
    const exact = found.find(([names]) => names.some((n) => n.toLowerCase() === wanted || n.toLowerCase().split(" ")[0] === wanted)) || found[0];
    document.querySelectorAll(".hit").forEach((e) => e.classList.remove("hit"));
    if (wanted) {
      document.querySelectorAll("#floor .tile.used, #graph .node").forEach((e) => e.classList.toggle("hit", e.textContent.toLowerCase().includes(wanted)));
    }
    byId("found").textContent = wanted ? `${found.length} found` : "";
    if (take && exact && !(state.picked && exact[0].includes(state.picked.title))) exact[1]();
  }

  // ---- header --------------------------------------------------------------------------------------
  const ran = (r) => r.engine !== "none";
  const onArray = (r) => ran(r) && r.engine !== "sam"; // which runs the graph
  function tabs(id, names, chosen, choose) {
    byId(id).replaceChildren(...(names.length < 2 ? [] : names.map((name, i) => {
      const b = element("button", { "aria-selected": i === chosen }, name);
      b.onclick = () => choose(i);
      return b;
    })));
  }
  // What the command line says of a run, word for word; tiles in it can be picked.
  function verdictLine(text) {
    const line = element("div");
    text.split(/(x\d+y\d+ \w+)/).forEach((part) => {
      const i = /^x\d+y\d+ /.test(part) ? cellAt(part) : -1, b = i < 0 ? part : element("button", {}, part);
      if (i >= 0) b.onclick = () => pickCell(i);
      line.append(b);
    });
    return line;
  }
  // How good a result is; a number that JSON lacks is a word.
  function verdict(a) {
    const percent = (x) => (typeof x === "number" ? `${Number((100 * x).toPrecision(2))} %` : x);
    return a.verdict === "exact" ? "exact" : `${a.verdict === "within" ? "within" : "differs by up to"} ${percent(a.relative.largest)}, ${percent(a.relative.mean)} on average`;
  }
  function operand(one) {
    const lost = ["rounded", "wrapped", "overflowed", "flushed"].filter((what) => one[what]).map((what) => `, ${number(one[what])} ${what}`);
    return `${one.tensor}: ${number(one.values)} values${lost.join("")}`;
  }
  function drawHeader() {
    const r = report();
    document.title = `onyx: ${r.expression}`;
    byId("expression").textContent = r.expression;
    const all = run().report, statement = kernel().of;
    const rows = [["engine", ran(all) ? all.engine : "none: compiled only"], ["board", r.board]];
    if (statement && ran(all)) rows.push(["check of the program", all.check], ["runs", number(statement.runs)], ["cycles in all", number(statement.cycles.total)]);
    if (r.accuracy) rows.push(["against float64", verdict(r.accuracy)]);
    for (const one of r.warnings || []) rows.push(["warning", `${one.code}: ${one.message}`]);
    if (r.accuracy && (r.accuracy.operands || []).length) rows.push(["operands", r.accuracy.operands.map(operand).join("; ")]);
    if (all.version || r.version) rows.push(["onyx", all.version || r.version]);
    if (ran(r)) rows.push(["check", r.check], ["cycles", number(r.cycles.total)]);
    if (r.fmax_mhz) rows.push(["clock", `${number(r.fmax_mhz)} MHz`]);
    if (ran(r) && r.fmax_mhz) rows.push(["time", `${number(r.time_us, 2)} µs`]);
    const energy = r.energy || (statement && statement.energy);
    if (energy) rows.push(["energy, estimated", `${number(energy.nj.typical)} nJ (${number(energy.nj.low)} to ${number(energy.nj.high)})`]);
    if (kernel().netlist) rows.push(["tiles", `${r.tiles.pe} PE, ${r.tiles.mem} MEM, ${r.tiles.io} IO`], ["words", number(r.bitstream.words)]);
    if (r.unroll) rows.push(["copies", r.unroll]);
    if (onArray(r) && r.subtiles) rows.push(["pairs of sub-tiles", number(r.subtiles.run)]);
    if (ran(r) && r.subtiles) rows.push(["nonzeros of the result", number(r.result_nnz)]);
    byId("figures").replaceChildren(...rows.map(([k, v]) => element("div", {}, element("dt", {}, k), element("dd", {}, String(v)))));
    const says = kernel().verdict.map(verdictLine);
    if (!ran(all)) says.push(element("div", { class: "none" }, "Nothing has run yet. This runs it on the simulated chip: ", element("code", {}, `onyx cosim ${run().folder}`), "; with engine cycle, onyx run says who waits for whom."));
    byId("verdict").replaceChildren(...says);
    tabs("runs", data.runs.map((one, i) => `${"AB"[i]}: ${one.folder}`), state.run, (i) => choose({ run: i, kernel: Math.min(state.kernel, data.runs[i].kernels.length - 1) }));
    tabs("kernels", run().kernels.map((k) => k.name), state.kernel, (i) => choose({ kernel: i }));
  }
  // Shows another run or kernel. What is picked stays picked where there is one of that name.
  function choose(what) {
    const key = state.picked ? state.picked.key : "";
    Object.assign(state, what, { picked: null, pictures: {} });
    draw();
    if (key) pickKey(key);
    remember();
  }

  // ---- two runs -------------------------------------------------------------------------------------
  function change(a, b, less) {
    const td = element("td", {}, b === a ? "" : `${b > a ? "+" : "−"}${number(Math.abs(b - a), 2)}${a ? ` (${number((100 * (b - a)) / a, 1)} %)` : ""}`);
    if (a !== b && less) td.className = b < a ? "better" : "worse";
    return td;
  }
  function drawChanges() {
    byId("changes").hidden = data.runs.length < 2;
    if (data.runs.length < 2) return;
    const [a, b] = data.runs.map(reportOf), kernels = data.runs.map((one) => one.kernels[Math.min(state.kernel, one.kernels.length - 1)]);
    // Engine sam has no clock, and no figure of time or energy.
    const figures = [["cycles", (r) => r.cycles.total, true], ["clock, MHz", (r) => r.fmax_mhz || undefined], ["time, µs", (r) => (r.fmax_mhz ? r.time_us : undefined), true], ["energy, nJ, estimated", (r) => (r.energy ? r.energy.nj.typical : undefined)], ["PE tiles", (r) => r.tiles.pe], ["MEM tiles", (r) => r.tiles.mem], ["hops", (r) => r.hops], ["copies", (r) => r.unroll], ["runs of the array", (r) => (r.subtiles || {}).passes], ["nonzeros of the result", (r) => r.result_nnz]];
    const rows = figures.map(([name, of, less]) => [name, of(a), of(b), less]).filter(([, x, y]) => x !== undefined && y !== undefined);
    const text = (n) => number(n, 2);
    const words = ["expression", "engine", "board", "loops"].filter((key) => a[key] !== b[key]).map((key) => element("tr", {}, element("td", { class: "name" }, key), element("td", {}, a[key] || ""), element("td", {}, b[key] || ""), element("td")));
    byId("differences").replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, element("th", { class: "name" }, ""), ...data.runs.map((one, i) => element("th", {}, `${"AB"[i]}: ${one.folder}`)), element("th", {}, "change"))),
      element("tbody", {}, ...words, ...rows.map(([name, x, y, less]) => element("tr", {}, element("td", { class: "name" }, name), element("td", {}, text(x)), element("td", {}, text(y)), change(x, y, less))))));
    const all = kernels.map((k) => new Map(k.netlist ? k.netlist.cells.map((c, i) => [c.name, { c, tile: `x${k.sites[i][0]}y${k.sites[i][1]}` }]) : [])), waits = kernels.map(waitOf);
    const names = [...new Set(all.flatMap((m) => [...m.keys()]))].map((name) => {
      const at = all.map((m) => m.get(name)), wait = at.map((e, i) => (e && waits[i].get(e.tile)) || 0);
      const config = at[0] && at[1] ? Object.keys({ ...at[0].c.config, ...at[1].c.config }).filter((k) => at[0].c.config[k] !== at[1].c.config[k]).length : 0;
      return { name, at, wait, config };
    }).filter((e) => !e.at[0] || !e.at[1] || e.at[0].tile !== e.at[1].tile || e.wait[0] !== e.wait[1] || e.config);
    names.sort((x, y) => Math.abs(y.wait[1] - y.wait[0]) - Math.abs(x.wait[1] - x.wait[0]) || (x.name < y.name ? -1 : 1));
    byId("moved").replaceChildren(element("thead", {}, element("tr", {}, ...["tile of", "A stands at", "B stands at", "fields changed", "others waited, A", "B", "change"].map((h, i) => element("th", i ? {} : { class: "name" }, h)))), element("tbody", {}, ...names.map((e) => {
      const row = element("tr", {}, element("td", { class: "name" }, e.name), ...e.at.map((x) => element("td", {}, x ? x.tile : "—")), element("td", {}, e.config ? String(e.config) : ""), ...e.wait.map((w) => element("td", {}, w ? number(w) : "")), change(e.wait[0], e.wait[1], true));
      row.dataset.name = e.name;
      row.onclick = () => { if (cellIndex(e.name) >= 0) pickCell(cellIndex(e.name)); };
      return row;
    })));
    if (!names.length) byId("moved").replaceChildren(element("tbody", {}, element("tr", {}, element("td", { class: "none name" }, "No tile stands elsewhere, is configured otherwise or made others wait for another time."))));
  }

  // Links and handlers that a graph's file may have: where they lead and what they do is not ours.
  function disarm(e) {
    [...e.attributes].forEach((a) => {
      if (/^on/i.test(a.name) || (/href$/i.test(a.name) && !/^(#|https?:)/i.test(a.value.trim()))) e.removeAttribute(a.name);
    });
  }

  // The kind of tile that does what a node of the graph says; "host" where none does.
  function kindOf(title) {
    const kinds = cells().filter((c) => (state.graph === "sam" ? c.sam === title : c.name === title)).map((c) => (data.ports[c.mode] || { tile: "pe" }).tile);
    return kinds.find((kind) => kind !== "io") || kinds[0] || (cells().length ? "host" : "pe");
  }

  // ---- graphs --------------------------------------------------------------------------------------
  function drawGraph() {
    const text = state.graph === "sam" ? kernel().graph_svg : kernel().netlist_svg;
    const box = byId("graph");
    if (!text) {
      box.replaceChildren(element("p", { class: "none" }, kernel().report.dense ? "No graph: these tiles come of a bitstream." : "No drawing: Graphviz (dot) was not there when the page was written."));
      delete state.pictures.graph;
      return;
    }
    const made = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
    made.querySelectorAll("*").forEach(disarm);
    disarm(made);
    state.pictures.graph = Picture.place(box, made);
    box.querySelectorAll(".node").forEach((node) => {
      const title = node.querySelector("title").textContent;
      node.classList.add(kindOf(title));
      node.setAttribute("aria-label", node.textContent.replace(/\s+/g, " ").trim());
      onPick(node, () => (state.graph === "sam" ? pickSam(title) : pickCell(cellIndex(title))));
    });
    const line = (style, words) => { const i = element("i", { class: "line" }); i.style.borderTopStyle = style; return [i, words]; };
    byId("edges").replaceChildren(...(state.graph === "sam" ? [...line("dashed", "coordinates "), ...line("solid", "references (bold), values "), ...line("dotted", "repeat signals")] : ["A box is a tile, an arrow a net's way to one of its inputs."]));
  }

  // ---- the array -----------------------------------------------------------------------------------
  // Layers: the colour, what its scale says, and a share from 0 to 1 by cell.
  const layers = {
    stall: { colour: "stalled", says: "of the cycles others waited for it, while it waited for nobody", lacks: () => waitOf(kernel()).size || "Only a run of an expression with engine cycle counts this", shares() {
      const shares = new Map((kernel().report.bottlenecks || []).map((b) => [b.tile.split(" ")[0], b.share]));
      return cells().map((_, i) => shares.get(tileName(i)) || 0);
    } },
    busy: { colour: "moved", says: "of the cycles, at its busiest input, a token moved", lacks: () => channels().length || "Only a run with engine cycle, or with --wave, counts this", shares() {
      const share = cells().map(() => 0);
      for (const c of channels()) {
        const all = c.moved + c.stalled + c.held + c.starved + c.idle, i = cellAt(c.to);
        if (i >= 0 && all) share[i] = Math.max(share[i], c.busy === undefined ? c.moved / all : c.busy);
      }
      return share;
    } },
    wires: { colour: "wires", says: "of the tracks on a tile's side are taken", shares() {
      const most = new Map();
      crossings().forEach((n, key) => { const tile = `x${key.split(",")[0]}y${key.split(",")[1]}`; most.set(tile, Math.max(most.get(tile) || 0, n / run().board.tracks)); });
      return cells().map((_, i) => most.get(tileName(i)) || 0);
    } },
    clock: { colour: "held", says: "of the period is the slowest net that begins or ends in it", shares() {
      const period = kernel().timing ? kernel().timing.period_ps : 1, share = cells().map(() => 0);
      nets().forEach((n, k) => [n.source, ...n.sinks].forEach((p) => { const i = cellIndex(p.cell); share[i] = Math.max(share[i], (kernel().routes[k].delay_ps || 0) / period); }));
      return share;
    } },
  };
  // How many routes leave each tile on each side: a square of the fabric has so many tracks there.
  function crossings() {
    const count = new Map();
    kernel().routes.forEach((r) => new Set(r.hops.map((h) => h.slice(0, 4).join(","))).forEach((h) => {
      const key = h.split(",").slice(0, 3).join(",");
      count.set(key, (count.get(key) || 0) + 1);
    }));
    return count;
  }
  function drawLegend(layer) {
    const box = (style, words) => { const i = element("i"); i.style.background = style; return [i, words]; };
    const scale = element("i", { class: "scale" });
    if (layer) scale.style.background = `linear-gradient(to right, transparent, var(--${layer.colour}))`;
    const lacks = layer && layer.lacks ? layer.lacks() : true;
    byId("legend").replaceChildren(...(typeof lacks === "string" ? [lacks] : layer ? ["0 ", scale, ` 100 % ${layer.says}`] : [...box("var(--pe)", "PE"), ...box("var(--mem)", "MEM"), ...box("var(--io)", "IO; paler: not used")]), kernel().report.dense ? "; lines are nets of words and of bits; a register stands at ●" : "; lines are nets; a SplitFIFO begins at ●, ends at ○");
  }
  function drawFloor() {
    byId("array").hidden = !kernel().netlist;
    if (!kernel().netlist) {
      byId("floor").replaceChildren();
      byId("legend").replaceChildren();
      delete state.pictures.floor;
      return;
    }
    const layer = layers[state.colour], heat = layer ? layer.shares() : null, box = byId("floor");
    drawLegend(layer);
    const svg = Floor.draw({ board: run().board, sites: kernel().sites, cells: cells(), routes: kernel().routes, nets: nets(), whole: byId("whole").checked, shownRoutes: byId("routes").checked,
      layer, heat, crossings: state.colour === "wires" ? crossings() : null, tile: (e, i) => onPick(e, () => pickCell(i)), route: (e, k) => { e.onclick = () => pickNet(k); } });
    const whole = svg.viewBox.baseVal;
    box.style.height = `${Math.min(Math.max(420, innerHeight * 0.7), Math.max(150, (box.clientWidth * whole.height) / whole.width + 4))}px`;
    state.pictures.floor = Picture.place(box, svg, state.pictures.floor, (scale) => Floor.fit(svg, scale));
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
    if (p) {
      const close = element("button", { "aria-label": "pick nothing", class: "close" }, "×");
      close.onclick = () => pick(null);
      box.prepend(close);
    }
    const wide = !document.body.classList.contains("picking");
    document.body.classList.toggle("picking", Boolean(p));
    if (wide === Boolean(p)) again(); // the pictures have another width
    if (!p) return;
    if (p.net !== undefined) {
      const n = nets()[p.net], r = kernel().routes[p.net];
      box.append(rowsOf([["from", portText(n.source, true)], ...n.sinks.map((s) => ["to", portText(s, false)]), ["hops", r.hops.length], ...(r.delay_ps === undefined ? [["registers", r.hops.filter((h) => h[4]).length]] : [["delay", `${r.delay_ps} ps`], ["floor", `${r.floor_ps} ps`], ["SplitFIFO pairs", r.hops.filter((h) => h[4] === 1).length]])]));
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
    byId("timing").hidden = !t;
    if (!t) return;
    const box = byId("critical");
    box.replaceChildren(element("p", {}, `${t.period_ps} ps (${number(t.fmax_mhz)} MHz)${t.limited_by ? `, floor ${t.floor_ps} ps; limited by ${t.limited_by.kind}: ${t.limited_by.why}` : ""}`));
    (t.critical_path || []).forEach((step) => {
      const at = step.x === undefined ? "" : ` x${step.x}y${step.y}${step.side ? ` ${step.side} track ${step.track}` : ""}`;
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(160 * step.delay_ps) / t.period_ps}px`;
      box.append(element("div", {}, bar, ` ${step.what}${at}: ${step.delay_ps} ps, at ${step.arrival_ps}`));
    });
    if (!kernel().routes.every((r) => r.delay_ps !== undefined)) return byId("nets").replaceChildren();
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
    byId("waiting").hidden = !onArray(report()) && !channels().length;
    if (!channels().length) {
      table.replaceChildren(element("tbody", {}, element("tr", {}, element("td", { class: "none name" }, "Only engine cycle counts them, or a run with --wave."))));
      return;
    }
    const heads = ["from", "to", ...columns].map((h, i) => {
      const th = element("th", i < 2 ? { class: "name" } : {}, h + (state.sort === h ? " ▾" : ""));
      if (i > 1) th.onclick = () => { state.sort = h; drawChannels(); showPick(); remember(); };
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
      row.onclick = () => { const i = sinkOf(c); if (i >= 0) pickCell(i); };
      return row;
    });
    table.replaceChildren(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  }
  // io.trace: "run R in|out COLUMN: cycle cycle ...". Darkness of a pixel: words in its cycles.
  function drawWords() {
    byId("words").hidden = !onArray(report());
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
      const lane = element("g", { class: "lane" });
      lane.dataset.lane = cell;
      lane.onclick = () => { if (cell >= 0) pickCell(cell); };
      svg.append(lane);
      lane.append(element("text", { x: 160, y: 15 + 22 * line, "text-anchor": "end" }, label));
      count.forEach((n, i) => { if (n) lane.append(element("rect", { x: 168 + (i * width) / bins, y: 3 + 22 * line, width: width / bins, height: 16, class: r.way, opacity: Math.min(1, 0.15 + (n * bins) / (last + 1)) })); });
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

  // ---- the time line -------------------------------------------------------------------------------
  function drawTimes() {
    // The run that is looked at comes first.
    const shown = data.runs.map((one, i) => ({ title: data.runs.length > 1 ? `${"AB"[i]}: ${one.folder}, ` : "", first: i === state.run, of: one, line: one.line, report: reportOf(one), kernel: one.kernels[Math.min(state.kernel, one.kernels.length - 1)] })).filter((e) => e.kernel.timeline || e.line).sort((a, b) => b.first - a.first);
    const mine = kernel().timeline || run().line, box = byId("line");
    state.line = null;
    byId("times").hidden = !onArray(report()) && !mine;
    const names = [["moved", "a token moves"], ["stalled", "the producer waits for this consumer"], ["held", "for another one"], ["starved", "the consumer waits"]];
    byId("states").replaceChildren(...names.flatMap(([state_, words]) => { const i = element("i"); i.style.background = `var(--${state_})`; return [i, words]; }));
    if (!mine) {
      box.replaceChildren(element("p", { class: "none" }, `There is no time line: ${report().engine === "cycle" ? "other processes made the runs (--jobs, --shard), or an older onyx did" : "engine cycle leaves one, and engine soc with --wave"}.`));
      return;
    }
    const dispatch = (e) => e.kernel.report.dispatch || e.report.dispatch || {};
    const chip = (e) => e.kernel.timeline.channels.some((c) => c.kind === "processor");
    const sampled = (e) => (e.kernel.timeline.sampled ? `; shares of ${number(e.kernel.timeline.bin)} cycles, sampled${dispatch(e).how === "dynamic" ? ": copies side by side, as on the chip" : ""}; --wave records each cycle` : "");
    const whole = (e) => `${e.title}the whole program: ${number(e.line.runs.length)} runs of ${e.of.report.statements.length} statements, ${number(e.line.cycles)} cycles${e.of.kernels.some((k) => k.timeline) ? "" : "; with --wave also what every channel does"}`;
    const title = (e) => e.line ? whole(e) : `${e.title}${number(e.kernel.timeline.cycles)} cycles ${chip(e) ? "of the array's clock since power-up" : `of the array${e.kernel.timeline.sampled ? "" : ", flushes between runs included"}`}${sampled(e)}${!chip(e) && !e.kernel.timeline.sampled && dispatch(e).how === "dynamic" ? "; copies that are dealt runs work side by side on the chip, one after the other in the model" : ""}`;
    const drawn = shown.map((e) => (e.line ? programOf(e.of) : { t: readLine(e.kernel.timeline), groups: groupsOf(e.kernel) }));
    state.line = Timeline.draw(box, drawn.map((e) => e.t), {
      titles: shown.map(title), groups: drawn.map((e) => e.groups), name: laneName,
      marked: (c) => (c.of && c.of !== kernel() ? state.picked && false : inPick(c)),
      from: state.from === "" ? undefined : Number(state.from), to: state.to === "" ? undefined : Number(state.to),
      pick: (c) => {
        const to = run().kernels.findIndex((k) => k === c.of || (c.own && k.of && k.of.folder === c.own));
        if (to >= 0 && to !== state.kernel) { state.kernel = to; state.picked = null; draw(); remember(); }
        const i = cellAt(c.to);
        if (i >= 0) pickCell(i);
      },
      moved: (range) => { [state.from, state.to] = range || ["", ""]; remember(); },
    });
  }

  // ---- operands, roofline, the statements of a program ------------------------------------------------
  function drawData() {
    const r = report(), of = kernel().of, counted = of ? Object.assign({}, r, { energy: r.energy || of.energy, cycles: of.cycles }) : r;
    byId("operands").hidden = !Operands.draw(byId("spies"), r, kernel().timeline);
    const f = Roofline.figuresOf(kernel(), counted);
    byId("roofline").hidden = !f;
    if (f) Roofline.draw(byId("roof"), f, run().board);
    byId("data").hidden = byId("operands").hidden && byId("roofline").hidden;
  }
  // Every statement, where it is computed, how often, and its share of all cycles.
  function drawProgram() {
    const statements = run().report.statements || [];
    byId("program").hidden = !statements.length;
    if (!statements.length) return;
    const all = statements.reduce((sum, s) => sum + ((s.cycles || {}).total || 0), 0) || 1, runs = (run().line || { runs: [] }).runs;
    const rows = statements.map((s, n) => {
      const at = run().kernels.findIndex((k) => k.of && k.of.folder === s.folder && s.folder !== undefined), c = s.cycles || {}, own = runs.filter((r) => r.statement === n);
      const bar = element("span", { class: "bar" }), words = own.reduce((sum, r) => sum + r.loaded + r.collected, 0);
      bar.style.width = `${(120 * (c.total || 0)) / all}px`;
      const cell = (v) => element("td", {}, v === undefined || v === 0 ? "" : number(v));
      const row = element("tr", {}, element("td", {}, String(s.line)), element("td", { class: "name code" }, s.statement.split("\n")[0]), element("td", { class: "name" }, s.on === "array" ? "array" : `${s.on}${s.why ? `: ${s.why}` : ""}`), cell(s.runs), cell(c.config), cell(c.kernel), cell(c.firmware), element("td", { class: "name" }, bar, c.total ? ` ${number(c.total)}, ${number((100 * c.total) / all)} %` : ""), cell(words));
      if (at >= 0) {
        onPick(row, () => choose({ kernel: at }));
        row.classList.toggle("picked", at === state.kernel);
      }
      return row;
    });
    byId("statements").replaceChildren(element("thead", {}, element("tr", {}, ...["line", "statement", "computed by", "runs", "configuration", "array", "processor", "cycles, share of all", "words to and from the chip"].map((h, i) => element("th", [1, 2, 7].includes(i) ? { class: "name" } : {}, h)))), element("tbody", {}, ...rows));
  }
  function again() {
    for (const picture of Object.values(state.pictures)) if (picture) picture.again();
    if (state.line) state.line.paint();
  }

  function draw() {
    for (const key of ["graph", "colour"]) document.querySelectorAll(`[data-${key}]`).forEach((b) => b.setAttribute("aria-selected", b.dataset[key] === state[key]));
    drawHeader();
    drawChanges();
    drawGraph();
    drawProgram();
    drawData();
    drawFloor();
    drawTimes();
    drawTiming();
    drawChannels();
    drawWords();
    drawStages();
    byId("names").replaceChildren(...things().map(([[name]]) => element("option", { value: name })));
    showPick();
  }
  document.querySelectorAll("[data-graph], [data-colour]").forEach((b) => {
    b.onclick = () => {
      const key = b.dataset.graph ? "graph" : "colour";
      state[key] = b.dataset[key];
      document.querySelectorAll(`[data-${key}]`).forEach((o) => o.setAttribute("aria-selected", o === b));
      if (key === "graph") drawGraph(); else drawFloor();
      showPick();
      remember();
    };
  });
  document.querySelectorAll("[data-do]").forEach((b) => {
    b.onclick = () => {
      const of = b.parentElement.dataset.of, name = `${run().folder.replace(/.*\//, "")}-${of === "floor" ? "array" : of}`, picture = state.pictures[of], svg = byId(of).querySelector("svg");
      const pictureOf = { roof: "roof", spies: "spies" }[of];
      if (pictureOf) { const all = byId(of).querySelectorAll("svg"); all.forEach((e, i) => Picture[b.dataset.do === "svg" ? "saveSvg" : "savePng"](`${name}${all.length > 1 ? i + 1 : ""}`, e, Picture.box(e))); return; }
      const actions = of === "line" ? { fit: () => state.line && state.line.show(0, Infinity), png: () => state.line && state.line.png(name) } : { fit: () => picture.fit(), in: () => picture.zoom(0.7), out: () => picture.zoom(1.4), svg: () => Picture.saveSvg(name, svg, picture.whole), png: () => Picture.savePng(name, svg, picture.whole) };
      if (picture || of === "line") actions[b.dataset.do]();
    };
  });
  byId("search").oninput = () => search(byId("search").value, false);
  byId("search").onchange = () => search(byId("search").value, true);
  document.onkeydown = (event) => {
    if (event.key === "Escape" && state.picked) pick(null);
    if (event.key === "/" && event.target.tagName !== "INPUT") { event.preventDefault(); byId("search").focus(); }
  };
  byId("routes").onchange = byId("whole").onchange = () => { drawFloor(); showPick(); };
  matchMedia("(prefers-color-scheme: dark)").onchange = () => { if (state.line) state.line.paint(); };
  onresize = () => { drawFloor(); again(); showPick(); };
  function begin() {
    const key = (recall(), state.pick);
    draw();
    if (key) pickKey(key);
  }
  // `#only=PANEL`: that panel alone, as onyx view --svg and --png want it.
  function only(panel) {
    const boxes = { array: "floor", graph: "graph", operands: "spies", roofline: "roof", timeline: "line" }, box = byId(boxes[panel]);
    const svgs = box ? [...box.querySelectorAll("svg")] : [], canvas = box && box.querySelector("canvas"), made = svgs.length ? Picture.together(svgs) : canvas ? Picture.wrap(canvas) : "";
    document.body.className = "only";
    document.body.innerHTML = made;
    const e = document.querySelector("svg");
    if (e) document.title = `picture ${e.getAttribute("width")} ${e.getAttribute("height")}`;
  }
  const panel = /(?:^|[#&])only=(\w+)/.exec(location.hash);
  onhashchange = begin;
  begin();
  if (panel) only(panel[1]);
})();
