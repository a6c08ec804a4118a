// @ts-check
// Everything that can be set in the laboratory.
import { PAPERS } from "./engine/experiment.js";
import { ALLOWED } from "./laboratory_experiments.js";
import { check, choice, slider } from "./shared.js";

/** A control for each setting, which tells of a change.
 * @param {(name: string, value: any) => void} change */
export function makeControls(change) {
  const list = (label, name, options) =>
    choice({
      label,
      options,
      value: PAPERS[name],
      change: (value) => change(name, typeof PAPERS[name] === "number" ? Number(value) : value),
    });
  const range = (label, name, step) =>
    slider({
      label,
      .../** @type {object} */ (ALLOWED[name]),
      step,
      value: PAPERS[name],
      change: (value) => change(name, value),
    });
  return {
    task: list("Task", "task", [
      ["reverse", "reverse letters"],
      ["copy", "copy letters"],
      ["sort", "sort letters"],
      ["phrases", "English to German"],
    ]),
    positions: list("Positions", "positions", [
      ["sinusoidal", "sinusoids"],
      ["learned", "learned"],
      ["rotary", "rotary"],
      ["none", "none"],
    ]),
    norm: list("Norm", "norm", [
      ["post", "after the sum"],
      ["pre", "before the sub-layer"],
    ]),
    heads: list("Heads", "heads", [
      [1, "1"],
      [2, "2"],
      [4, "4"],
    ]),
    layers: range("Layers", "layers", 1),
    rate: range("Rate, times equation 3's", "rate", 0.5),
    warmup: range("Warm-up, steps", "warmup", 50),
    smoothing: range("Label smoothing", "smoothing", 0.1),
    steps: range("Steps", "steps", 200),
    seed: range("Seed", "seed", 1),
    mask: check({
      label: "Mask in the decoder",
      value: true,
      change: (value) => change("mask", value),
    }),
  };
}
