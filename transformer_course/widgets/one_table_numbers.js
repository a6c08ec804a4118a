// @ts-check
// What one table of vectors gives: the size of a row, scores, shares at a temperature, a draw.
import { dot, softmax } from "./numbers.js";

/** The root of the mean square. @param {number[]} row */
export const size = (row) => Math.sqrt(dot(row, row) / row.length);

/** @param {number[]} x @param {number[][]} rows one score for each row */
export const scores = (x, rows) => rows.map((row) => dot(row, x));

/** @param {number[]} logits @param {number} temperature */
export const shares = (logits, temperature) => softmax(logits.map((z) => z / temperature));

/** How many equally likely words would be as uncertain. @param {number[]} p */
export const inPlay = (p) =>
  Math.exp(-p.reduce((sum, x) => sum + (x > 0 ? x * Math.log(x) : 0), 0));

/** A word drawn by its share. @param {number[]} p @param {number} luck from 0 to 1 */
export function drawn(p, luck) {
  let left = luck;
  for (let n = 0; n < p.length; n += 1) if ((left -= p[n]) < 0) return n;
  return p.indexOf(Math.max(...p)); // rounding: the shares add up to a little less than 1
}

/** How often each of some words is drawn, and last how often any other.
 * @param {number[]} p @param {number[]} ids of the words @param {number} many draws
 * @param {() => number} luck */
export function tallied(p, ids, many, luck) {
  const times = [...ids, -1].map(() => 0);
  for (let n = 0; n < many; n += 1) {
    const at = ids.indexOf(drawn(p, luck()));
    times[at < 0 ? ids.length : at] += 1;
  }
  return times;
}
