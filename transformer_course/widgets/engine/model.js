// @ts-check
// The whole model of figure 1, as transformer_course/model/transformer.py has it.
import { DecoderLayer, EncoderLayer, makeNorm } from "./layers.js";
import { wave } from "../numbers.js";
import { add, embedding, layerNorm, linear } from "./operations.js";

/** @typedef {import("./memory.js").Memory} Memory */
/** @typedef {import("./memory.js").Tensor} Tensor */
/** @typedef {import("./operations.js").Tape} Tape */
/** @typedef {import("./layers.js").Side} Side */

/** The package's names. `causal` false takes the decoder's mask off.
 * @typedef {{vocab_size: number, d_model: number, num_heads: number, d_ff: number,
 *   num_layers: number, max_len: number, positions: string,
 *   norm_placement: string, causal?: boolean}} Config */

/** Rows of ids of equal length, padded at the end. @typedef {number[][]} Ids */

export class Transformer {
  /** @param {Memory} memory it takes room for its parameters first
   * @param {Config} config @param {() => number} normal standard normal numbers */
  constructor(memory, config, normal) {
    this.config = config;
    /** @type {Map<string, Tensor>} */
    this.parameters = new Map();
    const make = (/** @type {string} */ name, /** @type {number} */ rows, width = 1) => {
      const tensor = memory.tensor(rows, width);
      this.parameters.set(name, tensor);
      // Tables start with unit variance once scaled, matrices as Glorot & Bengio 2010 have it,
      // gains with 1 and biases with 0. (The package's Glorot is uniform, this one normal.)
      const table = name === "embedding.weight" || name === "positions.table";
      const spread = table ? width ** -0.5 : width > 1 ? Math.sqrt(2 / (rows + width)) : 0;
      if (spread) tensor.data.forEach((_, n) => (tensor.data[n] = spread * normal()));
      else if (name.endsWith("weight")) tensor.data.fill(1);
      return tensor;
    };
    const { d_model: width } = config;
    this.embedding = make("embedding.weight", config.vocab_size, width);
    if (config.positions === "learned")
      this.positions = make("positions.table", config.max_len, width);
    const depth = Array.from({ length: config.num_layers }, (_, n) => n);
    this.encoderLayers = depth.map((n) => new EncoderLayer(make, `encoder_layers.${n}`, config));
    this.decoderLayers = depth.map((n) => new DecoderLayer(make, `decoder_layers.${n}`, config));
    if (config.norm_placement === "pre") {
      this.encoderNorm = makeNorm(make, "encoder_norm", width);
      this.decoderNorm = makeNorm(make, "decoder_norm", width);
    }
    this.waves = flatSinusoids(config.max_len, width);
  }

  /** Logits of the next token, a row for each token of `tgt`.
   * @param {Tape} tape @param {Ids} src @param {Ids} tgt */
  forward(tape, src, tgt) {
    const [from, to] = [side(src), side(tgt)];
    let memory = this.embed(tape, src);
    for (const layer of this.encoderLayers) memory = layer.forward(tape, memory, from);
    if (this.encoderNorm) memory = layerNorm(tape, memory, this.encoderNorm);
    const causal = this.config.causal ?? true;
    let x = this.embed(tape, tgt);
    for (const layer of this.decoderLayers) x = layer.forward(tape, x, memory, to, from, causal);
    if (this.decoderNorm) x = layerNorm(tape, x, this.decoderNorm);
    return linear(tape, x, { weight: this.embedding });
  }

  /** @param {Tape} tape @param {Ids} rows */
  embed(tape, rows) {
    const { positions, d_model: width } = this.config;
    const length = rows[0].length;
    let x = embedding(tape, this.embedding, rows.flat(), Math.sqrt(width));
    if (this.positions) {
      const places = rows.flatMap(() => Array.from({ length }, (_, place) => place));
      x = add(tape, x, embedding(tape, this.positions, places, 1));
    } else if (positions === "sinusoidal")
      rows.forEach((_, n) => {
        const from = n * length * width;
        for (let i = 0; i < length * width; i += 1) x.data[from + i] += this.waves[i];
      });
    return x;
  }
}

/** How many sentences, and how long each is without its padding (id 0). @param {Ids} rows */
const side = (rows) => ({
  batch: rows.length,
  lengths: rows.map((row) => row.findLastIndex((id) => id !== 0) + 1),
});

/** Section 3.5, one row of `width` numbers after the other.
 * @param {number} length @param {number} width */
const flatSinusoids = (length, width) =>
  Float64Array.from({ length: length * width }, (_, n) =>
    wave(Math.floor(n / width), n % width, width),
  );
