// @ts-check
// The course's Transformer in plain JavaScript: encoder, decoder with its cache, greedy and beam
// search. It reads the checkpoint that Python reads. Every vector is a Float64Array, every weight a
// float32, as in Python.
import { BOS_ID, EOS_ID, PAD_ID } from "./bpe.js";
import { lengthPenalty, wave } from "./numbers.js";

/** @typedef {Float64Array} Vector */
/** @typedef {{weight: Float32Array, bias?: Float32Array}} Weights */
/** @typedef {{keys: Vector[], values: Vector[]}} Cache of one attention: a key and a value per
 * token */
/** @typedef {{length: number, states: Vector[][], cross: Cache[]}} Memory what the decoder looks
 * at */
/** @typedef {{weights: Vector[], states: Vector[]}} Record what a pass went through: weights of
 * attention, vectors between layers */

const OURS = {
  norm_placement: "post",
  norm: "layer",
  positions: "sinusoidal",
  activation: "relu",
  head_dim: null,
  value_dim: null,
  num_kv_heads: null,
};

// ---- A checkpoint: 8 bytes of length, a header in JSON, the numbers ----

/** The configuration and the weights of a safetensors file; int8 rows become float32 again, times
 * their scale.
 * @param {ArrayBuffer} bytes @returns {{config: any, tensors: Map<string, Float32Array>}} */
export function readCheckpoint(bytes) {
  const size = bytes.byteLength >= 8 ? Number(new DataView(bytes).getBigUint64(0, true)) : 0;
  if (!size || 8 + size > bytes.byteLength)
    throw new Error(`expected a safetensors file, got ${bytes.byteLength} bytes without a header`);
  const { __metadata__: about, ...header } = JSON.parse(
    new TextDecoder().decode(new Uint8Array(bytes, 8, size)),
  );
  const end =
    8 + size + Math.max(0, ...Object.values(header).map((entry) => entry.data_offsets[1]));
  if (end !== bytes.byteLength) throw new Error(`expected ${end} bytes, got ${bytes.byteLength}`);
  const config = JSON.parse(about?.config ?? "{}");
  for (const [name, value] of Object.entries(OURS)) {
    if (config[name] !== value)
      throw new Error(
        `expected a model with ${name}=${value}, got ${config[name]}: the page runs the paper's ` +
          "choices only",
      );
  }
  const numbers = (name) => {
    const {
      dtype,
      data_offsets: [from, to],
    } = header[name];
    const part = bytes.slice(8 + size + from, 8 + size + to);
    return dtype === "I8" ? new Int8Array(part) : new Float32Array(part);
  };
  const tensors = new Map();
  for (const name of Object.keys(header).filter((key) => !key.endsWith(".scale"))) {
    const stored = numbers(name);
    if (stored instanceof Float32Array) tensors.set(name, stored);
    else {
      const scale = numbers(`${name}.scale`);
      const weight = new Float32Array(stored.length);
      const width = stored.length / scale.length;
      for (let row = 0; row < scale.length; row += 1)
        for (let n = row * width; n < (row + 1) * width; n += 1) weight[n] = stored[n] * scale[row];
      tensors.set(name, weight);
    }
  }
  return { config, tensors };
}

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
    const states = [ids.map((id, position) => this.embed(id, position))];
    for (const layer of this.encoderLayers) {
      const rows = states[states.length - 1];
      const cache = this.remember(layer.self, rows);
      states.push(
        rows.map((x, i) =>
          this.think(this.look(x, layer.self, cache, layer.norms[0], records?.[i]), layer),
        ),
      );
    }
    const last = states[states.length - 1];
    return {
      length: ids.length,
      states,
      cross: this.decoderLayers.map((layer) => this.remember(layer.cross, last)),
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
    record?.states.push(x);
    this.decoderLayers.forEach((layer, n) => {
      this.remember(layer.self, [x], past[n]);
      x = this.look(x, layer.self, past[n], layer.norms[0], record);
      x = this.think(this.look(x, layer.cross, memory.cross[n], layer.norms[1], record), layer);
      record?.states.push(x);
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

// ---- Search: each step yields the ids so far ----

/** The `count` largest, best first; the earlier of equals first.
 * @param {Vector} row @param {number} count */
export function largest(row, count) {
  /** @type {number[]} */
  const found = [];
  for (let id = 0; id < row.length; id += 1) {
    if (found.length === count && !(row[id] > row[found[count - 1]])) continue;
    let place = found.length;
    while (place && row[id] > row[found[place - 1]]) place -= 1;
    found.splice(place, 0, id);
    if (found.length > count) found.pop();
  }
  return found;
}

/** The logarithm of the sum of exponentials. @param {Vector} row */
export function logSum(row) {
  let [top, total] = [-Infinity, 0];
  for (let n = 0; n < row.length; n += 1) if (row[n] > top) top = row[n];
  for (let n = 0; n < row.length; n += 1) total += Math.exp(row[n] - top);
  return top + Math.log(total);
}

/** @param {Transformer} model @param {number[]} src with its end mark
 * @returns {Generator<number[], number[]>} */
export function* greedySearch(model, src, maxExtra = 50) {
  const [memory, past] = [model.encode(src), model.begin()];
  /** @type {number[]} */
  const ids = [];
  for (let id = BOS_ID; ids.length < model.limit(src.length, maxExtra);) {
    [id] = largest(model.step(memory, past, id), 1);
    if (id === EOS_ID) break;
    ids.push(id);
    yield [...ids];
  }
  return ids;
}

/** Best score first; of equals the larger ids, as Python sorts them. */
const better = (a, b) => {
  if (a.score !== b.score) return b.score - a.score;
  const place = a.ids.findIndex((id, n) => id !== b.ids[n]);
  return place < 0 ? b.ids.length - a.ids.length : (b.ids[place] ?? -1) - a.ids[place];
};

/** Keep the `beam` likeliest beginnings at every step; return the best whole sentence.
 * @param {Transformer} model @param {number[]} src with its end mark
 * @returns {Generator<number[], number[]>} */
export function* beamSearch(model, src, beam = 4, alpha = 0.6, maxExtra = 50) {
  const memory = model.encode(src);
  const limit = model.limit(src.length, maxExtra);
  let alive = [{ total: 0, ids: [BOS_ID], past: model.begin() }];
  /** @type {{score: number, ids: number[]}[]} */
  const finished = [];
  for (;;) {
    const length = alive[0].ids.length; // of the outputs after this step, their end mark included
    const followers = alive.flatMap((from) => {
      const logits = model.step(memory, from.past, from.ids[length - 1]);
      const norm = logSum(logits);
      const ids = length > limit ? [EOS_ID] : largest(logits, 2 * beam);
      return ids.map((id) => ({ total: from.total + logits[id] - norm, id, from }));
    });
    // Twice the beam, since at most half of the best continuations can be endings.
    const best = followers.sort((a, b) => b.total - a.total).slice(0, 2 * beam);
    for (const { total, id, from } of best.slice(0, beam)) {
      if (id === EOS_ID)
        finished.push({ score: total / lengthPenalty(length, alpha), ids: from.ids.slice(1) });
    }
    finished.sort(better);
    const going = best.filter(({ id }) => id !== EOS_ID).slice(0, beam);
    // Log-probabilities only fall, and the longest output has the kindest penalty.
    if (
      !going.length ||
      (finished.length >= beam &&
        finished[beam - 1].score >= going[0].total / lengthPenalty(limit + 1, alpha))
    )
      return finished[0].ids;
    alive = going.map(({ total, id, from }) => ({
      total,
      ids: [...from.ids, id],
      past: from.past.map(({ keys, values }) => ({ keys: [...keys], values: [...values] })),
    }));
    yield alive[0].ids.slice(1);
  }
}

// ---- Looking inside ----

const cosine = (a, b) => {
  let [ab, aa, bb] = [0, 0, 0];
  for (let d = 0; d < a.length; d += 1) {
    ab += a[d] * b[d];
    aa += a[d] * a[d];
    bb += b[d] * b[d];
  }
  return ab / Math.sqrt(aa * bb);
};

/** What the model went through when it wrote `tgt`. Row t of the decoder is the step that wrote
 * token t, the end mark last. `weights[which][layer][head]` and `alike[side][layer]` are matrices,
 * row after row; `turned[side][layer]` has one number a row.
 * @param {Transformer} model @param {number[]} src with its end mark
 * @param {number[]} tgt without marks */
export function trace(model, src, tgt) {
  const { num_layers: depth, num_heads: heads } = model.config;
  const records = (length) => Array.from({ length }, () => ({ weights: [], states: [] }));
  const [read, wrote] = [records(src.length), records(tgt.length + 1)];
  const memory = model.encode(src, read);
  const past = model.begin();
  const candidates = [BOS_ID, ...tgt].map((id, t) => {
    const logits = model.step(memory, past, id, wrote[t]);
    const norm = logSum(logits);
    return largest(logits, 3).map((next) => [next, Math.exp(logits[next] - norm)]);
  });
  /** Matrices of one attention; a shorter row, of tokens that came before, ends in zeros. */
  const matrices = (rows, width, every, first) =>
    Array.from({ length: depth }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const cells = new Float32Array(rows.length * width);
        rows.forEach((row, i) => {
          const all = row.weights[layer * every + first];
          const length = all.length / heads;
          cells.set(all.subarray(head * length, (head + 1) * length), i * width);
        });
        return cells;
      }),
    );
  const encoderStates = memory.states;
  const decoderStates = Array.from({ length: depth + 1 }, (_, n) =>
    wrote.map((row) => row.states[n]),
  );
  const alike = (states) =>
    states.map((rows) => Float32Array.from(rows.flatMap((a) => rows.map((b) => cosine(a, b)))));
  const turned = (states) =>
    states
      .slice(1)
      .map((rows, n) => Float32Array.from(rows, (row, i) => cosine(row, states[n][i])));
  return {
    weights: {
      cross: matrices(wrote, src.length, 2, 1),
      encoder: matrices(read, src.length, 1, 0),
      decoder: matrices(wrote, wrote.length, 2, 0),
    },
    alike: { source: alike(encoderStates), output: alike(decoderStates) },
    turned: { source: turned(encoderStates), output: turned(decoderStates) },
    candidates,
  };
}
