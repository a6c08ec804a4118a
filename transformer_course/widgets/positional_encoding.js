// @ts-check
// The sinusoids of section 3.5: a map of all numbers beside clock hands, dot products, a shift.
import { count, plain } from "./numbers.js";
import { makeDials } from "./positional_encoding_dials.js";
import { makeDots } from "./positional_encoding_dots.js";
import { paint, roomiest } from "./positional_encoding_map.js";
import { makeShift } from "./positional_encoding_shift.js";
import { number, sentence } from "./positional_encoding_numbers.js";
import { MOVES, h, live, press, save, say, slider, take } from "./shared.js";
import { frame, play, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const VIEWS = ["Clock hands", "Dot products", "Shift"]; // from 1 on: the map is always in sight
const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["view", "d_model", "length", "base", "position", "shift", "pair", "held"];
  const now = () => {
    const [view, dModel, length, base, position, shift, pair, at] = names.map((name) =>
      model.get(name),
    );
    return {
      view: Math.max(1, view),
      dModel,
      length,
      base,
      pos: Math.min(position, length - 1),
      k: shift,
      pair: Math.min(pair, dModel / 2 - 1),
      held: at < length ? at : -1,
    };
  };
  let odd = 0; // 1: the map is asked about the cosine of the pair

  const tabs = VIEWS.map((name, n) => press(name, () => save(model, { view: n + 1 })));
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
  const hold = press("", () => save(model, { held: now().held < 0 ? now().pos : -1 }));
  const width = slider({
    label: h("span", {}, h("em", {}, "d"), h("sub", {}, "model")),
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

  // -- stepping from position to position --
  let stop = /** @type {(() => void) | null} */ (null);
  const go = (to) => {
    if (to >= 0 && to < now().length) save(model, { position: to });
  };
  const playing = (way) => {
    stop = way;
    say(start, way ? "Pause" : "Play");
    start.classList.toggle("tc-on", Boolean(way));
  };
  const more = () => now().pos < now().length - 1;
  const start = press(
    "Play",
    () => {
      if (stop) return stop();
      if (!more()) go(0);
      const [next, stopped] = [() => go(now().pos + 1), () => playing(null)];
      playing(play({ root, more, next, stopped, every: 450 }));
    },
    { class: "tc-go" },
  );
  const [back, next] = [
    press("Back", () => go(now().pos - 1)),
    press("Next", () => go(now().pos + 1)),
  ];

  const arrows = (run) => (event) => {
    if (!MOVES[event.key]) return;
    take(event);
    run(...MOVES[event.key]);
  };

  // -- the map: a canvas in colors that let the page through, light or dark --
  const canvas = h("canvas", { "aria-hidden": true });
  const mark = (kind, name) => h(kind, { class: `tc-${name}`, "aria-hidden": true });
  const [far, row, cell] = ["far", "row", "cell"].map((name) => mark("i", name));
  const [last, there, here] = ["last", "there", "here"].map((name) => mark("small", name));
  const dots = makeDots();
  const columns = h("u", { "aria-hidden": true });
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
    columns,
    far,
    row,
    cell,
    last,
    there,
    here,
    dots.panel,
  );
  const ends = [h("span"), h("span")];
  const asked = h("p", { class: "tc-asked" });
  const key = [
    ["neg", "−1"],
    ["pos", "1"],
    ["pair", "the framed dial’s pair"],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name));
  let drawn = "";
  const dials = makeDials((pair) => save(model, { pair }), arrows);
  const shifted = makeShift();
  const root = frame({
    name: "pos",
    title: "Positional encoding",
    controls: tabs,
    steps: h("div", { class: "tc-stepbar" }, back, start, next, position.node, hold, shift.node),
    inputs: [
      map,
      h("p", { class: "tc-legend tc-ends" }, ...ends),
      h("p", { class: "tc-legend" }, ...key),
      asked,
    ],
    result: [dials.panel, shifted.panel],
    told: words,
    below: [h("div", { class: "tc-bar" }, width.node, length.node, base.node)],
  });
  let seen = NaN; // the position that the hands stand at
  let still = () => {};
  /** The hands go on from where they stand while it plays, and at once else. */
  function turnHands(state) {
    still();
    const [from, to] = [seen, state.pos];
    const put = (pos) => dials.turn({ ...state, pos: (seen = pos) });
    if (stop && Number.isFinite(from)) still = tween(300, (t) => put(from + (to - from) * t));
    else put(to);
  }

  function update() {
    const state = now();
    const { view, dModel, base: b, length: rows, pos, k, pair } = state;
    tabs.forEach((tab, n) => tab.setAttribute("aria-pressed", String(n + 1 === view)));
    shifted.panel.hidden = view !== 3;
    root.classList.toggle("tc-dotting", view === 2);
    root.classList.toggle("tc-shifting", view === 3);
    [hold.hidden, shift.node.hidden] = [view > 1, view < 2];
    say(hold, state.held < 0 ? `Hold ${pos}` : `Let ${state.held} go`);
    back.setAttribute("aria-disabled", String(pos === 0));
    next.setAttribute("aria-disabled", String(pos === rows - 1));
    position.input.max = rows - 1;
    position.set(pos);
    shift.set(k);
    length.set(rows);
    width.set(WIDTHS.findIndex((n) => n >= dModel));
    base.set(Math.round(Math.log10(b)));
    const table = `${dModel} ${rows} ${b}`;
    if (drawn !== table) paint(canvas, state);
    drawn = table; // in every view: print shows the map beside it
    for (const box of [row, cell, far])
      Object.assign(box.style, {
        top: `${(100 * (box === far ? pos + k : pos)) / rows}%`,
        height: `${100 / rows}%`,
      });
    far.hidden = !k || pos + k < 0 || pos + k >= rows;
    there.hidden = far.hidden;
    const marked = [pos, ...(there.hidden ? [] : [pos + k])];
    map.style.setProperty("--free", `${(100 * roomiest([0, ...marked, rows])) / rows}%`);
    marked.forEach((p, n) => {
      const label = n ? there : here;
      label.style.top = `${(100 * (p + 0.5)) / rows}%`;
      say(label, String(p));
    });
    say(last, String(rows - 1));
    last.hidden = marked.some((p) => 20 * (rows - 1 - p) < rows); // no room for both
    Object.assign(cell.style, {
      left: `${(100 * (2 * pair + odd)) / dModel}%`,
      width: `${100 / dModel}%`,
    });
    columns.style.left = `${(200 * pair) / dModel}%`;
    columns.style.width = `${200 / dModel}%`;
    say(ends[0], "dimension 0");
    say(ends[1], String(dModel - 1));
    turnHands(state);
    dots.draw(state);
    if (view === 3) shifted.draw(state);
    const [before, power, after] = number(state, odd);
    asked.replaceChildren(before, h("sup", {}, power), after);
    say(words, sentence(state));
  }

  const clean = live({ model, el }, root, names, update);
  return () => {
    still();
    clean();
  };
}

export default { render };
