// @ts-check
// Softmax over tiles, as FlashAttention does it: a maximum, a sum and a mixture that run along.
import { count, plain } from "./numbers.js";
import {
  SIDE,
  atOnce,
  masked,
  online,
  parseScore,
  standing,
  typed,
} from "./online_softmax_numbers.js";
import { scoreKeys } from "./online_softmax_keys.js";
import { arithmetic, memoryInWords, tableRows, words } from "./online_softmax_words.js";
import { standings, sumsPicture, twoPhases } from "./online_softmax_sums.js";
import { check, choice, h, live, save, say, slider } from "./shared.js";
import { frame, stepBar } from "./stage.js";
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
  let steps = /** @type {any} */ (null);

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
  const forget = check({
    label: "Forget to shrink",
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
  const keys = scoreKeys(get, edit, numKeys);
  const row = h("div", { class: "tc-tiles" });
  const spans = ["not read again", "read now", "still to come"].map((text) => h("em", {}, text));
  const lead = h("p", { class: "tc-why", "aria-live": "polite" });
  const body = h("tbody");
  const head = h(
    "tr",
    {},
    h("td"),
    ...["m", "correction", "l", "o", "o ÷ l"].map((name) => h("th", { scope: "col" }, name)),
  );
  const caption = h("caption", {}, h("b", {}, "After each tile"));
  const region = h(
    "div",
    { class: "tc-op", role: "region", tabindex: 0, "aria-label": "After each tile" },
    h("table", {}, caption, h("thead", {}, head), body),
  );
  const sums = ["m", "c", "l", "o"].map(() => h("code"));
  const [judged, right] = [h("span"), h("b")];
  const verdict = h("p", { class: "tc-verdict", role: "status" }, judged, " ", right);
  const memory = h("p");
  const blocks = [h("i"), h("i")];
  const picture = sumsPicture(verdict);
  const bar = h("div");
  const folded = (name, ...parts) => h("details", {}, h("summary", {}, name), ...parts);
  const given = h("div", { class: "tc-bar" }, preset.node, size.node);
  const setup = folded("Scores and tiles", given);
  setup.open = !(el.clientWidth > 0 && el.clientWidth < 560); // a phone has little room
  const root = frame({
    name: "online",
    title: "Softmax over tiles",
    controls: [forget.node],
    steps: bar,
    told: h(
      "div",
      {},
      lead,
      message,
      h("div", { class: "tc-phases", "aria-hidden": "true" }, ...spans),
      row,
    ),
    inputs: [picture.node],
    below: [
      h(
        "div",
        { class: "tc-more" },
        setup,
        folded("The numbers", region, h("div", { class: "tc-why" }, ...sums)),
        folded(
          "Memory: what has to be kept",
          h("div", { class: "tc-bar" }, length.node),
          h(
            "div",
            { class: "tc-memory" },
            h("span", {}, "all n × n scores"),
            h("span", {}, blocks[0]),
            h("span", {}, "one tile"),
            h("span", {}, blocks[1]),
          ),
          memory,
        ),
      ),
    ],
  });

  /** Keys in groups, one for each tile, and a step for each. */
  function build() {
    if (row.dataset.tile === String(get("tile"))) return;
    row.dataset.tile = get("tile");
    const places = Array.from({ length: tiles() }, (_, n) => n);
    const names = () => ["weight", "score", "value"].map((name) => h("span", {}, name));
    const beside = () => h("div", { class: "tc-names", "aria-hidden": "true" }, ...names());
    row.replaceChildren(
      beside(),
      beside(), // of the second row, where it is narrow
      ...places.map((n) => {
        const group = keys.slice(n * get("tile"), (n + 1) * get("tile"));
        group.forEach(({ node }, first) => {
          node.dataset.tile = first ? "" : get("tile") > 1 ? `tile ${n + 1}` : String(n + 1);
        });
        return h(
          "div",
          { class: "tc-tile", role: "group", "aria-label": `tile ${n + 1}` },
          ...group.map(({ node }) => node),
        );
      }),
    );
    steps = stepBar({
      names: ["start", ...places.map((n) => `tile ${n + 1}`)],
      short: ["start", ...places.map((n) => (tiles() > 6 ? String(n + 1) : `tile ${n + 1}`))],
      get: now,
      go: (step) => set({ step }),
    });
    bar.replaceChildren(steps.node);
  }

  const move = twoPhases((/** @type {any} */ standing) => {
    keys.forEach(({ column }, j) =>
      column.style.setProperty("--now", `${100 * standing.heights[j]}%`),
    );
    picture.draw(standing);
  });
  let shownStep = -1;
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
    forget.set(get("forget"));
    length.set(Math.round(Math.log2(get("length"))));
    build();
    steps.show(at);
    const ends = [0, Math.max(0, at - 1), at, tiles()].map((n) =>
      Math.min(n * get("tile"), numKeys),
    );
    spans.forEach((span, n) => {
      span.style.gridColumn = `${ends[n] + 2} / ${ends[n + 1] + 2}`;
      span.hidden = ends[n + 1] === ends[n];
    });
    const full = (list) => keys.map((_, j) => list[j] ?? 0);
    const [heights, earlier] = [standing(states, at), standing(states, Math.max(0, at - 1))];
    const to = standings(states, at, full(earlier), full(heights), seen);
    row.querySelectorAll(".tc-tile").forEach((tile, n) => {
      tile.setAttribute("data-seen", n === at - 1 ? "now" : n < at ? "before" : "later");
      const times = n < at - 1 && get("tile") > 1 ? to.times : "";
      tile.lastElementChild?.setAttribute("data-times", times);
    });
    keys.forEach(({ input, column, value, show }, j) => {
      if (document.activeElement !== input) show();
      input.setAttribute("aria-valuenow", scores[j]);
      input.setAttribute("aria-valuetext", mask[j] ? plain(scores[j]) : "masked");
      column.toggleAttribute("data-was", j < earlier.length);
      column.style.setProperty("--was", `${100 * (earlier[j] ?? 0)}%`);
      say(value, plain(values[j]));
    });
    move(to, at === shownStep + 1);
    shownStep = at;
    body.replaceChildren(...tableRows(states, whole, at));
    region.scrollTop = at > 4 ? (at - 3) * 24 : 0;
    const code = at
      ? arithmetic(states[at - 1], states[at - 2], values, get("forget"))
      : ["m = −∞, l = 0, o = 0", "", "", ""];
    sums.forEach((node, n) => say(node, code[n]));
    const truth = atOnce(seen.slice(0, ends[2]), values.slice(0, ends[2]));
    const [first, second, third] = words(states, truth, naive, at, get("forget"));
    say(lead, first);
    picture.told(
      at ? typed(states[at - 1].m) : "−∞",
      at ? states[at - 1].o / states[at - 1].l : 0,
      at,
    );
    say(judged, second);
    say(right, third);
    picture.node.classList.toggle("tc-bad", Boolean(third));

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
