// @ts-check
// AttentionFigures over one line of words: what is true as arcs, and in a row a head what it finds.
import { hue, isRight, pointed, rowsOf, told } from "./attention_figures_lines.js";
import { h, press } from "./shared.js";

/** How wide a text is, in pixels. @param {string} text @param {string} font */
const measure = (text, font) => {
  const context = /** @type {any} */ (document.createElement("canvas").getContext("2d"));
  context.font = font;
  return context.measureText(text).width;
};

/** Each word's share of the line; two neighbors are as far apart as the label of their arc is wide.
 * @param {any} one a sentence @param {string} family @param {number} free around a word, in pixels
 * @param {typeof measure} wide */
export function widthsOf(one, family, free, wide = measure) {
  const widths = one.words.map(
    (word) => Math.max(free - 8, wide(word, `700 14px ${family}`)) + free,
  );
  for (const [i, j, name] of one.truth) {
    const label = wide(name.replace(" of", ""), `600 11px ${family}`);
    const lacks = label + 9 - (widths[i] + widths[j]) / 2;
    if (Math.abs(i - j) === 1 && lacks > 0) for (const n of [i, j]) widths[n] += lacks;
  }
  return widths;
}

/** How high an arc stands: above all true ones within it.
 * @param {any[]} pairs that are true @param {number} i @param {number} j @returns {number} */
export function levelOf(pairs, i, j) {
  const [from, to] = [Math.min(i, j), Math.max(i, j)];
  const inner = pairs.filter(
    ([a, b]) => Math.min(a, b) >= from && Math.max(a, b) <= to && Math.abs(a - b) < to - from,
  );
  return 1 + Math.max(0, ...inner.map(([a, b]) => levelOf(pairs, a, b)));
}

/** How far from a word's middle its arc to another one stands: all true ones side by side, the
 * nearest outside, so that none meets another.
 * @param {any} one a sentence @param {number} n @param {number} other @param {number} step */
export function footOf({ truth }, n, other, step) {
  const ends = truth.flatMap(([i, j]) => (i === n ? j : j === n ? i : []));
  const key = (m) => (m > n ? 99 : 0) - m;
  const at = ends.sort((a, b) => key(a) - key(b)).indexOf(other);
  return at < 0 ? 0 : (at - (ends.length - 1) / 2) * step;
}

/** An arc from word i to word j, whose tip is at j, and where its label stands.
 * @param {any} one a sentence @param {number} i @param {number} j
 * @param {{narrow: boolean, place: (n: number) => number, deep: number}} how pixels: a word's middle
 * along the line, and how much room is above it */
export function arcOf(one, i, j, { narrow, place, deep }) {
  const most = Math.max(...one.truth.map(([a, b]) => levelOf(one.truth, a, b)));
  const low = i === j || (j === i + 1 && !one.truth.some(([a, b]) => a === i && b === j));
  const level = low ? 0.5 : Math.min(levelOf(one.truth, i, j), most + 0.75);
  const high = (level * (deep - 4)) / (most + 0.75);
  const side = Math.sign(j - i) || 1;
  const foot = (n, other) => footOf(one, n, other, narrow ? 7 : 9);
  const [from, to] = i === j ? [-7, 7] : [foot(i, j), foot(j, i)];
  const [a, b] = [place(i) + from, place(j) + to];
  // A label between neighbors stands clear of the arcs beside one end, if the other has none.
  const off = Math.abs(i - j) === 1 ? 7 * side * (Number(!to) - Number(!from)) : 0;
  const r = Math.min(10, Math.abs(b - a) / 2, high) * side;
  const at = (x, y) => (narrow ? `${deep - y} ${x}` : `${x} ${deep - y}`);
  const [up, down] = [high - Math.abs(r), 2];
  return {
    d:
      `M${at(a, down)}L${at(a, up)}Q${at(a, high)} ${at(a + r, high)}` +
      `L${at(b - r, high)}Q${at(b, high)} ${at(b, up)}L${at(b, down)}`,
    tip: `M${at(b - 3.5, 8)}L${at(b, down)}L${at(b + 3.5, 8)}`,
    label: narrow ? { x: 0, y: place(i) } : { x: (a + b) / 2 + off, y: deep - high - 9 },
  };
}

/** A row for each head and for the rule: a mark under each word, filled where it finds the truth.
 * @param {any[]} many as many as words of the longest sentence @param {number[]} heads
 * @param {(head: number) => void} pick @param {(head: number) => void} peek 0 is none */
export function headRows(many, heads, pick, peek) {
  const rule = heads.length + 1;
  const rows = [...heads, rule].map((head) => {
    const marks = many.map(() => h("i"));
    const count = h("b");
    const name =
      head === rule ? ["Next", h("small", {}, " word")] : [h("small", {}, "Head "), `${head}`];
    const node = press("", () => pick(head), {
      class: hue(head, rule),
      pointerenter: ({ pointerType }) => pointerType === "mouse" && peek(head),
    });
    node.append(h("b", {}, ...name), h("span", {}, ...marks), count);
    return { head, marks, count, node };
  });
  const away = { role: "group", "aria-label": "Heads", pointerleave: () => peek(0) };
  const node = h("div", { class: "tc-rows", ...away }, ...rows.map((row) => row.node));

  /** @param {any} one a sentence @param {any} how */
  function show(one, { layer, on, word, widths }) {
    for (const { head, marks, count, node } of rows) {
      const all = rowsOf(one, layer, head);
      marks.forEach((mark, i) => {
        mark.hidden = i >= one.words.length;
        mark.style.flexGrow = String(widths[i] ?? 0);
        const asks = one.truth.find(([at]) => at === i);
        const finds = asks && isRight(one, { i, j: asks[1], weight: 1 }, all[i]);
        mark.className = asks ? (finds ? "tc-full" : "tc-hollow") : "";
        mark.classList.toggle("tc-faint", word >= 0 && word !== i);
      });
      count.replaceChildren(`${pointed(one, layer, head)}`, h("small", {}, `/${one.truth.length}`));
      const [{ text, kinds }] = told(one, layer, [head], -1, true);
      node.ariaLabel = text + (kinds ?? "");
      node.setAttribute("aria-pressed", String(on.includes(head)));
    }
  }
  return { node, show };
}
