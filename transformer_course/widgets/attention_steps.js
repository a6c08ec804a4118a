// @ts-check
// The four steps of scaled dot-product attention (equation 1), computed where the reader looks.
import { compute, explain, feeds } from "./attention_steps_numbers.js";
import { DIMENSIONS, STEPS, fill, makePanels, tint } from "./attention_steps_tables.js";
import { causalMask, format, plain } from "./numbers.js";
import { h, live, take } from "./shared.js";
import { each } from "./table.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["query", "key", "value", "mask", "step"];
  const get = (name) => model.get(name);
  const state = () =>
    /** @type {any} */ (Object.fromEntries(["tokens", ...names].map((name) => [name, get(name)])));
  const tokens = get("tokens");
  // "sat" and "cat": one number to follow through the four steps
  const chosen = { picked: [2, 1], pointed: /** @type {number[] | null} */ (null) };

  const say = h("p", { class: "tc-said", "aria-live": "polite" });
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
  const { panels, nodes, operands } = makePanels(get, put, chosen, () => point(), refuse);

  // -- one row through all four steps, so that an edit shows at once what comes of it --
  const whose = h("b");
  const stations = ["scores", "scaled", "weights", "output"].map((name) => {
    const cells = (name === "output" ? DIMENSIONS : tokens).map(() => h("span"));
    return {
      name,
      cells,
      node: h("span", { class: "tc-station" }, h("small", {}, name), ...cells),
    };
  });
  const way = h(
    "div",
    { class: "tc-way", role: "group", "aria-label": "One row through all four steps" },
    whose,
    ...stations.map(({ node }) => node),
  );

  // -- stepping, the mask, reset --
  const go = (step) => {
    if (STEPS[step]) save({ step });
  };
  const keydown = (event) => {
    const to = { ArrowLeft: get("step") - 1, ArrowRight: get("step") + 1, Home: 0, End: 3 }[
      event.key
    ];
    if (to === undefined) return;
    take(event);
    go(to);
    if (strip.contains(event.target)) tabs[get("step")].focus();
  };
  const press = (click, ...label) => h("button", { type: "button", click }, ...label);
  const tabs = STEPS.map(([name, formula], step) =>
    press(() => go(step), h("b", {}, h("span", {}, `${step + 1} `), name), h("small", {}, formula)),
  );
  const strip = h("ol", { keydown }, ...tabs.map((tab) => h("li", {}, tab)));
  const back = press(() => go(get("step") - 1), "← Back");
  const next = press(() => go(get("step") + 1), "Next →");
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
  const reset = press(() => {
    save(get("start"), "All numbers and the mask are as they were at the start.");
    update();
  }, "Reset");
  const legend = [
    ["neg", "negative"],
    ["pos", "positive"],
    ["seq", "weight"],
    ["off", "masked"],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name));
  const root = h(
    "div",
    { class: "tc tc-steps", role: "group", "aria-label": "Attention in four steps" },
    strip,
    say,
    h("div", { class: "tc-panels" }, ...nodes),
    way,
    message,
    h("div", { class: "tc-why", "aria-live": "polite" }, words, sum),
    h(
      "div",
      { class: "tc-bar" },
      h("span", { keydown }, back, next),
      h("span", {}, h("label", {}, causal, "Causal mask"), reset),
    ),
    h(
      "p",
      { class: "tc-legend" },
      ...legend,
      h("br"),
      "Point at a result, or Tab to it and use the arrow keys. Edit any boxed number; ↑ ↓ step " +
        "it by 0.5.",
    ),
  );

  /** The number in question: what feeds it, and how it came about. */
  function point() {
    const step = get("step");
    const { left, out } = panels[step];
    const [i, j] = chosen.pointed ?? [
      chosen.picked[0],
      Math.min(chosen.picked[1], out.controls[0].length - 1),
    ];
    left.forEach(({ controls }, n) =>
      each(controls, (node, a, b) => {
        const [row, column] = feeds(step, i, j)[n];
        node.parentElement.classList.toggle("tc-feed", (row ?? a) === a && (column ?? b) === b);
      }),
    );
    each(out.controls, (node, a, b) =>
      node.parentElement.classList.toggle("tc-pick", a === i && b === j),
    );
    const results = compute(state());
    whose.textContent = `“${tokens[i]}” through all four steps`;
    stations.forEach(({ name, cells, node }, n) => {
      const row = results[name][i];
      const largest =
        name === "weights"
          ? 1
          : Math.max(1e-9, ...results[name].flat().filter(Number.isFinite).map(Math.abs));
      cells.forEach((cell, k) => {
        cell.textContent = format(row[k]);
        tint(cell, row[k], largest, name === "weights");
      });
      node.classList.toggle("tc-here", n === step);
    });
    [words.textContent, sum.textContent] = explain(step, i, j, state());
  }

  function update() {
    const now = state();
    const { mask, step } = now;
    const r = compute(now);
    operands.forEach((table, n) =>
      each(table.controls, (input, i, j) => {
        input.value = plain(now[names[n]][i][j]);
        input.setAttribute("aria-valuenow", now[names[n]][i][j]);
      }),
    );
    fill(panels[0].out, r.scores, mask);
    fill(panels[1].left[0], r.scores, mask);
    fill(panels[1].out, r.scaled, mask);
    fill(panels[2].left[0], r.masked, mask);
    fill(panels[2].out, r.weights, mask, true);
    fill(panels[3].left[0], r.weights, mask, true);
    fill(panels[3].out, r.output, mask);
    each(panels[2].out.sums, (cell, i) => {
      cell.textContent = format(r.weights[i].reduce((a, b) => a + b));
    });
    each(panels[2].left[0].controls, (node, i, j) => node.setAttribute("aria-pressed", mask[i][j]));
    nodes.forEach((node, n) => {
      node.hidden = n !== step;
      if (n === step) tabs[n].setAttribute("aria-current", "step");
      else tabs[n].removeAttribute("aria-current");
    });
    back.setAttribute("aria-disabled", String(step === 0));
    next.setAttribute("aria-disabled", String(step === 3));
    causal.checked = String(mask) === String(causalMask(3));
    causal.indeterminate = !causal.checked && String(mask).includes("false");

    const empty = tokens
      .filter((_, i) => !mask[i].includes(true))
      .map((name) => `“${name}”`)
      .join(" and ");
    const nothing =
      empty && step > 1 ? ` Every key of ${empty} is masked: 0 ÷ 0 is not a number, NaN.` : "";
    const lead = `Step ${step + 1} of 4: ${STEPS[step][0]}. `;
    if (say.textContent !== lead + STEPS[step][2] + nothing)
      say.replaceChildren(h("b", {}, lead), STEPS[step][2], h("strong", {}, nothing));
    point();
  }

  return live({ model, el }, root, names, update);
}

export default { render };
