// @ts-check
// The board of the drawing: the head's matrices, the rows in question large, wires between them.
import { heatmap } from "./attention_picture_heatmap.js";
import { gives } from "./attention_picture_numbers.js";
import { fixed } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";
import { glide } from "./stage.js";
/** @import {Matrix} from "./types.js" */

const D_K = 16; // d_k
/** What a step is about; all other matrices are quiet. */
const USED = [["x"], ["x", "q", "k", "v"], ["q", "k", "scores"], ["scores"], ["scores"], ["scores", "weights"], ["weights", "v", "output"]]; // prettier-ignore
// Heights of a row that one in question gets for each map it is asked by.
const MORE = 2;
const MOST = { x: 4, q: 10, k: 10, v: 4, scores: 100, scaled: 25, masked: 25, weights: 1, output: 4 }; // prettier-ignore

// Tips of wires.
const [RIGHT, LEFT, DOWN] = ["m-5 -5l5 5l-5 5", "m5 -5l-5 5l5 5", "m-5 -5l5 5l5 -5"];

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
  /** @param {string} name @param {number} step @param {number} columns */
  const matrix = (name, step, columns = D_K) => {
    const square = columns === count;
    const offered = name === "k" || name === "v"; // its rows are keys
    const drawn = heatmap({
      columns,
      square,
      point(i, j, event) {
        const [row, column] = shown();
        const at = square ? [i, j] : offered ? [row, i] : [i, column];
        if (event === "click") pick(at[0], at[1]);
        else look(event === "pointerleave" ? null : at);
      },
    });
    const top = h("span");
    const digits = square ? places.map(() => h("span")) : [];
    const [who, hint] = [h("i"), h("span")];
    const field = h(
      "div",
      { class: "tc-field" },
      drawn.node,
      h("div", { class: "tc-digits", "aria-hidden": "true" }, ...digits),
    );
    const node = h(
      "div",
      { class: `tc-matrix tc-of-${name}` },
      h(
        "div",
        { class: "tc-caption" },
        h("b", {}, name[0].toUpperCase() + name.slice(1)),
        " ",
        who,
        hint,
      ),
      ...(square ? [h("div", { class: "tc-tops", "aria-hidden": "true" }, top)] : []),
      field,
    );
    return { ...drawn, name, node, field, step, top, digits, square, offered, who, hint };
  };
  const x = matrix("x", 0, 64);
  const q = matrix("q", 1);
  const k = matrix("k", 1);
  const v = matrix("v", 1);
  const scores = matrix("scores", 2, count);
  const weights = matrix("weights", 5, count);
  const output = matrix("output", 6);
  const matrices = [x, q, k, v, scores, weights, output];
  /** @type {any[]} */
  const sides = [0, 1, 2, 3].map(() =>
    h("div", { class: "tc-side", "aria-hidden": "true" }, ...places.map(() => h("span"))),
  );
  const drawn = Array.from({ length: 7 }, () => [svg("path", { pathLength: 1 }), svg("text")]);
  const wires = svg("svg", { class: "tc-wires", "aria-hidden": "true" }, ...drawn.flat());
  const node = h(
    "div",
    { class: "tc-drawing" },
    h("div", { class: "tc-band" }, sides[0], x.node, sides[1], q.node, k.node, v.node),
    h("div", { class: "tc-band" }, sides[2], scores.node, sides[3], weights.node, output.node),
    wires,
  );

  // -- the wires of one step: out of a row, along a lane, into a row or above a column --
  function wire() {
    const [i, j] = shown();
    const box = (each, n) => {
      const { offsetLeft: left, offsetTop: top, offsetWidth: width, offsetHeight: tall } = each.field; // prettier-ignore
      const [start, end] = startsOf(each).slice(n);
      const y = top + ((start + end) / 2 / (count + 2 * MORE)) * tall;
      return { left, right: left + width, top, bottom: top + tall, width, y };
    };
    const [bx, bq, bk, bv] = [box(x, i), box(q, i), box(k, j), box(v, j)];
    const [bs, bw, bo] = [box(scores, i), box(weights, i), box(output, i)];
    const wide = bq.top < bx.bottom;
    const lane = bq.bottom + 9;
    const { y: low } = box(x, j);
    const over = (target) => target.left + ((j + 0.5) / count) * target.width;
    const [name, last] = [bs.top - 20, bw.top - 20];
    const edge = bv.right + 9;
    /** Into a row below, from the left. */
    const down = (from, to, x) => `M${from.left} ${from.y}H${x}V${to.y}H${to.left - 2}${RIGHT}`;
    /** At which step, in what color, where, with what words: [step, kind, path, text, x, y]. */
    const all = /** @type {any[][]} */ ([
      [1, "q", wide ? `M${bx.right} ${bx.y}H${bq.left - 2}${RIGHT}` : down(bx, bq, bx.left - 9)],
      [1, "k", wide ? `M${bx.right} ${low}h4V${lane}H${bv.left - 6}V${bv.y}h4M${bk.left - 6} ${lane}V${bk.y}h4` : ""],
      [2, "q", wide ? `M${bq.left} ${bq.y}h-5V${lane - 3}H${bs.left - 9}V${bs.y}h7${RIGHT}` : down(bq, bs, bs.left - 9)],
      [2, "k", `M${bk.left} ${bk.y}h-6V${lane + 6}H${over(bs)}V${name}${DOWN}`, "q · k", over(bs) + (2 * j > count ? -8 : 40), lane + 20],
      [5, "weights", wide ? `M${bs.right + 3} ${bs.y}H${bw.left - 2}${RIGHT}` : down(bs, bw, bs.left - 9), wide ? "softmax" : "", bw.left - 11, bs.y - 8],
      [6, "weights", `M${over(bw)} ${last}v-9H${edge - 3}${RIGHT}`, `× ${fixed(shares[i][j], 2)}`, edge - 7, last - 15],
      [6, "v", `M${bv.right} ${bv.y}H${edge}V${bo.y}H${bo.right + 2}${LEFT}`],
    ]); // prettier-ignore
    all.forEach(([at, kind, d, text = "", x = 0, y = 0], n) => {
      const seen = at === step && d;
      const [line, words] = drawn[n];
      assign(line, { d: seen || "", class: seen ? `tc-wire tc-of-${kind}` : "" });
      assign(words, { x, y, class: `tc-of-${kind}` });
      say(words, seen ? text : "");
    });
  }
  /** Where the rows of a matrix begin: the words above are taller at two places. @type {any} */
  let tops;
  const startsOf = ({ step: first }) => tops[Number(first > 1)];
  const move = glide((heights) => {
    tops = heights.map((all) => all.reduce((sums, tall) => [...sums, sums.at(-1) + tall], [0]));
    const [i, j] = shown();
    for (const each of matrices) {
      const rows = each === x ? [i, i === j ? -1 : j] : [each.offered ? j : i, -1];
      each.lay(startsOf(each), [...rows, each.square ? j : -1]);
      each.node.style.setProperty("--top", startsOf(each)[i]);
    }
    sides.forEach((side, n) =>
      [...side.children].forEach((name, m) => name.style.setProperty("--tall", heights[Number(n > 1)][m])),
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
      for (const { top } of [scores, weights]) {
        say(top, words[j]);
        top.style.left = `${(100 * (j + 0.5)) / count}%`;
      }
      [q, k, v].forEach((each, n) => {
        say(each.who, `${words[n ? j : i]} `);
        say(each.hint, ["asks", "found", "gives"][n]);
      });
      sides.forEach((side, m) =>
        [...side.children].forEach((name, n) => {
          name.classList.toggle("tc-on", n === i);
          name.classList.toggle("tc-key", n === j && n !== i && m < 2); // below, keys are columns
        }),
      );
      for (const { digits, numbers, name } of /** @type {any[]} */ (matrices))
        digits.forEach((digit, n) => {
          const number = numbers()[i][n];
          const weight = name === "weights";
          say(digit, weight ? share(number) : fixed(number, 0));
        });
      const tall = (n, a, b) => 1 + MORE * (Number(n === a) + Number(n === b));
      move([places.map((n) => tall(n, i, j)), places.map((n) => tall(n, i, i))]);
    },
    /** @param {any} r @param {number} at the step @param {string[]} now the words */
    paint(r, at, now) {
      [step, words, shares] = [at, now, r.weights];
      node.dataset.part = "oxssswm"[at];
      const state = at < 3 ? "scores" : at === 3 ? "scaled" : "masked";
      const hidden = r[state].flat().includes(-Infinity);
      say(scores.hint, `Q Kᵀ${at < 3 ? "" : " ÷ √16"}${hidden ? ", masked" : ""}`);
      for (const each of matrices) {
        const name = each === scores ? state : each.name;
        each.paint(r[name], MOST[name]);
        Object.assign(each, { numbers: () => r[name] });
        each.node.classList.toggle("tc-later", each.step > at);
        each.node.classList.toggle("tc-quiet", !USED[at].includes(each.name));
      }
      sides.forEach((side, m) => {
        side.classList.toggle("tc-later", at < [0, 1, 2, 5][m]);
        [...side.children].forEach((name, n) => say(name, now[n]));
      });
    },
    stop: () => watch.disconnect(),
  };
}

/** ".99", and nothing for next to nothing. */
const share = (x) => (x >= 0.005 ? x.toFixed(2).replace(/^0|\.00$/, "") : "");
