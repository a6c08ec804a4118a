// @ts-check
// Adam with the paper's constants, and its learning rate (section 5.3, equation 3).

/** @typedef {import("./memory.js").Tensor} Tensor */

const [BETA1, BETA2, EPSILON] = [0.9, 0.98, 1e-9];

export class Adam {
  /** @param {Iterable<Tensor>} parameters */
  constructor(parameters) {
    this.steps = 0;
    this.states = Array.from(parameters, (tensor) => ({
      tensor,
      mean: tensor.data.map(() => 0),
      square: tensor.data.map(() => 0),
    }));
  }

  /** Move every parameter against its gradient, which is zero afterwards. @param {number} rate */
  step(rate) {
    this.steps += 1;
    const size = rate / (1 - BETA1 ** this.steps);
    const scale = 1 / Math.sqrt(1 - BETA2 ** this.steps);
    for (const { tensor, mean, square } of this.states) {
      const { data, grad } = tensor;
      for (let n = 0; n < data.length; n += 1) {
        const by = grad[n];
        mean[n] += (1 - BETA1) * (by - mean[n]);
        square[n] += (1 - BETA2) * (by * by - square[n]);
        data[n] -= (size * mean[n]) / (Math.sqrt(square[n]) * scale + EPSILON);
      }
      grad.fill(0);
    }
  }
}

/** Climbs in a straight line, then falls with the root of the step; or, where the last step is
 * known, in a straight line to zero.
 * @param {number} step from 1 on @param {number} width d_model
 * @param {{warmup: number, rate_factor: number, last_step?: number}} config */
export function learningRate(step, width, { warmup, rate_factor: factor, last_step: last }) {
  if (last && step > warmup)
    return (factor * (width * warmup) ** -0.5 * (last - step)) / (last - warmup);
  return factor * width ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);
}
