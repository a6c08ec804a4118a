// @ts-check
// The pictures of a prediction on a scale: a handle in each row, or a curve over columns.
import { plain } from "./numbers.js";
import { breaks, nameSpots, portion, short, ticks } from "./prediction_numbers.js";
import { assign, h, say, svg } from "./shared.js";
/** @import {Scale} from "./prediction_numbers.js" */

const SIZE = 100; // of the curve's drawing, both ways, in percent
const percent = (/** @type {number} */ t) => `${100 * t}%`;

/** A row: its label, the track with the way from guess to truth, and both numbers.
 * @param {string} label */
export function barRow(label) {
  const [way, knob, mark] = [h("s"), h("i"), h("u", { hidden: "" })];
  const track = h("div", { class: "tc-track" }, way, knob, mark);
  const [mine, real] = [h("data"), h("b", {}, "?")];
  const node = h("div", { class: "tc-guess" }, h("span", {}, label), track, mine, real);
  return { node, track, way, knob, mark, mine, real };
}

/** A column of the curve: a dot of the reader's, one of the truth, the label below.
 * @param {string} label */
export function curveColumn(label) {
  const [knob, mark] = [h("i"), h("u", { hidden: "" })];
  const track = h("div", { class: "tc-track" }, knob, mark);
  const node = h("div", { class: "tc-guess" }, track, h("span", {}, label));
  return { node, track, knob, mark };
}

/** Guess with mouse or finger: along each of `areas`, or in one stroke across the only one.
 * @param {any[]} areas @param {boolean} curve @param {number} columns
 * @param {(pairs: [number, number][], gently?: boolean) => void} put places on the scale, by
 * number; gently: where none is set yet */
export function stroke(areas, curve, columns, put) {
  areas.forEach((area, row) => {
    let last = /** @type {[number, number] | null} */ (null);
    let first = last;
    const draw = (event) => {
      if (!event.buttons) return;
      const box = area.getBoundingClientRect();
      const across = (event.clientX - box.left) / box.width;
      if (!curve) return put([[row, across]]);
      const n = Math.max(0, Math.min(columns - 1, Math.floor(across * columns)));
      const t = 1 - (event.clientY - box.top) / box.height;
      const [from, begin] = last ?? [n, t];
      const steps = Math.abs(n - from);
      // A quick stroke leaves no column out.
      const between = Array.from({ length: steps + 1 }, (_, k) => {
        const part = steps ? k / steps : 1;
        return /** @type {[number, number]} */ ([
          from + Math.sign(n - from) * k,
          begin + (t - begin) * part,
        ]);
      });
      last = [n, t];
      first ??= last;
      put(between);
    };
    // A stroke that begins or ends one column from the edge means that one too.
    const end = () => {
      if (!first || !last || first[0] === last[0]) return;
      for (const [n, t] of [first, last]) {
        if (n === 1) put([[0, t]], true);
        if (n === columns - 2) put([[columns - 1, t]], true);
      }
    };
    area.addEventListener("pointerdown", (event) => {
      first = last = null;
      area.setPointerCapture(event.pointerId);
      draw(event);
    });
    area.addEventListener("pointermove", draw);
    area.addEventListener("pointerup", end);
  });
}

/** The rows or columns with their scale. `own`, `truth` and `locked` draw into it.
 * @param {{rows: any[], labels: string[], scale: Scale, unit: string, curve: boolean,
 * across: string}} how */
export function chart({ rows, labels, scale, unit, curve, across }) {
  const named = ticks(scale, curve ? 4 : 5).map((x) => {
    const style = `${curve ? "bottom" : "left"}: ${percent(portion(x, scale))}`;
    // Where nothing changes: zero, or on a scale of ratios one.
    const even = x === (scale.log ? 1 : 0) && x > scale.low;
    const name = curve && unit === "%" ? `${plain(x)} %` : plain(x);
    return {
      line: () => h("s", { style, class: even ? "tc-even" : "" }),
      name: h("span", { style }, name),
    };
  });
  const hide = { "aria-hidden": "true" };
  const lines = () => h("div", { class: "tc-gridlines", ...hide }, ...named.map((x) => x.line()));
  const names = h("div", { class: "tc-scale", ...hide }, ...named.map((x) => x.name));
  const nodes = rows.map(({ node }) => node);
  const drawn = ["tc-gap", "tc-yours", "tc-true"].map((name) =>
    svg(name === "tc-gap" ? "polygon" : "polyline", { class: name }),
  );
  const view = { viewBox: `0 0 ${SIZE} ${SIZE}`, preserveAspectRatio: "none", ...hide };
  const label = (word, name) => h("b", { class: `tc-name ${name}`, ...hide }, word);
  const [yours, measured] = [label("you", "tc-yours"), label("measured", "tc-true")];
  const ghost = h("p", { class: "tc-ghost", ...hide }, h("span", {}, "✎ draw here"));
  const plot = h("div", { class: "tc-plot" });
  if (curve) plot.append(lines(), svg("svg", view, ...drawn), ...nodes, yours, measured, ghost);
  else {
    plot.append(...nodes);
    for (const { track } of rows) track.prepend(lines());
  }
  const [first, second] = ticks(scale, 5);
  const far = scale.log ? `each line × ${plain(second / first)}` : "";
  const below = h("div", { class: "tc-unit", ...hide }, [unit, far].filter(Boolean).join(", "));
  const left = curve ? breaks(labels) : []; // where the axis leaves numbers out
  const cut = (n) =>
    h("s", { class: "tc-cut", style: `left: ${percent(n / rows.length)}`, ...hide });
  plot.append(...left.map(cut));
  const said = left.length ? h("span", {}, ", not to scale") : "";
  const around = curve
    ? [names, plot, h("div", { class: "tc-across" }, across, said)]
    : [h("div", { class: "tc-heads", ...hide }, yours, measured), plot, names, below];
  const node = h("div", { class: "tc-guesses" }, ...around);

  const x = (n) => ((n + 0.5) * SIZE) / rows.length;
  const points = (values) => values.map((t, n) => `${x(n)},${(1 - t) * SIZE}`);
  const side = curve ? "bottom" : "left";
  let mine = /** @type {number[]} */ ([]);

  return {
    node,
    plot,
    /** @param {number[]} at @param {boolean[]} set whether the reader has set it */
    own(at, set) {
      mine = at;
      const begun = set.includes(true);
      rows.forEach(({ knob, node }, n) => {
        // Before it is set, a handle waits off the scale, or at its foot: no place on it is a hint.
        knob.style[side] = set[n] || (curve && !begun) ? percent(at[n]) : curve ? "0%" : "";
        node.classList.toggle("tc-unset", !set[n]);
      });
      assign(drawn[1], {
        points: points(at)
          .filter((_, n) => set[n])
          .join(" "),
      });
      ghost.hidden = begun;
    },
    /** Where the truth is drawn by now. @param {number[]} at */
    truth(at) {
      rows.forEach(({ mark, way }, n) => {
        mark.style[side] = percent(at[n]);
        if (way) {
          way.style.left = percent(Math.min(at[n], mine[n]));
          way.style.width = percent(Math.abs(at[n] - mine[n]));
        }
      });
      assign(drawn[2], { points: points(at).join(" ") });
      assign(drawn[0], { points: [...points(mine), ...points(at).reverse()].join(" ") });
    },
    /** @param {boolean} locked @param {any} all guess and truth, as places and as numbers */
    locked(locked, { own, real, full, truth, hits }) {
      rows.forEach((row, n) => {
        row.mark.hidden = !locked;
        if (!row.mine) return;
        row.node.classList.toggle("tc-hit", locked && hits[n]);
        say(row.mine, row.node.classList.contains("tc-unset") ? "–" : short(full[n]));
        say(row.real, locked ? short(truth[n]) : "?");
      });
      if (!curve) return;
      nameSpots([own, real]).forEach(({ n, above, at }, line) => {
        const node = [yours, measured][line];
        node.hidden = !locked;
        node.style.left = percent((n + 0.5) / rows.length);
        node.style.bottom = percent(at);
        node.classList.toggle("tc-above", above);
      });
    },
  };
}
