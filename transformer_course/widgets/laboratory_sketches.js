// @ts-check
// Where one guesses: sketches in the chart, or letters in the picture, of which one is picked.
import { guessesOf, inWords, placeOf } from "./laboratory_guesses.js";
import { READS, column } from "./laboratory_tiles.js";
import { h, svg } from "./shared.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

/** What is asked of: the share of rows, the loss, or, before a run, the places of a row.
 * @param {Prepared | null} experiment null for the reader's own @param {any} run */
export const scaleOf = (experiment, run) =>
  ({ share: "rows", half: "rows", look: run ? "loss" : "look" })[experiment?.asks ?? ""] ?? "loss";

/** How a guess would go: y for x from 0 to 1, and the x where its words stand.
 * @param {string} asks @param {any} value @param {{steps: number, guessing: number}} about the
 * steps of a run, the loss of guessing
 * @returns {{y: (x: number) => number, at: number}} */
export function sketch(asks, value, { steps, guessing }) {
  const rise = (middle, most) => (x) => most / (1 + Math.exp(8 - (8 * x) / middle));
  if (asks === "half") return { y: rise(value / steps, 100), at: Math.min(1, value / steps) };
  if (asks === "share") return { y: rise(0.4, value), at: 1 };
  return { y: (x) => value + (guessing - value) * Math.exp(-6 * x), at: 1 };
}

/** What may be picked: a guess, its words, and the letter that it stands for, if it is one.
 * @param {Prepared} experiment @param {string[]} row @returns {any[][]} */
export const options = (experiment, row) =>
  experiment.asks === "look"
    ? [...row, "■"].map((letter, n) => {
        const place = placeOf(n, row.length);
        return [place, inWords(experiment, place), letter];
      })
    : guessesOf(experiment);

/** @param {any} view whose chart and picture they stand in
 * @param {(guess: any) => void} change null is no guess */
export function makeSketches({ chart, picture }, change) {
  const curves = svg("g", { class: "tc-sketches" });
  chart.node.append(curves);
  const group = h("fieldset", { class: "tc-guess", "aria-label": "Your guess" });
  let shown = "";
  let /** @type {Prepared | null} */ asked = null;
  let /** @type {any[]} */ all = [];
  return {
    group,
    /** Which is picked, -1 for none. */
    picked: () => all.findIndex(({ input }) => input.checked),
    /** @param {Prepared} experiment whose guess begins anew, of a row's letters with each row
     * @param {string[]} row */
    ask(experiment, row) {
      const found = options(experiment, row);
      const key = experiment.name + found;
      if (key === shown) return;
      [shown, asked] = [key, experiment];
      const name = `tc-guess-${Math.random()}`;
      all = found.map(([value, words, letter]) => {
        const input = h("input", {
          type: "radio",
          name,
          value,
          "aria-label": letter && `${letter}, ${words}`,
          change: () => change(value),
          keydown: (event) => event.stopPropagation(),
        });
        const label = h("label", {}, input, letter ? "" : words);
        const curve = svg("path", { click: () => group.disabled || input.click() });
        return { value, input, label, curve };
      });
      group.replaceChildren(...all.map(({ label }) => label));
      curves.replaceChildren(...all.map(({ curve }) => curve));
      change(null);
    },
    /** @param {any} about as `sketch` needs it @param {boolean} asks whether one guesses now
     * @param {boolean} tells whether a guess is to be seen */
    draw(about, asks, tells) {
      const kind = /** @type {Prepared} */ (asked).asks;
      const look = kind === "look";
      const scene = look ? picture : chart.node;
      const { width, height } = scene.viewBox.baseVal;
      if (group.parentNode !== scene.parentNode) scene.after(group); // once: it keeps the focus
      group.toggleAttribute("hidden", !tells);
      curves.toggleAttribute("hidden", look || !tells);
      all.forEach(({ value, label, input, curve }, n) => {
        let spot = [column(n, width), READS];
        curve.classList.toggle("tc-mine", input.checked);
        if (!look) {
          const { y, at } = sketch(kind, value, about);
          const d = Array.from({ length: 61 }, (_, k) =>
            chart.place((about.steps * k) / 60, y(k / 60)),
          );
          curve.setAttribute("d", `M${d.join("L")}`);
          spot = asks ? chart.place(about.steps * at, y(at)) : [...d[60]];
          if (asks ? at === 1 : input.checked) spot[1] = chart.free(spot[1], 24);
        }
        const [left, top] = [(100 * spot[0]) / width, (100 * spot[1]) / height];
        label.style.cssText = `left: ${left}%; top: ${top}%`;
      });
    },
  };
}
