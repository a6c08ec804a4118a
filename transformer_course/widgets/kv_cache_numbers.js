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
  layers <= 2 ? Array.from({ length: layers }, (_, n) => n + 1) : [1, null, layers];

/** The memory of one large GPU, bytes. */
export const MEMORY = 80 * 2 ** 30;

/** How many texts' caches the memory holds.
 * @param {Sizes} sizes @param {number} kvHeads */
export const textsThatFit = (sizes, kvHeads) =>
  Math.floor(MEMORY / cacheBytes({ ...sizes, batch: 1 }, kvHeads, sizes.context));

/** How many texts a tile of the picture stands for: one, if so many tiles can still be seen.
 * @param {number} most texts */
export const textsInTile = (most) => 10 ** Math.max(0, Math.ceil(Math.log10(most / 4096)));

/** Columns and rows for n tiles: few stay empty, and none is too long.
 * @param {number} n @returns {number[]} */
export function tiling(n) {
  const least = Math.max(1, Math.ceil(Math.sqrt(n)));
  const shapes = Array.from({ length: least + 1 }, (_, more) => {
    const columns = least + more;
    const rows = Math.max(1, Math.ceil(n / columns));
    return { columns, rows, cost: (columns * rows - n) / columns + (columns / rows) ** 2 / 60 };
  });
  const { columns, rows } = shapes.reduce((best, one) => (one.cost < best.cost ? one : best));
  return [columns, rows];
}

// ---- Words ----

/** What is computed at this step. @param {any} now all traits @param {string[]} words */
export function stepInWords({ cached, step: t }, words) {
  const newest = `“${words[t - 1]}”`;
  if (t === 1) return `Step 1: ${newest} is the first token. It has to be computed either way.`;
  const past = t === 2 ? "the token" : `the ${t - 1} tokens`;
  return cached
    ? `Step ${t}: only ${newest} is computed; the keys and values of ${past} before it are read. ` +
        "The gray is what that saves."
    : `Step ${t}: without a cache ${past} before ${newest} must be computed again, though the ` +
        "keys and values come out the same.";
}

/** Whose work is counted. @param {any} now all traits @param {string} model its name, if it has one */
export function workInWords({ layers, heads, batch }, model) {
  const shape = model || `${count(layers)} layers of ${count(heads)} heads`;
  const many = batch > 1 ? `, ${count(batch)} sequences at once` : "";
  return `Multiply-adds of self-attention in ${shape}${many}`;
}

/** What the pictures of the memory show. @param {number} tile texts of a tile */
export const tiles = (tile) =>
  `A square is the memory of one large GPU, 80 GiB; a tile is the cache of ` +
  `${tile > 1 ? `${count(tile)} texts` : "one text"}.`;

/** The bytes as a product. @param {any} now all traits */
export function product(now) {
  const { layers: depth, kv_heads: kept, context: n } = now;
  const here = cacheBytes(now, kept, n);
  return (
    `Keys and values: 2 · ${count(depth)} layers · ${count(kept)} ${kept > 1 ? "heads" : "head"} · ` +
    `${count(now.head_dim)} wide · ${count(n)} tokens · ${count(now.batch)} ` +
    `${now.batch > 1 ? "sequences" : "sequence"} · ${now.number_bytes} ` +
    `${now.number_bytes > 1 ? "bytes" : "byte"} = ${count(here)} bytes. ` +
    "The model’s weights need memory of their own."
  );
}

/** How many texts fit. @param {any} now all traits */
export function costInWords(now) {
  const { heads: all, kv_heads: kept, context: n } = now;
  const texts = (heads) => {
    const fits = textsThatFit(now, heads);
    return fits ? `${count(fits)} ${fits > 1 ? "texts" : "text"}` : "no text";
  };
  const heads = `${count(kept)} ${kept > 1 ? "heads" : "head"}`;
  const fit = textsThatFit(now, kept) > 1 ? "fit" : "fits";
  const room = `of ${count(n)} tokens ${fit} into the 80 GiB of one large GPU`;
  return kept < all
    ? `With ${heads} of keys for ${count(all)} of queries, ${texts(kept)} ${room}; ` +
        `with keys for every head, ${texts(all)}.`
    : `Every head keeps its own keys and values: ${texts(kept)} ${room}.`;
}

/** A number of heads to keep between all and one: the divisor nearest to a quarter.
 * @param {number} heads */
export const middleOf = (heads) =>
  divisors(heads).reduce((best, n) =>
    Math.abs(n - heads / 4) <= Math.abs(best - heads / 4) ? n : best,
  );
