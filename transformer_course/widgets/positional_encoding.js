// @ts-check
// The sinusoids of section 3.5 in four views: a map of all numbers, clock hands, dot products, a
// shift.
import { count, fixed, plain, transpose } from "./numbers.js";
import { makeDials } from "./positional_encoding_dials.js";
import { makeDots } from "./positional_encoding_dots.js";
import { entry, omega, rotated, rotation, sentence } from "./positional_encoding_numbers.js";
import { MOVES, h, live, press, save, say, slider, take } from "./shared.js";
import { numberTable } from "./table.js";
/** @import {Context} from "./types.js" */

const VIEWS = ["Heat map", "Clock hands", "Dot products", "Shift"];
const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["view", "d_model", "length", "base", "position", "shift", "pair"];
  const now = () => {
    const [view, dModel, length, base, position, shift, pair] = names.map((name) =>
      model.get(name),
    );
    return {
      view,
      dModel,
      length,
      base,
      pos: Math.min(position, length - 1),
      k: shift,
      pair: Math.min(pair, dModel / 2 - 1),
    };
  };
  let odd = 0; // 1: the map is asked about the cosine of the pair

  const tabs = VIEWS.map((name, view) => press(name, () => save(model, { view })));
  const words = h("p", { class: "tc-why", "aria-live": "polite" });

  const position = slider({
    label: "Position",
    min: 0,
    max: 63,
    value: 0,
    change: (to) => save(model, { position: to }),
  });
  const shift = slider({
    label: "Shift k",
    min: -30,
    max: 30,
    value: 0,
    change: (to) => save(model, { shift: to }),
  });
  const width = slider({
    label: "d_model",
    min: 0,
    max: WIDTHS.length - 1,
    value: 2,
    show: () => plain(model.get("d_model")),
    change: (n) => save(model, { d_model: WIDTHS[n] }),
  });
  const length = slider({
    label: "Length",
    min: 10,
    max: 200,
    value: 64,
    change: (to) => save(model, { length: to, position: Math.min(model.get("position"), to - 1) }),
  });
  const base = slider({
    label: "Base",
    min: 1,
    max: 6,
    value: 4,
    show: () => count(model.get("base")),
    change: (n) => save(model, { base: 10 ** n }),
  });

  const arrows = (run) => (event) => {
    if (!MOVES[event.key]) return;
    take(event);
    run(...MOVES[event.key]);
  };

  // -- the map: a canvas in colors that let the page through, light or dark --
  const canvas = h("canvas", { "aria-hidden": true });
  const [row, cell] = [h("i", { "aria-hidden": true }), h("i", { "aria-hidden": true })];
  const ask = (pos, dimension) => {
    const { length: rows, dModel } = now();
    const d = Math.max(0, Math.min(dModel - 1, dimension));
    odd = d % 2;
    save(model, { position: Math.max(0, Math.min(rows - 1, pos)), pair: Math.floor(d / 2) });
    update();
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    ask(
      Math.floor(((event.clientY - box.top) / box.height) * now().length),
      Math.floor(((event.clientX - box.left) / box.width) * now().dModel),
    );
  };
  const map = h(
    "div",
    {
      class: "tc-map",
      tabindex: 0,
      role: "group",
      "aria-label": "Table of numbers; arrow keys move from cell to cell",
      pointerdown: point,
      pointermove: (event) => {
        if (event.buttons) point(event);
      },
      keydown: arrows((down, right) => ask(now().pos + down, 2 * now().pair + odd + right)),
    },
    canvas,
    row,
    cell,
  );
  const ends = [h("span"), h("span")];
  const mapPanel = h(
    "div",
    { class: "tc-first" },
    map,
    h("p", { class: "tc-legend tc-ends" }, ...ends),
    h(
      "p",
      { class: "tc-legend" },
      ...[
        ["neg", "−1"],
        ["pos", "1"],
      ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name)),
      "Position runs down, dimension across.",
    ),
  );
  let drawn = "";
  const paint = ({ dModel, length: rows, base: b }) => {
    if (drawn === (drawn = `${dModel} ${rows} ${b}`)) return;
    [canvas.width, canvas.height] = [dModel, rows];
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = context.createImageData(dModel, rows);
    const pixels = new DataView(image.data.buffer); // red, green, blue, and how opaque
    for (let d = 0; d < dModel; d += 1) {
      const rate = omega(Math.floor(d / 2), dModel, b);
      for (let pos = 0; pos < rows; pos += 1) {
        const x = d % 2 ? Math.cos(pos * rate) : Math.sin(pos * rate);
        pixels.setUint32(
          4 * (pos * dModel + d),
          (x < 0 ? 0xd2691e00 : 0x2f6fc400) + Math.round(230 * Math.abs(x)),
        );
      }
    }
    context.putImageData(image, 0, 0);
  };

  const dials = makeDials((pair) => save(model, { pair }), arrows);
  const dots = makeDots();

  // -- one pair, shifted --
  const axis = ["sin", "cos"];
  const turn = numberTable({ caption: "Rotation", rows: axis, columns: axis, digits: 3 });
  const hands = numberTable({
    caption: "Hand",
    rows: axis,
    columns: ["at pos", "rotated", "at pos + k"],
    digits: 3,
  });
  const sum = h("p");
  const shiftPanel = h("div", {}, sum, h("div", { class: "tc-sum" }, turn.node, hands.node));

  const panels = [[mapPanel], [dials.panel], [dots.panel], [dials.panel, shiftPanel]];
  const all = [mapPanel, dials.panel, dots.panel, shiftPanel];
  const root = h(
    "div",
    { class: "tc tc-pos", role: "group", "aria-label": "Positional encoding" },
    h("div", { class: "tc-bar" }, ...tabs),
    h("div", { class: "tc-bar" }, position.node, shift.node),
    ...all,
    words,
    h("div", { class: "tc-bar" }, width.node, length.node, base.node),
  );

  function update() {
    const state = now();
    const { view, dModel, base: b, length: rows, pos, k, pair } = state;
    tabs.forEach((tab, n) => tab.setAttribute("aria-pressed", String(n === view)));
    for (const panel of all) panel.hidden = !panels[view].includes(panel);
    shift.node.hidden = view < 2;
    position.input.max = rows - 1;
    position.set(pos);
    shift.set(k);
    length.set(rows);
    width.set(WIDTHS.findIndex((n) => n >= dModel));
    base.set(Math.round(Math.log10(b)));
    paint(state); // in every view: print shows the map beside it
    for (const box of [row, cell])
      Object.assign(box.style, { top: `${(100 * pos) / rows}%`, height: `${100 / rows}%` });
    Object.assign(cell.style, {
      left: `${(100 * (2 * pair + odd)) / dModel}%`,
      width: `${100 / dModel}%`,
    });
    say(ends[0], "dimension 0");
    say(ends[1], `dimension ${dModel - 1}`);
    if (view % 2) dials.turn(state);
    if (view === 2) dots.draw(state);
    if (view === 3) {
      const rate = omega(pair, dModel, b);
      const pairOf = (p) => [entry(p, 2 * pair, dModel, b), entry(p, 2 * pair + 1, dModel, b)];
      const three = [pairOf(pos), rotated(pairOf(pos), k * rate, 2, 1), pairOf(pos + k)];
      turn.fill(rotation(k * rate), { largest: 1 });
      hands.fill(transpose(three), { largest: 1 });
      say(
        sum,
        `Pair ${pair}: ω = ${fixed(rate, 4)} radians per position, k ω = ${plain(k)} · ω = ` +
          `${fixed(k * rate, 3)}. The matrix holds its cosine and sine.`,
      );
    }
    say(words, sentence(state, odd));
  }

  return live({ model, el }, root, names, update);
}

export default { render };
