// @ts-check
// A model that learns: one step after the other, looked at in between (section 5).
import { Adam, learningRate } from "./adam.js";
import { labelSmoothedLoss, likeliest } from "./loss.js";
import { Memory } from "./memory.js";
import { Transformer } from "./model.js";
import { Tape } from "./operations.js";
import { BOS_ID, EOS_ID, PAD_ID } from "./tokens.js";
import { normal } from "../numbers.js";

/** Sources and targets as ids, without marks. @typedef {[number[], number[]][]} Pairs */

/** @typedef {{warmup: number, rate_factor: number, label_smoothing: number,
 *   last_step?: number}} Teaching how a model is taught, in the package's names */

/** One step's rows of ids. @typedef {{src: number[][], tgtIn: number[][], tgtOut: number[][]}} Batch */

/** Rows of ids filled up to one length. @param {number[][]} rows */
function pad(rows) {
  const length = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(length - row.length).fill(PAD_ID)]);
}

/** What the decoder reads is one place behind what it should say. @param {Pairs} pairs */
export const makeBatch = (pairs) => ({
  src: pad(pairs.map(([src]) => [...src, EOS_ID])),
  tgtIn: pad(pairs.map(([, tgt]) => [BOS_ID, ...tgt])),
  tgtOut: pad(pairs.map(([, tgt]) => [...tgt, EOS_ID])),
});

export class Learner {
  /** @param {import("./model.js").Config} config @param {Teaching} teaching
   * @param {() => number} random uniform numbers in [0, 1), for weights
   * @param {Memory} memory */
  constructor(config, teaching, random, memory = new Memory(48)) {
    this.memory = memory;
    this.teaching = teaching;
    this.model = new Transformer(memory, config, () => normal(random));
    this.optimizer = new Adam(this.model.parameters.values());
    this.mark = memory.used; // what lies beyond is of one pass only
  }

  /** The loss of a batch, and the gradients of all parameters.
   * @param {Batch} batch @returns {number} nats a token */
  gradients({ src, tgtIn, tgtOut }) {
    this.memory.used = this.mark;
    const tape = new Tape(this.memory);
    const logits = this.model.forward(tape, src, tgtIn);
    const loss = labelSmoothedLoss(logits, tgtOut.flat(), this.teaching.label_smoothing);
    tape.backward();
    return loss;
  }

  /** Learn from a batch. @param {Batch} batch @returns {number} the loss before
   * @throws {RangeError} if it is no finite number: no weight has changed then */
  step(batch) {
    const loss = this.gradients(batch);
    if (!Number.isFinite(loss))
      throw new RangeError(
        `the loss of step ${this.optimizer.steps + 1} is not a number any more: choose a lower ` +
          "rate or a longer warm-up",
      );
    const { steps } = this.optimizer;
    this.optimizer.step(learningRate(steps + 1, this.model.config.d_model, this.teaching));
    return loss;
  }

  /** All that it has learned, in the package's names and order.
   * @returns {{shapes: [string, number, number][], numbers: Float32Array}} names with rows and
   * widths, and all numbers one after the other */
  learned() {
    const parameters = Array.from(this.model.parameters);
    return {
      shapes: parameters.map(([name, { rows, width }]) => [name, rows, width]),
      numbers: Float32Array.from(parameters.flatMap(([, { data }]) => Array.from(data))),
    };
  }

  /** Which pairs the model would write out without a mistake. Greedy decoding writes a target if
   * and only if each of its tokens is the likeliest after those before it: one pass tells.
   * @param {Pairs} pairs @returns {boolean[]} for each pair */
  exact(pairs) {
    const { src, tgtIn, tgtOut } = makeBatch(pairs);
    this.memory.used = this.mark;
    const said = likeliest(this.model.forward(new Tape(this.memory), src, tgtIn));
    const length = tgtOut[0].length;
    return tgtOut.map((row, n) =>
      row.every((id, place) => id === PAD_ID || id === said[n * length + place]),
    );
  }

  /** What it holds each token for, as the first that it writes.
   * @param {number[]} src @returns {number[]} probabilities, by id */
  belief(src) {
    this.memory.used = this.mark;
    const { data } = this.model.forward(new Tape(this.memory), [[...src, EOS_ID]], [[BOS_ID]]);
    const most = Math.max(...data);
    const odds = Array.from(data, (x) => Math.exp(x - most));
    const sum = odds.reduce((a, b) => a + b);
    return odds.map((x) => x / sum);
  }

  /** What it writes, one likeliest token after the other.
   * @param {number[]} src @param {number} limit @returns {number[]} without the end mark */
  write(src, limit) {
    const tokens = [BOS_ID];
    while (tokens.length <= limit) {
      this.memory.used = this.mark;
      const logits = this.model.forward(new Tape(this.memory), [[...src, EOS_ID]], [tokens]);
      const next = likeliest(logits).at(-1) ?? EOS_ID;
      if (next === EOS_ID) break;
      tokens.push(next);
    }
    return tokens.slice(1);
  }
}
