// @ts-check
// The sinusoids of section 3.5 as turning hands.
import { count, fixed } from "./numbers.js";

export const DIALS = 16; // as many as fit on a phone
// ---- The mathematics ----

/** Radians that the hand of pair i turns per position. */
export const omega = (i, dModel, base) => base ** ((-2 * i) / dModel);

/** Even dimensions hold sines, odd ones cosines of the same angle. */
export const entry = (pos, dimension, dModel, base) => {
  const angle = pos * omega(Math.floor(dimension / 2), dModel, base);
  return dimension % 2 ? Math.cos(angle) : Math.sin(angle);
};

export const encode = (pos, dModel, base) =>
  Array.from({ length: dModel }, (_, d) => entry(pos, d, dModel, base));

/** PE(pos)·PE(pos + k): of each pair cos(k ω) remains. */
export const product = (k, rates) => rates.reduce((sum, rate) => sum + Math.cos(k * rate), 0);

/** The matrix that turns (sin a, cos a) into (sin(a + turn), cos(a + turn)). */
export const rotation = (turn) => [
  [Math.cos(turn), Math.sin(turn)],
  [-Math.sin(turn), Math.cos(turn)],
];

/** PE(pos + k) from PE(pos) alone: each pair times its own matrix. */
export function rotated(row, k, dModel, base) {
  const turned = [];
  for (let i = 0; i < dModel / 2; i += 1) {
    for (const [a, b] of rotation(k * omega(i, dModel, base)))
      turned.push(a * row[2 * i] + b * row[2 * i + 1]);
  }
  return turned;
}

/** The pairs that get a dial: all, or some at equal steps, the chosen one always. */
export function shownPairs(pairs, chosen) {
  const step = Math.max(1, pairs / DIALS);
  const shown = Array.from({ length: Math.min(pairs, DIALS) }, (_, n) => Math.ceil(n * step));
  shown[Math.floor(chosen / step)] = chosen;
  return shown;
}

export const span = (x) => (x < 100 ? fixed(x, 1) : count(x));
