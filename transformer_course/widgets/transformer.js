// @ts-check
// The course's Transformer in plain JavaScript: encoder, and decoder with its cache. It reads the
// checkpoint that Python reads. Every vector is a Float64Array, every weight a float32, as in
// Python.
import { BOS_ID, PAD_ID } from "./bpe.js";
import { readCheckpoint } from "./checkpoint.js";
import { wave } from "./numbers.js";

/** @typedef {Float64Array} Vector */
/** @typedef {{weight: Float32Array, bias?: Float32Array}} Weights */
/** @typedef {{keys: Vector[], values: Vector[]}} Cache of one attention: a key and a value per
 * token */
/** @typedef {{length: number, cross: Cache[]}} Memory what the decoder looks at */
/** @typedef {{weights: Vector[]}} Record weights of attention that a pass went through */

// ---- The parts ----

/** A linear map of one vector, four rows at a time: a third faster than one, and every sum in
 * float64.
 * @param {Vector} x @param {Weights} map */
export function linear(x, { weight, bias }) {
  const width = x.length;
  const y = new Float64Array(weight.length / width);
  const whole = y.length - (y.length % 4);
  for (let row = 0; row < whole; row += 4) {
    let [a, b, c, d] = [0, 0, 0, 0];
    const i = row * width;
    const j = i + width;
    const k = j + width;
    const l = k + width;
    for (let n = 0; n < width; n += 1) {
      const z = x[n];
      a += weight[i + n] * z;
      b += weight[j + n] * z;
      c += weight[k + n] * z;
      d += weight[l + n] * z;
    }
    y[row] = a;
    y[row + 1] = b;
    y[row + 2] = c;
    y[row + 3] = d;
  }
  for (let row = whole; row < y.length; row += 1)
    for (let n = 0; n < width; n += 1) y[row] += weight[row * width + n] * x[n];
  if (bias) for (let row = 0; row < y.length; row += 1) y[row] += bias[row];
  return y;
}

/** LayerNorm(x + y). @param {Vector} x @param {Vector} y @param {Weights} norm @returns {Vector} */
export function addAndNorm(x, y, { weight, bias }) {
  const sum = x.map((value, n) => value + y[n]);
  const mean = sum.reduce((total, value) => total + value, 0) / sum.length;
  const variance = sum.reduce((total, value) => total + (value - mean) ** 2, 0) / sum.length;
  const scale = 1 / Math.sqrt(variance + 1e-5);
  return sum.map((value, n) => (value - mean) * scale * weight[n] + (bias?.[n] ?? 0));
}

/** Equation 1 for one query and every head.
 * @param {Vector} query @param {Cache} cache @param {number} heads
 * @param {Record} [record] gets the weights, one head after the other @returns {Vector} */
export function attend(query, { keys, values }, heads, record) {
  const width = query.length / heads;
  const mixed = new Float64Array(query.length);
  const weights = new Float64Array(heads * keys.length);
  for (let head = 0; head < heads; head += 1) {
    const [from, to, at] = [head * width, (head + 1) * width, head * keys.length];
    let [top, total] = [-Infinity, 0];
    for (let j = 0; j < keys.length; j += 1) {
      let score = 0;
      for (let d = from; d < to; d += 1) score += query[d] * keys[j][d];
      weights[at + j] = score / Math.sqrt(width);
      top = Math.max(top, weights[at + j]);
    }
    for (let j = 0; j < keys.length; j += 1)
      total += weights[at + j] = Math.exp(weights[at + j] - top);
    for (let j = 0; j < keys.length; j += 1) {
      const weight = (weights[at + j] /= total);
      for (let d = from; d < to; d += 1) mixed[d] += weight * values[j][d];
    }
  }
  record?.weights.push(weights);
  return mixed;
}

// ---- The model ----

export class Transformer {
  /** @param {ArrayBuffer} bytes of model.safetensors */
  constructor(bytes) {
    const { config, tensors } = readCheckpoint(bytes);
    const part = (name) => {
      const weight = tensors.get(`${name}.weight`);
      if (!weight) throw new Error(`expected weights of ${name}, got none`);
      return { weight, bias: tensors.get(`${name}.bias`) };
    };
    const attention = (name) => ({
      query: part(`${name}.query_proj`),
      key: part(`${name}.key_proj`),
      value: part(`${name}.value_proj`),
      out: part(`${name}.out_proj`),
    });
    const layer = (name, cross) => ({
      self: attention(`${name}.self_attn`),
      cross: cross ? attention(`${name}.cross_attn`) : null,
      expand: part(`${name}.feed_forward.expand`),
      contract: part(`${name}.feed_forward.contract`),
      norms: [1, 2, 3].slice(0, cross ? 3 : 2).map((n) => part(`${name}.norm${n}`)),
    });
    const depth = Array.from({ length: config.num_layers }, (_, n) => n);
    this.config = config;
    this.embedding = part("embedding");
    this.encoderLayers = depth.map((n) => layer(`encoder_layers.${n}`, false));
    this.decoderLayers = depth.map((n) => layer(`decoder_layers.${n}`, true));
  }

  /** @param {number} id @param {number} position @returns {Vector} */
  embed(id, position) {
    const width = this.config.d_model;
    const row = this.embedding.weight.subarray(id * width, (id + 1) * width);
    return Float64Array.from(row, (x, d) => x * Math.sqrt(width) + wave(position, d, width));
  }

  /** Keys and values of more tokens.
   * @param {any} attention @param {Vector[]} rows @param {Cache} [cache] @returns {Cache} */
  remember(attention, rows, cache = { keys: [], values: [] }) {
    for (const row of rows) {
      cache.keys.push(linear(row, attention.key));
      cache.values.push(linear(row, attention.value));
    }
    return cache;
  }

  /** The sub-layer of attention for one token: look, add, normalize. */
  look(x, attention, cache, norm, record) {
    return addAndNorm(
      x,
      linear(
        attend(linear(x, attention.query), cache, this.config.num_heads, record),
        attention.out,
      ),
      norm,
    );
  }

  /** The feed-forward sub-layer of one token. @param {Vector} x */
  think(x, { expand, contract, norms }) {
    return addAndNorm(
      x,
      linear(
        linear(x, expand).map((value) => Math.max(0, value)),
        contract,
      ),
      norms[norms.length - 1],
    );
  }

  /** Turn the source into what the decoder looks at.
   * @param {number[]} ids @param {Record[]} [records] one a token @returns {Memory} */
  encode(ids, records) {
    let rows = ids.map((id, position) => this.embed(id, position));
    for (const layer of this.encoderLayers) {
      const cache = this.remember(layer.self, rows);
      rows = rows.map((x, i) =>
        this.think(this.look(x, layer.self, cache, layer.norms[0], records?.[i]), layer),
      );
    }
    return {
      length: ids.length,
      cross: this.decoderLayers.map((layer) => this.remember(layer.cross, rows)),
    };
  }

  /** An empty cache. @returns {Cache[]} */
  begin() {
    return this.decoderLayers.map(() => ({ keys: [], values: [] }));
  }

  /** Add one token to the target and score what may follow.
   * @param {Memory} memory @param {Cache[]} past it grows by the token @param {number} id
   * @param {Record} [record] gets, by layer, self- and cross-attention @returns {Vector} */
  step(memory, past, id, record) {
    let x = this.embed(id, past[0].keys.length);
    this.decoderLayers.forEach((layer, n) => {
      this.remember(layer.self, [x], past[n]);
      x = this.look(x, layer.self, past[n], layer.norms[0], record);
      x = this.think(this.look(x, layer.cross, memory.cross[n], layer.norms[1], record), layer);
    });
    const logits = linear(x, this.embedding);
    logits[PAD_ID] = logits[BOS_ID] = -Infinity; // padding and the start mark never follow
    return logits;
  }

  /** How many tokens an output may have.
   * @param {number} length of the source @param {number} maxExtra */
  limit(length, maxExtra) {
    return Math.min(length + maxExtra, this.config.max_len - 1);
  }
}
