// Words of the page whose contrast with what they stand on is below 4.5 to 1, and words that lines cross: one a line, or nothing.
const rgba = (text) => { const n = (text.match(/[\d.]+/g) || []).map(Number); return n.length < 3 ? [0, 0, 0, 0] : [n[0], n[1], n[2], n.length > 3 ? n[3] : 1]; };
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => { const v = c[i] / 255; return sum + share * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
function ground(e) {
  const own = getComputedStyle(e), shape = e.closest(".node") && e.closest(".node").querySelector("polygon, ellipse");
  if (e.localName === "text" && own.paintOrder.startsWith("stroke")) return rgba(own.stroke);
  if (e.localName === "text" && shape) return rgba(getComputedStyle(shape).fill);
  for (let at = e; at; at = at.parentElement) {
    const c = rgba(getComputedStyle(at).backgroundColor);
    if (c[3] === 1) return c;
  }
  return [255, 255, 255, 1];
}
const bad = [];
let seen = 0;
for (const e of document.querySelectorAll("body *")) {
  const words = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(" ").trim();
  if (!words || !e.getClientRects().length || ["script", "title", "desc", "option"].includes(e.localName)) continue;
  seen++;
  const own = getComputedStyle(e), svg = e.localName === "text", ink = rgba(svg ? own.fill : own.color);
  ink[3] *= svg ? Number(own.fillOpacity) : 1;
  const below = ground(e), is = ratio(over(ink, below), below);
  if (is < 4.5) bad.push(`'${words.slice(0, 30)}': ${is.toFixed(2)}`);
}
const lines = [...document.querySelectorAll("#floor .route, #floor circle")], last = lines[lines.length - 1];
for (const t of last ? document.querySelectorAll("#floor text") : []) if (!(last.compareDocumentPosition(t) & 4)) bad.push(`'${t.textContent}': below routes`);
return seen < 100 ? `only ${seen} words` : [...new Set(bad)].join("; ");
