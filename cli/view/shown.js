"use strict";
// What the page shows: the collected data of a run or two, what of them is looked at, channels with what each did, and the lanes of a
// time line.
const Shown = (() => {
  const data = JSON.parse(document.getElementById("collected").textContent);
  const FIRST = { run: 0, kernel: 0, graph: "sam", colour: "kind", sort: "stalled", pick: "", from: "", to: "" };
  const state = Object.assign({ picked: null, pictures: {}, line: null }, FIRST);

  const { number } = Picture;
  const run = () => data.runs[state.run];
  const kernel = () => run().kernels[state.kernel];
  // A kernel of a program has its statement, with what was compiled of it.
  const reportOf = (one) => (one.kernels[Math.min(state.kernel, one.kernels.length - 1)].of || { compiled: one.report }).compiled;
  const report = () => reportOf(run());
  const cells = (k = kernel()) => (k.netlist ? k.netlist.cells : []);
  const nets = () => (kernel().netlist ? kernel().netlist.nets : []);
  // Of an array with several statements, cells of the others are no nodes of this statement's graph.
  data.runs.flatMap((r) => r.kernels).filter((k) => k.netlist && k.of && k.of.part !== undefined).forEach((k) => k.netlist.cells.forEach((c) => { if (((c.stream || c).part || 0) !== k.of.part) delete c.sam; }));
  const cellIndex = (name) => cells().findIndex((c) => c.name === name);
  const tileName = (i, k = kernel()) => `x${k.sites[i][0]}y${k.sites[i][1]}`;
  const cellAt = (tile, k = kernel()) => cells(k).findIndex((_, i) => tileName(i, k) === tile.split(" ")[0]);
  // The records of a program's time line: each of a kernel for some runs. A kernel's own is its last one.
  const recordsOf = (line, k) => line.records.filter((r) => line.kernels[r.kernel].name === k.name).map((r) => ({ begin: r.begin, cycles: r.cycles, bin: r.bin, exact_until: r.exact_until, channels: line.kernels[r.kernel].channels.map((c, i) => Object.assign({ bins: r.bins[i], changes: (r.changes || [])[i] }, c)) }));
  for (const one of data.runs.filter((r) => r.line)) {
    for (const k of one.kernels) {
      k.records = recordsOf(one.line, k);
      k.timeline = k.records[k.records.length - 1];
    }
  }
  // What each channel did in how many cycles: as the report has it, else as the time line does.
  const lines = new Map(), counts = new Map();
  const readLine = (t) => { if (!lines.has(t)) lines.set(t, Timeline.read(t)); return lines.get(t); };
  function channels() {
    const t = kernel().timeline;
    if ((kernel().report.stalls || []).length || !t) return kernel().report.stalls || [];
    if (!counts.has(t)) counts.set(t, Timeline.count(readLine(t)).filter((c) => !c.kind));
    return counts.get(t);
  }

  const waitOf = (k) => new Map((k.report.bottlenecks || []).map((b) => [b.tile.split(" ")[0], b.cycles]));

  const portOf = (c) => `${c.to.split(" ")[0]} ${c.to.split(" ").slice(2).join(" ")}`;
  // What a lane is called: a stream by its tensor, another one by where it ends.
  function laneName(c) {
    if (c.kind && c.kind !== "load" && c.kind !== "store") return c.from;
    const k = c.of || kernel(), end = c.stream && isLoad(c) && !c.kind ? c.from : c.to, i = c.stream ? cellAt(end, k) : -1, stream = i < 0 ? null : cells(k)[i].stream;
    return stream ? `${stream.tensor} ${stream.level < 0 ? "values" : `level ${stream.level}`}${stream.copy ? `, copy ${stream.copy}` : ""}, ${end.split(" ")[0]}` : portOf(c);
  }
  const isLoad = (c) => c.kind === "load" || (!c.kind && / io_in /.test(`${c.from} `));
  const isStore = (c) => c.kind === "store" || (!c.kind && / io_out /.test(`${c.to} `));
  // The channels of a kernel's time line in parts. Tiles come in the order of the verdict; without one, those for which producers
  // waited longest come first.
  function groupsOf(k) {
    const all = k.timeline.channels, own = all.some((c) => c.kind === "load" || c.kind === "store"), waits = waitOf(k), tile = (c) => c.to.split(" ")[0];
    if (!waits.size) {
      for (const c of all.filter((e) => !e.kind)) {
        let sum = 0;
        for (let at = 1; at < c.bins.length; at += 4) sum += parseInt(c.bins[at], 36);
        waits.set(tile(c), (waits.get(tile(c)) || 0) + sum);
      }
    }
    for (const c of all) c.stream = own ? c.kind === "load" || c.kind === "store" : isLoad(c) || isStore(c);
    const kinds = [["copies of the kernel", (c) => c.kind === "copy"], ["loads from the global buffer", (c) => c.stream && isLoad(c)], ["stores into the global buffer", (c) => c.stream && isStore(c)],
      ["processor and configuration", (c) => c.kind === "processor" || c.kind === "configuration"], ["tiles, those that others waited for most first", () => true]];
    const left = new Set(all.keys()), groups = kinds.map(([title, has]) => {
      const channels = [...left].filter((i) => has(all[i]));
      channels.forEach((i) => left.delete(i));
      return { title, channels };
    });
    groups[groups.length - 1].channels.sort((a, b) => (waits.get(tile(all[b])) || 0) - (waits.get(tile(all[a])) || 0) || (tile(all[a]) < tile(all[b]) ? -1 : tile(all[a]) > tile(all[b]) ? 1 : a - b));
    return groups.filter((g) => g.channels.length);
  }
  // A program as one record, and its channels in parts: each statement's runs, what the host does, then what is recorded of each kernel.
  function programOf(one) {
    const line = one.line, statements = one.report.statements, channels = [], groups = [];
    const add = (title, folded, list) => { if (list.length) groups.push({ title, folded, channels: list.map((c) => channels.push(c) - 1) }); };
    const text = (s) => `line ${s.line}: ${s.statement.split("\n")[0]}`, pass = (r) => (r.pass ? `pass ${r.pass}` : "once");
    // A run's shares are those of all of it: what is before what within it, only a record says.
    const part = (r) => { const sum = r.config + r.kernel + r.firmware || 1; return { begin: r.begin, says: pass(r), c: 0, t: { cycles: r.cycles, shares: () => [r.kernel / sum, r.firmware / sum, r.config / sum, 0, 0] } }; };
    add("statements, each run", false, statements.flatMap((s, i) => (s.on === "array" ? [{ from: text(s), to: text(s), kind: "run", own: s.folder, parts: line.runs.filter((r) => r.statement === i && r.cycles).map(part) }] : [])));
    const marks = line.runs.flatMap((r) => {
      const s = statements[r.statement];
      if (s.on === "host") return [{ at: r.begin, text: `${pass(r)}, ${text(s)}` }];
      return r.loaded + r.kept ? [{ at: r.begin, text: `${number(r.loaded)} words to the chip for ${s.folder}, ${pass(r)}${r.kept ? ` (${number(r.kept)} lay there)` : ""}` }, { at: r.begin + r.cycles, text: `${number(r.collected)} words from the chip` }] : [];
    });
    if (marks.length) add("the host, in no time of the array", false, [{ from: "computes and copies", to: "", kind: "host", marks, parts: [] }]);
    const chip = new Map(), own = [];
    for (const k of one.kernels.filter((e) => e.records.length)) {
      const parts = (i) => k.records.map((t) => ({ begin: t.begin, t: readLine(t), c: i }));
      for (const g of groupsOf(k)) {
        const list = g.channels.map((i) => Object.assign({}, k.timeline.channels[i], { of: k, parts: parts(i) }));
        if (list.every((c) => c.kind === "processor" || c.kind === "configuration")) list.forEach((c) => chip.set(c.from, Object.assign(chip.get(c.from) || c, { of: undefined, parts: [...((chip.get(c.from) || {}).parts || []), ...c.parts] })));
        else own.push([`${k.name}: ${g.title}`, k !== kernel(), list]);
      }
    }
    chip.forEach((c) => c.parts.sort((a, b) => a.begin - b.begin));
    add("processor and configuration", false, [...chip.values()]);
    own.forEach((g) => add(...g));
    return { t: Timeline.join(channels, line.cycles), groups };
  }
  return { data, FIRST, state, run, kernel, reportOf, report, cells, nets, cellIndex, tileName, cellAt, readLine, channels, waitOf, laneName, groupsOf, programOf };
})();
