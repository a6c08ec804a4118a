// @ts-check
// What a Transformer is made of. Each operation computes its output, and leaves on the tape how the
// gradient gets from its output to its inputs. Gradients add up: a tensor may be used twice.

/** @typedef {import("./memory.js").Memory} Memory */
/** @typedef {import("./memory.js").Tensor} Tensor */

/** The way back through what was computed, last step first. */
export class Tape {
  /** @param {Memory} memory @param {(() => number) | null} random for dropout; null: no dropout */
  constructor(memory, random = null) {
    this.memory = memory;
    this.random = random;
    /** @type {(() => void)[]} */
    this.steps = [];
  }

  /** Every gradient of the loss, which has set those of its own inputs. */
  backward() {
    for (let n = this.steps.length - 1; n >= 0; n -= 1) this.steps[n]();
  }
}

/** y = x Wᵀ + b, a row for each token; W has a row for each output, as in PyTorch.
 * @param {Tape} tape @param {Tensor} x @param {{weight: Tensor, bias?: Tensor}} map */
export function linear({ memory, steps }, x, { weight, bias }) {
  const [rows, inner, width] = [x.rows, x.width, weight.rows];
  const y = memory.tensor(rows, width);
  if (bias) for (let i = 0; i < rows; i += 1) y.data.set(bias.data, i * width);
  const before = memory.used;
  const turned = memory.transposed(weight.at, inner, width, inner);
  memory.product(x.at, inner, 1, turned, width, y.at, width, rows, inner, width);
  memory.used = before;
  steps.push(() => {
    memory.product(y.gradAt, width, 1, weight.at, inner, x.gradAt, inner, rows, width, inner);
    memory.product(y.gradAt, 1, width, x.at, inner, weight.gradAt, inner, width, rows, inner);
    if (bias)
      for (let i = 0; i < rows; i += 1)
        for (let j = 0; j < width; j += 1) bias.grad[j] += y.grad[i * width + j];
  });
  return y;
}

/** The rows of a table, each number times `scale` (section 3.4).
 * @param {Tape} tape @param {Tensor} table @param {number[]} ids @param {number} scale */
export function embedding({ memory, steps }, table, ids, scale) {
  const { width } = table;
  const y = memory.tensor(ids.length, width);
  ids.forEach((id, i) => {
    for (let d = 0; d < width; d += 1) y.data[i * width + d] = scale * table.data[id * width + d];
  });
  steps.push(() =>
    ids.forEach((id, i) => {
      for (let d = 0; d < width; d += 1)
        table.grad[id * width + d] += scale * y.grad[i * width + d];
    }),
  );
  return y;
}

/** x + y. @param {Tape} tape @param {Tensor} x @param {Tensor} y */
export function add({ memory, steps }, x, y) {
  const sum = memory.tensor(x.rows, x.width);
  for (let n = 0; n < sum.data.length; n += 1) sum.data[n] = x.data[n] + y.data[n];
  steps.push(() => {
    for (let n = 0; n < sum.grad.length; n += 1) {
      x.grad[n] += sum.grad[n];
      y.grad[n] += sum.grad[n];
    }
  });
  return sum;
}

/** max(0, x). @param {Tape} tape @param {Tensor} x */
export function relu({ memory, steps }, x) {
  const y = memory.tensor(x.rows, x.width);
  for (let n = 0; n < y.data.length; n += 1) y.data[n] = Math.max(0, x.data[n]);
  steps.push(() => {
    for (let n = 0; n < y.grad.length; n += 1) if (x.data[n] > 0) x.grad[n] += y.grad[n];
  });
  return y;
}

/** Zero a share of the numbers and enlarge the others, so that the mean stays (section 5.4).
 * @param {Tape} tape @param {Tensor} x @param {number} share */
export function dropout({ memory, steps, random }, x, share) {
  if (!random || !share) return x;
  const y = memory.tensor(x.rows, x.width);
  const kept = y.data.map(() => (random() < share ? 0 : 1 / (1 - share)));
  for (let n = 0; n < kept.length; n += 1) y.data[n] = kept[n] * x.data[n];
  steps.push(() => {
    for (let n = 0; n < kept.length; n += 1) x.grad[n] += kept[n] * y.grad[n];
  });
  return y;
}

/** Each row to mean 0 and variance 1, then times `weight` plus `bias` (section 3.1).
 * @param {Tape} tape @param {Tensor} x @param {{weight: Tensor, bias: Tensor}} norm */
export function layerNorm({ memory, steps }, x, { weight, bias }) {
  const { rows, width } = x;
  const y = memory.tensor(rows, width);
  const normal = memory.view(memory.take(rows * width), rows * width);
  const scales = memory.view(memory.take(rows), rows);
  for (let i = 0, from = 0; i < rows; i += 1, from += width) {
    let [mean, variance] = [0, 0];
    for (let d = 0; d < width; d += 1) mean += x.data[from + d] / width;
    for (let d = 0; d < width; d += 1) variance += (x.data[from + d] - mean) ** 2 / width;
    scales[i] = 1 / Math.sqrt(variance + 1e-5);
    for (let d = 0; d < width; d += 1) {
      normal[from + d] = (x.data[from + d] - mean) * scales[i];
      y.data[from + d] = normal[from + d] * weight.data[d] + bias.data[d];
    }
  }
  steps.push(() => {
    for (let i = 0, from = 0; i < rows; i += 1, from += width) {
      let [mean, slope] = [0, 0]; // of the gradient, and of it along the row itself
      for (let d = 0; d < width; d += 1) {
        const by = y.grad[from + d];
        weight.grad[d] += by * normal[from + d];
        bias.grad[d] += by;
        mean += (by * weight.data[d]) / width;
        slope += (by * weight.data[d] * normal[from + d]) / width;
      }
      for (let d = 0; d < width; d += 1)
        x.grad[from + d] +=
          scales[i] * (y.grad[from + d] * weight.data[d] - mean - slope * normal[from + d]);
    }
  });
  return y;
}
