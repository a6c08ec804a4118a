// @ts-check
// The sinusoids of section 3.5 in four views: a map of all numbers, clock hands, dot products, a
// shift.
import { count, dot, fixed, format, plain, transpose } from "./numbers.js";
import {
  DIALS,
  encode,
  entry,
  omega,
  product,
  rotated,
  rotation,
  shownPairs,
  span,
} from "./positional_encoding_numbers.js";
import { MOVES, h, live, press, save, say, slider, svg, take } from "./shared.js";
import { numberTable } from "./table.js";

const VIEWS = ["Heat map", "Clock hands", "Dot products", "Shift"];
const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
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
    const context = canvas.getContext("2d");
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

  // -- the dials --
  const dials = Array.from({ length: DIALS }, (_, n) => {
    const hand = (name) => svg("line", { class: name, x1: 0, y1: 0 });
    const dial = {
      old: hand("tc-old"),
      hand: hand("tc-hand"),
      arc: svg("path", { class: "tc-arc" }),
      note: h("small"),
      i: 0,
    };
    const face = svg(
      "svg",
      { viewBox: "-24 -24 48 48", "aria-hidden": true },
      svg("circle", { class: "tc-face", r: 22 }),
      svg("path", { class: "tc-ticks", d: "M0-22v4M0 22v-4M-22 0h4M22 0h-4" }),
      dial.arc,
      dial.old,
      dial.hand,
    );
    const node = h(
      "button",
      {
        type: "button",
        click: () => save(model, { pair: dial.i }),
        keydown: arrows((down, right) => {
          const to = dials[n + down + right];
          if (!to || to.node.hidden) return;
          to.node.focus();
          save(model, { pair: to.i });
        }),
      },
      face,
      dial.note,
    );
    return Object.assign(dial, { node });
  });
  const some = h("p", { class: "tc-legend" });
  const dialPanel = h(
    "div",
    {},
    h(
      "div",
      { class: "tc-dials", role: "group", "aria-label": "One dial for each pair of dimensions" },
      ...dials.map(({ node }) => node),
    ),
    some,
  );
  const end = (angle) => [20 * Math.sin(angle), -20 * Math.cos(angle)];
  const put = (node, attributes) =>
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  const turnDials = ({ view, dModel, base: b, pos, k, pair }) => {
    const shown = shownPairs(dModel / 2, pair);
    const moved = view === 3 ? k : 0;
    dials.forEach((dial, n) => {
      dial.node.hidden = n >= shown.length;
      if (dial.node.hidden) return;
      const i = (dial.i = shown[n]);
      const rate = omega(i, dModel, b);
      const [from, to] = [pos * rate, (pos + moved) * rate];
      const [[x, y], [u, v]] = [end(from), end(to)];
      put(dial.old, { x2: x, y2: y });
      put(dial.hand, { x2: u, y2: v });
      const turned = Math.abs(to - from);
      put(dial.arc, {
        d:
          turned && turned < 2 * Math.PI
            ? `M${x / 2} ${y / 2}A10 10 0 ${Number(turned > Math.PI)} ${Number(to > from)} ` +
              `${u / 2} ${v / 2}`
            : "",
      });
      const wave = span((2 * Math.PI) / rate);
      say(dial.note, wave);
      put(dial.node, {
        "aria-pressed": i === pair,
        tabindex: i === pair ? 0 : -1,
        "aria-label":
          `Pair ${i}: sine ${format(Math.sin(to))}, cosine ${format(Math.cos(to))}, ` +
          `one turn in ${wave} positions`,
      });
    });
    say(
      some,
      `${shown.length} of ${dModel / 2} pairs. Below each dial: positions for one whole turn. Up ` +
        "is cosine, right is sine.",
    );
  };

  // -- dot products by distance --
  const grid = svg("g", { class: "tc-axis" });
  const lines = ["tc-beyond", "tc-within"].map((name) => svg("polyline", { class: name }));
  const spot = svg("circle", { r: 4.5 });
  const spotted = svg("text");
  const curve = svg(
    "svg",
    {
      class: "tc-chart",
      viewBox: "0 0 400 230",
      role: "img",
      "aria-label": "Dot product of the position with every other, by distance",
    },
    grid,
    svg("g", { class: "tc-lines tc-hue1" }, ...lines),
    svg("g", { class: "tc-marks tc-hue2" }, spot, spotted),
  );
  const dotPanel = h(
    "div",
    {},
    curve,
    h(
      "p",
      { class: "tc-legend" },
      "Solid: positions inside the table. Dotted: the same curve beyond its ends.",
    ),
  );
  let [known, half] = ["", [0]];
  const drawDots = ({ dModel, length: rows, base: b, pos, k }) => {
    const reach = rows - 1;
    const rates = Array.from({ length: dModel / 2 }, (_, i) => omega(i, dModel, b));
    if (known !== (known = `${dModel} ${rows} ${b}`))
      half = Array.from({ length: 2 * reach + 1 }, (_, n) => product(n / 2, rates));
    const top = dModel / 2;
    const low = Math.min(0, ...half);
    const place = (d, y) =>
      [215 + (170 * d) / reach, 15 + (170 * (top - y)) / (top - low)].map((x) =>
        Number(x.toFixed(1)),
      );
    const path = (from, to) =>
      Array.from({ length: 2 * (to - from) + 1 }, (_, n) =>
        place(from + n / 2, half[Math.abs(2 * from + n)]),
      ).join(" ");
    lines[0].setAttribute("points", path(-reach, reach));
    lines[1].setAttribute("points", path(-pos, reach - pos));
    const label = (x, y, text, anchor = "middle") =>
      svg("text", { x, y, "text-anchor": anchor }, text);
    const across = [0, top / 2, top].map((y) => [place(-reach, y), place(reach, y), plain(y)]);
    grid.replaceChildren(
      ...across.flatMap(([[x1, y1], [x2], text]) => [
        svg("line", { x1, x2, y1, y2: y1 }),
        label(x1 - 6, y1 + 4, text, "end"),
      ]),
      ...[-reach, 0, reach].map((d) => label(place(d, 0)[0], 203, plain(d))),
      label(215, 222, `distance k from position ${pos}`),
    );
    const [x, y] = place(k, product(k, rates));
    spot.style.display = spotted.style.display = Math.abs(k) > reach ? "none" : "";
    put(spot, { cx: x, cy: y });
    put(spotted, {
      x: x + (k > reach / 2 ? -9 : 9),
      y: Math.max(14, y - 8),
      "text-anchor": k > reach / 2 ? "end" : "start",
    });
    say(spotted, `k = ${plain(k)}: ${format(product(k, rates))}`);
  };

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

  const panels = [[mapPanel], [dialPanel], [dotPanel], [dialPanel, shiftPanel]];
  const all = [mapPanel, dialPanel, dotPanel, shiftPanel];
  const root = h(
    "div",
    { class: "tc tc-pos", role: "group", "aria-label": "Positional encoding" },
    h("div", { class: "tc-bar" }, ...tabs),
    h("div", { class: "tc-bar" }, position.node, shift.node),
    ...all,
    words,
    h("div", { class: "tc-bar" }, width.node, length.node, base.node),
  );

  const sentence = (state) => {
    const { view, dModel, base: b, pos, k, pair } = state;
    const rate = omega(pair, dModel, b);
    const last = span((2 * Math.PI) / omega(dModel / 2 - 1, dModel, b));
    if (view === 0) {
      const d = 2 * pair + odd;
      const wave = odd ? "cos" : "sin";
      return (
        `Position ${pos}, dimension ${d}: ${wave}(${pos} / ` +
        `${plain(b)}^(${2 * pair}/${dModel})) = ${wave}(${fixed(pos * rate, 3)}) = ` +
        `${fixed(entry(pos, d, dModel, b), 3)}. Dimensions ${2 * pair} and ${2 * pair + 1} share ` +
        `one wave of ${span((2 * Math.PI) / rate)} positions; the waves grow longer to the ` +
        `right, up to ${last}. The boxed row is what is added to the token at position ${pos}.`
      );
    }
    if (view === 1) {
      return (
        `Position ${pos} as ${dModel / 2} hands. The fastest turns once in 6.3 positions, ` +
        `the slowest once in ${last}: seconds, minutes, hours. Pair ${pair} has turned ` +
        `${fixed((pos * rate * 180) / Math.PI, 1)}°: dimension ${2 * pair} is sin = ` +
        `${format(Math.sin(pos * rate))}, dimension ${2 * pair + 1} is cos = ` +
        `${format(Math.cos(pos * rate))}.`
      );
    }
    if (view === 2) {
      const from = (p) =>
        `PE(${p})·PE(${plain(p + k)}) = ` +
        `${format(dot(encode(p, dModel, b), encode(p + k, dModel, b)))}`;
      return (
        `${from(pos)}, and ${from(pos + 100)}. Only the distance k counts: move the ` +
        `position, and the curve stays. Its peak is ${dModel / 2}, one for each pair.`
      );
    }
    const gap = Math.max(
      ...rotated(encode(pos, dModel, b), k, dModel, b).map((x, d) =>
        Math.abs(x - entry(pos + k, d, dModel, b)),
      ),
    );
    return (
      `From ${pos} to ${plain(pos + k)} every hand turns by k ω, pair ${pair} by ` +
      `${fixed((k * rate * 180) / Math.PI, 1)}°, whatever the position. So PE(pos + k) is a ` +
      `matrix times PE(pos). Computed so and directly, the ${dModel} numbers differ by at most ` +
      `${gap.toExponential(1).replace("-", "−")}.`
    );
  };

  function update() {
    const state = now();
    const { view, dModel, base: b, length: rows, pos, k, pair } = state;
    tabs.forEach((tab, n) => tab.setAttribute("aria-pressed", n === view));
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
    if (view % 2) turnDials(state);
    if (view === 2) drawDots(state);
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
    say(words, sentence(state));
  }

  return live({ model, el }, root, names, update);
}

export default { render };
