// @ts-check
// The drawing of section 3.2: one trained head, from words to output, that answers every change.
import {
  changeRow,
  changeWord,
  compute,
  explain,
  open,
  rival,
  takes,
  translation,
  unfold,
} from "./attention_picture_numbers.js";
import { board } from "./attention_picture_board.js";
import { arrows, bars } from "./attention_picture_parts.js";
import { rowOf } from "./attention_picture_row.js";
import { causalMask, dot, fixed } from "./numbers.js";
import { MOVES, h, live, press, save, say, take } from "./shared.js";
import { frame, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const STEPS = ["Words", "Project", "Score", "Scale", "Mask", "Softmax", "Mix"];
const SIZE = 16; // d_k
const LARGEST = { q: 10, k: 10, v: 4 };
const ARROWS =
  "Pull bars and tips. The query lies on the line, keys at true angles. " +
  "Score = its length × a key’s reach along it.";
const TOLD = [
  "Every word is a row of X: 64 numbers, with its place in them.",
  "Three learned matrices make a query, a key and a value of each row.",
  "Each query meets each key in a dot product: a row of scores for each word.",
  "All scores are divided by √dₖ = √16 = 4.",
  "A score that must not count becomes −∞.",
  "Each row becomes weights from 0 to 1, with sum 1.",
  "Each output mixes the values by weight.",
];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["words", "mask", "edits", "step", "row", "column"];
  const get = (name) => model.get(name);
  const data = get("data");
  const head = open(data);
  const start = { words: get("words"), mask: get("mask"), edits: get("edits") };
  const count = start.words.length;
  const places = start.words.map((_, n) => n);
  let pointed = /** @type {number[] | null} */ (null);
  let r = compute(head, start);
  const shown = () => pointed ?? [get("row"), get("column")];

  // -- what the reader can change --
  const pick = (row, column = get("column")) => save(model, { row, column });
  const put = (name, i, row) => save(model, { edits: changeRow(get("edits"), name, i, row) });
  const putEntry = (name, i, d, x) => put(name, i, r[name][i].with(d, x));
  const swap = (i, word) =>
    save(model, {
      words: get("words").map((old, n) => (n === i ? word : old)),
      edits: changeWord(get("edits"), i),
    });

  const steps = stepBar({
    names: STEPS,
    short: STEPS,
    get: () => get("step"),
    go: (step) => save(model, { step }),
    every: 2400,
  });
  const word = h(
    "select",
    { change: () => swap(get("row"), word.value), keydown: (event) => event.stopPropagation() },
    ...data.words.map((each) => h("option", {}, each)),
  );
  const [change, told] = [h("span"), h("p", { "aria-live": "polite" })];
  const other = press("", () => {
    const [column, noun] = rival(get("words"));
    save(model, { row: 1, column });
    swap(column, noun);
  });
  const causal = press("Causal mask", () => {
    const on = String(get("mask")) === String(causalMask(count));
    save(model, { mask: on ? places.map(() => places.map(() => true)) : causalMask(count) });
  });
  const reset = press("Reset", () => save(model, start));
  // A word that is dragged, or moved by an arrow key, changes places with those on its way.
  let held = 0;
  const carry = (from, to) => {
    const moved = get("words");
    if (to === from || !moved[to]) return;
    swap(from, moved[to]);
    swap(to, moved[from]);
    const row = get("row"); // who asks goes on asking
    pick(row === from ? to : row === to ? from : row);
    asks[(held = to)].focus();
    look(null);
  };
  const asks = places.map((i) => {
    const here = () => look([i, get("column")]);
    const away = () => look(null);
    const button = press("", () => pick(i), {
      pointerenter: ({ buttons }) => {
        if (buttons) carry(held, i);
        else here();
      },
      pointerleave: away,
      focus: here,
      blur: away,
      pointerdown: ({ pointerId }) => {
        held = i;
        button.releasePointerCapture(pointerId);
      },
      keydown: (event) => {
        const by = MOVES[event.key]?.[1];
        if (!by) return;
        take(event);
        carry(i, i + by);
      },
    });
    return button;
  });

  // -- one row, in numbers --
  const numbers = rowOf({
    places,
    pick: (j) => pick(get("row"), j),
    putScore: (j, x) => save(model, { edits: { ...get("edits"), [`${get("row")},${j}`]: x } }),
    flip: (j) =>
      save(model, {
        mask: get("mask").map((row, i) =>
          i === get("row") ? row.map((may, n) => (n === j ? !may : may)) : row,
        ),
      }),
  });
  const vector = (kind, largest, change) => bars({ kind, count: SIZE, largest, put: change });
  const entries = {
    q: vector("q", LARGEST.q, (d, to) => putEntry("q", get("row"), d, to)),
    k: vector("k", LARGEST.k, (d, to) => putEntry("k", get("column"), d, to)),
    products: vector("scores", 40),
    v: vector("v", LARGEST.v, (d, to) => putEntry("v", get("column"), d, to)),
    output: vector("output", LARGEST.v),
  };
  const plane = arrows(
    count,
    (j, to) => {
      const [i, row] = [get("row"), r.q[get("row")]];
      const spare = compute(head, { ...start, words: get("words"), edits: {} }).k[j];
      put("k", j, unfold(row, r.k[j], spare, to));
      if (get("column") !== j) pick(i, j);
    },
    (size) => {
      const row = r.q[get("row")];
      const scale = size / (Math.hypot(...row) || 1);
      put("q", get("row"), row.map((each) => each * scale)); // prettier-ignore
    },
  );
  const said = h("p", { class: "tc-said", "aria-live": "polite" });
  const german = h("p", { class: "tc-german" });
  // Words that would push what the reader points at have their room from the start.
  told.dataset.room = TOLD[2];
  said.dataset.room = explain(0, 0, 0, ["stream"], r);

  const drawing = board(count, pick, look, shown);
  const asking = { class: "tc-sentence", role: "group", "aria-label": "The word that asks" };
  const root = frame({
    name: "picture",
    title: "Follow one word",
    controls: [other],
    steps: steps.node,
    told: h("div", { class: "tc-why" }, told, said),
    below: [
      h("div", { class: "tc-line" }, h("div", asking, ...asks), german),
      drawing.node,
      h(
        "details",
        {},
        h("summary", {}, "Change it: a word, the mask, a number"),
        h(
          "div",
          { class: "tc-bar" },
          h("label", { class: "tc-control" }, change, word),
          causal,
          reset,
        ),
        h(
          "div",
          { class: "tc-detail" },
          h("div", {}, ...numbers.nodes, plane.node, h("small", {}, ARROWS)),
          h("div", {}, ...Object.values(entries).map(({ node }) => node)),
        ),
      ),
    ],
  });

  /** @param {number[] | null} at */
  function look(at) {
    if (String(at) === String(pointed)) return;
    pointed = at;
    point();
  }

  /** What depends on the word in question. */
  function point() {
    const [i, j] = shown();
    const words = get("words");
    drawing.point();
    asks.forEach((button, n) => button.setAttribute("aria-pressed", String(n === i)));
    const step = get("step");
    say(told, TOLD[step] + (step === 6 ? takes(r.weights[i], i, words) : ""));
    say(said, explain(step, i, j, words, r));
    numbers.draw(words, get("mask")[i], r, i, j);
    const products = r.q[i].map((each, d) => each * r.k[j][d]);
    entries.q.draw(r.q[i], `q of ${words[i]}`, `length ${fixed(Math.hypot(...r.q[i]), 1)}`);
    entries.k.draw(r.k[j], `k of ${words[j]}`);
    const sum = fixed(dot(r.q[i], r.k[j]), 1);
    entries.products.draw(products, "entry by entry, q · k", `sum ${sum}`);
    entries.v.draw(r.v[j], `v of ${words[j]}`, `counts ${fixed(r.weights[i][j], 2)}`);
    entries.output.draw(r.output[i], `output of ${words[i]}`);
    plane.draw(r.q[i], r.k, r.scores[i], words, i, j, r.weights[i]);
  }

  function update() {
    const [words, mask, step] = ["words", "mask", "step"].map(get);
    r = compute(head, { words, mask, edits: get("edits") });
    drawing.paint(r, step, words);
    asks.forEach((button, n) => say(button, words[n]));
    steps.show(step);
    const [at, noun] = rival(words);
    say(other, `Swap ${words[at]} for ${noun}`);
    say(change, `Change ${words[get("row")]} to`);
    word.value = words[get("row")];
    causal.setAttribute("aria-pressed", String(String(mask) === String(causalMask(count))));
    const plain = mask.flat().every(Boolean) && !Object.keys(get("edits")).length;
    const written = plain && translation(data, words);
    say(german, written ? `All heads together write: ${written}` : "");
    point();
  }

  const stop = live({ model, el }, root, names, update);
  return () => {
    drawing.stop();
    stop();
  };
}

export default { render };
