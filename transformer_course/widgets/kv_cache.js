// @ts-check
// The cache of keys and values: it grows by one token a step, saves work, and costs bytes.
import { chart } from "./chart.js";
import {
  amount,
  cacheBytes,
  costInWords,
  divisors,
  fitting,
  groupsInWords,
  multiplyAdds,
  product,
  short,
  size,
  stepInWords,
} from "./kv_cache_numbers.js";
import { STEPS, connect, drawStrips, workByTokens } from "./kv_cache_pictures.js";
import { count } from "./numbers.js";
import { check, choice, h, live, press, save, say, slider, svg } from "./shared.js";
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
];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  const presets = Object.entries(get("presets"));
  const names = ["layers", "heads", "kv_heads", "head_dim"];
  const preset = choice({
    label: "Shape of",
    value: "",
    options: [...presets.map(([name], n) => [n, name]), ["", "your own choice"]],
    change: (n) => {
      if (n !== "")
        set(Object.fromEntries(names.map((name, place) => [name, presets[n][1][place]])));
    },
  });
  const layers = slider({
    label: "Layers",
    min: 1,
    max: 128,
    value: 1,
    change: (n) => set({ layers: n }),
  });
  const heads = slider({
    label: "Heads of queries",
    min: 1,
    max: 128,
    value: 1,
    change: (n) => set({ heads: n, kv_heads: fitting(n, get("kv_heads")) }),
  });
  const groups = slider({
    label: "Heads of keys and values",
    min: 0,
    max: 1,
    value: 0,
    show: (n) => `${divisors(get("heads"))[n] ?? ""}`,
    change: (n) => set({ kv_heads: divisors(get("heads"))[n] }),
  });
  const headDim = slider({
    label: "head_dim",
    min: 8,
    max: 256,
    step: 8,
    value: 8,
    change: (n) => set({ head_dim: n }),
  });
  const context = slider({
    label: "Context, tokens",
    min: 4,
    max: 17,
    value: 4,
    show: () => count(get("context")),
    change: (n) => set({ context: 2 ** n }),
  });
  const batch = slider({
    label: "Sequences at once",
    min: 0,
    max: 8,
    value: 0,
    show: () => count(get("batch")),
    change: (n) => set({ batch: 2 ** n }),
  });
  const bytes = choice({
    label: "Number format",
    value: "2",
    options: [
      ["4", "float32, 4 bytes"],
      ["2", "float16 or bfloat16, 2 bytes"],
      ["1", "int8, 1 byte"],
    ],
    change: (n) => set({ number_bytes: n }),
  });
  const go = (step) => {
    if (step >= 1 && step <= STEPS) set({ step });
  };
  const step = slider({ label: "Tokens so far", min: 1, max: STEPS, value: 1, change: go });
  const back = press("← Back", () => go(get("step") - 1));
  const next = press("Next token →", () => go(get("step") + 1));
  const cached = check({ label: "Keep a cache", value: true, change: (on) => set({ cached: on }) });

  const strips = h("div", { class: "tc-strips", role: "img" });
  const lead = h("p", { "aria-live": "polite" });
  const table = h("tbody");
  const columns = h("tr");
  const work = h(
    "div",
    { class: "tc-op" },
    h(
      "table",
      {},
      h("caption", {}, h("b", {}, "Multiply-adds"), " of self-attention"),
      h("thead", {}, columns),
      table,
    ),
  );
  const curve = chart({
    label: "Multiply-adds against the number of tokens",
    width: 420,
    height: 220,
  });
  const share = svg("svg", { class: "tc-share", viewBox: "0 0 640 64", role: "img" });
  const shared = h("p");
  const bars = ["MHA", "chosen", "MQA"].map(() => ({ name: h("span"), bar: h("i"), size: h("b") }));
  const sum = h("code");
  const verdict = h("p", { role: "status" });
  const legend = [
    ["kept", "read from the cache"],
    ["new", "computed at this step"],
  ].map(([state, name]) => h("span", {}, h("i", { "data-cell": state }), name));
  const root = h(
    "div",
    { class: "tc tc-kv", role: "group", "aria-label": "The cache of keys and values" },
    h("p", { class: "tc-title" }, "1 It grows by one token a step"),
    h("div", { class: "tc-bar" }, back, next, step.node, cached.node),
    strips,
    h("p", { class: "tc-legend" }, ...legend),
    lead,
    h(
      "div",
      { class: "tc-work" },
      work,
      h("div", {}, curve.node, h("small", {}, "Steps 1 to n together; dashed: without a cache")),
    ),
    h("p", { class: "tc-title" }, "2 It costs memory"),
    h(
      "div",
      { class: "tc-bar tc-sizes" },
      preset.node,
      layers.node,
      heads.node,
      groups.node,
      headDim.node,
      context.node,
      batch.node,
      bytes.node,
    ),
    share,
    shared,
    h(
      "div",
      { class: "tc-bytes" },
      ...bars.map(({ name, bar, size: text }) => h("div", {}, name, h("span", {}, bar), text)),
    ),
    h("div", { class: "tc-why" }, sum),
    verdict,
  );

  function update() {
    const now = /** @type {any} */ (Object.fromEntries(TRAITS.map((name) => [name, get(name)])));
    const { layers: depth, heads: all, kv_heads: kept, step: t, context: n } = now;
    layers.set(depth);
    heads.set(all);
    groups.input.max = divisors(all).length - 1;
    groups.set(divisors(all).indexOf(kept));
    headDim.set(now.head_dim);
    context.set(Math.round(Math.log2(n)));
    batch.set(Math.round(Math.log2(now.batch)));
    bytes.set(now.number_bytes);
    step.set(t);
    cached.set(now.cached);
    const known = presets.findIndex(([, shape]) =>
      names.every((name, place) => shape[place] === now[name]),
    );
    preset.set(known < 0 ? "" : known);
    back.setAttribute("aria-disabled", String(t === 1));
    next.setAttribute("aria-disabled", String(t === STEPS));

    drawStrips(strips, now);
    say(lead, stepInWords(now));

    const counts = [true, false].map((on) => {
      const { step: one, sum } = multiplyAdds(now, t, on);
      return [one, sum, multiplyAdds(now, n, on).sum];
    });
    const ratios = counts[1].map((x, place) => x / counts[0][place]);
    columns.replaceChildren(
      h("td"),
      ...[`step ${t}`, `steps 1 to ${t}`, `steps 1 to ${count(n)}`].map((name) =>
        h("th", { scope: "col" }, name),
      ),
    );
    const row = (name, texts) =>
      h("tr", {}, h("th", { scope: "row" }, name), ...texts.map((text) => h("td", {}, text)));
    table.replaceChildren(
      row("with a cache", counts[0].map(amount)),
      row("without a cache", counts[1].map(amount)),
      row(
        "times",
        ratios.map((x) => `${short(x)} ×`),
      ),
    );
    curve.draw(workByTokens(now));

    connect(share, all, kept);
    say(shared, groupsInWords(all, kept));
    const most = cacheBytes(now, all, n);
    [
      ["MHA", all],
      ["chosen", kept],
      ["MQA", 1],
    ].forEach(([name, heads_], place) => {
      const bytes_ = cacheBytes(now, Number(heads_), n);
      say(bars[place].name, `${name}, ${heads_}`);
      say(bars[place].size, size(bytes_));
      bars[place].bar.style.width = `${(100 * bytes_) / most}%`;
    });
    say(sum, product(now));
    say(verdict, costInWords(now, ratios[2]));
  }

  return live({ model, el }, root, TRAITS, update);
}

export default { render };
