// @ts-check
// The sinusoids of section 3.5 as turning hands.
import { count, dot, fixed, format, plain } from "./numbers.js";

export const DIALS = 16; // as many as fit on a phone
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

export const CLEAR = 15; // degrees between two hands that tell their positions apart
/** Degrees between the hands of pair i at two positions: 0 to 180. */
export const apart = (a, b, i, dModel, base) => {
  const degrees = (Math.abs(a - b) * omega(i, dModel, base) * (180 / Math.PI)) % 360;
  return Math.min(degrees, 360 - degrees);
};

/** The pairs that get a dial: all, or some at equal steps, the chosen one always. */
export function shownPairs(pairs, chosen) {
  const step = Math.max(1, pairs / DIALS);
  const shown = Array.from({ length: Math.min(pairs, DIALS) }, (_, n) => Math.ceil(n * step));
  shown[Math.floor(chosen / step)] = chosen;
  return shown;
}

export const span = (x) => (x < 100 ? fixed(x, 1) : count(x));

/** The same where room is short: 35 k, 2.6 M. */
export const short = (x) =>
  x < 1e4 ? span(x) : x < 999500 ? `${count(x / 1e3)} k` : `${fixed(x / 1e6, 1)} M`;

/** The number that the map is asked about: before, in, and behind the exponent.
 * @param {any} state @param {number} odd whether it is a cosine @returns {string[]} */
export function number({ dModel, base: b, pos, pair }, odd) {
  const rate = omega(pair, dModel, b);
  const d = 2 * pair + odd;
  const wave = odd ? "cos" : "sin";
  return [
    `Position ${pos}, dimension ${d}: ${wave}(${pos} / ${count(b)}`,
    `${2 * pair}/${dModel}`,
    `) = ${wave}(${fixed(pos * rate, 3)}) = ${fixed(entry(pos, d, dModel, b), 3)}`,
  ];
}

/** Another position with a row `k` further on: in the table, if one is far enough from the first.
 * @param {any} state */
function another({ length: rows, pos, k }) {
  const both = (p) => Math.min(p, p + k) >= 0 && Math.max(p, p + k) < rows;
  return [pos + 30, pos - 15, pos + 10].find(both) ?? pos + 100;
}

/** What a view shows. @param {any} state */
export function sentence(state) {
  const { view, dModel, base: b, pos, k, held } = state;
  if (view < 2 && held === pos)
    return `Position ${held} is held: its hands stay, dashed. Step on: which hands leave it?`;
  if (view < 2 && held >= 0) {
    const pairs = [...Array(dModel / 2).keys()];
    const clear = pairs.filter((i) => apart(pos, held, i, dModel, b) > CLEAR).length;
    return (
      `At ${pos}, ${clear} of ${dModel / 2} hands stand more than ${CLEAR}° from where they ` +
      `stood at ${held}: the colored ones tell the two apart, the faint ones do not.`
    );
  }
  if (view < 2)
    return (
      `${dModel / 2} hands tell position ${pos} as a clock tells the time. Hold ${pos}, then ` +
      "step: which hands leave it?"
    );
  if (view === 2) {
    const from = (p) =>
      `PE(${p})·PE(${plain(p + k)}) = ` +
      `${format(dot(encode(p, dModel, b), encode(p + k, dModel, b)))}`;
    return `${from(pos)}, and ${from(another(state))}: only the distance counts.`;
  }
  const agree = rotated(encode(pos, dModel, b), k, dModel, b).filter(
    (x, d) => Math.abs(x - entry(pos + k, d, dModel, b)) < 1e-9,
  );
  return (
    `From ${pos} to ${plain(pos + k)} each hand turns by its own angle, wherever it ` +
    `starts: so turned, ${agree.length} of ${dModel} numbers of one code are those of the other.`
  );
}
