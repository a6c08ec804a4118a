// @ts-check
// What a Transformer is made of. Each operation computes its output, and leaves on the tape how the
// gradient gets from its output to its inputs. Gradients add up: a tensor may be used twice.

/** @typedef {import("./memory.js").Memory} Memory */
/** @typedef {import("./memory.js").Tensor} Tensor */

/** The way back through what was computed, last step first. */
export class Tape {
  /** @param {Memory} memory */
  constructor(memory) {
    this.memory = memory;
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
    // The sum of the columns: a row of ones, which is one number read again and again, times them.
    if (bias) memory.product(memory.one, 0, 0, y.gradAt, width, bias.gradAt, 0, 1, rows, width);
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
  const [a, b, c] = [x.data, y.data, sum.data];
  for (let n = 0; n < c.length; n += 1) c[n] = a[n] + b[n];
  steps.push(() => {
    const [byX, byY, bySum] = [x.grad, y.grad, sum.grad];
    for (let n = 0; n < bySum.length; n += 1) {
      byX[n] += bySum[n];
      byY[n] += bySum[n];
    }
  });
  return sum;
}

/** max(0, x). @param {Tape} tape @param {Tensor} x */
export function relu({ memory, steps }, x) {
  const y = memory.tensor(x.rows, x.width);
  const [from, to] = [x.data, y.data];
  for (let n = 0; n < to.length; n += 1) to[n] = from[n] > 0 ? from[n] : 0;
  steps.push(() => {
    const [byX, byY] = [x.grad, y.grad];
    for (let n = 0; n < byY.length; n += 1) byX[n] += from[n] > 0 ? byY[n] : 0;
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
  const [from, to, gain, shift] = [x.data, y.data, weight.data, bias.data];
  for (let i = 0, at = 0; i < rows; i += 1, at += width) {
    let [sum, squares] = [0, 0];
    for (let d = 0; d < width; d += 1) sum += from[at + d];
    const mean = sum / width;
    for (let d = 0; d < width; d += 1) squares += (from[at + d] - mean) * (from[at + d] - mean);
    const scale = (scales[i] = 1 / Math.sqrt(squares / width + 1e-5));
    for (let d = 0; d < width; d += 1) {
      normal[at + d] = (from[at + d] - mean) * scale;
      to[at + d] = normal[at + d] * gain[d] + shift[d];
    }
  }
  steps.push(() => {
    const [byX, byY, byGain, byShift] = [x.grad, y.grad, weight.grad, bias.grad];
    for (let i = 0, at = 0; i < rows; i += 1, at += width) {
      let [sum, along] = [0, 0]; // of the gradient, and of it in the direction of the row itself
      for (let d = 0; d < width; d += 1) {
        const by = byY[at + d];
        byGain[d] += by * normal[at + d];
        byShift[d] += by;
        sum += by * gain[d];
        along += by * gain[d] * normal[at + d];
      }
      const [mean, slope, scale] = [sum / width, along / width, scales[i]];
      for (let d = 0; d < width; d += 1)
        byX[at + d] += scale * (byY[at + d] * gain[d] - mean - slope * normal[at + d]);
    }
  });
  return y;
}
