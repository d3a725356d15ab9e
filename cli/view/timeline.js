"use strict";
// Time lines: what each channel does from the first cycle of a program to the last, on a canvas that zooms down to a cycle.
// What is drawn is the most detailed record there is: shares of a bin, or each change (docs/cycle.md, timeline.json).
const Timeline = (() => {
  const ROW = 14, LABEL = 210, HEAD = 22, LETTER = "mshvi";
  const STATES = ["moved", "stalled", "held", "starved", "idle"];
  // What the states of a lane are called that is no channel.
  const CALLED = { processor: ["executes", "waits for the array's answer", "held", "sleeps", "has no clock"], copy: ["works", "", "", "", "waits for its next pair"], configuration: ["a word arrives", "", "", "the next one is on its way", "idle"], run: ["the array works", "the processor prepares and collects", "tiles are configured", "", "another statement's turn"] };
  const share = (text, at) => parseInt(text[at], 36) / 35;

  // One record, with its changes taken apart when they are first wanted: [[cycle, state]...] of a channel.
  function read(record) {
    const changes = record.channels.map(() => null);
    return Object.assign({ changesOf(c) {
      if (!changes[c]) {
        let cycle = 0;
        changes[c] = [...record.channels[c].changes.matchAll(/([mshvi])([0-9A-Z]*)/g)].map(([, state, after]) => [(cycle += parseInt(after || "0", 36)), LETTER.indexOf(state)]);
      }
      return changes[c];
    } }, record);
  }

  // Records on one axis as one. `parts` of a channel are in order, {begin, t, c}: from cycle `begin` on it does what channel `c` of
  // record `t` does, and before, between and after them it is idle.
  function join(channels, cycles) {
    const at = (parts, cycle) => {
      let low = 0, high = parts.length;
      while (low < high) { const m = (low + high) >> 1; if (parts[m].begin <= cycle) low = m + 1; else high = m; }
      return Math.max(0, low - 1);
    };
    const ends = (parts, i) => Math.min(parts[i].begin + parts[i].t.cycles, i + 1 < parts.length ? parts[i + 1].begin : Infinity);
    return { channels, cycles, exact_until: 0, shares(c, from, to) {
      const parts = channels[c].parts, sum = [0, 0, 0, 0, to - from];
      for (let i = at(parts, from); i < parts.length && parts[i].begin < to; i++) {
        const a = Math.max(from, parts[i].begin), b = Math.min(to, ends(parts, i));
        if (b <= a) continue;
        between(parts[i].t, parts[i].c, a - parts[i].begin, b - parts[i].begin).forEach((n, s) => { sum[s] += n * (b - a); });
        sum[4] -= b - a;
      }
      return sum.map((n) => Math.max(0, n / (to - from)));
    }, says(c, cycle) {
      const parts = channels[c].parts, i = at(parts, cycle);
      return parts.length && cycle >= parts[i].begin && cycle < ends(parts, i) ? parts[i].says : undefined;
    } };
  }

  // Shares of the five states of a channel between two cycles.
  function between(t, c, from, to) {
    if (t.shares) return t.shares(c, from, to);
    const sum = [0, 0, 0, 0, 0];
    if (to <= t.exact_until) {
      const changes = t.changesOf(c);
      let low = 0, high = changes.length;
      while (low < high) { const m = (low + high) >> 1; if (changes[m][0] <= from) low = m + 1; else high = m; }
      for (let i = Math.max(0, low - 1); i < changes.length && changes[i][0] < to; i++) {
        const end = i + 1 < changes.length ? changes[i + 1][0] : t.cycles;
        sum[changes[i][1]] += Math.max(0, Math.min(to, end) - Math.max(from, changes[i][0]));
      }
    } else {
      const bins = t.channels[c].bins;
      for (let b = Math.floor(from / t.bin); b * t.bin < to && 4 * b + 3 < bins.length; b++) {
        const part = Math.min(to, (b + 1) * t.bin) - Math.max(from, b * t.bin);
        for (let s = 0; s < 4; s++) sum[s] += part * share(bins, 4 * b + s);
      }
    }
    const width = to - from;
    return sum.map((n) => n / width);
  }

  // How many cycles each channel spent in each state.
  const count = (t) => t.channels.map((c, i) => {
    const part = between(t, i, 0, t.cycles);
    return Object.assign({ from: c.from, to: c.to, kind: c.kind }, Object.fromEntries(STATES.map((s, k) => [s, Math.round(part[k] * t.cycles)])));
  });

  // Draws records one below the other on one scale of cycles. `groups` of a record are its channels in the order of the page, in
  // parts with a title each, which folds and unfolds them; a channel with `marks`, {at, text}, has these instead of states.
  // `marked(channel)` says whether it is picked, `pick(channel)` picks it.
  function draw(box, records, options) {
    const canvas = document.createElement("canvas"), says = document.createElement("p");
    const list = () => records.flatMap((t, r) => [{ title: options.titles[r] }, ...options.groups[r].flatMap((g) => [{ title: `${g.folded ? "▸" : "▾"} ${g.title}${g.folded ? ` (${g.channels.length})` : ""}`, inner: g }, ...(g.folded ? [] : g.channels.map((c) => ({ t, c })))])]);
    let rows = list();
    const cycles = Math.max(...records.map((t) => t.cycles));
    let from = options.from === undefined ? 0 : options.from, to = options.to === undefined ? cycles : options.to;
    says.className = "says";
    canvas.setAttribute("tabindex", "0");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `what ${options.groups.flat().reduce((n, g) => n + g.channels.length, 0)} channels do over ${cycles} cycles`);
    box.replaceChildren(canvas, says);
    const width = () => Math.max(300, box.clientWidth - LABEL - 8);
    function paint() {
      const ratio = devicePixelRatio || 1, style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
      const colours = ["--moved", "--stalled", "--held", "--starved"].map(colour), w = width(), height = HEAD + rows.length * ROW + 2;
      canvas.width = (LABEL + w) * ratio;
      canvas.height = height * ratio;
      canvas.style.width = `${LABEL + w}px`;
      canvas.style.height = `${height}px`;
      const g = canvas.getContext("2d");
      g.scale(ratio, ratio);
      g.fillStyle = colour("--paper");
      g.fillRect(0, 0, LABEL + w, height);
      g.font = "11px system-ui, sans-serif";
      const step = 10 ** Math.ceil(Math.log10(Math.max(1, (to - from) / (w / 90)))), nice = [step / 5, step / 2, step].find((s) => s >= 1 && (w * s) / (to - from) >= 70) || step;
      for (let c = Math.ceil(from / nice) * nice; c <= to; c += nice) {
        const x = LABEL + ((c - from) * w) / (to - from);
        g.fillStyle = colour("--line");
        g.fillRect(x, HEAD - 4, 1, height);
        g.fillStyle = colour("--soft");
        g.textAlign = x > LABEL + w - 40 ? "right" : "center";
        g.fillText(Number(c).toLocaleString("en"), x, 12);
      }
      rows.forEach((row, i) => {
        const y = HEAD + i * ROW, marks = row.t && row.t.channels[row.c].marks;
        g.textAlign = "right";
        if (row.title !== undefined) {
          g.fillStyle = colour(row.inner ? "--soft" : "--ink");
          g.textAlign = "left";
          if (row.inner) g.fillRect(0, y + ROW - 1, LABEL + w, 1);
          g.fillText(row.title, 4, y + 11);
          return;
        }
        const picked = options.marked(row.t.channels[row.c]);
        g.globalAlpha = picked === null || picked ? 1 : 0.3;
        g.fillStyle = picked ? colour("--pick") : colour("--soft");
        g.fillText(options.name(row.t.channels[row.c]), LABEL - 6, y + 11, LABEL - 10);
        for (const mark of marks || []) {
          if (mark.at < from || mark.at > to) continue;
          g.fillStyle = colour("--pick");
          g.fillRect(Math.min(LABEL + w - 2, LABEL + ((mark.at - from) * w) / (to - from)), y + 1, 2, ROW - 3);
        }
        const pixel = Math.max(1, w / (to - from)), cell = (to - from) / w;
        for (let x = 0; x < w && !marks; x += pixel) {
          const a = pixel > 1 ? Math.floor(from + (x * (to - from)) / w + 1e-6) : from + x * cell, b = pixel > 1 ? a + 1 : a + cell;
          if (a >= row.t.cycles) break;
          const part = between(row.t, row.c, a, Math.min(b, row.t.cycles));
          let top = y + 1;
          for (let s = 0; s < 4; s++) {
            const high = part[s] * (ROW - 2);
            if (high < 0.3) continue;
            g.fillStyle = colours[s];
            g.fillRect(LABEL + x, top, Math.ceil(pixel), s === 3 ? high : Math.max(1, high));
            top += high;
          }
        }
        g.globalAlpha = 1;
      });
      options.moved(from === 0 && to === cycles ? null : [from, to]);
    }
    let waiting = false;
    const later = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; paint(); }); } };
    function show(a, b) {
      const length = Math.min(cycles, Math.max(16, b - a));
      from = Math.round(Math.max(0, Math.min(a, cycles - length)));
      to = Math.min(cycles, from + Math.round(length));
      later();
    }
    const cycleAt = (event) => from + ((event.offsetX - LABEL) * (to - from)) / width();
    const rowAt = (event) => rows[Math.floor((event.offsetY - HEAD) / ROW)];
    canvas.onwheel = (event) => {
      if (event.offsetX < LABEL) return;
      event.preventDefault();
      const by = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), c = cycleAt(event);
      if (event.shiftKey) show(from + (by - 1) * (to - from) * 0.3, to + (by - 1) * (to - from) * 0.3); else show(c - (c - from) * by, c + (to - c) * by);
    };
    let drag = null;
    canvas.onpointerdown = (event) => { drag = { x: event.offsetX, from, to, moved: false }; canvas.setPointerCapture(event.pointerId); };
    canvas.onpointermove = (event) => {
      if (drag && event.buttons & 1) {
        const by = ((drag.x - event.offsetX) * (drag.to - drag.from)) / width();
        drag.moved = drag.moved || Math.abs(drag.x - event.offsetX) > 3;
        show(drag.from + by, drag.to + by);
        return;
      }
      const row = rowAt(event), c = Math.floor(cycleAt(event)), marks = row && row.t && row.t.channels[row.c].marks;
      if (marks) {
        const near = marks.filter((m) => Math.abs(((m.at - cycleAt(event)) * width()) / (to - from)) <= 4);
        says.textContent = near.length ? `cycle ${near[0].at.toLocaleString("en")}: ${near.slice(0, 3).map((m) => m.text).join("; ")}${near.length > 3 ? `; and ${near.length - 3} more` : ""}` : "";
        return;
      }
      if (!row || row.title !== undefined || event.offsetX < LABEL || c >= row.t.cycles) { says.textContent = ""; return; }
      const wide = Math.max(1, Math.ceil((to - from) / width())), part = between(row.t, row.c, c, Math.min(row.t.cycles, c + wide)), when = row.t.says && row.t.says(row.c, c);
      says.textContent = `${when ? `${when}, ` : ""}${wide > 1 ? `cycles ${c.toLocaleString("en")} to ${(c + wide - 1).toLocaleString("en")}` : `cycle ${c.toLocaleString("en")}`}: ${(CALLED[row.t.channels[row.c].kind] || STATES).map((s, i) => [s, part[i]]).filter(([, n]) => n > 0.005).map(([s, n]) => (n > 0.995 ? s : `${s} ${Math.round(n * 100)} %`)).join(", ")} — ${row.t.channels[row.c].kind ? options.name(row.t.channels[row.c]) : row.t.channels[row.c].to}`;
    };
    canvas.onpointerup = (event) => {
      const row = rowAt(event), dragged = drag && drag.moved;
      drag = null;
      if (dragged || !row) return;
      if (row.title === undefined) { options.pick(row.t.channels[row.c]); return; }
      if (!row.inner) return;
      row.inner.folded = !row.inner.folded;
      rows = list();
      later();
    };
    canvas.ondblclick = () => show(0, cycles);
    canvas.onkeydown = (event) => {
      const span = to - from, done = { "+": () => show(from + span * 0.15, to - span * 0.15), "-": () => show(from - span * 0.2, to + span * 0.2), 0: () => show(0, cycles), ArrowLeft: () => show(from - span * 0.2, to - span * 0.2), ArrowRight: () => show(from + span * 0.2, to + span * 0.2) }[event.key];
      if (done) { event.preventDefault(); done(); }
    };
    paint();
    return { paint: later, show, png: (name) => canvas.toBlob((blob) => Picture.save(`${name}.png`, blob)) };
  }
  return { read, join, count, draw };
})();
