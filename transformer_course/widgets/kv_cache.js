// @ts-check
// The cache of keys and values: it grows by one token a step, saves work, and costs bytes.
import {
  amount,
  cacheBytes,
  costInWords,
  groupsInWords,
  middleOf,
  multiplyAdds,
  product,
  short,
  size,
  stepInWords,
  workInWords,
} from "./kv_cache_numbers.js";
import { STEPS, connect, drawStrips, workColumns } from "./kv_cache_pictures.js";
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
  const names16 = Array.from({ length: STEPS }, (_, n) => `token${n ? "s" : ""}`);
  const bar = stepBar({
    names: names16,
    short: names16.map((_, n) => String(n + 1)),
    get: () => get("step") - 1,
    go: (n) => set({ step: n + 1 }),
    every: 700,
  });
  const cached = check({ label: "Keep a cache", value: true, change: (on) => set({ cached: on }) });

  const strips = h("div", { class: "tc-strips", role: "img" });
  const lead = h("p", { class: "tc-why", "aria-live": "polite" });
  const table = h("tbody");
  const [columns, times] = [h("tr"), h("tr", { class: "tc-times" })];
  const work = h(
    "div",
    { class: "tc-op", tabindex: 0, role: "group", "aria-label": "Multiply-adds" },
    h(
      "table",
      {},
      h("caption", { class: "tc-unseen" }, "Multiply-adds of self-attention"),
      h("thead", {}, columns, times),
      table,
    ),
  );
  const whose = h("p", { class: "tc-whose" });
  const curve = workColumns();
  const share = svg("svg", {
    class: "tc-share",
    viewBox: "0 0 640 300",
    preserveAspectRatio: "none",
    role: "img",
  });
  const shared = h("p");
  const bars = ["Multi-head (MHA)", "Grouped-query (GQA)", "Multi-query (MQA)"].map((kind) => {
    const [name, one, text] = [h("span"), h("i"), h("b")];
    return { kind, name, bar: one, size: text, node: h("div", {}, name, text, h("span", {}, one)) };
  });
  const [sum, found, each] = [h("code"), h("b"), h("span")];
  const verdict = h("p", { class: "tc-why", role: "status" });
  const legend = [
    ["kept", "from the cache"],
    ["new", "computed now"],
  ].map(([state, name]) => h("span", {}, h("i", { "data-cell": state }), name));
  const two = (left, right) =>
    h("div", { class: "tc-body" }, h("div", {}, ...left), h("div", {}, ...right));
  const small = (...parts) => h("p", { class: "tc-legend" }, ...parts);
  const bytesNode = h("div", { class: "tc-bytes" }, ...bars.map(({ node }) => node));
  const views = stack([
    h(
      "div",
      {},
      bar.node,
      two(
        [
          h("p", {}, h("b", {}, "Keys (K), values (V) of each token")),
          strips,
          small(...legend),
          cached.node,
        ],
        [
          h("p", {}, h("b", {}, "Multiply-adds of each step")),
          curve.node,
          small(
            h("span", {}, h("i", { class: "tc-with" }), "with a cache"),
            h("span", {}, h("i", { class: "tc-without" }), "without"),
          ),
        ],
      ),
      lead,
      whose,
      work,
    ),
    h(
      "div",
      { class: "tc-memory" },
      two(sizes.nodes, [h("p", { class: "tc-found" }, found, " ", each), bytesNode, share, shared]),
      verdict,
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
    const saved = ratios.map((x) => `${short(x)} ×`);
    times.replaceChildren(...row("less work", saved).children);
    table.replaceChildren(
      row("with a cache", counts[0].map(amount)),
      row("without", counts[1].map(amount)),
    );
    curve.draw(now);

    connect(share, all, kept);
    say(shared, groupsInWords(all, kept));
    const most = cacheBytes(now, all, n);
    // Between all heads and one: what was chosen, or else what a group of them would keep.
    const middle = kept > 1 && kept < all ? kept : middleOf(all);
    [all, middle, 1].forEach((heads_, place) => {
      const bytes_ = cacheBytes(now, heads_, n);
      const { node, kind, name: title, bar: one, size: text } = bars[place];
      say(title, `${kind}: ${heads_} kept`);
      say(text, size(bytes_));
      one.style.width = `${(100 * bytes_) / most}%`;
      node.classList.toggle("tc-chosen", heads_ === kept && (place === 1) === (kept === middle));
    });
    say(found, size(cacheBytes(now, kept, n)));
    say(each, `for ${count(n)} tokens, ${size(cacheBytes(now, kept, 1))} each`);
    say(sum, product(now));
    say(verdict, costInWords(now));
  }

  return live({ model, el }, root, TRAITS, update);
}

export default { render };
