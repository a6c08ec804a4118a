// @ts-check
// The cache of keys and values: it grows by one token a step, saves work, and costs bytes.
import { chart } from "./chart.js";
import {
  amount,
  cacheBytes,
  divisors,
  drawn,
  fitting,
  kind,
  multiplyAdds,
  short,
  size,
} from "./kv_cache_numbers.js";
import { count } from "./numbers.js";
import { check, choice, h, live, press, save, say, slider, svg } from "./shared.js";

const STEPS = 16; // tokens in the picture
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

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
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

  /** Strips of cells, made anew only when there are other layers to draw. */
  let strip = /** @type {any[][]} */ ([]);
  function build() {
    const shape = drawn(get("layers"));
    if (strips.dataset.shape === String(shape)) return;
    strips.dataset.shape = String(shape);
    strip = [];
    strips.replaceChildren(
      ...shape.flatMap((layer) =>
        layer === null
          ? [h("span", { class: "tc-gap" }, "⋮")]
          : ["K", "V"].map((what) => {
              const cells = Array.from({ length: STEPS }, () => h("i"));
              strip.push(cells);
              return h(
                "div",
                {},
                h("span", {}, what === "K" ? h("small", {}, `layer ${layer} `) : "", what),
                ...cells,
              );
            }),
      ),
    );
  }

  /** Which head of keys each head of queries asks. */
  function connect(all, kept) {
    if (share.dataset.shape === `${all} ${kept}`) return;
    share.dataset.shape = `${all} ${kept}`;
    const x = (n, of) => ((n + 0.5) / of) * 640;
    const wide = Math.min(14, 480 / all);
    const ends = Array.from({ length: all }, (_, n) =>
      [x(n, all), x(Math.floor((n * kept) / all), kept)].map((at) => at.toFixed(1)),
    );
    const dots = (places, y, cap) =>
      svg("path", {
        d: places.map((at) => `M${at} ${y}h0`).join(""),
        "stroke-width": wide,
        "stroke-linecap": cap,
      });
    share.replaceChildren(
      svg("path", { d: ends.map(([from, to]) => `M${from} 14L${to} 50`).join("") }),
      dots(
        ends.map(([from]) => from),
        9,
        "round",
      ),
      dots([...new Set(ends.map(([, to]) => to))], 54, "square"),
    );
    share.setAttribute(
      "aria-label",
      `${all} heads of queries above, ${kept} of keys and values below: each of those is asked ` +
        `by ${all / kept}`,
    );
  }

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
    back.setAttribute("aria-disabled", t === 1);
    next.setAttribute("aria-disabled", t === STEPS);

    build();
    strip.forEach((cells) =>
      cells.forEach((cell, place) => {
        cell.dataset.cell = place >= t ? "none" : now.cached && place < t - 1 ? "kept" : "new";
      }),
    );
    strips.setAttribute(
      "aria-label",
      `Keys and values of ${t} tokens in ${depth} layers: ` +
        `${now.cached ? `${t - 1} tokens kept, 1 computed` : `all ${t} computed`}`,
    );
    const cells = 2 * depth;
    const one =
      `A cell holds ${count(kept)} × ${count(now.head_dim)} = ` +
      `${count(kept * now.head_dim)} numbers.`;
    say(
      lead,
      now.cached
        ? `Step ${t}: with a cache only the newest token's keys and values are computed, ` +
            `${count(cells)} cells in ${count(depth)} layers; ${count(cells * (t - 1))} are read ` +
            `from the cache. ${one}`
        : `Step ${t}: without a cache all ${count(cells * t)} cells are computed, though ` +
            `${count(cells * (t - 1))} of them were there at the step before. ${one}`,
    );

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
    const points = (on) =>
      Array.from({ length: 33 }, (_, place) => n ** (place / 32)).map((x) => [
        x,
        multiplyAdds(now, x, on).sum,
      ]);
    curve.draw({
      x: { min: 1, max: n, log: true, label: "tokens" },
      y: {
        min: multiplyAdds(now, 1, true).sum / 2,
        max: counts[1][2] * 2,
        log: true,
        label: "multiply-adds",
      },
      lines: [
        { points: points(false), hue: 2, dash: "6 4" },
        { points: points(true), hue: 1 },
      ],
      marks: [
        {
          x: t,
          y: multiplyAdds(now, t, now.cached).sum,
          hue: now.cached ? 1 : 2,
          text: `step ${t}`,
        },
      ],
    });

    connect(all, kept);
    say(
      shared,
      `${count(all)} ${all > 1 ? "heads" : "head"} of queries (circles), ${count(kept)} of keys ` +
        `and values (squares): ${kind(all, kept)} ` +
        `attention${kept > 1 && kept < all ? `, ${kept} groups of ${all / kept}` : ""}.`,
    );
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
    const here = cacheBytes(now, kept, n);
    say(
      sum,
      `2 · ${count(depth)} layers · ${count(kept)} ${kept > 1 ? "heads" : "head"} · ` +
        `${count(now.head_dim)} · ${count(n)} tokens · ${count(now.batch)} ` +
        `${now.batch > 1 ? "sequences" : "sequence"} · ${now.number_bytes} ` +
        `${now.number_bytes > 1 ? "bytes" : "byte"} = ${count(here)} bytes`,
    );
    say(
      verdict,
      `${count(n)} tokens cost ${size(here)}, each further one ` +
        `${size(cacheBytes(now, kept, 1))}. ` +
        (kept < all
          ? `With keys and values for every head it would be ${size(most)}, ` +
            `${all / kept} times as much.`
          : "Every head keeps its own keys and values.") +
        ` Without the cache, writing them would take ${short(ratios[2])} times the multiply-adds.`,
    );
  }

  return live({ model, el }, root, TRAITS, update);
}

export default { render };
