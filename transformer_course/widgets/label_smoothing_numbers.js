// @ts-check
// Label smoothing (section 5.4): the target, the model's answer, their loss, and its words.
import { count, fixed } from "./numbers.js";

/** @typedef {{epsilon: number, lead: number, size: number}} State */

export const LEAD = { min: -2, max: 16 };

/** A lead that the reader asked for, in tenths and within the chart. @param {number} lead */
export const leadAt = (lead) => Math.max(LEAD.min, Math.min(LEAD.max, Math.round(lead * 10) / 10));

// ---- The mathematics ----

/** What the right word gets, and what each other word gets.
 * @param {{epsilon: number, size: number}} state */
export const target = ({ epsilon, size }) => ({
  right: 1 - epsilon + epsilon / size,
  other: epsilon / size,
});

/** The softmax of one score `lead` above all others. @param {{lead: number, size: number}} state */
export function answer({ lead, size }) {
  const low = Math.exp(-Math.abs(lead));
  const [right, other] = lead > 0 ? [1, low] : [low, 1];
  const total = right + (size - 1) * other;
  return { right: right / total, other: other / total };
}

/** Cross-entropy with the target; its gradient by a score is p − q. @param {State} state */
export function loss({ epsilon, lead, size }) {
  const [q, p] = [target({ epsilon, size }), answer({ lead, size })];
  return -q.right * Math.log(p.right) - (epsilon && (size - 1) * q.other * Math.log(p.other));
}

/** What no model can go below: the entropy of the target.
 * @param {{epsilon: number, size: number}} state */
export function floorOf({ epsilon, size }) {
  const q = target({ epsilon, size });
  return -q.right * Math.log(q.right) - (epsilon && (size - 1) * q.other * Math.log(q.other)) || 0;
}

/** The lead at which the model says exactly what the target asks for.
 * @param {{epsilon: number, size: number}} state */
export function bestLead(state) {
  const q = target(state);
  return Math.log(q.right / q.other);
}

/** The lead at which the right word has a share. @param {number} share @param {number} size */
export function leadOf(share, size) {
  const inside = Math.max(1e-9, Math.min(1 - 1e-9, share));
  return Math.log((inside * (size - 1)) / (1 - inside));
}

// ---- Words ----

/** A probability or a gradient. @param {number} x */
export function share(x) {
  const small = Math.abs(x) < 0.0005 && Math.abs(x) > 1e-16; // less is what rounding leaves of zero
  return small ? `${x < 0 ? "−" : ""}<0.001` : fixed(Math.abs(x) > 1e-16 ? x : 0, 3);
}

/** "1 in 370,000", "none" @param {number} x a probability */
export const oneIn = (x) => (x ? `1 in ${count(Number((1 / x).toPrecision(2)))}` : "none");

/** What the state means. @param {State} state @param {string} word the right one */
export function explain(state, word) {
  const [q, p] = [target(state), answer(state)];
  const gap = p.right - q.right;
  const gives = `The model gives “${word}” ${share(p.right)}`;
  const asks = `${gives}, the ${state.epsilon ? "smoothed target only" : "target"} ${share(q.right)}.`;
  if (!state.epsilon)
    return `${asks} No score gets there, so training pushes “${word}” up for ever.`;
  if (Math.abs(gap) < 5e-4 * (1 - q.right))
    return (
      `${gives}, as the target does: the smallest loss there is, ` +
      `${fixed(floorOf(state), 2)}. Training leaves it there.`
    );
  return gap > 0
    ? `${asks} Training pushes “${word}” back down, although it is right.`
    : `${gives}, the smoothed target ${share(q.right)}. Training pushes “${word}” up.`;
}
