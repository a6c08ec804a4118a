// @ts-check
// One word asks: its query meets every key, and what each word hands over is added up.
import { compute, open, rival, translation } from "./attention_picture_numbers.js";
import { NAMES, heard, percent, told } from "./one_query_words.js";
import { fixed } from "./numbers.js";
import { MOVES, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stepBar, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const SIZE = 16; // d_k
const MOST = { q: 11, k: 11, v: 4, output: 4 };
const ROW = 30; // of a word, in the arcs' own units
const SUM = 40; // high, in the same units
const SWEEP = 110; // ms that the query takes from word to word

/** @param {number[]} query @param {number[]} key */
const times = (query, key) => query.map((x, d) => x * key[d]);

/** A vector as bars: above the line in its color, below it in gray. @param {string} kind */
function spark(kind) {
  const paths = ["pos", "neg"].map((each) => svg("path", { "data-kind": each }));
  const box = { viewBox: `0 -1 ${SIZE} 2`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const node = svg("svg", { class: `tc-spark tc-of-${kind}`, ...box }, ...paths);
  const draw = (/** @type {number[]} */ row, most = MOST[kind]) =>
    paths.forEach((path, n) =>
      path.setAttribute(
        "d",
        row
          .map((x, d) => [d, Math.max(-1, Math.min(1, x / most))])
          .filter(([, tall]) => tall < 0 === Boolean(n))
          .map(([d, tall]) => `M${d + 0.1} 0h.8v${-tall}h-.8z`)
          .join(""),
      ),
    );
  return { node, draw };
}

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["words", "row", "step", "head"];
  const get = (name) => model.get(name);
  const data = get("data");
  const heads = { 1: open(data), 4: open({ ...data, projections: get("other") }) };
  const places = get("words").map((_, n) => n);
  const mask = places.map(() => places.map(() => true));
  const go = (row) => save(model, { row });

  const steps = stepBar({
    names: NAMES,
    get: () => get("step"),
    go: (step) => save(model, { step }),
    every: 2400,
  });
  const swap = press("", () => save(model, { words: get("words").with(...rival(get("words"))) }));

  const which = Object.keys(heads).map((n) =>
    press(`Head ${n}`, () => save(model, { head: Number(n) })),
  );

  // -- a row for each word: its key, its score, its weight, its value --
  const lines = places.map((n) => {
    const word = press("", () => go(n), {
      class: "tc-word",
      style: `grid-row: ${n + 3}`,
      keydown: (event) => {
        const to = lines[n + (MOVES[event.key]?.[0] ?? 0)];
        if (!to || to === lines[n]) return;
        take(event);
        go(lines.indexOf(to));
        to.word.focus();
      },
    });
    const [key, product, value, part] = ["k", "scores", "v", "v"].map(spark);
    const [score, weight] = [h("i"), h("i")];
    const [scored, weighed] = [h("span"), h("span")];
    const cell = (kind, ...inner) =>
      h("div", { class: `tc-cell tc-of-${kind}`, style: `grid-row: ${n + 3}` }, ...inner);
    const cells = [
      cell("k", key.node, product.node),
      cell("scores", score, scored),
      cell("weights", weight, weighed),
      cell("v", value.node, part.node),
    ];
    return { word, key, product, value, part, score, weight, scored, weighed, cells };
  });
  const [query, output] = [spark("q"), spark("output")];
  const [asks, reads] = [h("b"), h("b")];
  const threads = svg("g");
  const arcs = svg(
    "svg",
    {
      class: "tc-arcs",
      viewBox: `0 0 72 ${places.length * ROW}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    threads,
  );
  const flows = svg("g");
  const [right, end] = [places.length * ROW, places.length * ROW + SUM / 2];
  const flow = svg(
    "svg",
    { class: "tc-flow", viewBox: `0 0 32 ${right + SUM}`, preserveAspectRatio: "none" },
    flows,
    svg("path", { class: "tc-tip", d: `M0 ${end}l9 -6v12z` }),
  );
  flow.setAttribute("aria-hidden", "true");
  const title = (kind, ...text) => h("div", { class: `tc-top tc-of-${kind}` }, ...text);
  const meet = h("span");
  const sweep = spark("q");
  sweep.node.classList.add("tc-sweep");
  const table = h(
    "div",
    { class: "tc-table", role: "group", "aria-label": "The word that asks; arrow keys move" },
    h("div", { class: "tc-asks" }, asks, " asks"),
    h("div", { class: "tc-query" }, query.node),
    title("k", meet),
    title("scores", "score"),
    title("weights", h("small", {}, `÷ √${SIZE}, softmax`), "share"),
    title("v", "value"),
    arcs,
    ...lines.flatMap(({ word, cells }) => [word, ...cells]),
    flow,
    h("small", { class: "tc-gray" }, "Gray is below zero."),
    h("div", { class: "tc-reads" }, "added up, each by its share", reads),
    h("div", { class: "tc-output" }, output.node),
    sweep.node,
  );
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const german = h("p", { lang: "de" });
  const writes = h(
    "div",
    { class: "tc-writes" },
    h("small", {}, "The grammar translator writes"),
    german,
  );
  const root = frame({
    name: "ask",
    title: "One word asks",
    controls: [...which, swap],
    steps: steps.node,
    told: why,
    below: [table, writes],
  });

  const middle = (n) => (n + 0.5) * ROW;
  function thread(from, to, share) {
    const bend = from === to ? 14 : Math.min(62, 18 + 11 * Math.abs(to - from));
    const [a, b] = from === to ? [middle(from) - 7, middle(to) + 7] : [middle(from), middle(to)];
    const d = `M72 ${a}C${72 - bend} ${a} ${72 - bend} ${b} 72 ${b}`;
    return svg("path", { d, "stroke-width": 1 + (from === to ? 2 : 5) * share });
  }
  let [most, longest] = [1, 1]; // a score and a product, with either word
  const move = glide(([q, k, v, scores, weights, mixed]) => {
    query.draw(q);
    sweep.draw(q);
    output.draw(mixed);
    lines.forEach(({ key, product, value, part, score, weight, scored, weighed, cells }, n) => {
      key.draw(k[n]);
      product.draw(times(q, k[n]), longest);
      value.draw(v[n]);
      part.draw(v[n].map((x) => weights[n] * x));
      const share = scores[n] / most;
      score.dataset.kind = share < 0 ? "neg" : "pos";
      score.style.setProperty("--long", String(Math.abs(share)));
      say(scored, fixed(scores[n], 0));
      weight.style.setProperty("--long", String(weights[n]));
      say(weighed, weights[n] >= 0.005 ? percent(weights[n]) : "");
      for (const each of cells.slice(2)) each.style.setProperty("--share", String(weights[n]));
    });
  }, 350);

  let last = /** @type {number | null} */ (null);
  let stop = () => {};
  function update() {
    const [words, row, step, head] = names.map(get);
    const [r, beside] = [head, 5 - head].map((n) => compute(heads[n], { words, mask, edits: {} }));
    which.forEach((button, n) => button.setAttribute("aria-pressed", String(n * 3 + 1 === head)));
    const weights = r.weights[row];
    const other = compute(heads[head], { words: words.with(...rival(words)), mask, edits: {} });
    const both = [r, other];
    most = Math.max(...both.flatMap(({ scores }) => scores[row].map(Math.abs)));
    longest = Math.max(
      ...both.flatMap(({ q, k }) => k.flatMap((x) => times(q[row], x).map(Math.abs))),
    );
    move([r.q[row], r.k, r.v, r.scores[row], weights, r.output[row]]);
    const top = weights.indexOf(Math.max(...weights));
    lines.forEach(({ word, cells }, n) => {
      say(word, words[n]);
      word.setAttribute("aria-pressed", String(n === row));
      word.tabIndex = n === row ? 0 : -1;
      word.setAttribute("aria-label", heard(step, words[n], r.scores[row][n], weights[n]));
      for (const each of cells) each.classList.toggle("tc-top-one", n === top);
      word.classList.toggle("tc-found", n === top && step > 3);
    });
    const lit = places.filter((n) => weights[n] >= 0.03);
    threads.replaceChildren(...(step > 3 ? lit : []).map((n) => thread(row, n, weights[n])));
    flows.replaceChildren(
      ...lit.map((n) =>
        svg("path", {
          d: `M0 ${middle(n)}C34 ${middle(n)} 34 ${end} 7 ${end}`,
          "stroke-width": 1 + 5 * weights[n],
        }),
      ),
    );
    say(asks, words[row]);
    say(meet, step === 3 ? "product" : "key");
    say(reads, `what “${words[row]}” has read`);
    root.dataset.step = String(step);
    steps.show(step);
    const written = translation(data, words);
    say(why, told(step, row, words, r, written, [5 - head, beside.weights[row]]));
    const [at, noun] = rival(words);
    say(swap, `Swap ${words[at]} for ${noun}`);
    writes.hidden = !written;
    // The German noun that the bank has become.
    const parts = written.split(/(Bank|Ufer)/);
    german.replaceChildren(...parts.map((part, m) => (m % 2 ? h("b", {}, part) : part)));

    // The query goes down the keys, and each word gets its score as it comes by.
    stop();
    const down = step === 3 && last === 2;
    last = step;
    const reach = (t) => {
      const at = t * places.length;
      for (const [n, { cells }] of lines.entries())
        for (const each of cells.slice(0, 2)) each.classList.toggle("tc-not-yet", n + 0.5 > at);
      sweep.node.style.cssText = `--at: ${at}; opacity: ${t < 1 ? 1 : 0}`;
    };
    if (down) stop = tween(SWEEP * places.length, reach);
    else reach(1);
  }

  const gone = live({ model, el }, root, names, update);
  return () => {
    stop();
    gone();
  };
}

export default { render };
