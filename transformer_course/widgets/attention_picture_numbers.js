// @ts-check
// One head of a trained model: from words to output, in the order of the drawing.
import { dot, fixed, matmul, sinusoids, softmax, transpose } from "./numbers.js";
/** @import {Matrix} from "./types.js" */

/** What the reader changed: rows of q, k and v under "q1", scores under "row,column".
 * @typedef {Record<string, any>} Edits */

/** Rows of bytes, each times its scale. @param {string} text base64 @param {number[]} scales
 * @returns {Matrix} */
export function unpack(text, scales) {
  const bytes = Int8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const width = bytes.length / scales.length;
  return scales.map((scale, n) =>
    Array.from(bytes.subarray(n * width, (n + 1) * width), (x) => x * scale),
  );
}

/** The head's tables and maps, as Python packed them. @param {any} data */
export function open({ words, embedding, projections }) {
  const table = unpack(embedding.bytes, embedding.scales);
  const of = new Map(words.map((word, n) => [word, table[n]]));
  const maps = Object.fromEntries(
    Object.entries(projections).map(([name, { bytes, scales, bias }]) => [
      name,
      { weight: transpose(unpack(bytes, scales)), bias },
    ]),
  );
  return { of, maps, width: table[0].length };
}

/** X: the words' vectors times √d_model, and their places. @param {any} head @param {string[]} words
 * @returns {Matrix} */
export const inputs = ({ of, width }, words) =>
  sinusoids(words.length, width).map((wave, i) =>
    wave.map((x, d) => x + of.get(words[i])[d] * Math.sqrt(width)),
  );

/** X W and the bias. @param {any} head @param {Matrix} x @param {string} name @returns {Matrix} */
export const project = ({ maps }, x, name) =>
  matmul(x, maps[name].weight).map((row) => row.map((y, d) => y + maps[name].bias[d]));

/** Everything behind the words. @param {any} head @param {{words: string[], mask: boolean[][],
 * edits: Edits}} state */
export function compute(head, { words, mask, edits }) {
  const x = inputs(head, words);
  const [q, k, v] = /** @type {const} */ (["q", "k", "v"]).map((name) =>
    project(head, x, name).map((row, i) => edits[name + i] ?? row),
  );
  const scores = matmul(q, transpose(k)).map((row, i) =>
    row.map((score, j) => edits[`${i},${j}`] ?? score),
  );
  const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(q[0].length)));
  const masked = scaled.map((row, i) => row.map((score, j) => (mask[i][j] ? score : -Infinity)));
  const weights = masked.map(softmax);
  return { x, q, k, v, scores, scaled, masked, weights, output: matmul(weights, v) };
}

/** Put one row of q, k or v in place of another; scores that were set by hand there are read off
 * again. @param {Edits} edits @param {"q" | "k" | "v"} name @param {number} i
 * @param {number[]} row @returns {Edits} */
export const changeRow = (edits, name, i, row) => ({
  ...keep(edits, (where) => where.split(",")["qk".indexOf(name)] !== String(i)),
  [name + i]: row,
});

/** What is left of the changes once another word stands at place i.
 * @param {Edits} edits @param {number} i @returns {Edits} */
export const changeWord = (edits, i) =>
  keep(edits, (where) => !where.split(/[qkv,]/).includes(String(i)));

/** @param {Edits} edits @param {(where: string) => boolean} stays @returns {Edits} */
const keep = (edits, stays) =>
  Object.fromEntries(Object.entries(edits).filter(([where]) => stays(where)));

// ---- The sentence whose translations are known ----

export const NOUN = 4; // its place

/** What the translator writes; nothing of another sentence.
 * @param {any} data @param {string[]} words @returns {string} */
export const translation = ({ german }, words) =>
  (words.with(NOUN, "…").join(" ") === "The bank and the … were old . (end)" &&
    german[words[NOUN]]) ||
  "";

/** The noun's place, wherever it was moved, and what to put there.
 * @param {string[]} words @returns {[number, string]} */
export function rival(words) {
  const [own, other] = words.includes("safe") ? ["safe", "stream"] : ["stream", "safe"];
  return [words.includes(own) ? words.indexOf(own) : NOUN, other];
}

// ---- The query and a key as arrows in a plane ----

const length = (a) => Math.hypot(...a);

/** How far a key reaches along the query, and how far beside it: its true length and angle.
 * @param {number[]} q @param {number[]} k */
export function fold(q, k) {
  const along = dot(q, k) / (length(q) || 1);
  return { along, beside: Math.sqrt(Math.max(0, dot(k, k) - along ** 2)) };
}

/** The key that reaches so far along the query and so far beside it, to the side on which `k`, or
 * else `spare`, stands. @param {number[]} q @param {number[]} k @param {number[]} spare
 * @param {{along: number, beside: number}} to */
export function unfold(q, k, spare, { along, beside }) {
  const unit = q.map((x) => x / (length(q) || 1));
  const rest = (from) => from.map((x, d) => x - dot(unit, from) * unit[d]);
  const side = [k, spare].map(rest).find((each) => length(each) > 1e-6) ?? unit.map(() => 0);
  return unit.map((x, d) => along * x + (beside * side[d]) / (length(side) || 1));
}

/** The key whose value is drawn into the output: the one asked about, unless its weight rounds to
 * nothing; then the one with the largest. @param {number[]} weights of a row @param {number} j */
export const gives = (weights, j) =>
  weights[j] < 0.005 ? weights.indexOf(Math.max(...weights)) : j;

// ---- Words ----

/** Whose value a row takes for the most part, if there is one. @param {number[]} weights
 * @param {number} i @param {string[]} words */
export function takes(weights, i, words) {
  const most = Math.max(...weights);
  const j = weights.indexOf(most);
  if (!(most > 0.9)) return "";
  return ` “${words[i]}” ${i === j ? "keeps its own" : `takes that of “${words[j]}”`}.`;
}

/** How a number of this step came about, in one line.
 * @param {number} step @param {number} i @param {number} j @param {string[]} words
 * @param {ReturnType<typeof compute>} r */
export function explain(step, i, j, words, r) {
  const [from, to] = [words[i], words[j]];
  const score = fixed(r.scores[i][j], 1);
  const [scaled, masked] = [r.scaled, r.masked].map((rows) => fixed(rows[i][j], 1));
  if (step === 0) return `“${from}” in X: a bar for each number, gray below 0.`;
  if (step === 1) return `“${from}”: q = x W_Q. “${to}”: k = x W_K, v = x W_V.`;
  if (step === 2) return `score of “${from}” with “${to}” = q · k = ${score}`;
  if (step === 3) return `${score} ÷ √16 = ${scaled}`;
  if (step === 4)
    return masked === "−∞"
      ? `“${from}” may not attend to “${to}”: its score becomes −∞.`
      : `“${from}” may attend to “${to}”: ${masked} stays.`;
  if (r.masked[i].every((x) => x === -Infinity))
    return `Every key of “${from}” is masked: 0 ÷ 0 is NaN, and so is the output.`;
  const weight = fixed(r.weights[i][j], 2);
  if (step === 5) return `exp(${masked}) ÷ the row’s sum of exp = ${weight} for “${to}”`;
  const shares = r.weights[i]
    .map((share, n) => /** @type {[number, string]} */ ([share, words[n]]))
    .filter(([share], n) => share >= 0.005 || n === j)
    .sort(([a], [b]) => b - a)
    .map(([share, word]) => `${fixed(share, 2)} × v of “${word}”`);
  if (shares.length > 2) shares.splice(2, Infinity, "…");
  return `output ≈ ${shares.join(" + ")}`;
}
