// @ts-check
// The parts of the page's Transformer: maps, norms, attention for one query, rotations.
import { rowOf } from "./checkpoint.js";
import { wave } from "./numbers.js";
/** @import {Stored} from "./checkpoint.js" */
/** @import {Memory} from "./engine/memory.js" */

/** @typedef {Float32Array} Vector */
/** A matrix and its bias, all in memory: bytes with a scale for each row, or numbers turned.
 * @typedef {{inner: number, width: number, weight: number, scale?: number, bias?: Vector}} Map */
/** @typedef {{weight: Vector, bias: Vector}} Norm */
/** @typedef {{keys: Vector[], values: Vector[]}} Cache of one attention: a key and a value per
 * token */
/** @typedef {{weights: Vector[]}} Record weights of attention that a pass went through */

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

/** x = LayerNorm(x), row by row. @param {Vector} x @param {Norm} norm */
export function normalize(x, { weight, bias }) {
  const width = weight.length;
  for (let at = 0; at < x.length; at += width) {
    let [sum, squares] = [0, 0];
    for (let d = 0; d < width; d += 1) sum += x[at + d];
    const mean = sum / width;
    for (let d = 0; d < width; d += 1) squares += (x[at + d] - mean) * (x[at + d] - mean);
    const scale = 1 / Math.sqrt(squares / width + 1e-5);
    for (let d = 0; d < width; d += 1) x[at + d] = (x[at + d] - mean) * scale * weight[d] + bias[d];
  }
}

/** x = x + y. @param {Vector} x @param {Vector} y */
export function add(x, y) {
  for (let n = 0; n < x.length; n += 1) x[n] += y[n];
}

/** x = LayerNorm(x + y). @param {Vector} x @param {Vector} y @param {Norm} norm */
export function addAndNorm(x, y, norm) {
  add(x, y);
  normalize(x, norm);
}

/** Rotary positions: turn each pair of numbers of every head by the angle of its sinusoid.
 * @param {Vector} x of one token @param {number} position @param {number} width of a head */
export function turn(x, position, width) {
  for (let at = 0; at < x.length; at += 2) {
    const d = at % width;
    const [sine, cosine] = [wave(position, d, width), wave(position, d + 1, width)];
    const [a, b] = [x[at], x[at + 1]];
    x[at] = a * cosine - b * sine;
    x[at + 1] = a * sine + b * cosine;
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
