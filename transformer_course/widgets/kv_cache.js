// @ts-check
// The cache of keys and values: it grows by one token a step, saves work, and costs bytes.
import {
  amount,
  cacheBytes,
  costInWords,
  middleOf,
  multiplyAdds,
  product,
  short,
  size,
  stepInWords,
  textsInTile,
  textsThatFit,
  tiles,
  workInWords,
} from "./kv_cache_numbers.js";
import {
  WORDS,
  connect,
  drawStrips,
  drawTexts,
  threads,
  workColumns,
} from "./kv_cache_pictures.js";
import { count } from "./numbers.js";
import { sizeControls } from "./kv_cache_sizes.js";
import { check, h, live, press, save, say, svg } from "./shared.js";
import { frame, stack, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const TRAITS = [
  "layers",
  "heads",
  "kv_heads",
  "head_dim",
  "context",
  "batch",
  "number_bytes",
  "cached",
  "step",
  "figure",
];
const FIGURES = { work: "It saves work", memory: "It costs memory" };

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  const sizes = sizeControls(model);
  const bar = stepBar({
    names: WORDS,
    short: WORDS.map((_, n) => String(n + 1)),
    get: () => get("step") - 1,
    go: (n) => set({ step: n + 1 }),
    every: 700,
  });
  const cached = check({ label: "Keep a cache", value: true, change: (on) => set({ cached: on }) });

  bar.node.lastChild.before(cached.node);
  const strips = h("div", { class: "tc-strips", role: "img" });
  const lead = h("p", { class: "tc-why", "aria-live": "polite" });
  const [table, columns] = [h("tbody"), h("tr")];
  const whose = h("caption");
  const work = h(
    "div",
    { class: "tc-op", tabindex: 0, role: "group", "aria-label": "Multiply-adds" },
    h("table", {}, whose, h("thead", {}, columns), table),
  );
  const [curve, ways] = [workColumns(), threads()];
  const [read, made] = [h("span"), h("b")];
  const [times, toldNow, timesAll, toldAll] = ["b", "span", "b", "span"].map((tag) =>
    h(/** @type {any} */ (tag)),
  );
  const saved = h("span", { class: "tc-saved" });
  const ratio = h(
    "div",
    { class: "tc-ratio" },
    h("p", { class: "tc-times" }, times, toldNow),
    h("p", {}, timesAll, toldAll),
  );
  const alone = h("span"); // whose the lowest row is
  const words = WORDS.map((word) => h("span", {}, word));
  const kinds = ["Multi-head", "Grouped-query", "Multi-query"].map((kind) => {
    const [all, kept, fits, texts, each] = ["span", "span", "strong", "span", "b"].map((tag) =>
      h(/** @type {any} */ (tag)),
    );
    const share = svg("svg", { class: "tc-share", viewBox: "0 0 200 72", role: "img" });
    const square = svg("svg", { class: "tc-texts", viewBox: "0 0 192 192", "aria-hidden": "true" });
    const node = h("div", {}, h("p", {}, kind), all, share, kept, square);
    node.append(h("p", {}, fits, texts), each);
    return { node, all, kept, share, square, fits, texts, each };
  });
  const [sum, key] = [h("code"), h("p", { class: "tc-legend" })];
  const verdict = h("p", { class: "tc-why", role: "status" });
  const views = stack([
    h(
      "div",
      {},
      bar.node,
      lead,
      h("div", { class: "tc-work" }, alone, curve.node, saved, ratio),
      h("div", { class: "tc-ways", "aria-hidden": "true" }, h("p", {}, read, made), ways.node),
      strips,
      h("div", { class: "tc-words", "aria-hidden": "true" }, h("span"), ...words),
      work,
    ),
    h(
      "div",
      { class: "tc-memory" },
      verdict,
      h("div", { class: "tc-bytes" }, ...kinds.map(({ node }) => node)),
      key,
      h("div", { class: "tc-sizes" }, ...sizes.nodes),
      sum,
    ),
  ]);
  const tabs = Object.entries(FIGURES).map(([figure, name]) => ({
    figure,
    tab: press(name, () => set({ figure })),
  }));
  const root = frame({
    name: "kv",
    title: "The cache of keys and values",
    controls: tabs.map(({ tab }) => tab),
    told: views.node,
  });

  function update() {
    const now = /** @type {any} */ (Object.fromEntries(TRAITS.map((name) => [name, get(name)])));
    const { heads: all, kv_heads: kept, step: t, context: n } = now;
    const model_ = sizes.show(now);
    say(whose, workInWords(now, model_));
    bar.show(t - 1);
    tabs.forEach(({ figure, tab }, place) => {
      tab.setAttribute("aria-pressed", String(figure === now.figure));
      if (figure === now.figure) views.show(place);
    });
    cached.set(now.cached);
    say(alone, now.cached ? "with a cache" : "one token");

    drawStrips(strips, now);
    say(lead, stepInWords(now, WORDS));
    words.forEach((word, place) => {
      word.className = place === t - 1 ? "tc-now" : place < t ? "" : "tc-later";
    });
    curve.draw(now);
    ways.draw(now);
    say(read, now.cached ? `${t - 1} read` : "");
    say(made, `${now.cached ? 1 : t} computed`);

    const counts = [true, false].map((on) => [
      multiplyAdds(now, t, on).step,
      multiplyAdds(now, n, on).sum,
    ]);
    say(saved, t > 1 ? `${t - 1} ${now.cached ? "saved" : "again"}` : "");
    saved.style.setProperty("--t", t);
    const [one, whole] = counts[1].map((x, place) => `${short(x / counts[0][place])} ×`);
    const less = now.cached ? "less" : "more";
    say(times, one);
    say(toldNow, `${less} work at step ${t}`);
    say(timesAll, whole);
    say(toldAll, `${less} in a text of ${count(n)} tokens`);
    columns.replaceChildren(
      h("td"),
      ...[`step ${t}`, `steps 1 to ${count(n)}`].map((name) => h("th", { scope: "col" }, name)),
    );
    table.replaceChildren(
      ...["with a cache", "without"].map((name, place) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name),
          ...counts[place].map((x) => h("td", {}, amount(x))),
        ),
      ),
    );

    // Between all heads and one: what was chosen, or else what a group of them would keep.
    const middle = kept > 1 && kept < all ? kept : middleOf(all);
    const tile = textsInTile(textsThatFit(now, 1));
    [all, middle, 1].forEach((heads_, place) => {
      const kind = kinds[place];
      const fits = textsThatFit(now, heads_);
      connect(kind.share, all, heads_);
      drawTexts(kind.square, Math.floor(fits / tile));
      say(kind.all, `${all} ${all > 1 ? "heads ask" : "head asks"}`);
      say(kind.kept, `${heads_} ${heads_ > 1 ? "heads" : "head"} of keys`);
      say(kind.fits, count(fits));
      say(kind.texts, fits === 1 ? " text" : " texts");
      say(kind.each, `${size(cacheBytes({ ...now, batch: 1 }, heads_, n))} each`);
      const chosen = heads_ === kept && (place === 1) === (kept === middle);
      kind.node.classList.toggle("tc-chosen", chosen);
    });
    say(key, tiles(tile));
    say(sum, product(now));
    say(verdict, costInWords(now));
  }

  return live({ model, el }, root, TRAITS, update);
}

export default { render };
