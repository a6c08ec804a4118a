// @ts-check
// The board of the drawing: the head's matrices, the rows in question large, wires between them.
import { gives } from "./attention_picture_numbers.js";
import { fixed } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";
import { glide } from "./stage.js";
/** @import {Matrix} from "./types.js" */

const D_K = 16; // d_k
/** What a step is about; all other matrices are quiet. */
const USED = [["x"], ["x", "q", "k", "v"], ["q", "k", "scores"], ["scores"], ["scores"], ["scores", "weights"], ["weights", "v", "output"]]; // prettier-ignore
const LEVELS = 6;
// Heights of a row that one in question gets for each map it is asked by.
const MORE = 1.5;
const MOST = { x: 4, q: 10, k: 10, v: 4, scores: 100, scaled: 25, masked: 25, weights: 1, output: 4 }; // prettier-ignore

const cell = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** A matrix as colored cells: the stronger, the larger; pale where nothing counts. A row in
 * question is large: as bars, as shares (bars that stand on its bottom), or as calm cells.
 * `point(i, j, event)` hears of the pointer: "pointermove", "click", "pointerleave".
 * @param {{columns: number, look: "bars" | "shares" | "cells",
 * point: (i: number, j: number, event: string) => void}} how */
function heatmap({ columns, look, point }) {
  const levels = (share) =>
    Array.from({ length: 2 * LEVELS + 1 }, (_, n) =>
      svg("path", {
        class: n ? "tc-on-scale" : "tc-off",
        "data-kind": n ? (n > LEVELS ? "neg" : "pos") : "none",
        opacity: n ? (share * (((n - 1) % LEVELS) + 1)) / LEVELS : 1,
      }),
    );
  // Around the rows in question all is quiet; digits stand on calm cells.
  const [plain, calm] =
    look === "bars" ? [levels(0.26), levels(0.95)] : [levels(0.4), levels(0.45)];
  const rows = [1, 2].map((n) => svg("rect", { class: `tc-row tc-row${n}`, x: 0, width: columns }));
  const column = svg("rect", { class: "tc-row", y: 0, width: 1 });
  const about = { class: "tc-heatmap", preserveAspectRatio: "none", "aria-hidden": "true" };
  const node = svg("svg", about, ...plain, ...calm, ...rows, column);
  let [numbers, tops, largest] = [/** @type {Matrix} */ ([]), /** @type {number[]} */ ([]), 1];
  let marks = [-1, -1, -1];
  const at = ({ clientX, clientY, type }) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    const y = ((clientY - top) / height) * tops[numbers.length];
    const j = Math.floor(((clientX - left) / width) * columns);
    const i = tops.findLastIndex((start, n) => n < numbers.length && start <= y);
    point(Math.max(0, i), Math.min(columns - 1, Math.max(0, j)), type);
  };
  for (const name of ["pointermove", "click", "pointerleave"]) node.addEventListener(name, at);
  const draw = () => {
    const all = [...plain, ...calm];
    const texts = all.map(() => "");
    numbers.forEach((line, i) => {
      const [top, tall] = [tops[i], tops[i + 1] - tops[i]];
      const large = marks.slice(0, 2).includes(i);
      line.forEach((x, j) => {
        const share = Math.min(1, Math.abs(x) / largest);
        const level = Math.round(share * LEVELS);
        const below = x < 0 ? LEVELS : 0;
        if (!Number.isFinite(x)) texts[0] += cell(j, top, 1, tall);
        else if (large && look === "bars") {
          const size = (share * tall) / 2;
          texts[plain.length + LEVELS + below] += cell(
            j + 0.12,
            top + tall / 2 - (below ? 0 : size),
            0.76,
            size,
          );
        } else if (large && look === "shares")
          texts[plain.length + LEVELS] += cell(j, top + tall * (1 - share), 1, share * tall);
        else if (level) texts[(large ? plain.length : 0) + level + below] += cell(j, top, 1, tall);
      });
    });
    all.forEach((path, n) => path.setAttribute("d", texts[n]));
    const box = (n) => ({ y: tops[n] ?? 0, height: n < 0 ? 0 : tops[n + 1] - tops[n] });
    rows.forEach((row, n) => assign(row, box(marks[n])));
    assign(column, { x: marks[2], width: marks[2] < 0 ? 0 : 1, height: tops[numbers.length] });
    assign(node, { viewBox: `0 0 ${columns} ${tops[numbers.length]}`, "data-row": marks[0] }); // prettier-ignore
  };
  return {
    node,
    /** @param {Matrix} next @param {number} most */
    paint: (next, most) => ([numbers, largest] = [next, most]),
    /** Where the rows begin, and which are in question. @param {number[]} starts
     * @param {number[]} marked */
    lay(starts, marked) {
      [tops, marks] = [starts, marked];
      draw();
    },
  };
}

/** All matrices. `pick` hears a click, `look` the pointer (null: it left), with a row and a column.
 * @param {number} count of words @param {(row: number, column: number) => void} pick
 * @param {(at: number[] | null) => void} look @param {() => number[]} asked */
export function board(count, pick, look, asked) {
  let [step, words, shares] = [0, /** @type {string[]} */ ([]), /** @type {Matrix} */ ([])];
  /** The row and the column in question; at the last step a key that gives something. */
  const shown = () => {
    const [i, j] = asked();
    return [i, step === 6 ? gives(shares[i], j) : j];
  };
  const places = Array.from({ length: count }, (_, n) => n);
  /** @param {string} name @param {number} step @param {string} kind @param {string} title
   * @param {number} columns @param {"bars" | "shares" | "cells"} how */
  const matrix = (name, step, kind, title, columns, how = "bars") => {
    const square = how !== "bars";
    const offered = kind === "k" || kind === "v"; // its rows are keys
    const drawn = heatmap({
      columns,
      look: how,
      point(i, j, event) {
        const [row, column] = shown();
        const at = square ? [i, j] : offered ? [row, i] : [i, column];
        if (event === "click") pick(at[0], at[1]);
        else look(event === "pointerleave" ? null : at);
      },
    });
    const tops = square ? places.map(() => h("span")) : [];
    const digits = square ? places.map(() => h("span")) : [];
    const [symbol, hint] = [h("b", {}, title), h("span")];
    const node = h(
      "div",
      { class: `tc-matrix tc-of-${kind}` },
      h("div", { class: "tc-caption" }, symbol, " ", hint),
      h("div", { class: "tc-tops", "aria-hidden": "true" }, ...tops),
      h(
        "div",
        { class: "tc-field" },
        drawn.node,
        h("div", { class: "tc-digits", "aria-hidden": "true" }, ...digits),
      ),
    );
    return { ...drawn, name, node, step, tops, digits, square, offered, symbol, hint };
  };
  const x = matrix("x", 0, "x", "X", 64);
  const q = matrix("q", 1, "q", "Q", D_K);
  const k = matrix("k", 1, "k", "K", D_K);
  const v = matrix("v", 1, "v", "V", D_K);
  const scores = matrix("scores", 2, "scores", "Scores", count, "cells");
  const weights = matrix("weights", 5, "weights", "Weights", count, "shares");
  const output = matrix("output", 6, "output", "Output", D_K);
  const matrices = [x, q, k, v, scores, weights, output];
  /** @type {any[]} */
  const sides = [0, 1, 2, 3].map((n) =>
    h(
      "div",
      { class: n % 2 ? "tc-side tc-again" : "tc-side", "aria-hidden": "true" },
      ...places.map(() => h("span")),
    ),
  );
  const moved = h("p", { class: "tc-moved tc-of-v", "aria-hidden": "true" });
  const wires = svg("svg", { class: "tc-wires", "aria-hidden": "true" });
  const node = h(
    "div",
    { class: "tc-drawing" },
    h("div", { class: "tc-band" }, sides[0], x.node, sides[1], q.node, k.node, v.node),
    h("div", { class: "tc-band" }, sides[2], scores.node, sides[3], weights.node, output.node),
    wires,
    moved,
  );
  say(x.hint, "64 numbers each");
  say(weights.hint, "softmax of the row");

  // -- wires: out of a row, along the lane between the bands, into a row or above a column --
  function wire() {
    const from = node.getBoundingClientRect();
    const [i, j] = shown();
    const box = ({ node: inner }, n) => {
      const { left, right, top, bottom, width } = inner
        .querySelector(".tc-heatmap")
        .getBoundingClientRect();
      const y = top - from.top + ((starts(inner)[n] + starts(inner)[n + 1]) / 2 / (count + 2 * MORE)) * (bottom - top); // prettier-ignore
      return { left: left - from.left, right: right - from.left, top: top - from.top, bottom: bottom - from.top, width, y }; // prettier-ignore
    };
    const [bx, bq, bk, bv] = [box(x, i), box(q, i), box(k, j), box(v, j)];
    const [bs, bw, bo] = [box(scores, i), box(weights, i), box(output, i)];
    const wide = bw.top < bs.bottom;
    const lane = bq.bottom + 8;
    const along = box(x, j);
    const across = bs.left + ((j + 0.5) / count) * bs.width;
    const name = bs.top - 42;
    const under = (target, n) =>
      `M${along.right} ${along.y}h3V${lane + 4 * n}H${target.left - 6}V${target.y}h4`;
    const paths = {
      1: [
        ["q", `M${bx.right} ${bx.y}L${bq.left - 2} ${bq.y}`],
        ["k", under(bk, 0)],
        ["v", under(bv, 1)],
      ],
      2: [
        ["q", `M${bq.left} ${bq.y}h-5V${lane}H${bs.right + 7}V${bs.y}h-5`],
        ["k", `M${bk.left} ${bk.y}h-5V${lane + 4}H${across}V${name}`],
      ],
      5: [["weights", `M${bs.right} ${bs.y}L${bw.left - 2} ${bw.y}`]],
      6: [
        ["output", `M${bw.right} ${bw.y}L${bo.left - 2} ${bo.y}`],
        ["v", `M${bv.left} ${bv.y}h-5V${lane}H${bo.left - 9}V${bo.y}`],
      ],
    };
    const now = (paths[step] ?? []).filter((_, n) => wide || step === 2 || (step === 6 && !n));
    if (wires.childElementCount !== now.length || wires.dataset.step !== String(step)) {
      wires.dataset.step = String(step);
      wires.replaceChildren(...now.map(() => svg("path", { pathLength: 1 })));
    }
    say(moved, step === 6 && wide ? `${fixed(shares[i][j], 2)} × v of “${words[j]}”` : "");
    moved.style.translate = `${bo.left - 4}px ${lane + 3}px`;
    now.forEach(([kind, d], n) => assign(wires.children[n], { d, class: `tc-wire tc-of-${kind}` }));
  }
  const upper = () => q.node.parentElement;
  let heights = /** @type {number[][]} */ ([[], []]);
  const starts = (inner) =>
    heights[inner.parentElement === upper() ? 0 : 1].reduce(
      (all, tall) => [...all, all[all.length - 1] + tall],
      [0],
    );
  const move = glide((next) => {
    heights = next;
    const [i, j] = shown();
    for (const each of matrices) {
      const rows = each === x ? [i, j] : [each.offered ? j : i, -1];
      each.lay(starts(each.node), [...rows, each.square ? j : -1]);
      each.node.style.setProperty("--top", String(starts(each.node)[i]));
    }
    sides.forEach((side, n) =>
      [...side.children].forEach((name, m) => name.style.setProperty("--tall", heights[n > 1 ? 1 : 0][m])),
    ); // prettier-ignore
    wire();
  }, 220);
  const watch = new ResizeObserver(wire);
  watch.observe(node);

  return {
    node,
    /** The row and the column in question. */
    point() {
      const [i, j] = shown();
      for (const each of matrices)
        each.tops.forEach((top, n) => top.classList.toggle("tc-on", n === j));
      say(q.hint, `“${words[i]}” asks`);
      say(k.hint, `“${words[j]}” found`);
      say(v.hint, `“${words[j]}” gives`);
      for (const side of sides)
        [...side.children].forEach((name, n) => {
          name.classList.toggle("tc-on", n === i);
          name.classList.toggle("tc-key", n === j && n !== i);
        });
      for (const { digits, numbers, name } of /** @type {any[]} */ (matrices))
        digits.forEach((digit, n) => {
          const number = numbers()[i][n];
          const weight = name === "weights";
          say(digit, weight ? share(number) : whole(number));
        });
      const tall = (n, a, b) => 1 + MORE * (Number(n === a) + Number(n === b));
      move([places.map((n) => tall(n, i, j)), places.map((n) => tall(n, i, i))]);
    },
    /** @param {any} r @param {number} at the step @param {string[]} now the words */
    paint(r, at, now) {
      [step, words, shares] = [at, now, r.weights];
      const state = at < 3 ? "scores" : at === 3 ? "scaled" : "masked";
      const hidden = r[state].flat().includes(-Infinity);
      say(scores.hint, `Q Kᵀ${at < 3 ? "" : " ÷ √16"}${hidden ? ", masked" : ""}`);
      for (const each of matrices) {
        const name = each === scores ? state : each.name;
        each.paint(r[name], MOST[name]);
        Object.assign(each, { numbers: () => r[name] });
        each.node.classList.toggle("tc-later", each.step > at);
        each.node.classList.toggle("tc-quiet", !USED[at].includes(each.name));
        each.tops.forEach((top, n) => say(top, now[n]));
      }
      for (const side of sides) [...side.children].forEach((name, n) => say(name, now[n]));
    },
    stop: () => watch.disconnect(),
  };
}

/** ".99", and nothing for next to nothing. */
const share = (x) => (x >= 0.05 ? x.toFixed(2).replace(/^0|\.00$/, "") : "");
const whole = (x) =>
  Number.isFinite(x) ? x.toFixed(0).replace(/^-0$/, "0").replace("-", "−") : "−∞";
