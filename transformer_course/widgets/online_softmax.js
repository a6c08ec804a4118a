// @ts-check
// Softmax over tiles, as FlashAttention does it: a maximum, a sum and a mixture that run along.
import { count, format, plain } from "./numbers.js";
import {
  LIMIT,
  SIDE,
  atOnce,
  masked,
  online,
  parseScore,
  standing,
} from "./online_softmax_numbers.js";
import { arithmetic, memoryInWords, tableRows, words } from "./online_softmax_words.js";
import { check, choice, h, live, press, save, say, slider, take } from "./shared.js";
/** @import {Context} from "./types.js" */

const TRAITS = ["scores", "values", "mask", "tile", "step", "forget", "length"];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const message = h("p", { class: "tc-message", role: "status" });
  const set = (changes, note = "") => {
    save(model, changes);
    say(message, note);
  };
  const presets = Object.entries(get("presets"));
  const numKeys = get("values")[0].length;
  const tiles = () => Math.ceil(numKeys / get("tile"));
  const now = () => Math.min(get("step"), tiles());
  const go = (step) => {
    if (step >= 0 && step <= tiles()) set({ step });
  };

  const preset = choice({
    label: "Scores",
    value: "0",
    options: [...presets.map(([name], n) => [n, name]), ["", "your own"]],
    change: (n) => {
      if (n !== "") set(presets[n][1]);
    },
  });
  const size = slider({
    label: "Keys in a tile",
    min: 1,
    max: numKeys,
    value: 3,
    change: (n) => set({ tile: n, step: Math.min(get("step"), Math.ceil(numKeys / n)) }),
  });
  const step = slider({
    label: "Tiles seen",
    min: 0,
    max: numKeys,
    value: 0,
    show: (n) => `${n} of ${tiles()}`,
    change: go,
  });
  const back = press("← Back", () => go(now() - 1));
  const next = press("Next tile →", () => go(now() + 1));
  const forget = check({
    label: "Forget the correction",
    value: false,
    change: (on) => set({ forget: on }),
  });
  const length = slider({
    label: "Tokens n",
    min: 7,
    max: 17,
    value: 12,
    show: () => count(get("length")),
    change: (n) => set({ length: 2 ** n }),
  });

  const edit = (j, text) => {
    const { value, masked: off, error } = parseScore(text);
    if (error) return say(message, error);
    const put = (name, entry) => [get(name)[0].map((old, place) => (place === j ? entry : old))];
    set(
      off
        ? { mask: put("mask", false) }
        : { scores: put("scores", value), mask: put("mask", true) },
    );
  };
  const keys = Array.from({ length: numKeys }, (_, j) => {
    const show = () => {
      input.value = get("mask")[0][j] ? plain(get("scores")[0][j]) : "−∞";
    };
    const input = h("input", {
      role: "spinbutton",
      autocomplete: "off",
      "aria-label": `score of key ${j + 1}`,
      "aria-valuemin": -LIMIT,
      "aria-valuemax": LIMIT,
      focus: () => input.select(),
      change() {
        edit(j, input.value);
        show();
      },
      keydown(event) {
        const up = { ArrowUp: 0.5, ArrowDown: -0.5 }[event.key];
        if (up) {
          take(event);
          edit(j, String(Math.max(-LIMIT, Math.min(LIMIT, get("scores")[0][j] + up))));
        }
        if (up || event.key === "Escape") show();
      },
    });
    const [bar, exp, value] = [h("i"), h("small"), h("span")];
    const column = h("div", { class: "tc-column" }, bar);
    return {
      node: h("div", { class: "tc-key" }, column, exp, input, value),
      column,
      input,
      bar,
      exp,
      value,
      show,
    };
  });
  const row = h("div", { class: "tc-tiles" });
  const lead = h("p", { "aria-live": "polite" });
  const body = h("tbody");
  const head = h(
    "tr",
    {},
    h("td"),
    ...["m", "correction", "l", "o", "o ÷ l"].map((name) => h("th", { scope: "col" }, name)),
  );
  const sums = ["m", "c", "l", "o"].map(() => h("code"));
  const verdict = h("p", { class: "tc-verdict", role: "status" });
  const memory = h("p");
  const blocks = [h("i"), h("i")];
  const root = h(
    "div",
    { class: "tc tc-online", role: "group", "aria-label": "Softmax over tiles" },
    h("div", { class: "tc-bar" }, preset.node, size.node),
    h("div", { class: "tc-bar" }, back, next, step.node, forget.node),
    row,
    h(
      "p",
      { class: "tc-legend" },
      "Bar: what a key counts for now, exp(score − m). Dashed: before this tile. Boxed: its " +
        "score, to edit (−inf masks). Below: its value.",
    ),
    message,
    lead,
    h("div", { class: "tc-why" }, ...sums),
    h(
      "div",
      { class: "tc-op", role: "region", tabindex: 0, "aria-label": "After each tile" },
      h(
        "table",
        {},
        h(
          "caption",
          {},
          h("b", {}, "After each tile"),
          ": maximum m, sum l, mixture o; last, all at once",
        ),
        h("thead", {}, head),
        body,
      ),
    ),
    verdict,
    h("p", { class: "tc-title" }, "Memory"),
    h("div", { class: "tc-bar" }, length.node),
    h(
      "div",
      { class: "tc-memory" },
      h("span", {}, "all n × n scores"),
      h("span", {}, blocks[0]),
      h("span", {}, "a tile, m and l"),
      h("span", {}, blocks[1]),
    ),
    memory,
  );

  /** Keys in boxes, one for each tile. */
  function build() {
    if (row.dataset.tile === String(get("tile"))) return;
    row.dataset.tile = get("tile");
    row.replaceChildren(
      ...Array.from({ length: tiles() }, (_, n) => {
        const group = keys.slice(n * get("tile"), (n + 1) * get("tile"));
        return h(
          "div",
          { class: "tc-tile", role: "group", "aria-label": `tile ${n + 1}` },
          h("b", {}, `tile ${n + 1}`),
          h("div", {}, ...group.map(({ node }) => node)),
        );
      }),
    );
  }

  function update() {
    const [scores, values, mask] = ["scores", "values", "mask"].map((name) => get(name)[0]);
    const seen = masked(scores, mask);
    const states = online(seen, values, get("tile"), get("forget"));
    const [whole, naive] = [atOnce(seen, values), atOnce(seen, values, false)];
    if (whole.m === -Infinity) [whole.l, whole.o] = [0, 0]; // nothing to add
    const at = now();
    const known = presets.findIndex(
      ([, each]) =>
        String(each.scores) === String([scores]) && String(each.mask) === String([mask]),
    );
    preset.set(known < 0 ? "" : known);
    size.set(get("tile"));
    step.input.max = tiles();
    step.set(at);
    forget.set(get("forget"));
    length.set(Math.round(Math.log2(get("length"))));
    back.setAttribute("aria-disabled", String(at === 0));
    next.setAttribute("aria-disabled", String(at === tiles()));

    build();
    [...row.children].forEach((tile, n) =>
      tile.setAttribute("data-seen", n === at - 1 ? "now" : n < at ? "before" : "later"),
    );
    const [heights, earlier] = [standing(states, at), standing(states, Math.max(0, at - 1))];
    keys.forEach(({ input, column, bar, exp, value, show }, j) => {
      if (document.activeElement !== input) show();
      input.setAttribute("aria-valuenow", scores[j]);
      input.setAttribute("aria-valuetext", mask[j] ? plain(scores[j]) : "masked");
      bar.style.height = `${100 * (heights[j] ?? 0)}%`;
      column.toggleAttribute("data-was", j < earlier.length);
      column.style.setProperty("--was", `${100 * (earlier[j] ?? 0)}%`);
      say(exp, j < heights.length ? format(heights[j]) : "·");
      say(value, plain(values[j]));
    });
    body.replaceChildren(...tableRows(states, whole, at));
    const code = at
      ? arithmetic(states[at - 1], states[at - 2], values, get("forget"))
      : ["m = −∞, l = 0, o = 0", "", "", ""];
    sums.forEach((node, n) => say(node, code[n]));
    const [first, second] = words(states, whole, naive, at, get("forget"));
    say(lead, first);
    say(verdict, second);

    const n = get("length");
    const [all, few] = [n * n, 2 * n + SIDE * SIDE];
    blocks.forEach((block, place) => {
      block.style.width = `${Math.max(0.3, (100 * [all, few][place]) / all)}%`;
    });
    say(memory, memoryInWords(n, all, few));
  }

  return live({ model, el }, root, TRAITS, update);
}

export default { render };
