// @ts-check
// The course's Transformer at work in the page: encoder, and decoder with its cache. It reads the
// checkpoint that Python reads, and its products of matrices are those of the engine that learns.
import { BOS_ID, PAD_ID } from "./bpe.js";
import { readCheckpoint, rowOf } from "./checkpoint.js";
import { Memory } from "./engine/memory.js";
import { wave } from "./numbers.js";
/** @import {Stored} from "./checkpoint.js" */

/** @typedef {Float32Array} Vector */
/** A matrix and its bias, all in memory: bytes with a scale for each row, or numbers turned.
 * @typedef {{inner: number, width: number, weight: number, scale?: number, bias?: Vector}} Map */
/** @typedef {{weight: Vector, bias: Vector}} Norm */
/** @typedef {{keys: Vector[], values: Vector[]}} Cache of one attention: a key and a value per
 * token */
/** @typedef {{length: number, cross: Cache[]}} Source what the decoder looks at */
/** @typedef {{weights: Vector[]}} Record weights of attention that a pass went through */

const MEGABYTES = 24; // for what a pass computes: 512 tokens at once, of a model of the page

// ---- The parts ----

/** @param {Memory} memory @param {Stored} stored @param {Stored} [bias] @returns {Map} */
export function makeMap(memory, stored, bias) {
  const [width, inner] = stored.shape;
  const map = { inner, width, bias: bias && Float32Array.from(bias.numbers) };
  if (stored.scale && inner % 8 === 0 && width % 2 === 0)
    return { ...map, weight: memory.store(stored.numbers), scale: memory.store(stored.scale) };
  const turned = new Float32Array(width * inner);
  for (let j = 0; j < width; j += 1)
    rowOf(stored, j).forEach((x, k) => {
      turned[k * width + j] = x;
    });
  return { ...map, weight: memory.store(turned) };
}

/** A linear map of some rows. @param {Memory} memory @param {number} x their place
 * @param {number} rows @param {Map} map @returns {number} the place of the result */
export function linear(memory, x, rows, { inner, width, weight, scale, bias }) {
  const y = memory.take(rows * width);
  if (bias) for (let i = 0; i < rows; i += 1) memory.numbers.set(bias, y + i * width);
  if (scale !== undefined) memory.productOfBytes(x, weight, scale, y, rows, inner, width);
  else memory.product(x, inner, 1, weight, width, y, width, rows, inner, width);
  return y;
}

/** x = LayerNorm(x + y), row by row.
 * @param {Vector} x @param {Vector} y @param {Norm} norm */
export function addAndNorm(x, y, { weight, bias }) {
  const width = weight.length;
  for (let at = 0; at < x.length; at += width) {
    let [sum, squares] = [0, 0];
    for (let d = 0; d < width; d += 1) sum += x[at + d] += y[at + d];
    const mean = sum / width;
    for (let d = 0; d < width; d += 1) squares += (x[at + d] - mean) * (x[at + d] - mean);
    const scale = 1 / Math.sqrt(squares / width + 1e-5);
    for (let d = 0; d < width; d += 1) x[at + d] = (x[at + d] - mean) * scale * weight[d] + bias[d];
  }
}

/** Equation 1 for one query and every head.
 * @param {Vector} query @param {Cache} cache @param {number} heads @param {Vector} mixed zeros at
 * first @param {Record} [record] gets the weights, one head after the other */
export function attend(query, { keys, values }, heads, mixed, record) {
  const width = query.length / heads;
  const weights = new Float32Array(heads * keys.length);
  for (let head = 0; head < heads; head += 1) {
    const [from, to, at] = [head * width, (head + 1) * width, head * keys.length];
    let [top, total] = [-Infinity, 0];
    for (let j = 0; j < keys.length; j += 1) {
      const key = keys[j];
      let score = 0;
      for (let d = from; d < to; d += 1) score += query[d] * key[d];
      weights[at + j] = score / Math.sqrt(width);
      top = Math.max(top, weights[at + j]);
    }
    for (let j = 0; j < keys.length; j += 1)
      total += weights[at + j] = Math.exp(weights[at + j] - top);
    for (let j = 0; j < keys.length; j += 1) {
      const value = values[j];
      const weight = (weights[at + j] /= total);
      for (let d = from; d < to; d += 1) mixed[d] += weight * value[d];
    }
  }
  record?.weights.push(weights);
}

// ---- The model ----

export class Transformer {
  /** @param {ArrayBuffer} bytes of model.safetensors
   * @param {{simd?: boolean}} [options] without `simd` it is plain JavaScript */
  constructor(bytes, options) {
    const { config, tensors } = readCheckpoint(bytes);
    const find = (name) => {
      const stored = tensors.get(`${name}.weight`);
      if (!stored) throw new Error(`expected weights of ${name}, got none`);
      return stored;
    };
    this.embedding = find("embedding");
    this.memory = new Memory(Math.ceil(bytes.byteLength / 2 ** 20) + MEGABYTES, options);
    const map = (name) => makeMap(this.memory, find(name), tensors.get(`${name}.bias`));
    const norm = (name) => ({
      weight: /** @type {Vector} */ (find(name).numbers),
      bias: /** @type {Vector} */ (tensors.get(`${name}.bias`)?.numbers),
    });
    const attention = (name) => ({
      query: map(`${name}.query_proj`),
      key: map(`${name}.key_proj`),
      value: map(`${name}.value_proj`),
      out: map(`${name}.out_proj`),
    });
    const layer = (name, cross) => ({
      self: attention(`${name}.self_attn`),
      cross: cross ? attention(`${name}.cross_attn`) : null,
      expand: map(`${name}.feed_forward.expand`),
      contract: map(`${name}.feed_forward.contract`),
      norms: [1, 2, 3].slice(0, cross ? 3 : 2).map((n) => norm(`${name}.norm${n}`)),
    });
    const depth = Array.from({ length: config.num_layers }, (_, n) => n);
    this.config = config;
    this.output = map("embedding");
    this.encoderLayers = depth.map((n) => layer(`encoder_layers.${n}`, false));
    this.decoderLayers = depth.map((n) => layer(`decoder_layers.${n}`, true));
    this.mark = this.memory.used; // what lies beyond is of one pass only
  }

  /** @param {number} place @param {number} rows @returns {Vector} */
  view(place, rows, width = this.config.d_model) {
    return /** @type {Vector} */ (this.memory.view(place, rows * width));
  }

  /** A new pass begins: its tokens as vectors.
   * @param {number[]} ids @param {(n: number) => number} position of each
   * @returns {number} their place */
  embed(ids, position) {
    const width = this.config.d_model;
    this.memory.used = this.mark;
    const x = this.memory.take(ids.length * width);
    ids.forEach((id, n) => {
      const row = this.view(x + n * width, 1);
      rowOf(this.embedding, id).forEach((value, d) => {
        row[d] = value * Math.sqrt(width) + wave(position(n), d, width);
      });
    });
    return x;
  }

  /** Keys and values of some tokens go each to a cache.
   * @param {any} attention @param {number} x @param {Cache[]} caches */
  remember(attention, x, caches) {
    const { d_model: width } = this.config;
    const keys = linear(this.memory, x, caches.length, attention.key);
    const values = linear(this.memory, x, caches.length, attention.value);
    caches.forEach((cache, n) => {
      cache.keys.push(this.view(keys + n * width, 1).slice());
      cache.values.push(this.view(values + n * width, 1).slice());
    });
  }

  /** The sub-layer of attention for some tokens, each with its cache: look, add, normalize.
   * @param {number} x @param {any} attention @param {Cache[]} caches @param {Norm} norm
   * @param {Record[]} [records] */
  look(x, attention, caches, norm, records) {
    const { d_model: width, num_heads: heads } = this.config;
    const rows = caches.length;
    const queries = linear(this.memory, x, rows, attention.query);
    const mixed = this.memory.take(rows * width);
    caches.forEach((cache, n) => {
      const [query, into] = [queries, mixed].map((place) => this.view(place + n * width, 1));
      attend(query, cache, heads, into, records?.[n]);
    });
    const y = linear(this.memory, mixed, rows, attention.out);
    addAndNorm(this.view(x, rows), this.view(y, rows), norm);
  }

  /** The feed-forward sub-layer of some tokens. @param {number} x @param {number} rows */
  think(x, rows, { expand, contract, norms }) {
    const wide = linear(this.memory, x, rows, expand);
    const inner = this.view(wide, rows, expand.width);
    for (let n = 0; n < inner.length; n += 1) if (inner[n] < 0) inner[n] = 0;
    const y = linear(this.memory, wide, rows, contract);
    addAndNorm(this.view(x, rows), this.view(y, rows), norms[norms.length - 1]);
  }

  /** Turn the source into what the decoder looks at.
   * @param {number[]} ids @param {Record[]} [records] one a token @returns {Source} */
  encode(ids, records) {
    const x = this.embed(ids, (n) => n);
    const shared = () => Array(ids.length).fill({ keys: [], values: [] });
    for (const layer of this.encoderLayers) {
      const caches = shared();
      this.remember(layer.self, x, caches);
      this.look(x, layer.self, caches, layer.norms[0], records);
      this.think(x, ids.length, layer);
    }
    const cross = this.decoderLayers.map((layer) => {
      const caches = shared();
      this.remember(layer.cross, x, caches);
      return caches[0];
    });
    return { length: ids.length, cross };
  }

  /** An empty cache. @returns {Cache[]} */
  begin() {
    return this.decoderLayers.map(() => ({ keys: [], values: [] }));
  }

  /** Add one token to each of some targets of one source, and score what may follow.
   * @param {Source} source @param {Cache[][]} pasts they grow by the token @param {number[]} ids
   * @param {Record[]} [records] get, by layer, self- and cross-attention
   * @returns {Vector[]} logits, good until the next step */
  step(source, pasts, ids, records) {
    const x = this.embed(ids, (n) => pasts[n][0].keys.length);
    this.decoderLayers.forEach((layer, n) => {
      const own = pasts.map((past) => past[n]);
      this.remember(layer.self, x, own);
      this.look(x, layer.self, own, layer.norms[0], records);
      const read = ids.map(() => source.cross[n]);
      this.look(x, layer.cross, read, layer.norms[1], records);
      this.think(x, ids.length, layer);
    });
    const { width } = this.output;
    const logits = linear(this.memory, x, ids.length, this.output);
    return ids.map((_, n) => {
      const row = this.view(logits + n * width, 1, width);
      row[PAD_ID] = row[BOS_ID] = -Infinity; // padding and the start mark never follow
      return row;
    });
  }

  /** How many tokens an output may have.
   * @param {number} length of the source @param {number} maxExtra */
  limit(length, maxExtra) {
    return Math.min(length + maxExtra, this.config.max_len - 1);
  }
}
