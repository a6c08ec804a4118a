// @ts-check
// Softmax over tiles: the mathematics and the words.
import { dot, fixed, plain } from "./numbers.js";

/** What is known after a tile. `exps` are those of the tile's own scores, under the new maximum.
 * @typedef {{from: number, to: number, m: number, shrink: number, exps: number[], l: number, o:
 * number}} Seen */

export const LIMIT = 2000;
export const SIDE = 64; // rows and columns of the tile of scores that the memory is counted for
/** A masked key scores −∞. @param {number[]} scores @param {boolean[]} mask */
export const masked = (scores, mask) => scores.map((x, j) => (mask[j] ? x : -Infinity));

/** The state after each tile: transformer_course.flash.mix_one_tile for one query.
 * @param {number[]} scores @param {number[]} values @param {number} tile @param {boolean} forget
 * @returns {Seen[]} */
export function online(scores, values, tile, forget = false) {
  const states = [];
  let [m, l, o] = [-Infinity, 0, 0];
  for (let from = 0; from < scores.length; from += tile) {
    const to = Math.min(from + tile, scores.length);
    const higher = Math.max(m, ...scores.slice(from, to));
    const reference = higher === -Infinity ? 0 : higher; // nothing seen yet
    const exps = scores.slice(from, to).map((x) => Math.exp(x - reference));
    const shrink = forget ? 1 : Math.exp(m - reference);
    l = l * shrink + exps.reduce((a, b) => a + b, 0);
    o = o * shrink + dot(exps, values.slice(from, to));
    m = higher;
    states.push({ from, to, m, shrink, exps, l, o });
  }
  return states;
}

/** The same in one go; `safe` takes the maximum off first.
 * @param {number[]} scores @param {number[]} values */
export function atOnce(scores, values, safe = true) {
  const m = Math.max(...scores);
  const exps = scores.map((x) => Math.exp(safe ? x - m : x));
  const l = exps.reduce((a, b) => a + b, 0);
  return { m, l, o: dot(exps, values) };
}

/** What each key seen so far counts for in l: earlier ones shrink when the maximum rises.
 * @param {Seen[]} states @param {number} step */
export function standing(states, step) {
  /** @type {number[]} */
  let all = [];
  for (const { exps, shrink } of states.slice(0, step))
    all = [...all.map((x) => x * shrink), ...exps];
  return all;
}

/** @param {string} text @returns {{value?: number, masked?: boolean, error?: string}} */
export function parseScore(text) {
  const typed = text.trim().replace(/[−–]/g, "-").replace(",", ".");
  if (/^-(inf(inity)?|∞)$/i.test(typed)) return { masked: true };
  if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(typed) && Math.abs(Number(typed)) <= LIMIT)
    return { value: Math.round(Number(typed) * 100) / 100 || 0 };
  const name = typed.length > 12 ? `${typed.slice(0, 12)}…` : typed;
  return {
    error:
      `${typed ? `“${name}” is no score` : "The cell was empty"}. Expected a number from ` +
      `−${LIMIT} to ${LIMIT}, or −inf for a masked key; the old one stays.`,
  };
}

/** Bytes of float32 numbers, in words. @param {number} numbers */
export function bytes(numbers) {
  const power = Math.floor(Math.log2(numbers * 4) / 10);
  return (
    `${plain(Number(((numbers * 4) / 1024 ** power).toPrecision(3)))} ` +
    `${["bytes", "KiB", "MiB", "GiB", "TiB"][power]}`
  );
}

/** A maximum as it was typed. @param {number} x */
export const typed = (x) => (Number.isFinite(x) ? plain(x) : fixed(x, 2));
