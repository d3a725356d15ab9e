"use strict";
// The array as a picture: tiles and routes. Columns and rows in which no tile is used are narrow, and words on tiles are as large as
// they can be read, or gone.
const Floor = (() => {
  const { element } = Picture;
  const TILE = 46, SLIM = 7, GAP = 22, NARROW = 5, EDGE = 26, READABLE = 6.5;
  const sides = [["east", 1, 0], ["south", 0, 1], ["west", -1, 0], ["north", 0, -1]]; // name, x, y

  // Where the columns (or rows) from `first` to `last` begin, and how wide each is; `used` says which are wide.
  function axis(first, last, used) {
    const begin = [], size = [], gap = [];
    let at = EDGE;
    for (let i = first; i <= last; i++) {
      begin[i] = at;
      size[i] = used(i) ? TILE : SLIM;
      gap[i] = used(i) && (i === last || used(i + 1)) ? GAP : used(i) || used(i + 1) ? (GAP + NARROW) / 2 : NARROW;
      at += size[i] + gap[i];
    }
    // Beyond the last there is room for a route that turns.
    const before = (i) => (i - 1 in gap ? gap[i - 1] : GAP / 2);
    return { begin, size, gap: (i) => (i in gap ? gap[i] : GAP / 2), before, length: at - gap[last] + EDGE };
  }

  // The two ways to write a tile's mode, the longer one first.
  const MODES = { fiber_access: ["fibers", "fib"], intersect: ["intersect", "int"], crddrop: ["crddrop", "drop"], crdhold: ["crdhold", "hold"], repeat: ["repeat", "rep"], repeat_signal: ["repsig", "rsg"], reduce: ["reduce", "red"], write_scanner: ["write", "wr"], vector_reduce: ["vector", "vec"], io_in: ["in"], io_out: ["out"], glb_in: ["in"], glb_out: ["out"] };
  const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  function wordsOf(cell) {
    const mode = MODES[cell.mode] || [cell.mode.replace("io_", ""), short(cell.mode.replace("io_", ""), 4)];
    return [mode, [cell.name, short(cell.name, 9), short(cell.name, 6)]];
  }
  // Gives each word the longest form that can be read where a unit is `scale` pixels; without one it is gone.
  function fit(svg, scale) {
    let gone = 0;
    svg.querySelectorAll("text[data-forms]").forEach((t) => {
      const forms = t.dataset.forms.split("\n"), room = Number(t.dataset.room), high = Number(t.dataset.high);
      const size = (form) => Math.min((t.classList.contains("second") ? 10 : 12) / scale, high, room / (0.6 * Math.max(3, form.length)));
      const form = forms.find((f) => size(f) * scale >= READABLE);
      t.style.display = form === undefined ? "none" : "";
      gone += form === undefined;
      if (form === undefined) return;
      t.textContent = form;
      t.setAttribute("font-size", size(form).toFixed(1));
    });
    return gone;
  }

  // `o`: board, sites, cells, routes, nets; `whole` array or what is used; `layer`, its `heat` by cell and `crossings` by side; `tile`
  // and `route` make a thing something to click.
  function draw(o) {
    const b = o.board, hops = o.routes.flatMap((r) => r.hops);
    const xs = [...o.sites, ...hops].map((s) => s[0]), ys = [...o.sites, ...hops].map((s) => s[1]);
    const x0 = o.whole ? 0 : Math.min(...xs), x1 = o.whole ? b.width - 1 : Math.max(...xs), y0 = 0, y1 = o.whole ? b.height - 1 : Math.max(...ys);
    const wideX = new Set(o.sites.map((s) => s[0])), wideY = new Set(o.sites.map((s) => s[1]));
    const ax = axis(x0, x1, (x) => o.whole || wideX.has(x)), ay = axis(y0, y1, (y) => o.whole || wideY.has(y));
    const svg = element("svg", { viewBox: `0 0 ${ax.length} ${ay.length}`, width: ax.length, height: ay.length, "font-family": "sans-serif", role: "group", "aria-label": `the array: ${o.sites.length} tiles are used, from column x${x0} to x${x1}` });
    const words = []; // above the routes
    const label = (x, y, forms, room, high, more) => words.push(element("text", Object.assign({ x, y, "text-anchor": "middle", "data-forms": forms.join("\n"), "data-room": room, "data-high": high }, more), forms[0]));
    svg.classList.toggle("heat", Boolean(o.heat));
    for (let x = x0; x <= x1; x++) if (ax.size[x] === TILE) label(ax.begin[x] + TILE / 2, EDGE - 8, [`x${x}`], TILE, 16, { class: "axis" });
    for (let y = y0; y <= y1; y++) if (ay.size[y] === TILE) label(EDGE / 2, ay.begin[y] + TILE / 2 + 4, [`y${y}`], EDGE, 14, { class: "axis" });
    if (o.crossings) {
      o.crossings.forEach((n, key) => {
        const [x, y, side] = key.split(",").map(Number), [name, dx, dy] = sides[side], share = n / b.tracks;
        const half = dx ? ay.size[y] / 2 : ax.size[x] / 2, far = dx > 0 ? ax.gap(x) : dx < 0 ? ax.before(x) : dy > 0 ? ay.gap(y) : ay.before(y);
        const at = dx ? [ax.begin[x] + (dx > 0 ? ax.size[x] : -far), ay.begin[y] + (side > 1 ? half : 0), far, half] : [ax.begin[x] + (side > 1 ? half : 0), ay.begin[y] + (dy > 0 ? ay.size[y] : -far), half, far];
        const rect = element("rect", { x: at[0], y: at[1], width: at[2], height: at[3], class: "crossing" });
        rect.style.fill = `var(--${o.layer.colour})`;
        rect.style.fillOpacity = share;
        rect.append(element("title", {}, `x${x}y${y} ${name}: ${n} of ${b.tracks} tracks`));
        svg.append(rect);
      });
    }
    const used = new Map(o.sites.map((s, i) => [`${s[0]},${s[1]}`, i]));
    for (let y = y0; y <= y1; y++) {
      for (let x = x0; x <= x1; x++) {
        const i = used.get(`${x},${y}`), kind = y === 0 ? "io" : b.columns[x];
        const tile = element("rect", { x: ax.begin[x], y: ay.begin[y], width: ax.size[x], height: ay.size[y], rx: ax.size[x] === TILE && ay.size[y] === TILE ? 3 : 1, class: `tile ${kind}${i === undefined ? "" : " used"}` });
        if (i === undefined) {
          tile.append(element("title", {}, `x${x}y${y} ${kind}, not used`));
          svg.append(tile);
          continue;
        }
        const cell = o.cells[i], says = `x${x}y${y} ${cell.mode} ${cell.name}${o.heat ? `: ${Picture.number(o.heat[i] * 100)} % ${o.layer.says}` : ""}`;
        tile.dataset.cell = i;
        o.tile(tile, i);
        tile.setAttribute("aria-label", says);
        if (o.heat && !o.crossings) {
          tile.style.fill = `var(--${o.layer.colour})`;
          tile.style.fillOpacity = o.heat[i].toFixed(3);
        }
        tile.append(element("title", {}, says));
        svg.append(tile);
        wordsOf(cell).forEach((forms, line) => label(ax.begin[x] + TILE / 2, ay.begin[y] + 20 + 18 * line, forms, TILE - 3, line ? 13 : 20, { class: `on ${kind}${line ? " second" : ""}` }));
      }
    }
    if (o.shownRoutes) drawRoutes(svg, o, ax, ay);
    svg.append(...words);
    return svg;
  }
  // A hop crosses the gap beside its tile, shifted by its track; opposite directions lie apart. Consecutive hops are joined inside the tile.
  function hopEnds([x, y, side, track], ax, ay, tracks) {
    const [, dx, dy] = sides[side], size = dx ? ay.size[y] : ax.size[x];
    const across = ((track + 1) * size) / (2 * tracks + 2) + (side > 1 ? size / 2 : 0);
    const from = dx ? [ax.begin[x] + (dx > 0 ? ax.size[x] : 0), ay.begin[y] + across] : [ax.begin[x] + across, ay.begin[y] + (dy > 0 ? ay.size[y] : 0)];
    const far = dx > 0 ? ax.gap(x) : dx < 0 ? ax.before(x) : dy > 0 ? ay.gap(y) : ay.before(y);
    return [from, [from[0] + dx * far, from[1] + dy * far]];
  }
  function drawRoutes(svg, o, ax, ay) {
    o.routes.forEach((route, k) => {
      const parts = route.hops.map((h) => hopEnds(h, ax, ay, o.board.tracks));
      const path = parts.map(([a, b]) => `M${a}L${b}`).join("");
      // From hop to hop through a tile: the hop that enters the tile which the next one leaves.
      const joints = route.hops.map((h, i) => {
        const before = route.hops.findIndex((g, n) => n < i && g[0] + sides[g[2]][1] === h[0] && g[1] + sides[g[2]][2] === h[1]);
        return before < 0 ? "" : `M${parts[before][1]}L${parts[i][0]}`;
      }).join("");
      const line = element("path", { d: path + joints, class: `route net${k % 6}` });
      line.dataset.net = k;
      o.route(line, k);
      line.append(element("title", {}, `${route.id}: ${o.nets[k].source.cell} to ${o.nets[k].sinks.map((s) => s.cell).join(", ")}; ${route.hops.length} hops${route.delay_ps === undefined ? "" : `, ${route.delay_ps} ps`}`));
      svg.append(line);
      route.hops.forEach((h, i) => {
        if (h[4]) svg.append(element("circle", { cx: parts[i][0][0], cy: parts[i][0][1], r: 2.6, class: `fifo ${h[4] === 1 ? "begin" : "end"}`, "data-of": k }));
      });
    });
  }
  return { draw, fit, sides };
})();
