// @ts-check
// What a cache of keys and values saves and costs.
import { count, fixed } from "./numbers.js";

/** @typedef {{layers: number, heads: number, kv_heads: number, head_dim: number, context: number,
 * batch: number, number_bytes: string}} Sizes */

// ---- The mathematics ----

/** Bytes of keys and values, all layers and sequences.
 * @param {Sizes} sizes @param {number} kvHeads @param {number} tokens */
export const cacheBytes = ({ layers, head_dim, batch, number_bytes }, kvHeads, tokens) =>
  2 * layers * batch * kvHeads * head_dim * tokens * Number(number_bytes);

/** Multiply-adds of all self-attention layers at step t, and of the steps 1 to t together.
 * @param {Sizes} sizes @param {number} t @param {boolean} cached
 * @returns {{step: number, sum: number}} */
export function multiplyAdds({ layers, heads, kv_heads, head_dim, batch }, t, cached) {
  const width = heads * head_dim;
  const project = 2 * width * width + 2 * width * kv_heads * head_dim;
  const [once, squares] = [(t * (t + 1)) / 2, (t * (t + 1) * (2 * t + 1)) / 6];
  const step = cached ? project + 2 * width * t : project * t + 2 * width * t * t;
  const sum = cached ? project * t + 2 * width * once : project * once + 2 * width * squares;
  return { step: layers * batch * step, sum: layers * batch * sum };
}

/** @param {number} heads */
export const divisors = (heads) =>
  Array.from({ length: heads }, (_, n) => n + 1).filter((n) => heads % n === 0);

/** The largest divisor that is no larger than wanted.
 * @param {number} heads @param {number} wanted */
export const fitting = (heads, wanted) =>
  divisors(heads)
    .filter((n) => n <= wanted)
    .at(-1) ?? 1;

/** Three digits that matter. @param {number} x */
export const short = (x) =>
  x >= 1000 ? count(x) : fixed(x, x >= 100 ? 0 : x >= 10 ? 1 : 2).replace(/\.0+$/, "");

/** @param {number} x @param {number} base @param {string[]} units */
function inUnits(x, base, units) {
  let place = 0;
  for (; x >= base && place < units.length - 1; x /= base) place += 1;
  return `${short(x)} ${units[place]}`;
}

/** 1.25 GiB. @param {number} bytes */
export const size = (bytes) => inUnits(bytes, 1024, ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]);

/** 12.3 billion. @param {number} x */
export const amount = (x) =>
  x < 1e6
    ? count(x)
    : inUnits(x / 1e6, 1000, ["million", "billion", "trillion", "quadrillion", "quintillion"]);

/** Which layers the picture has room for; null is a gap.
 * @param {number} layers @returns {(number | null)[]} */
export const drawn = (layers) =>
  layers <= 4 ? Array.from({ length: layers }, (_, n) => n + 1) : [1, 2, 3, null, layers];

/** @param {number} heads @param {number} kvHeads */
export const kind = (heads, kvHeads) =>
  kvHeads === heads ? "multi-head" : kvHeads === 1 ? "multi-query" : "grouped-query";

// ---- Words ----

/** What is computed at this step. @param {any} now all traits */
export function stepInWords({ layers, cached, step: t }) {
  const cells = 2 * layers;
  const rest = ["", " Those of the token before come from the cache."];
  return cached
    ? `Step ${t}: only the newest token's keys and values are computed.` +
        (rest[t - 1] ?? ` Those of the ${t - 1} tokens before come from the cache.`)
    : `Step ${t}: without a cache all ${count(cells * t)} cells are computed, though ` +
        `${count(cells * (t - 1))} of them were there at the step before.`;
}

/** Whose work is counted. @param {any} now all traits @param {string} model its name, if it has one */
export function workInWords({ layers, heads, batch }, model) {
  const shape = model || `${count(layers)} layers of ${count(heads)} heads`;
  const many = batch > 1 ? `, ${count(batch)} sequences at once` : "";
  return `Multiply-adds of self-attention in ${shape}${many}`;
}

/** How many heads of keys there are for those of queries.
 * @param {number} all @param {number} kept */
export function groupsInWords(all, kept) {
  return (
    `${count(all)} ${all > 1 ? "heads" : "head"} of queries (circles) for ${count(kept)} of keys ` +
    `and values (squares): ${kind(all, kept)} attention.`
  );
}

/** The bytes as a product. @param {any} now all traits */
export function product(now) {
  const { layers: depth, kv_heads: kept, context: n } = now;
  const here = cacheBytes(now, kept, n);
  return (
    `Keys and values: 2 · ${count(depth)} layers · ${count(kept)} ${kept > 1 ? "heads" : "head"} · ` +
    `${count(now.head_dim)} wide · ${count(n)} tokens · ${count(now.batch)} ` +
    `${now.batch > 1 ? "sequences" : "sequence"} · ${now.number_bytes} ` +
    `${now.number_bytes > 1 ? "bytes" : "byte"} = ${count(here)} bytes`
  );
}

/** What fewer heads of keys and values save. @param {any} now all traits */
export function costInWords(now) {
  const { heads: all, kv_heads: kept, context: n } = now;
  return kept < all
    ? `With keys and values for every head it would be ${size(cacheBytes(now, all, n))}, ` +
        `${all / kept} times as much.`
    : "Every head keeps its own keys and values.";
}

/** A number of heads to keep between all and one: the divisor nearest to a quarter.
 * @param {number} heads */
export const middleOf = (heads) =>
  divisors(heads).reduce((best, n) =>
    Math.abs(n - heads / 4) <= Math.abs(best - heads / 4) ? n : best,
  );
