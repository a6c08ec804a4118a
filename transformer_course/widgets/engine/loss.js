// @ts-check
// The label-smoothed loss of section 5.4, and how many tokens were foretold right.
import { PAD_ID } from "./tokens.js";

/** Cross-entropy against a target that spreads `smoothing` over all tokens, the mean over the
 * tokens that are no padding. Sets the gradient of the logits.
 * @param {import("./memory.js").Tensor} logits a row for each target token
 * @param {number[]} wanted @param {number} smoothing */
export function labelSmoothedLoss(logits, wanted, smoothing) {
  const { width, data, grad } = logits;
  const count = wanted.filter((id) => id !== PAD_ID).length;
  const even = smoothing / width;
  let loss = 0;
  wanted.forEach((id, i) => {
    if (id === PAD_ID) return;
    const from = i * width;
    let [top, total, sum] = [-Infinity, 0, 0];
    for (let j = 0; j < width; j += 1) top = Math.max(top, data[from + j]);
    for (let j = 0; j < width; j += 1) {
      const power = Math.exp(data[from + j] - top);
      grad[from + j] = power;
      total += power;
      sum += data[from + j];
    }
    loss += top + Math.log(total) - (1 - smoothing) * data[from + id] - even * sum;
    for (let j = 0; j < width; j += 1) grad[from + j] = (grad[from + j] / total - even) / count;
    grad[from + id] -= (1 - smoothing) / count;
  });
  return loss / count;
}

/** The likeliest token of each row. @param {import("./memory.js").Tensor} logits */
export function likeliest({ rows, width, data }) {
  return Array.from({ length: rows }, (_, i) => {
    let best = 0;
    for (let j = 1; j < width; j += 1) if (data[i * width + j] > data[i * width + best]) best = j;
    return best;
  });
}
