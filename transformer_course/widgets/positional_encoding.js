// @ts-check
// The sinusoids of section 3.5: a map of all numbers beside clock hands, dot products, a shift.
import { format, plain } from "./numbers.js";
import { makeDials } from "./positional_encoding_dials.js";
import { makeDots } from "./positional_encoding_dots.js";
import { makeRidge, paint, paintProducts, roomiest } from "./positional_encoding_map.js";
import { makeKnobs } from "./positional_encoding_knobs.js";
import { makeShift } from "./positional_encoding_shift.js";
import { number, sentence } from "./positional_encoding_numbers.js";
import { MOVES, h, live, press, save, say, slider, take } from "./shared.js";
import { frame, play, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const VIEWS = ["Clock hands", "Dot products", "Shift"]; // from 1 on

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
  const knobs = makeKnobs(model);

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
  const ridge = makeRidge();
  const ask = (pos, dimension) => {
    const { length: rows, dModel, view } = now();
    if (view === 2) return both(pos, dimension);
    const d = Math.max(0, Math.min(dModel - 1, dimension));
    odd = d % 2;
    save(model, { position: Math.max(0, Math.min(rows - 1, pos)), pair: Math.floor(d / 2) });
    update();
  };
  /** A pair of rows: the one that the bars are of, from above, and the other, from the side. */
  const both = (to, from) => {
    const { length: rows } = now();
    const [a, b] = [from, to].map((n) => Math.max(0, Math.min(rows - 1, n)));
    save(model, { position: a, shift: Math.max(-100, Math.min(100, b - a)) });
  };
  const point = (event) => {
    const { length: rows, dModel, view } = now();
    const box = canvas.getBoundingClientRect();
    ask(
      Math.floor(((event.clientY - box.top) / box.height) * rows),
      Math.floor(((event.clientX - box.left) / box.width) * (view === 2 ? rows : dModel)),
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
      keydown: arrows((down, right) => {
        const { view, pos, k, pair } = now();
        ask(pos + down + (view === 2 ? k : 0), right + (view === 2 ? pos : 2 * pair + odd));
      }),
    },
    canvas,
    columns,
    ridge.node,
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
    ["ridge", ""],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), h("span", {}, name)));
  let drawn = "";
  const dials = makeDials((pair) => save(model, { pair }), arrows);
  const shifted = makeShift();
  const sliders = h("div", { class: "tc-sliders" }, position.node, hold, shift.node);
  const root = frame({
    name: "pos",
    title: "Positional encoding",
    controls: tabs,
    steps: h("div", { class: "tc-stepbar" }, back, start, next, sliders),
    inputs: [
      map,
      h("p", { class: "tc-legend tc-ends" }, ...ends),
      h("p", { class: "tc-legend" }, ...key),
      asked,
    ],
    result: [dials.panel, shifted.panel],
    told: words,
    below: [knobs.node],
  });
  let seen = NaN; // the position that the hands stand at
  let still = () => {};
  /** The hands go on from where they stand while it plays, and at once else. */
  function turnHands(state) {
    still();
    const [from, to] = [seen, state.pos];
    const put = (pos) =>
      [dials, shifted].forEach(({ turn }) => turn({ ...state, pos: (seen = pos) }));
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
    shift.input.max = Math.max(30, Math.min(100, rows - 1));
    shift.input.min = -shift.input.max;
    shift.set(k);
    knobs.set(state);
    const table = `${dModel} ${rows} ${b} ${view === 2}`;
    if (drawn !== table) {
      const low = view === 2 ? paintProducts(canvas, state) : paint(canvas, state);
      say(key[0].lastChild, view === 2 ? format(low) : "−1");
    }
    drawn = table; // in every view: print shows the map beside it
    say(key[1].lastChild, plain(view === 2 ? dModel / 2 : 1));
    say(key[3].lastChild, ridge.draw(state));
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
    columns.style.left = view === 2 ? `${(100 * pos) / rows}%` : `${(200 * pair) / dModel}%`;
    columns.style.width = `${view === 2 ? 100 / rows : 200 / dModel}%`;
    say(ends[0], `${view === 2 ? "position" : "dimension"} 0`);
    say(ends[1], String((view === 2 ? rows : dModel) - 1));
    map.setAttribute(
      "aria-label",
      `Table of ${view === 2 ? "dot products" : "numbers"}; arrow keys move from cell to cell`,
    );
    turnHands(state);
    dots.draw(state);
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
