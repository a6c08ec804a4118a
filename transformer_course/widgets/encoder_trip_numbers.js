// @ts-check
// The mathematics of one encoder layer, its tables, and the words for each number.
import { ATTENTION, FORWARD, NAMES, STEPS } from "./encoder_trip_steps.js";
import { dot, fixed, format, matmul, sinusoids, softmax, transpose } from "./numbers.js";
/** @import {Matrix} from "./types.js" */

/** @typedef {{caption: string, rows: string[], columns: string[], numbers: Matrix,
 * size: string}} Shown */

const HEADS = 2;
const EPS = 1e-5;
const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
const relu = (rows) => rows.map((row) => row.map((x) => Math.max(0, x)));
export const mean = (row) => row.reduce((sum, x) => sum + x, 0) / row.length;
const variance = (row) => mean(row.map((x) => (x - mean(row)) ** 2));
const slice = (rows, n) =>
  rows.map((row) => row.slice((n * row.length) / HEADS, ((n + 1) * row.length) / HEADS));

/** @param {Matrix} rows @param {number[]} [gain] @param {number[]} [shift] */
export const layerNorm = (rows, gain = [], shift = []) =>
  rows.map((row) =>
    row.map(
      (x, d) =>
        ((x - mean(row)) / Math.sqrt(variance(row) + EPS)) * (gain[d] ?? 1) + (shift[d] ?? 0),
    ),
  );

/** A linear map as a table: a row for each input, and the bias below.
 * @param {any} weights @param {string} name @returns {Matrix} */
export const mapOf = (weights, name) => [
  ...transpose(weights[`${name}.weight`]),
  weights[`${name}.bias`],
];
const linear = (rows, map) =>
  matmul(
    rows.map((row) => [...row, 1]),
    map,
  );

/** Every matrix on the way, by name.
 * @param {any} weights @param {number[]} ids @returns {Record<string, Matrix>} */
export function trip(weights, ids) {
  const raw = ids.map((id) => weights["embedding.weight"][id]);
  const width = raw[0].length;
  /** @type {Record<string, Matrix>} */
  const run = { raw, pe: sinusoids(ids.length, width) };
  run.embedded = raw.map((row) => row.map((x) => x * Math.sqrt(width)));
  run.x = add(run.embedded, run.pe);
  for (const name of ["query", "key", "value"]) {
    const rows = linear(run.x, mapOf(weights, `${ATTENTION}${name}_proj`));
    for (let n = 0; n < HEADS; n += 1) run[`${name}${n + 1}`] = slice(rows, n);
  }
  for (let n = 1; n <= HEADS; n += 1) {
    const [q, k, v] = ["query", "key", "value"].map((name) => run[name + n]);
    run[`scores${n}`] = q.map((a) => k.map((b) => dot(a, b) / Math.sqrt(a.length)));
    run[`weights${n}`] = run[`scores${n}`].map(softmax);
    run[`mixed${n}`] = matmul(run[`weights${n}`], v);
  }
  run.concat = run.mixed1.map((row, i) => [...row, ...run.mixed2[i]]);
  run.attended = linear(run.concat, mapOf(weights, `${ATTENTION}out_proj`));
  run.sum1 = add(run.x, run.attended);
  run.norm1 = layerNorm(run.sum1, weights["layer.norm1.weight"], weights["layer.norm1.bias"]);
  run.hidden = relu(linear(run.norm1, mapOf(weights, `${FORWARD}expand`)));
  run.thought = linear(run.hidden, mapOf(weights, `${FORWARD}contract`));
  run.sum2 = add(run.norm1, run.thought);
  run.norm2 = layerNorm(run.sum2, weights["layer.norm2.weight"], weights["layer.norm2.bias"]);
  run.read = linear(run.norm2, mapOf(weights, "readout"));
  return run;
}

const upTo = (length) => Array.from({ length }, (_, d) => String(d));

/** The tables of a step: [inputs, result].
 * @param {number} step @param {Record<string, Matrix>} run @param {number} head
 * @param {any} weights @param {string[]} tokens */
export function tables(step, run, head, weights, tokens) {
  const { kind, inputs, out, map } = STEPS[step];
  const shown = (name) => {
    const numbers = run[name.replace("#", String(head))];
    return {
      caption: NAMES[name],
      rows: tokens,
      columns: /scores|weights/.test(name) ? tokens : upTo(numbers[0].length),
      numbers,
      size: /scores|weights/.test(name) ? "5 × 5 words" : `5 words × ${numbers[0].length}`,
    };
  };
  const left = inputs.map(shown);
  const learned = (caption, rows, numbers, size) =>
    left.push({ caption, rows, columns: upTo(numbers[0].length), numbers, size });
  if (kind === "norm") {
    learned("Mean 0, variance 1", tokens, layerNorm(left[0].numbers), "");
    const both = [weights[`${map}.weight`], weights[`${map}.bias`]];
    learned("Learned", ["scale", "shift"], both, "for all words");
  } else if (kind === "mix") {
    // A row for each column of V: each weight stands above the number that it is a share of.
    const numbers = transpose(left[1].numbers);
    left[1] = {
      ...left[1],
      rows: upTo(numbers.length).map((n) => `col ${n}`),
      columns: tokens,
      numbers,
    };
  } else if (map) {
    // A row for each column of W, the bias last: each number stands below the one it multiplies.
    const all = mapOf(weights, map);
    const numbers = transpose(out.includes("#") ? slice(all, head - 1) : all);
    const [wide, high] = [numbers.length, all.length - 1];
    left.push({
      caption: "W and b",
      rows: upTo(wide).map((n) => `col ${n}`),
      columns: [...upTo(high), "b"],
      numbers,
      size: `learned, ${high} × ${wide}`,
    });
  }
  return { left, out: shown(out) };
}

/** What is added, with its sign before it: " + 0.13", " − 0.13". */
const plus = (x, digits = 2) =>
  ` ${fixed(x, digits)}`.replace(/ (−?)/, (_, minus) => ` ${minus || "+"} `);

/** How result (i, j) of a step came about; of products the chart shows each.
 * @param {number} step @param {{left: Shown[], out: Shown}} shown @param {number} i
 * @param {number} j */
export function explain(step, { left, out }, i, j) {
  const { kind } = STEPS[step];
  const [a, b, c] = left.map(({ numbers }) => numbers);
  const [x, result] = [format(a[i][j % a[i].length]), format(out.numbers[i][j])];
  if (kind === "scale") return `${x} · √8 ≈ ${result}`;
  if (kind === "add") return `${x + plus(b[i][j])} ≈ ${result}`;
  if (kind === "softmax")
    return `exp(${x}) ÷ ${format(a[i].reduce((sum, z) => sum + Math.exp(z), 0))} ≈ ${result}`;
  if (kind === "concat") return `from head ${j < a[0].length ? 1 : 2}`;
  if (kind === "norm") {
    const spread = fixed(Math.sqrt(variance(a[i])), 3);
    const far = fixed(a[i][j], 3) + plus(-mean(a[i]), 3);
    return `(${far}) ÷ ${spread} · ${format(c[0][j]) + plus(c[1][j])} ≈ ${result}`;
  }
  const sum = format(dot([...a[i], 1].slice(0, b[j].length), b[j]));
  if (kind === "scores") return `${sum} ÷ √4 ≈ ${result}`;
  return out.caption === NAMES.hidden
    ? `max(0, ${sum}) = ${result}`
    : `${b[j].length} products sum to ${sum}`;
}

/** The best German word for each token.
 * @param {Matrix} read @param {string[]} german */
export const readOut = (read, german) => read.map((row) => german[row.indexOf(Math.max(...row))]);
