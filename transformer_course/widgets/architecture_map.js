// @ts-check
// Figure 1 drawn as a map: its blocks, its wires, and what each block does to the shapes.
import { BLOCKS, LEFT, WIDE } from "./architecture_blocks.js";
import { meaning, parameters, section, shape } from "./architecture_counts.js";
import { WIRES, marker, neighbor, path } from "./architecture_wires.js";
import { count } from "./numbers.js";
import { MOVES, choice, h, live, save, say, slider, svg, take } from "./shared.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["block", "preset", "batch", "src_len", "tgt_len"];
  const get = (name) => model.get(name);
  const sizes = () => get("sizes")[get("preset")];
  const texts = get("texts"); // of each block: name, formula, role, chapter
  const open = (block, focus = false) => {
    save(model, { block });
    if (focus) nodes[block].focus();
  };

  // -- the map --
  const arrow = `tc-arrow-${Math.random().toString(36).slice(2, 8)}`;
  const wires = WIRES.map(([from, to]) => ({
    from,
    to,
    node: svg("path", { class: "tc-wire", d: path(from, to), "marker-end": `url(#${arrow})` }),
  }));
  const nodes = Object.fromEntries(
    Object.entries(BLOCKS).map(([id, { x, y, wide = WIDE, height, hue, text, side }]) => {
      const lines = text ?? [];
      const words = side
        ? [
            svg("text", {
              transform: `translate(${x + wide / 2 + 4.5} ${y + height / 2}) rotate(-90)`,
            }),
          ]
        : lines.map((line, n) =>
            svg(
              "text",
              { x: x + wide / 2, y: y + height / 2 + 4.5 + (n - (lines.length - 1) / 2) * 15 },
              line,
            ),
          );
      return [
        id,
        svg(
          "g",
          {
            class: `tc-block tc-hue${hue}`,
            role: "button",
            "aria-label": texts[id].name,
            "data-block": id,
            click: () => open(id, true),
            keydown(event) {
              if (event.key === "Enter" || event.key === " ") {
                take(event);
                open(id);
              }
              if (!MOVES[event.key]) return;
              take(event);
              const to = neighbor(id, event.key);
              if (to) open(to, true);
            },
          },
          svg("rect", { x, y, width: wide, height, rx: 5 }),
          ...words,
        ),
      ];
    }),
  );
  const shares = ["Embedding", "Encoder", "Decoder"].map((name, n) => ({
    name,
    bar: svg("rect", { y: 50, height: 20, class: `tc-hue${[6, 1, 4][n]}` }),
    text: svg("text", { x: 2, y: 88 + 17 * n, class: `tc-hue${[6, 1, 4][n]}` }),
  }));
  const total = svg("text", { x: 2, y: 24, class: "tc-total" });
  const frame = (x, y, width, height) =>
    svg("rect", { class: "tc-frame", x, y, width, height, rx: 9 });
  const map = svg(
    "svg",
    {
      class: "tc-map",
      viewBox: "0 0 360 542",
      role: "group",
      "aria-label": "Figure 1: arrow keys follow the wires",
      "data-lm-suppress-shortcuts": "true",
    },
    svg("defs", {}, marker(arrow)),
    frame(31, 188, 138, 202),
    frame(191, 96, 138, 294),
    svg(
      "g",
      { class: "tc-shares", "aria-hidden": true },
      total,
      svg("text", { x: 2, y: 42 }, "parameters"),
      ...shares.flatMap(({ bar, text }) => [bar, text]),
    ),
    ...wires.map(({ node }) => node),
    svg("text", { class: "tc-note", x: LEFT + WIDE / 2 + 6, y: 168 }, "memory"),
    ...Object.values(nodes),
  );

  // -- the details --
  const [title, formula, role, where, sum, means] = Array.from({ length: 6 }, () => h("p"));
  title.className = "tc-title";
  formula.className = "tc-formula";
  const rows = h("tbody");
  const table = h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "What"),
        h("th", { scope: "col" }, "Shape"),
        h("th", { scope: "col" }, "Numbers"),
      ),
    ),
    rows,
  );
  const link = h("a");
  const details = h(
    "div",
    { class: "tc-details" },
    h("div", { "aria-live": "polite" }, title, formula, role, where),
    h("div", { class: "tc-op" }, table),
    h("div", { class: "tc-why" }, sum, means),
    h("p", {}, link),
  );

  const ranges = [
    ["batch", "Sentence pairs", 64],
    ["src_len", "Source tokens", 128],
    ["tgt_len", "Target tokens", 128],
  ].map(([name, label, max]) => ({
    name,
    ...slider({
      label,
      min: 1,
      max,
      value: get(name),
      change: (value) => save(model, { [name]: value }),
    }),
  }));
  const presets = choice({
    label: "Model",
    options: Object.keys(get("sizes")).map((name) => [name, name]),
    value: get("preset"),
    change: (preset) => save(model, { preset }),
  });
  const root = h(
    "div",
    { class: "tc tc-map-figure", role: "group", "aria-label": "Map of the Transformer" },
    h(
      "div",
      { class: "tc-two" },
      h(
        "div",
        {},
        map,
        h("div", { class: "tc-bar" }, presets.node, ...ranges.map(({ node }) => node)),
      ),
      details,
    ),
    h(
      "p",
      { class: "tc-legend" },
      "Press a block, or Tab to the map and follow the wires with the arrow keys. Counts are " +
        "those of this course's model; the paper says 65 M for base and 213 M for big.",
    ),
  );

  function update() {
    const [id, z, preset] = [get("block"), sizes(), get("preset")];
    const { name: named, formula: written, role: words, chapter } = texts[id];
    const { number, sum: counted, table: matrix, encoder, decoder, model: all } = parameters(id, z);
    presets.set(preset);
    for (const { name, set } of ranges) set(get(name));
    for (const [name, node] of Object.entries(nodes)) {
      node.setAttribute("aria-pressed", name === id);
      node.setAttribute("tabindex", name === id ? 0 : -1);
      if (BLOCKS[name].side)
        say(node.querySelector("text"), `${BLOCKS[name].side}: ${z.num_layers} layers`);
    }
    for (const { from, to, node } of wires)
      node.classList.toggle("tc-on", from === id || to === id);
    let x = 2;
    say(total, count(all));
    [matrix, encoder, decoder].forEach((part, n) => {
      const { name, bar, text } = shares[n];
      const width = (158 * part) / all;
      bar.setAttribute("x", x);
      bar.setAttribute("width", width);
      say(text, `▪ ${name} ${((100 * part) / all).toFixed(0)} %`);
      x += width;
    });

    say(title, named);
    say(formula, written);
    say(role, words);
    const sources = WIRES.filter(([, to]) => to === id).map(([from]) => texts[from].name);
    say(where, sources.length ? `Reads: ${sources.join("; ")}.` : "");
    rows.replaceChildren(
      ...BLOCKS[id].shapes.flatMap(([what, dims]) => {
        const {
          names: symbols,
          numbers,
          size,
        } = shape(dims, z, {
          batch: get("batch"),
          src_len: get("src_len"),
          tgt_len: get("tgt_len"),
        });
        return [
          h(
            "tr",
            {},
            h("th", { scope: "row" }, what),
            h("td", {}, h("code", {}, numbers)),
            h("td", {}, count(size)),
          ),
          h("tr", {}, h("td", { colspan: 3 }, h("code", {}, symbols))),
        ];
      }),
    );
    sum.replaceChildren(h("b", {}, `${count(number)} parameters`), counted ? ` = ${counted}` : "");
    say(means, meaning(id, z, preset));
    link.href = `${chapter}.html`;
    say(link, `Chapter ${section(chapter)}`);
  }

  return live({ model, el }, root, names, update);
}

export default { render };
