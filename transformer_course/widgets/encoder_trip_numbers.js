// @ts-check
// The mathematics of one encoder layer, its tables, and the words for each number.
import { ATTENTION, FORWARD, NAMES, STEPS } from "./encoder_trip_steps.js";
import { dot, fixed, format, matmul, sinusoids, softmax, transpose } from "./numbers.js";
/** @import {Matrix} from "./types.js" */

/** @typedef {{caption: string, rows: string[], columns: string[], numbers: Matrix,
 * size?: string}} Shown */

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
    };
  };
  const left = inputs.map(shown);
  const learned = (caption, rows, numbers) =>
    left.push({ caption, rows, columns: upTo(numbers[0].length), numbers });
  if (kind === "norm") {
    learned("Mean 0, variance 1", tokens, layerNorm(left[0].numbers));
    learned("Learned", ["scale", "shift"], [weights[`${map}.weight`], weights[`${map}.bias`]]);
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
      size: `${high} × ${wide}`,
    });
  }
  return { left, out: shown(out) };
}

/** The largest number of tables that have one measure: what is added or scaled can be compared with
 * what came of it; of all others each table has its own.
 * @param {string} kind @param {Shown[]} shown */
export const measure = (kind, shown) =>
  ["add", "scale"].includes(kind)
    ? Math.max(...shown.flatMap(({ numbers }) => numbers.flat().map(Math.abs)))
    : undefined;

/** Which [row, column] of each input feeds result (i, j); null is all of them.
 * @param {string} kind @param {number} i @param {number} j
 * @param {number} width of the first input */
export function feeds(kind, i, j, width) {
  if (["add", "scale", "concat"].includes(kind))
    return [
      [i, j],
      [i, kind === "concat" ? j - width : j], // beyond either head there is no cell
    ];
  if (kind === "scores" || kind === "linear")
    return [
      [i, null],
      [j, null],
    ];
  return [[i, null], ...(kind === "norm" ? [[i, j]] : []), [null, j]];
}

const sign = (x) => (x < 0 ? `(${format(x)})` : format(x));
/** What is added, with its sign before it: " + 0.13", " − 0.13". */
const plus = (x) => ` ${format(x)}`.replace(/ (−?)/, (_, minus) => ` ${minus || "+"} `);
/** A sum of products; those with nothing are left out. */
const products = (a, b) =>
  a
    .flatMap((x, n) => (x ? `${plus(x)}·${sign(b[n])}` : []))
    .join("")
    .replace(/^ (?:\+ |(−) )/, "$1");

/** How result (i, j) of a step came about.
 * @param {number} step @param {{left: Shown[], out: Shown}} shown @param {number} i
 * @param {number} j */
export function explain(step, { left, out }, i, j) {
  const { kind } = STEPS[step];
  const [a, b, c] = left.map(({ numbers }) => numbers);
  const result = format(out.numbers[i][j]);
  const column = b?.map((row) => row[j]);
  if (kind === "scale") return `${format(a[i][j])}·√8 ≈ ${result}`;
  if (kind === "add") return `${format(a[i][j]) + plus(b[i][j])} ≈ ${result}`;
  if (kind === "scores") return `(${products(a[i], b[j])}) ÷ 2 ≈ ${result}`;
  if (kind === "softmax")
    return (
      `exp(${format(a[i][j])}) ÷ (${a[i].map((x) => `exp(${format(x)})`).join(" + ")}) ≈ ` + result
    );
  if (kind === "mix") return `${products(a[i], column)} ≈ ${result}`;
  if (kind === "concat")
    return `column ${j % a[0].length} of head ${j < a[0].length ? 1 : 2} = ${result}`;
  if (kind === "norm") {
    const [x, center, spread] = [a[i][j], mean(a[i]), variance(a[i])].map((value) =>
      fixed(value, 4),
    );
    return (
      `mean ${center}, variance ${spread}: (${x} − ` +
      `${center.startsWith("−") ? `(${center})` : center}) ÷ √(${spread} + 0.00001) · ` +
      `${sign(c[0][j]) + plus(c[1][j])} ≈ ${result}`
    );
  }
  const bias = b[j][a[i].length];
  const found = format(dot([...a[i], 1], b[j]));
  const sum = `${products(a[i], b[j]) + plus(bias)} ≈ ${found}`;
  return kind === "relu" ? `${sum}; max(0, ${found}) = ${result}` : sum;
}

/** The best German word for each token.
 * @param {Matrix} read @param {string[]} german */
export const readOut = (read, german) => read.map((row) => german[row.indexOf(Math.max(...row))]);
