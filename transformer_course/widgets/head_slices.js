// @ts-check
// Heads as slices of d_model: cut, bring to the front, attend, lay side by side again.
import {
  STAGES,
  WORDS,
  costs,
  divisors,
  rows,
  splitHeads,
  tell,
  weightsOf,
} from "./head_slices_numbers.js";
import { picture, prices } from "./head_slices_pictures.js";
import { MOVES, assign, check, choice, h, live, save, say, slider, take } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { numberTable } from "./table.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["d_model", "num_heads", "length", "stage", "wrong"];
  const state = () =>
    /** @type {any} */ (Object.fromEntries(names.map((name) => [name, model.get(name)])));
  let chosen = -1; // the head whose weights are shown in numbers
  let built = "";
  let drawing = /** @type {any} */ (null);
  let table = /** @type {any} */ (null);

  const steps = stepBar({
    names: STAGES,
    get: () => model.get("stage"),
    go: (stage) => save(model, { stage }),
    every: 2400,
  });
  const widths = choice({
    label: "d_model",
    options: [8, 16, 32, 64, 512].map((d) => [d, d]),
    value: model.get("d_model"),
    change(text) {
      const width = Number(text);
      save(model, {
        d_model: width,
        num_heads: Math.max(...divisors(width).filter((n) => n <= model.get("num_heads"))),
      });
    },
  });
  widths.input.setAttribute("aria-label", "d_model");
  const symbol = [h("i", {}, "d"), h("sub", {}, "model")];
  /** @type {any} */ (widths.node.querySelector("label")).replaceChildren(...symbol);
  const heads = choice({
    label: "Heads",
    options: [],
    value: 0,
    change: (n) => save(model, { num_heads: Number(n) }),
  });
  const lengths = slider({
    label: "Words",
    min: 2,
    max: 6,
    value: model.get("length"),
    change: (length) => save(model, { length }),
  });
  const wrong = check({
    label: "Wrong reshape",
    value: false,
    change: (to) => save(model, { wrong: to, stage: Math.max(2, model.get("stage")) }),
  });

  const [code, shape] = [h("code"), h("code")];
  const words = h("span", { class: "tc-words" });
  const told = h("p", { class: "tc-told", "aria-live": "polite" }, words);
  const below = h("div");
  const name = h("b");
  const range = h("p");
  const cost = h("div", { class: "tc-cost" });
  const more = h("details", {}, h("summary", {}, "What more heads cost"), range, cost);
  const given = h("div");
  const root = frame({
    name: "heads-cut",
    title: "Heads are slices",
    controls: [wrong.node],
    steps: steps.node,
    told: h("div", { class: "tc-why" }, h("p", { class: "tc-formula" }, code, shape), told),
    inputs: [given],
    below: [
      h("div", { class: "tc-bar" }, heads.node, widths.node, lengths.node),
      h("div", { class: "tc-foot" }, more, h("small", {}, "Made by hand, hence so tidy.")),
    ],
  });

  const choose = (head) => {
    const again = head === chosen && model.get("stage") === 3;
    chosen = again ? -1 : head;
    if (model.get("stage") === 3) update();
    else save(model, { stage: 3 });
  };
  const keydown = (event, head) => {
    const [down, right] = MOVES[event.key] ?? [0, 0];
    const to = drawing.maps[head + down + right];
    if ((!down && !right) || !to) return;
    take(event);
    choose(head + down + right);
    to.node.focus();
  };

  /** A new picture, and a new table of weights. */
  function build(now) {
    drawing = picture(now, choose, keydown);
    chosen = chosen < now.num_heads ? chosen : -1;
    const tokens = WORDS.slice(0, now.length);
    table = numberTable({ caption: "Weights", rows: tokens, columns: tokens });
    below.replaceChildren(h("p", {}, name, h("small", {}, "a word ↓ looks at →")), table.node);
    drawing.node.append(below, h("p", { class: "tc-hint" }, "Press a head for its weights."));
    given.replaceChildren(drawing.node);
  }

  function update() {
    const now = state();
    const { d_model: d, num_heads: n, length, stage } = now;
    const x = rows(length, d);
    const split = splitHeads(x, n, now.wrong);
    const weights = split.map(weightsOf);
    const key = `${d} ${n} ${length}`;
    if (key !== built) {
      build(now);
      built = key;
      heads.input.replaceChildren(...divisors(d).map((m) => h("option", { value: m }, String(m))));
    }
    widths.set(d);
    heads.set(n);
    lengths.set(length);
    wrong.set(now.wrong);
    steps.show(stage);
    root.classList.toggle("tc-bad", now.wrong && stage > 1 && n > 1);
    drawing.show(now, x, split, weights);

    const [text, dims, sentence] = tell(stage, now, weights);
    say(code, text);
    say(shape, dims);
    say(words, sentence);
    drawing.node.setAttribute("aria-label", `${STAGES[stage]}: ${dims}`);
    say(range, n === 1 ? "With 1 head:" : `From 1 head to ${n}:`);
    cost.replaceChildren(...prices(costs(d, 1, length), costs(d, n, length)));

    // -- each head's weights, those of one in numbers --
    drawing.maps.forEach(({ node }, head) => {
      node.setAttribute("aria-pressed", stage === 3 && head === chosen);
      node.tabIndex = head === Math.max(0, chosen) ? 0 : -1;
    });
    const shown = Math.max(0, chosen);
    root.classList.toggle("tc-digits", stage === 3 && chosen >= 0);
    table.fill(weights[shown], { kind: "weight" });
    below.className = `tc-below tc-hue${(shown % 8) + 1}`;
    say(name, `Weights of head ${shown + 1}`);
    say(table.node.querySelector("b"), name.textContent);
  }

  return live({ model, el }, root, names, update);
}

export default { render };
