// @ts-check
// Equation 1 for a whole batch and every head, and its gradient.
import { wave } from "../numbers.js";

/** @typedef {import("./memory.js").Tensor} Tensor */
/** @typedef {import("./operations.js").Tape} Tape */

/** How the rows of a tensor are to be read, and what a query may look at.
 * @typedef {{heads: number, batch: number, lengths: number[], causal?: boolean,
 *   keep?: (weights: import("./memory.js").Numbers) => void}} Looking `lengths`: how many keys of
 * each sentence are no padding; `keep` gets the weights, batch by head by query by key */

/** softmax(Q Kᵀ / √d_k) V in slices of the width, one a head.
 * @param {Tape} tape @param {Tensor} q @param {Tensor} k @param {Tensor} v
 * @param {Looking} looking */
export function attention({ memory, steps }, q, k, v, { heads, batch, lengths, causal, keep }) {
  const [width, size] = [q.width, q.width / heads];
  const [queries, keys] = [q.rows / batch, k.rows / batch];
  const scale = 1 / Math.sqrt(size);
  const out = memory.tensor(q.rows, width);
  const all = batch * heads * queries * keys;
  const weights = memory.take(all);
  const p = memory.numbers;
  const { product } = memory;

  /** For each sentence and head: where its slices of q and k begin, and its weights. */
  const each = (visit) => {
    for (let n = 0; n < batch * heads; n += 1) {
      const [sentence, head] = [Math.floor(n / heads), n % heads];
      const slice = head * size;
      const from = sentence * queries * width + slice;
      visit(from, sentence * keys * width + slice, weights + n * queries * keys, sentence);
    }
  };

  each((qFrom, kFrom, at, sentence) => {
    const before = memory.used;
    const turned = memory.transposed(k.at + kFrom, width, keys, size);
    product(q.at + qFrom, width, 1, turned, keys, at, keys, queries, size, keys);
    memory.used = before;
    for (let i = 0, row = at; i < queries; i += 1, row += keys)
      softmaxRow(p, row, keys, Math.min(lengths[sentence], causal ? i + 1 : keys), scale);
    product(at, keys, 1, v.at + kFrom, width, out.at + qFrom, width, queries, keys, size);
  });
  keep?.(memory.view(weights, all));

  steps.push(() => {
    const before = memory.used;
    const byWeight = memory.take(queries * keys);
    each((qFrom, kFrom, at) => {
      p.fill(0, byWeight, byWeight + queries * keys);
      const inner = memory.used;
      const turned = memory.transposed(v.at + kFrom, width, keys, size);
      const by = out.gradAt + qFrom;
      product(at, 1, keys, by, width, v.gradAt + kFrom, width, keys, queries, size);
      product(by, width, 1, turned, keys, byWeight, keys, queries, size, keys);
      memory.used = inner;
      for (let i = 0; i < queries; i += 1) {
        const [row, grad] = [at + i * keys, byWeight + i * keys];
        let mean = 0; // of the gradients, by the weights
        for (let j = 0; j < keys; j += 1) mean += p[row + j] * p[grad + j];
        for (let j = 0; j < keys; j += 1) p[grad + j] = p[row + j] * (p[grad + j] - mean) * scale;
      }
      product(byWeight, keys, 1, k.at + kFrom, width, q.gradAt + qFrom, width, queries, keys, size);
      product(byWeight, 1, keys, q.at + qFrom, width, k.gradAt + kFrom, width, keys, queries, size);
    });
    memory.used = before;
  });
  return out;
}

/** In place; what lies beyond `open` is masked, so its weight is 0.
 * @param {import("./memory.js").Numbers} p @param {number} at @param {number} length
 * @param {number} open @param {number} scale */
function softmaxRow(p, at, length, open, scale) {
  let [top, total] = [-Infinity, 0];
  for (let j = 0; j < open; j += 1) top = Math.max(top, p[at + j]);
  for (let j = 0; j < open; j += 1) total += p[at + j] = Math.exp((p[at + j] - top) * scale);
  for (let j = 0; j < length; j += 1) p[at + j] = j < open ? p[at + j] / total : 0;
}

/** RoPE: each pair of numbers turned by the angle of its position, in every head.
 * @param {Tape} tape @param {Tensor} x @param {number} heads @param {number} batch */
export function rotate({ memory, steps }, x, heads, batch) {
  const [size, length] = [x.width / heads, x.rows / batch];
  const y = memory.tensor(x.rows, x.width);
  const turn = (from, to, way) => {
    for (let row = 0; row < x.rows; row += 1)
      for (let d = 0; d < x.width; d += 2) {
        const at = row * x.width + d;
        const sine = way * wave(row % length, d % size, size);
        const cosine = wave(row % length, (d % size) + 1, size);
        to[at] += from[at] * cosine - from[at + 1] * sine;
        to[at + 1] += from[at] * sine + from[at + 1] * cosine;
      }
  };
  turn(x.data, y.data, 1);
  steps.push(() => turn(y.grad, x.grad, -1));
  return y;
}
