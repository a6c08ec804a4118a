// @ts-check
// The four steps of scaled dot-product attention (equation 1), computed where the reader looks.
import { compute, explain, feeds } from "./attention_steps_numbers.js";
import { STEPS, fill, makeTables } from "./attention_steps_tables.js";
import { causalMask, plain } from "./numbers.js";
import { h, live, press, say } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { each } from "./table.js";
/** @import {Context} from "./types.js" */

// Of each step: the tables that go in, in the order of `feeds`, and the one that comes out.
const INPUTS = [["query", "key"], ["scores"], ["scaled"], ["weights", "value"]];
const RESULTS = ["scores", "scaled", "weights", "output"];
const LEGEND = Object.entries({ neg: "below 0", pos: "above 0", seq: "weight", off: "masked" });

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["query", "key", "value", "mask", "step"];
  const get = (name) => model.get(name);
  const state = () =>
    /** @type {any} */ (Object.fromEntries(["tokens", ...names].map((name) => [name, get(name)])));
  const tokens = get("tokens");
  // "sat" and "cat": one number to follow through the four steps
  const chosen = { picked: [2, 1], pointed: /** @type {number[] | null} */ (null) };

  const told = h("p", { class: "tc-told", "aria-live": "polite" });
  const message = h("p", { class: "tc-message", role: "status" });
  const words = h("p");
  const sum = h("code");

  const save = (changes, note = "") => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
    message.textContent = note;
  };
  const put = (name, i, j, entry, note) =>
    save(
      {
        [name]: get(name).map((row, r) => row.map((old, c) => (r === i && c === j ? entry : old))),
      },
      note,
    );

  const refuse = (error) => {
    message.textContent = error;
  };
  const show = (step) => (step === get("step") ? point() : save({ step }));
  const tables = makeTables(get, put, chosen, show, refuse);
  const steps = stepBar({
    names: STEPS.map(([name]) => name),
    get: () => get("step"),
    go: (step) => save({ step }),
    every: 2600,
  });
  const causal = h("input", {
    type: "checkbox",
    change: () =>
      save(
        { mask: causal.checked ? causalMask(3) : [0, 1, 2].map(() => [true, true, true]) },
        (causal.checked
          ? "Causal mask on: no token attends to a later one."
          : "Causal mask off: every token attends to every token.") + " It acts in step 3.",
      ),
  });
  const reset = press("Reset", () => {
    save(get("start"), "All numbers and the mask are as they were at the start.");
    update();
  });
  const root = frame({
    name: "steps",
    title: "Attention in four steps",
    controls: [h("label", { class: "tc-check" }, causal, "Causal mask"), reset],
    steps: steps.node,
    told,
    inputs: [tables.query.node, tables.key.node, tables.value.node],
    result: [
      ...RESULTS.map((name) => tables[name].node),
      h("div", { class: "tc-why", "aria-live": "polite" }, words, sum),
    ],
    below: [
      h(
        "div",
        { class: "tc-stack" },
        h(
          "p",
          { class: "tc-legend" },
          ...LEGEND.map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name)),
          "Edit any boxed number; ↑ ↓ step it by 0.5.",
        ),
        message,
      ),
    ],
  });

  /** The number in question: what feeds it, and how it came about. */
  function point() {
    const [step, i, column] = chosen.pointed ?? [get("step"), ...chosen.picked];
    const j = Math.min(column, tables[RESULTS[step]].controls[0].length - 1);
    const marked = (node, kind, on) => node.parentElement.classList.toggle(kind, on);
    for (const [name, { node, controls }] of Object.entries(tables)) {
      const fed = INPUTS[step].indexOf(name);
      const [row, place] = fed < 0 ? [-1, -1] : feeds(step, i, j)[fed];
      node.classList.toggle("tc-fed", INPUTS[get("step")].includes(name));
      node.classList.toggle("tc-here", RESULTS[get("step")] === name);
      each(controls, (control, a, b) => {
        marked(control, "tc-feed", (row ?? a) === a && (place ?? b) === b);
        marked(control, "tc-pick", RESULTS[step] === name && a === i && b === j);
      });
    }
    const [first, second] = explain(step, i, j, state());
    say(words, first);
    say(sum, second);
  }

  function update() {
    const now = state();
    const { mask, step } = now;
    const r = compute(now);
    for (const name of /** @type {const} */ (["query", "key", "value"]))
      each(tables[name].controls, (input, i, j) => {
        input.value = plain(now[name][i][j]);
        input.setAttribute("aria-valuenow", now[name][i][j]);
      });
    const masking = step === 2;
    each(tables.scaled.controls, (node, i, j) => {
      node.dataset.name = masking
        ? `${tokens[i]} may attend to ${tokens[j]}`
        : `scaled score, query ${tokens[i]}, key ${tokens[j]}`;
      if (masking) node.setAttribute("aria-pressed", mask[i][j]);
      else node.removeAttribute("aria-pressed");
    });
    say(tables.scaled.said, masking ? "press to mask" : "÷ √4");
    fill(tables.scores, r.scores, mask, 0);
    fill(tables.scaled, step > 1 ? r.masked : r.scaled, mask, 1);
    fill(tables.weights, r.weights, mask, 2, true);
    fill(tables.output, r.output, mask, 3);
    steps.show(step);
    causal.checked = String(mask) === String(causalMask(3));
    causal.indeterminate = !causal.checked && String(mask).includes("false");

    const empty = tokens
      .filter((_, i) => !mask[i].includes(true))
      .map((name) => `“${name}”`)
      .join(" and ");
    const nothing =
      empty && step > 1 ? ` Every key of ${empty} is masked: 0 ÷ 0 is not a number, NaN.` : "";
    const lead = `${STEPS[step][0]}. `;
    if (told.textContent !== lead + STEPS[step][2] + nothing)
      told.replaceChildren(h("b", {}, lead), STEPS[step][2], h("strong", {}, nothing));
    point();
  }

  return live({ model, el }, root, names, update);
}

export default { render };
