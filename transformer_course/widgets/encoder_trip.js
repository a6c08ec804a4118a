// @ts-check
// One sentence through one encoder layer: every matrix, and where each of its numbers comes from.

// ---- The steps: # stands for the number of the head ----
import { explain, feeds, readOut, shapes, tables, trip } from "./encoder_trip_numbers.js";
import { STEPS } from "./encoder_trip_steps.js";
import { fixed } from "./numbers.js";
import { choice, h, live, press, save, say, take } from "./shared.js";
import { numberTable } from "./table.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const { slots, english, german, weights } = get("trained");
  let [row, column] = [0, 1];
  let now = /** @type {any} */ (null);

  // -- the sentence, and what the model makes of it --
  const words = slots.map((slot, n) =>
    choice({
      label: `word ${n + 1}`,
      options: slot.map((word) => [word, word]),
      value: get("sentence")[n],
      change: (word) =>
        save(model, { sentence: get("sentence").map((old, m) => (m === n ? word : old)) }),
    }),
  );
  const read = slots.map(() => ({ word: h("span", { lang: "de" }), share: h("small") }));
  const line = h(
    "div",
    {
      class: "tc-sentence",
      role: "group",
      "aria-label": "The sentence, and the German that is read off the output",
    },
    ...words.map(({ node }, n) => h("div", {}, node, read[n].word, read[n].share)),
  );

  // -- stepping --
  const go = (step) => {
    if (STEPS[step]) save(model, { step });
  };
  const keydown = (event) => {
    const to = {
      ArrowLeft: get("step") - 1,
      ArrowRight: get("step") + 1,
      Home: 0,
      End: STEPS.length - 1,
    }[event.key];
    if (to === undefined) return;
    take(event);
    go(to);
    if (strip.contains(event.target)) tabs[get("step")].focus();
  };
  const tabs = STEPS.map(({ name, hue }, n) =>
    h("button", { type: "button", class: `tc-hue${hue}`, click: () => go(n) }, `${n + 1} ${name}`),
  );
  const strip = h("ol", { keydown }, ...tabs.map((tab) => h("li", {}, tab)));
  const back = press("← Back", () => go(get("step") - 1), { keydown });
  const next = press("Next →", () => go(get("step") + 1), { keydown });
  const heads = [1, 2].map((head) => press(`Head ${head}`, () => save(model, { head })));
  const headBar = h("span", { class: "tc-heads" }, ...heads);

  const [title, told] = [h("b"), h("span")];
  const [formula, shape] = [h("code"), h("code")];
  const [lead, sum] = [h("p"), h("code")];
  // The same places at every step, so that nothing jumps: what goes in, what comes out, and how.
  const [inputs, result] = [h("div", { class: "tc-inputs" }), h("div", { class: "tc-result" })];
  const panel = h(
    "div",
    { class: "tc-panel", "data-lm-suppress-shortcuts": "true" },
    inputs,
    h("span", { class: "tc-sign", "aria-hidden": "true" }, "↓"),
    result,
    h("div", { class: "tc-why", "aria-live": "polite" }, lead, sum),
  );
  const root = h(
    "div",
    { class: "tc tc-trip", role: "group", "aria-label": "A sentence through an encoder layer" },
    line,
    strip,
    h("div", { class: "tc-bar" }, back, next, headBar),
    h("p", { class: "tc-told", "aria-live": "polite" }, title, told),
    h("p", { class: "tc-formula" }, formula, shape),
    panel,
    h(
      "p",
      { class: "tc-legend" },
      "Choose other words: the articles follow. Point at a number of the result, or Tab to it " +
        "and use the arrow keys. One layer, d_model 8, 2 heads, d_ff 16, trained by this course.",
    ),
  );

  /** The picked number: what feeds it, and how it came about. */
  function point() {
    const { shown, left, out } = now;
    const [i, j] = [row, Math.min(column, shown.out.columns.length - 1)];
    const marks = feeds(STEPS[now.step].kind, i, j, shown.left[0].columns.length);
    left.forEach((table, n) =>
      table.mark((a, b) => {
        const [r, c] = STEPS[now.step].kind === "norm" && n === 1 ? [null, j] : marks[n];
        return (r ?? a) === a && (c ?? b) === b;
      }, "tc-feed"),
    );
    out.mark((a, b) => a === i && b === j);
    say(lead, `${shown.out.caption}, row “${shown.out.rows[i]}”, column ${shown.out.columns[j]}:`);
    say(sum, explain(now.step, shown, i, j));
  }

  const build = ({ caption, rows, columns }, hint, pick) =>
    numberTable({
      caption,
      hint,
      rows,
      columns,
      pick,
      name: (i, j) => `${caption}, ${rows[i]}, ${columns[j]}`,
    });

  function update() {
    const [step, head, sentence] = [get("step"), get("head"), get("sentence")];
    const run = trip(
      weights,
      sentence.map((word) => english.indexOf(word)),
    );
    const shown = tables(step, run, head, weights, sentence);
    const key = `${step} ${head} ${sentence}`;
    if (now?.key !== key) {
      const size = ({ numbers }) => `${numbers.length} × ${numbers[0].length}`;
      const left = shown.left.map((table) => build(table, size(table), undefined));
      const out = build(shown.out, size(shown.out), (i, j) => {
        [row, column] = [i, j];
        point();
      });
      out.node.classList.add("tc-out");
      left.forEach(({ node }, n) => {
        node.classList.toggle("tc-map", n > 0 && Boolean(STEPS[step].map));
        for (const [name, value] of Object.entries({
          tabindex: 0,
          role: "group",
          "aria-label": shown.left[n].caption,
        }))
          node.setAttribute(name, value); // it may scroll
      });
      inputs.replaceChildren(...left.map(({ node }) => node));
      result.replaceChildren(out.node);
      const kindOf = ({ caption }) => ({ kind: caption === "Weights" ? "weight" : "signed" });
      left.forEach((table, n) => table.fill(shown.left[n].numbers, kindOf(shown.left[n])));
      out.fill(shown.out.numbers, kindOf(shown.out));
      now = { key, step, shown, left, out };
    }
    words.forEach(({ set }, n) => set(sentence[n]));
    readOut(run.read, german).forEach(({ word, share }, n) => {
      say(read[n].word, word);
      say(read[n].share, `${(100 * share).toFixed(0)} %`);
    });
    tabs.forEach((tab, n) =>
      n === step ? tab.setAttribute("aria-current", "step") : tab.removeAttribute("aria-current"),
    );
    back.setAttribute("aria-disabled", String(step === 0));
    next.setAttribute("aria-disabled", String(step === STEPS.length - 1));
    headBar.hidden = !STEPS[step].out.includes("#");
    heads.forEach((button, n) => button.setAttribute("aria-pressed", String(n + 1 === head)));
    say(title, `${step + 1}. ${STEPS[step].name}${headBar.hidden ? "" : `, head ${head}`}. `);
    const top = run[`weights${head}`][0];
    const best = top.indexOf(Math.max(...top));
    say(
      told,
      STEPS[step].words +
        (STEPS[step].out === "weights#"
          ? ` Here “${sentence[0]}” looks most at “${sentence[best]}”: ${fixed(top[best], 2)}.`
          : ""),
    );
    say(formula, STEPS[step].formula);
    say(shape, shapes(step, shown));
    point();
  }

  return live({ model, el }, root, ["sentence", "step", "head"], update);
}

export default { render };
