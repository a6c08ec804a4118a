// @ts-check
// The course's Transformer at work in the page: encoder, and decoder with its cache. It reads the
// checkpoint that Python reads, and its products of matrices are those of the engine that learns.
import { BOS_ID, PAD_ID } from "./bpe.js";
import { readCheckpoint, rowOf } from "./checkpoint.js";
import { Memory } from "./engine/memory.js";
import { wave } from "./numbers.js";
import { add, addAndNorm, attend, linear, makeMap, normalize, turn } from "./transformer_parts.js";
/** @import {Cache, Norm, Record, Vector} from "./transformer_parts.js" */

/** @typedef {{length: number, cross: Cache[]}} Source what the decoder looks at */

const MEGABYTES = 24; // for what a pass computes: 512 tokens at once, of a model of the page

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
    this.rotary = config.positions === "rotary"; // or sinusoids are added to the embeddings
    // "pre": a sub-layer reads what is normalized, and each stack ends with a norm of its own
    const stacks = config.norm_placement === "pre" ? ["encoder_norm", "decoder_norm"] : [];
    this.finals = stacks.map(norm);
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
        row[d] = value * Math.sqrt(width);
        if (!this.rotary) row[d] += wave(position(n), d, width);
      });
    });
    return x;
  }

  /** What a sub-layer reads: the tokens themselves, or normalized copies.
   * @param {number} x @param {number} rows @param {Norm} norm @returns {number} their place */
  seen(x, rows, norm) {
    if (!this.finals.length) return x;
    const copy = this.memory.take(rows * this.config.d_model);
    this.view(copy, rows).set(this.view(x, rows));
    normalize(this.view(copy, rows), norm);
    return copy;
  }

  /** Add what a sub-layer gave. @param {number} x @param {number} y @param {number} rows
   * @param {Norm} norm */
  join(x, y, rows, norm) {
    const [sum, term] = [this.view(x, rows), this.view(y, rows)];
    if (this.finals.length) add(sum, term);
    else addAndNorm(sum, term, norm);
  }

  /** Vectors of some tokens as they meet others: turned by their positions, where these are
   * rotations and `position` says which. @param {number} x @param {number} rows
   * @param {((n: number) => number) | null} position @returns {Vector[]} */
  turned(x, rows, position) {
    const { d_model: width, num_heads: heads } = this.config;
    return Array.from({ length: rows }, (_, n) => {
      const row = this.view(x + n * width, 1);
      if (this.rotary && position) turn(row, position(n), width / heads);
      return row;
    });
  }

  /** Keys and values of some tokens go each to a cache.
   * @param {any} attention @param {number} x @param {Cache[]} caches
   * @param {((n: number) => number) | null} position of each; null between two sentences */
  remember(attention, x, caches, position) {
    const { d_model: width } = this.config;
    const rows = caches.length;
    const keys = linear(this.memory, x, rows, attention.key);
    const values = linear(this.memory, x, rows, attention.value);
    this.turned(keys, rows, position).forEach((key, n) => {
      caches[n].keys.push(key.slice());
      caches[n].values.push(this.view(values + n * width, 1).slice());
    });
  }

  /** The sub-layer of attention for some tokens, each with its cache: look, add, normalize.
   * Within one sentence its own tokens join the caches first.
   * @param {number} x @param {any} attention @param {Cache[]} caches @param {Norm} norm
   * @param {((n: number) => number) | null} position of each; null between two sentences
   * @param {Record[]} [records] */
  look(x, attention, caches, norm, position, records) {
    const { d_model: width, num_heads: heads } = this.config;
    const rows = caches.length;
    const seen = this.seen(x, rows, norm);
    if (position) this.remember(attention, seen, caches, position);
    const queries = linear(this.memory, seen, rows, attention.query);
    const mixed = this.memory.take(rows * width);
    this.turned(queries, rows, position).forEach((query, n) => {
      attend(query, caches[n], heads, this.view(mixed + n * width, 1), records?.[n]);
    });
    this.join(x, linear(this.memory, mixed, rows, attention.out), rows, norm);
  }

  /** The feed-forward sub-layer of some tokens. @param {number} x @param {number} rows */
  think(x, rows, { expand, contract, norms }) {
    const norm = norms[norms.length - 1];
    const wide = linear(this.memory, this.seen(x, rows, norm), rows, expand);
    const inner = this.view(wide, rows, expand.width);
    for (let n = 0; n < inner.length; n += 1) if (inner[n] < 0) inner[n] = 0;
    this.join(x, linear(this.memory, wide, rows, contract), rows, norm);
  }

  /** Turn the source into what the decoder looks at.
   * @param {number[]} ids @param {Record[]} [records] one a token @returns {Source} */
  encode(ids, records) {
    const position = (n) => n;
    const x = this.embed(ids, position);
    const shared = () => Array(ids.length).fill({ keys: [], values: [] });
    for (const layer of this.encoderLayers) {
      this.look(x, layer.self, shared(), layer.norms[0], position, records);
      this.think(x, ids.length, layer);
    }
    if (this.finals.length) normalize(this.view(x, ids.length), this.finals[0]);
    const cross = this.decoderLayers.map((layer) => {
      const caches = shared();
      this.remember(layer.cross, x, caches, null);
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
    const lengths = pasts.map(([{ keys }]) => keys.length);
    const position = (n) => lengths[n];
    const x = this.embed(ids, position);
    this.decoderLayers.forEach((layer, n) => {
      const own = pasts.map((past) => past[n]);
      this.look(x, layer.self, own, layer.norms[0], position, records);
      const read = ids.map(() => source.cross[n]);
      this.look(x, layer.cross, read, layer.norms[1], null, records);
      this.think(x, ids.length, layer);
    });
    if (this.finals.length) normalize(this.view(x, ids.length), this.finals[1]);
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
