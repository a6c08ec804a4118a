// @ts-check
// The layers of figure 1, part by part under the package's names.
import { attention, rotate } from "./attention.js";
import { add, layerNorm, linear, relu } from "./operations.js";

/** @typedef {import("./memory.js").Tensor} Tensor */
/** @typedef {import("./operations.js").Tape} Tape */
/** @typedef {import("./model.js").Config} Config */
/** @typedef {(name: string, rows: number, width?: number) => Tensor} Maker of a parameter */

/** The sentences of a batch as the layers see them: how many, and the length of each.
 * @typedef {{batch: number, lengths: number[]}} Side */

/** @param {Maker} make @param {string} name @param {number} width @param {number} from */
const map = (make, name, width, from) => ({
  weight: make(`${name}.weight`, width, from),
  bias: make(`${name}.bias`, width),
});

/** @param {Maker} make @param {string} name @param {number} width */
export const makeNorm = (make, name, width) => ({
  weight: make(`${name}.weight`, width),
  bias: make(`${name}.bias`, width),
});

class MultiHeadAttention {
  /** @param {Maker} make @param {string} name @param {Config} config @param {boolean} rotary */
  constructor(make, name, { d_model: width, num_heads: heads }, rotary) {
    this.heads = heads;
    this.rotary = rotary;
    this.queryProj = map(make, `${name}.query_proj`, width, width);
    this.keyProj = map(make, `${name}.key_proj`, width, width);
    this.valueProj = map(make, `${name}.value_proj`, width, width);
    this.outProj = map(make, `${name}.out_proj`, width, width);
    /** @type {((weights: import("./memory.js").Numbers) => void) | undefined} */
    this.keep = undefined; // whoever sets this sees the weights of every pass
  }

  /** @param {Tape} tape @param {Tensor} x that looks @param {Tensor} memory that is looked at
   * @param {Side} side of the memory @param {boolean} [causal] */
  forward(tape, x, memory, { batch, lengths }, causal = false) {
    let q = linear(tape, x, this.queryProj);
    let k = linear(tape, memory, this.keyProj);
    const v = linear(tape, memory, this.valueProj);
    if (this.rotary)
      [q, k] = [rotate(tape, q, this.heads, batch), rotate(tape, k, this.heads, batch)];
    const { heads, keep } = this;
    const mixed = attention(tape, q, k, v, { heads, batch, lengths, causal, keep });
    return linear(tape, mixed, this.outProj);
  }
}

class FeedForward {
  /** @param {Maker} make @param {string} name @param {Config} config */
  constructor(make, name, { d_model: width, d_ff: wide }) {
    this.expand = map(make, `${name}.expand`, wide, width);
    this.contract = map(make, `${name}.contract`, width, wide);
  }

  /** @param {Tape} tape @param {Tensor} x */
  forward(tape, x) {
    return linear(tape, relu(tape, linear(tape, x, this.expand)), this.contract);
  }
}

/** Sub-layers, each with its residual path and its norm: after the sum, or before the sub-layer. */
class Layer {
  /** @param {Maker} make @param {string} name @param {Config} config @param {number} sublayers */
  constructor(make, name, config, sublayers) {
    this.pre = config.norm_placement === "pre";
    this.selfAttn = new MultiHeadAttention(
      make,
      `${name}.self_attn`,
      config,
      config.positions === "rotary",
    );
    this.feedForward = new FeedForward(make, `${name}.feed_forward`, config);
    this.norms = Array.from({ length: sublayers }, (_, n) =>
      makeNorm(make, `${name}.norm${n + 1}`, config.d_model),
    );
  }

  /** @param {Tape} tape @param {Tensor} x @param {number} n which norm
   * @param {(x: Tensor) => Tensor} sublayer */
  around(tape, x, n, sublayer) {
    const inside = this.pre ? layerNorm(tape, x, this.norms[n]) : x;
    const sum = add(tape, x, sublayer(inside));
    return this.pre ? sum : layerNorm(tape, sum, this.norms[n]);
  }
}

export class EncoderLayer extends Layer {
  /** @param {Maker} make @param {string} name @param {Config} config */
  constructor(make, name, config) {
    super(make, name, config, 2);
  }

  /** @param {Tape} tape @param {Tensor} x @param {Side} src */
  forward(tape, x, src) {
    x = this.around(tape, x, 0, (y) => this.selfAttn.forward(tape, y, y, src));
    return this.around(tape, x, 1, (y) => this.feedForward.forward(tape, y));
  }
}

export class DecoderLayer extends Layer {
  /** @param {Maker} make @param {string} name @param {Config} config */
  constructor(make, name, config) {
    super(make, name, config, 3);
    this.crossAttn = new MultiHeadAttention(make, `${name}.cross_attn`, config, false);
  }

  /** @param {Tape} tape @param {Tensor} x @param {Tensor} memory @param {Side} tgt
   * @param {Side} src @param {boolean} causal false lets it see the answers, as a bug would */
  forward(tape, x, memory, tgt, src, causal) {
    x = this.around(tape, x, 0, (y) => this.selfAttn.forward(tape, y, y, tgt, causal));
    x = this.around(tape, x, 1, (y) => this.crossAttn.forward(tape, y, memory, src));
    return this.around(tape, x, 2, (y) => this.feedForward.forward(tape, y));
  }
}
