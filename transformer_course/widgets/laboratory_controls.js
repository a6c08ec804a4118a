// @ts-check
// Everything that can be set in the laboratory.
import { PAPERS } from "./engine/experiment.js";
import { ALLOWED } from "./laboratory_experiments.js";
import { QUESTIONS } from "./laboratory_guesses.js";
import { check, choice, h, slider } from "./shared.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

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

/** Where one guesses: a slider for a number, a list for words.
 * @param {(guess: any) => void} change null is no guess */
export function makeGuess(change) {
  const node = h("div", { class: "tc-guess" });
  let /** @type {any} */ control = null;
  let /** @type {Prepared | null} */ shown = null;
  return {
    node,
    /** @param {Prepared} experiment whose guess begins anew */
    ask(experiment) {
      if (experiment === shown) return;
      shown = experiment;
      const { max = 1, step, say = String, options } = QUESTIONS[experiment.asks];
      const label = "Your guess";
      let moved = false; // where a slider lies at first is no guess
      control = options
        ? choice({
            label,
            options: [["", "choose …"], ...Object.entries(options)],
            value: "",
            change: (value) => change(value || null),
          })
        : slider({
            label,
            min: 0,
            max,
            step,
            value: max / 2,
            show: (x) => (moved ? say(x) : "move it"),
            change: (value) => {
              moved = true;
              control.set(value);
              change(value);
            },
          });
      node.replaceChildren(control.node);
    },
    /** @param {boolean} locked */
    lock(locked) {
      if (control) control.input.disabled = locked;
    },
  };
}
