// @ts-check
// What became of the parts of a layer, in words and counts.
import { count } from "./numbers.js";

/** @typedef {{part: string, label: string, formula: string, code: string}} Then */
/** @typedef {{state: string, kind: string, label: string, formula: string, code: string, who: string, why: string,
 * weights: number[], once?: number}} Now */

const DID = { kept: "Kept", changed: "changed", new: "added", gone: "dropped" };

/** A formula as [tag, text]: what stands after an underscore is set low, after a caret high.
 * @param {string} formula */
export const typeset = (formula) =>
  formula
    .split(/([_^]\w+)/)
    .map(
      (part) => ({ _: ["sub", part.slice(1)], "^": ["sup", part.slice(1)] })[part[0]] ?? ["", part],
    );

/** What a model did with the parts of a layer, as [state, what it did, words after that]; what
 * neither side has is no part.
 * @param {Now[]} rows */
export function tally(rows) {
  const many = (state) => rows.filter((row) => row.state === state).length;
  const found = Object.keys(DID).filter(many);
  return found.map((state, n) => {
    const of = n ? "" : many(state) === 1 ? " part" : " parts";
    return [state, `${DID[state]} ${many(state)}`, of + (n === found.length - 1 ? "." : ", ")];
  });
}

/** 67.1 million. @param {number} number */
export const size = (number) =>
  number >= 1e6 ? `${(number / 1e6).toFixed(1)} million` : count(number);

/** The parameters of a part on both sides, or that it has none. @param {Now} row */
export function weighed({ weights: [then, now], once }) {
  if (once) return `Parameters: none, now ${count(once)}, below all layers`;
  if (!then && !now) return "Parameters: none, then or now";
  const change = then && now && then !== now ? ` (× ${(now / then).toFixed(2)})` : "";
  const [was, is] = [then, now].map((number) => (number ? size(number) : "none"));
  return `Parameters: ${was}, now ${is}${change}`;
}

/** All parameters of a layer, then and now. @param {Now[]} rows */
export const totals = (rows) =>
  [0, 1].map((side) => rows.reduce((sum, row) => sum + row.weights[side], 0));
