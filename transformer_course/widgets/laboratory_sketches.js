// @ts-check
// Where one guesses: sketches in the chart, each with its words, of which one is picked.
import { guessesOf } from "./laboratory_guesses.js";
import { h, svg } from "./shared.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

/** Where the loss of a guess that is no number ends. @type {Record<string, number>} */
const ENDS = { flat: 3, neither: 3, halfway: 1.8, down: 0.65, loss: 0.65 };

/** What the chart shows: the share of rows, the loss, both, or, before a run, the places of a row.
 * @param {Prepared | null} experiment null for the reader's own @param {any} run */
export const scaleOf = (experiment, run) =>
  ({ share: "rows", half: "rows", first: "both", look: run ? "loss" : "look" })[
    experiment?.asks ?? ""
  ] ?? "loss";

/** How a guess would go: y for x from 0 to 1, and the x where its words stand.
 * @param {string} asks @param {any} value @param {{steps: number, guessing: number, row: number}}
 * about the steps of a run, the loss of guessing, how many letters the row has
 * @returns {{y: (x: number) => number, at: number, reach?: number[]}} */
export function sketch(asks, value, { steps, guessing, row }) {
  const rise = (middle, most) => (x) => (guessing * most) / (1 + Math.exp(8 - (8 * x) / middle));
  if (asks === "look") {
    const to = { first: 0, between: row >> 1, last: row - 1, end: row }[value];
    return {
      y: (x) => 0.92 * (1 - Math.acos(1 - 2 * x) / Math.PI), // it ends upright on its letter
      at: { end: 0.4, between: 0.62 }[value] ?? 0.97,
      reach: [row / 2, to],
    };
  }
  if (asks === "half") return { y: rise(value / steps, 1), at: Math.min(1, value / steps) };
  if (asks === "share") return { y: rise(0.4, value / 100), at: 1 };
  if (value === "rows") return { y: rise(0.45, 0.7), at: 1 };
  const end = ENDS[value] ?? value;
  return { y: (x) => end + (guessing - end) * Math.exp(-6 * x), at: 1 };
}

/** @param {any} chart that they stand in @param {(guess: any) => void} change null is no guess */
export function makeSketches(chart, change) {
  const curves = svg("g", { class: "tc-sketches" });
  chart.node.append(curves);
  const group = h("fieldset", { class: "tc-guess", "aria-label": "Your guess" });
  let /** @type {Prepared | null} */ shown = null;
  let /** @type {any[]} */ all = [];
  const pick = (guess) => {
    for (const { value, input, curve } of all) {
      input.checked = value === guess;
      curve.classList.toggle("tc-mine", value === guess);
    }
    change(guess);
  };
  return {
    group,
    /** @param {Prepared} experiment whose guess begins anew */
    ask(experiment) {
      if (experiment === shown) return;
      shown = experiment;
      const name = `tc-guess-${Math.random()}`;
      all = guessesOf(experiment).map(([value, words]) => {
        const input = h("input", {
          type: "radio",
          name,
          value,
          change: () => pick(value),
          keydown: (event) => event.stopPropagation(),
        });
        const label = h("label", {}, input, h("span", {}, words));
        const lines = ["tc-wide", ""].map((kind) => svg("path", { class: kind }));
        const click = () => group.disabled || input.click();
        const curve = svg("g", { class: value === "rows" ? "tc-rows" : "", click }, ...lines);
        return { value, input, label, curve, lines };
      });
      group.replaceChildren(...all.map(({ label }) => label));
      curves.replaceChildren(...all.map(({ curve }) => curve));
    },
    /** @param {any} about as `sketch` needs it */
    draw(about) {
      const { asks } = /** @type {Prepared} */ (shown);
      const { width, height } = chart.node.viewBox.baseVal;
      for (const { value, label, lines } of all) {
        const { y, at, reach = [0, about.steps] } = sketch(asks, value, about);
        const point = (x) => chart.place(reach[0] + x * (reach[1] - reach[0]), y(x));
        const d = Array.from({ length: 61 }, (_, n) => point(n / 60).map((p) => p.toFixed(1)));
        for (const line of lines) line.setAttribute("d", `M${d.join("L")}`);
        const [left, top] = point(at);
        label.style.left = `${(100 * left) / width}%`;
        label.style.top = `${(100 * top) / height}%`;
        label.classList.toggle("tc-before", at === 1 || value === "last");
      }
    },
  };
}
