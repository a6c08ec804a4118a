// @ts-check
// Everything that can be set in the laboratory.
import { PAPERS } from "./engine/experiment.js";
import { ALLOWED } from "./laboratory_experiments.js";
import { check, choice, slider } from "./shared.js";
/** @import {Control} from "./types.js" */

/** What a setting, or one of its values, is called, where its name does not say it.
 * @type {Record<string, string>} */
export const WORDS = {
  rate: "Rate, times equation 3's",
  warmup: "Warm-up, steps",
  smoothing: "Label smoothing",
  mask: "Mask in the decoder",
  reverse: "reverse letters",
  copy: "copy letters",
  sort: "sort letters",
  phrases: "English to German",
  post: "after the sum",
  pre: "before the sub-layer",
};
const STEPS = { rate: 0.5, warmup: 50, smoothing: 0.1, steps: 200 };

/** A control for each setting, which tells of a change.
 * @param {(name: string, value: any) => void} change @returns {Record<string, Control>} */
export const makeControls = (change) =>
  Object.fromEntries(
    Object.entries(ALLOWED).map(([name, allowed]) => {
      const value = PAPERS[name];
      const about = {
        label: WORDS[name] ?? name[0].toUpperCase() + name.slice(1),
        value,
        change: (to) => change(name, typeof value === "number" ? Number(to) : to),
      };
      if (!Array.isArray(allowed))
        return [name, slider({ ...about, ...allowed, step: STEPS[name] })];
      const options = allowed.map((each) => [each, WORDS[each] ?? String(each)]);
      return [name, name === "mask" ? check(about) : choice({ ...about, options })];
    }),
  );
