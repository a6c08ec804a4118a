// @ts-check
// Figure 1 drawn as a map: its blocks, its wires, and what each block does to the shapes.
import { BLOCKS, RIGHT, WIDE } from "./architecture_blocks.js";
import {
  brief,
  meaning,
  parameters,
  section,
  shape,
  spelled,
  stretch,
} from "./architecture_counts.js";
import { WALK, WIRES, light, marker, neighbor, path } from "./architecture_wires.js";
import { parted, traveling, wayInto } from "./architecture_flow.js";
import { sentenceAt, typeset } from "./architecture_picture.js";
import { count } from "./numbers.js";
import { MOVES, assign, choice, h, live, press, save, say, slider, svg, take } from "./shared.js";
import { frame, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["block", "preset", "batch", "src_len", "tgt_len"];
  const get = (name) => model.get(name);
  const flow = get("flow");
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
      const [left, top, lines] = [x + wide / 2, y + height / 2, text ?? [""]];
      const words = lines.map((line, n) =>
        svg(
          "text",
          side
            ? { transform: `translate(${left + 4.5} ${top}) rotate(-90)` }
            : { x: left, y: top + 4.5 + (n - (lines.length - 1) / 2) * 15 },
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
  const lit = svg("rect", { class: "tc-lit", y: 47, height: 26 });
  const mark = svg("text", { x: 2, y: 139 });
  const panel = (x, y, width, height) =>
    svg("rect", { class: "tc-frame", x, y, width, height, rx: 9 });
  const said = svg("text", { class: "tc-note", x: 186, y: 167 });
  const kept = svg("text", { class: "tc-kept" }, "x");
  const asked = svg("text", { class: "tc-note", x: RIGHT + WIDE / 2 - 6, y: 288 }, "queries");
  const travels = traveling(wires, flow);
  const map = svg(
    "svg",
    {
      class: "tc-map",
      viewBox: "0 -26 360 586",
      role: "group",
      "aria-label": "Figure 1: arrow keys follow the wires",
      "data-lm-suppress-shortcuts": "true",
    },
    svg("defs", {}, marker(arrow)),
    panel(31, 188, 138, 202),
    panel(191, 96, 138, 294),
    svg(
      "g",
      { class: "tc-shares", "aria-hidden": true },
      total,
      svg("text", { x: 2, y: 42 }, "parameters"),
      ...shares.flatMap(({ bar, text }) => [bar, text]),
      lit,
      mark,
    ),
    ...wires.map(({ node }) => node),
    said,
    asked,
    kept,
    ...Object.values(nodes),
    travels.node,
  );

  // -- the details --
  const [formula, role, sum, means] = ["tc-formula", "", "", ""].map((name) =>
    h("p", { class: name }),
  );
  const way = wayInto(texts, get("block"), get("asks"));
  const rows = h("tbody");
  const table = h(
    "table",
    {},
    h(
      "thead",
      {},
      h("tr", {}, ...["What", "Shape", "named"].map((name) => h("th", { scope: "col" }, name))),
    ),
    rows,
  );
  const [letters, link] = [h("small"), h("a")];
  const sentence = sentenceAt(flow);
  const details = h(
    "div",
    { class: "tc-details" },
    formula,
    role,
    sentence.node,
    h("div", { class: "tc-why" }, sum, means),
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
  const lengths = h("div", { class: "tc-bar" }, ...ranges.map(({ node }) => node));
  const presets = choice({
    label: "Model",
    options: Object.keys(get("sizes")).map((name) => [name, name]),
    value: get("preset"),
    change: (preset) => save(model, { preset }),
  });
  const turn = press("Look inside", () =>
    assign(turn, { "aria-pressed": root.classList.toggle("tc-inside") }),
  );
  const bar = stepBar({
    names: WALK.map((block) => texts[block].name),
    get: () => Math.max(0, WALK.indexOf(get("block"))),
    go: (n) => open(WALK[n]),
    every: 1600,
  });
  const root = frame({
    name: "map-figure",
    title: "Map of the Transformer",
    steps: bar.node,
    controls: [link, turn, presets.node],
    told: way.node,
    inputs: [map],
    result: [details],
    below: [
      h(
        "details",
        {},
        h("summary", {}, "Shapes: batch and lengths"),
        h("div", { class: "tc-shapes" }, lengths, h("div", {}, table, letters)),
      ),
    ],
  });

  function update() {
    const [id, preset] = [get("block"), get("preset")];
    const z = get("sizes")[preset];
    const { formula: written, role: words, chapter } = texts[id];
    const { number, sum: counted, table: matrix, encoder, decoder, model: all } = parameters(id, z);
    presets.set(preset);
    bar.show(Math.max(0, WALK.indexOf(id)));
    sentence.show(id);
    travels.to(id);
    for (const { name, set } of ranges) set(get(name));
    for (const [name, node] of Object.entries(nodes)) {
      assign(node, { "aria-pressed": name === id, tabindex: name === id ? 0 : -1 });
      if (BLOCKS[name].side)
        say(node.querySelector("text"), `${BLOCKS[name].side}: ${z.num_layers} layers`);
    }
    light(wires, id, kept);
    const crossing = id === "cross_attn";
    say(said, crossing ? "memory: keys, values" : "memory");
    asked.style.visibility = crossing ? "" : "hidden";
    let x = 2;
    say(total, count(all));
    [matrix, encoder, decoder].forEach((part, n) => {
      const width = (158 * part) / all;
      assign(shares[n].bar, { x, width });
      say(shares[n].text, `▪ ${shares[n].name} ${((100 * part) / all).toFixed(0)} %`);
      x += width;
    });
    const [from, to] = stretch(id, z, WALK);
    assign(lit, { x: 2 + 158 * from, width: Math.max(1, 158 * (to - from)) });
    lit.style.visibility = mark.style.visibility = number ? "" : "hidden";
    say(mark, `□ this block${BLOCKS[id].layered ? `, ${z.num_layers} layers` : ""}`);

    const counts = Object.fromEntries(ranges.map(({ name }) => [name, get(name)]));
    formula.replaceChildren(...typeset(written));
    role.replaceChildren(...typeset(parted(words)[1]));
    way.show(id, brief(id, z, counts));
    say(letters, spelled(BLOCKS[id].shapes));
    rows.replaceChildren(
      ...BLOCKS[id].shapes.map(([what, dims]) => {
        const named = `(${dims.replaceAll(" ", ", ")}${dims.length > 1 ? "" : ","})`;
        const cells = [shape(dims, z, counts), named].map((text) =>
          h("td", {}, h("code", {}, text)),
        );
        return h("tr", {}, h("th", { scope: "row" }, what), ...cells);
      }),
    );
    const told = ` in ${preset}${counted && ` = ${counted}`}`;
    sum.replaceChildren(h("b", {}, `${count(number)} parameters`), told);
    say(means, meaning(id, z, preset));
    link.href = `${chapter}.html`;
    say(link, `Chapter ${section(chapter)}`);
  }

  return live({ model, el }, root, names, update);
}

export default { render };
