// @ts-check
// A run of the laboratory: a model that learns a task, and what one sees of it in between.
import { random } from "../numbers.js";
import { Memory } from "./memory.js";
import { Tape } from "./operations.js";
import { LONGEST, TASKS, vocabulary } from "./tasks.js";
import { EOS_ID } from "./tokens.js";
import { Learner, makeBatch } from "./training.js";

const NEW_ROWS = 100;

/** What a reader chooses. `warmup` 0 starts at the peak; `mask` false lets the decoder see the
 * answers. @typedef {{task: string, positions: string, norm: string, heads: number, layers: number,
 * mask: boolean, rate: number, warmup: number, smoothing: number, steps: number, seed: number}}
 * Settings */

/** @type {Settings} */
export const PAPERS = {
  task: "reverse",
  positions: "sinusoidal",
  norm: "post",
  heads: 2,
  layers: 1,
  mask: true,
  rate: 1,
  warmup: 100,
  smoothing: 0.1,
  steps: 1200,
  seed: 0,
};
export const SIZES = { d_model: 32, d_ff: 64 };

/** How the rate of some settings goes. Without a warm-up it starts where it would have got to: same
 * peak, no climb. @param {Settings} settings */
export const teachingOf = ({ rate, warmup, smoothing, steps }) => ({
  warmup: warmup || 1,
  rate_factor: warmup ? rate : rate * PAPERS.warmup ** -0.5,
  label_smoothing: smoothing,
  last_step: steps,
});

export class Experiment {
  /** @param {Settings} settings @param {Memory} [memory] */
  constructor(settings, memory = new Memory(48)) {
    const { positions, norm, heads, layers, mask, seed } = settings;
    this.settings = settings;
    this.task = TASKS[settings.task];
    const config = {
      vocab_size: vocabulary(this.task),
      d_model: SIZES.d_model,
      num_heads: heads,
      d_ff: SIZES.d_ff,
      num_layers: layers,
      max_len: LONGEST + 2,
      positions,
      norm_placement: norm,
      causal: mask,
    };
    this.learner = new Learner(config, teachingOf(settings), random(2 * seed + 1), memory);
    this.data = random(2 * seed + 2);
    const uniform = random(12345); // the same new rows in every run
    this.newRows = Array.from({ length: NEW_ROWS }, () => this.task.draw(uniform, true));
  }

  /** Take a step. @returns {number} the loss before it */
  step() {
    return this.learner.step(makeBatch(this.task.batch(this.data)));
  }

  get done() {
    return this.learner.optimizer.steps >= this.settings.steps;
  }

  /** The share of the new rows, or sentences, that it answers without a mistake. A decoder that was
   * taught with the answers in sight has to write them to be judged. */
  share() {
    const { learner, newRows } = this;
    const written = (src, tgt) => String(learner.write(src, LONGEST)) === String(tgt);
    const right = this.settings.mask
      ? [0, 25, 50, 75].flatMap((from) => learner.exact(newRows.slice(from, from + 25)))
      : newRows.slice(0, 25).map(([src, tgt]) => written(src, tgt));
    return right.filter(Boolean).length / right.length;
  }

  /** What it makes of a row now, and where the last layer's heads look meanwhile.
   * @param {number[]} src
   * @returns {{output: number[], wanted: number[] | null, weights: number[][][], cosines: number[],
   * belief: number[]}} `weights`: head by token that is written, the end mark too, by token of the
   * source and its end mark; `cosines`: how alike its tokens are; `belief`: probabilities of the
   * first token */
  look(src) {
    const { learner } = this;
    const output = learner.write(src, LONGEST);
    const { heads } = this.settings;
    const attention = learner.model.decoderLayers.at(-1)?.crossAttn;
    const [rows, columns] = [output.length + 1, src.length + 1];
    /** @type {number[][][]} */
    let weights = [];
    if (attention) {
      attention.keep = (all) => {
        weights = Array.from({ length: heads }, (_, head) =>
          Array.from({ length: rows }, (__, row) => {
            const from = (head * rows + row) * columns;
            return Array.from(all.subarray(from, from + columns));
          }),
        );
      };
      learner.exact([[src, output]]);
      attention.keep = undefined;
    }
    const cosines = this.alike([...src, EOS_ID]);
    const belief = learner.belief(src);
    return { output, wanted: this.task.answer(src), weights, cosines, belief };
  }

  /** The mean cosine of two tokens of a row as it comes in and after each layer of the encoder.
   * @param {number[]} row @returns {number[]} */
  alike(row) {
    const { memory, mark, model } = this.learner;
    memory.used = mark;
    const tape = new Tape(memory);
    const side = { batch: 1, lengths: [row.length] };
    let x = model.embed(tape, [row]);
    const all = [x, ...model.encoderLayers.map((layer) => (x = layer.forward(tape, x, side)))];
    return all.map(({ rows, width, data }) => {
      const sum = Array(width).fill(0); // of all directions
      for (let n = 0; n < rows; n += 1) {
        const one = data.slice(n * width, (n + 1) * width);
        one.forEach((value, k) => (sum[k] += value / Math.hypot(...one)));
      }
      if (rows < 2) return 1; // alone, it is like itself
      return (Math.hypot(...sum) ** 2 - rows) / (rows * (rows - 1)); // without each with itself
    });
  }
}
