// @ts-check
// The drawing of section 3.2: one trained head, from words to output, that answers every change.
import {
  changeRow,
  changeWord,
  compute,
  explain,
  open,
  unfold,
} from "./attention_picture_numbers.js";
import { arrows, bars, heat } from "./attention_picture_parts.js";
import { numberField } from "./number_field.js";
import { causalMask, fixed } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, take } from "./shared.js";
import { frame, stack, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const STEPS = ["Words", "Project", "Score", "Scale", "Mask", "Softmax", "Mix"];
const SIZE = 16; // d_k
const LARGEST = { x: 4, q: 10, k: 10, v: 4, scores: 100, scaled: 25, weights: 1 };
const TOLD = [
  "Every word is a row of X, a vector of 64 numbers.",
  "Three learned matrices turn each row into a query, a key and a value of 16 numbers.",
  "Each query meets each key in a dot product: a row of scores for each word.",
  "All scores are divided by √d_k, here √16 = 4.",
  "A score that must not count becomes −∞.",
  "Each row becomes weights that are positive and sum to 1.",
  "Each output is the values, mixed in these weights: what the word has read.",
];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["words", "mask", "edits", "step", "row", "column", "view"];
  const get = (name) => model.get(name);
  const data = get("data");
  const head = open(data);
  const start = { words: get("words"), mask: get("mask"), edits: get("edits") };
  const count = start.words.length;
  const places = start.words.map((_, n) => n);
  let pointed = /** @type {number[] | null} */ (null);
  let r = compute(head, start);

  // -- what the reader can change --
  const pick = (row, column = get("column")) => save(model, { row, column });
  const put = (name, i, row) => save(model, { edits: changeRow(get("edits"), name, i, row) });
  const putEntry = (name, i, d, x) => put(name, i, r[name][i].with(d, x));
  const swap = (i, word) =>
    save(model, {
      words: get("words").map((old, n) => (n === i ? word : old)),
      edits: changeWord(get("edits"), i),
    });
  const putScore = (j, x) => {
    const edits = get("edits");
    save(model, { edits: { ...edits, scores: { ...edits.scores, [`${get("row")},${j}`]: x } } });
  };
  const flip = (j) =>
    save(model, {
      mask: get("mask").map((row, i) =>
        i === get("row") ? row.map((may, n) => (n === j ? !may : may)) : row,
      ),
    });

  const steps = stepBar({
    names: STEPS,
    short: STEPS,
    get: () => get("step"),
    go: (step) => save(model, { step }),
    every: 2400,
  });
  const word = choice({
    label: "Change it to",
    options: data.words.map((each) => [each, each]),
    value: "",
    change: (to) => swap(get("row"), to),
  });
  const other = press("safe ⇄ stream", () => {
    save(model, { row: 1, column: 4 });
    swap(4, get("words")[4] === "safe" ? "stream" : "safe");
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
    pick((held = to));
    asks[to].focus();
  };
  const asks = places.map((i) => {
    const here = () => look([i, get("column")]);
    const away = () => look(null);
    const button = press("", () => pick(i), {
      pointerenter: ({ buttons }) => {
        if (buttons) carry(held, i);
        here();
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

  // -- the matrices --
  /** @param {"x" | "q" | "k" | "v" | "scores" | "scaled" | "masked" | "weights" | "output"} name */
  const matrix = (name, step, kind, title, hint, columns, square) => {
    const drawn = heat(count, columns, (i, j, how) => {
      if (i < 0) return look(null);
      const [row, column] = square
        ? [i, j]
        : kind === "k" || kind === "v"
          ? [shown()[0], i]
          : [i, shown()[1]];
      if (how === "press") pick(row, column);
      else look([row, column]);
    });
    const tops = square ? places.map(() => h("span")) : [];
    const node = h(
      "div",
      { class: `tc-matrix tc-of-${kind}` },
      h("div", { class: "tc-caption" }, h("b", {}, title), " ", hint),
      h("div", { class: "tc-tops", "aria-hidden": "true" }, ...tops),
      drawn.node,
    );
    return { ...drawn, name, node, step, kind, tops, square };
  };
  const maps = ["q", "k", "v"].map((name) => {
    const drawn = heat(64, SIZE);
    drawn.paint(head.maps[name].weight, 0.6);
    drawn.mark(-1);
    return h("div", { class: `tc-of-${name}` }, h("b", {}, `W`, h("sub", {}, name)), drawn.node);
  });
  const x = matrix("x", 0, "x", "X", "", 64, false);
  const projected = [
    matrix("q", 1, "q", "Q", "asks", SIZE, false),
    matrix("k", 1, "k", "K", "is found", SIZE, false),
    matrix("v", 1, "v", "V", "gives", SIZE, false),
  ];
  const compared = [
    matrix("scores", 2, "scores", "Q Kᵀ", "", count, true),
    matrix("scaled", 3, "scores", "÷ √d", "", count, true),
    matrix("masked", 4, "scores", "mask", "", count, true),
  ];
  const mixed = [
    matrix("weights", 5, "weights", "softmax", "", count, true),
    matrix("output", 6, "output", "× V", "output", SIZE, false),
  ];
  const matrices = [x, ...projected, ...compared, ...mixed];
  const sides = [0, 1, 2, 3].map((n) =>
    h(
      "div",
      { class: n % 2 ? "tc-side tc-again" : "tc-side", "aria-hidden": "true" },
      ...places.map((i) => {
        const name = h("span", {
          pointerenter: () => look([i, get("column")]),
          click: () => pick(i),
        });
        name.addEventListener("pointerleave", () => look(null));
        return name;
      }),
    ),
  );
  const mapsBox = h("div", { class: "tc-maps", "aria-hidden": "true" }, ...maps);
  const inside = (list) => list.map(({ node }) => node);
  const drawing = h(
    "div",
    { class: "tc-drawing" },
    h("div", { class: "tc-band" }, sides[0], x.node, mapsBox, sides[1], ...inside(projected)),
    h("div", { class: "tc-band" }, sides[2], ...inside(compared), sides[3], ...inside(mixed)),
  );

  // -- one row, in numbers --
  const refused = h("p", { class: "tc-message", role: "status" });
  const keys = places.map((j) => {
    const field = numberField({
      label: "",
      get: () => Math.round(10 * r.scores[shown()[0]][j]) / 10,
      put: (to) => {
        say(refused, "");
        putScore(j, to);
      },
      refuse: (error) => say(refused, error),
      limit: 1000,
    });
    const name = press("", () => pick(get("row"), j));
    const may = press("", () => flip(j));
    const [scaled, weight] = [h("span"), h("span")];
    const line = h(
      "tr",
      { pointerenter: () => look([get("row"), j]), pointerleave: () => look(null) },
      h("th", { scope: "row" }, name),
      ...[field.node, scaled, may, weight].map((each) => h("td", {}, each)),
    );
    return { field, name, may, scaled, weight, line };
  });
  const about = h("caption");
  const columns = ["key", "score", "÷ √16", "mask", "weight"].map((text) =>
    h("th", { scope: "col" }, text),
  );
  const table = h(
    "table",
    { class: "tc-numbers" },
    about,
    h("thead", {}, h("tr", {}, ...columns)),
    h("tbody", {}, ...keys.map(({ line }) => line)),
  );
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
      const old = Math.sqrt(row.reduce((all, each) => all + each * each, 0)) || 1;
      put(
        "q",
        get("row"),
        row.map((each) => (each * size) / old),
      );
    },
  );
  const views = stack([
    h("div", { class: "tc-entries" }, ...Object.values(entries).map(({ node }) => node)),
    h(
      "div",
      {},
      plane.node,
      h(
        "small",
        {},
        "The query lies on the line. Each key has its true length and angle to it, in 16 dimensions; angles between keys are not shown. Score = length of the query × how far the key reaches along it.",
      ),
    ),
  ]);
  const tabs = ["entries", "arrows"].map((view) =>
    press(view === "entries" ? "Entries" : "Arrows", () => save(model, { view })),
  );
  const said = h("p", { class: "tc-why", "aria-live": "polite" });
  const told = h("p", { class: "tc-told", "aria-live": "polite" });
  const german = h("p", { class: "tc-german" });

  const root = frame({
    name: "picture",
    title: "One trained head",
    controls: [other, causal, reset],
    steps: steps.node,
    told: h(
      "div",
      {},
      told,
      h(
        "div",
        { class: "tc-sentence", role: "group", "aria-label": "The word that asks" },
        ...asks,
      ),
      h("div", { class: "tc-bar" }, word.node, german),
    ),
    inputs: [],
    result: [],
    below: [
      drawing,
      said,
      h(
        "details",
        {},
        h("summary", {}, "The row in numbers"),
        h(
          "div",
          { class: "tc-detail" },
          h("div", {}, table, refused),
          h("div", {}, h("div", { class: "tc-tabs" }, ...tabs), views.node),
        ),
      ),
      h(
        "p",
        { class: "tc-legend" },
        "Colored: above 0. Gray: below. Hatched: masked. Pull a bar or a tip, or focus it and use ↑ ↓.",
      ),
    ],
  });

  root.classList.toggle("tc-brief", get("brief"));

  const shown = () => pointed ?? [get("row"), get("column")];
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
    for (const each of matrices) {
      const held = each.kind === "k" || each.kind === "v";
      each.mark(held ? j : i, each.square ? j : -1);
      each.tops.forEach((top, n) => top.classList.toggle("tc-on", n === j));
    }
    for (const side of sides)
      [...side.children].forEach((name, n) => {
        name.classList.toggle("tc-on", n === i);
        name.classList.toggle("tc-key", n === j && n !== i);
      });
    asks.forEach((button, n) => button.setAttribute("aria-pressed", String(n === i)));
    say(said, explain(get("step"), i, j, words, r));
    detail(i, j);
  }

  function detail(i, j) {
    const words = get("words");
    const mask = get("mask")[i];
    say(about, `The row of “${words[i]}”`);
    keys.forEach(({ field, name, may, scaled, weight, line }, n) => {
      say(name, words[n]);
      name.setAttribute("aria-pressed", String(n === j));
      field.show();
      if (document.activeElement !== field.node) field.node.value = fixed(r.scores[i][n], 1);
      field.node.setAttribute("aria-label", `score of ${words[i]} with ${words[n]}`);
      say(scaled, fixed(r.masked[i][n], 1));
      say(may, mask[n] ? "may" : "masked");
      may.setAttribute("aria-pressed", String(!mask[n]));
      may.setAttribute("aria-label", `mask ${words[n]} for ${words[i]}`);
      say(weight, fixed(r.weights[i][n], 2));
      weight.style.setProperty("--t", String(r.weights[i][n] || 0));
      line.classList.toggle("tc-on", n === j);
    });
    const products = r.q[i].map((each, d) => each * r.k[j][d]);
    entries.q.draw(r.q[i], `q of ${words[i]}`);
    entries.k.draw(r.k[j], `k of ${words[j]}`);
    const sum = products.reduce((all, each) => all + each, 0);
    entries.products.draw(products, "entry by entry, q · k", `sum ${fixed(sum, 1)}`);
    entries.v.draw(r.v[j], `v of ${words[j]}`, `counts ${fixed(r.weights[i][j], 2)}`);
    entries.output.draw(r.output[i], `output of ${words[i]}`);
    plane.draw(r.q[i], r.k, r.scores[i], words, i, j, r.weights[i]);
  }

  function update() {
    const [words, mask, step] = ["words", "mask", "step"].map(get);
    r = compute(head, { words, mask, edits: get("edits") });
    for (const each of matrices) {
      const largest = LARGEST[each.name] ?? (each.kind === "scores" ? LARGEST.scaled : LARGEST.v);
      each.paint(r[each.name], largest);
      each.node.classList.toggle("tc-later", each.step > step);
      each.node.classList.toggle("tc-here", each.step === step);
      each.tops.forEach((top, n) => say(top, words[n]));
    }
    mapsBox.classList.toggle("tc-later", step < 1);
    for (const side of sides) [...side.children].forEach((name, n) => say(name, words[n]));
    asks.forEach((button, n) => say(button, words[n]));
    steps.show(step);
    say(told, TOLD[step]);
    word.set(words[get("row")]);
    word.input.setAttribute("aria-label", `Change ${words[get("row")]} to`);
    causal.setAttribute("aria-pressed", String(String(mask) === String(causalMask(count))));
    const plain = String(words.with(4, "")) === String(start.words.with(4, ""));
    const written = plain && data.german[words[4]];
    say(german, written ? `The translator writes: ${written}` : "");
    const view = get("view");
    views.show(view === "entries" ? 0 : 1);
    tabs.forEach((tab, n) =>
      tab.setAttribute("aria-pressed", String((n === 0) === (view === "entries"))),
    );
    point();
  }

  return live({ model, el }, root, names, update);
}

export default { render };
