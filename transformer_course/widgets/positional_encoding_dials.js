// @ts-check
// One dial for each pair of dimensions: its hand has turned by the position.
import { fixed, format } from "./numbers.js";
import {
  CLEAR,
  DIALS,
  apart,
  omega,
  short,
  shownPairs,
  span,
} from "./positional_encoding_numbers.js";
import { assign, h, say, svg } from "./shared.js";

const LARGE = 8; // dials at once while hands are shifted
const WEDGE = 0.7; // of a hand's length, that its turn is painted to

/** Where a hand ends. @param {number} angle */
export const end = (angle) => [20 * Math.sin(angle), -20 * Math.cos(angle)];

/** @param {(pair: number) => void} pick @param {Function} arrows a handler of arrow keys */
export function makeDials(pick, arrows) {
  const dials = Array.from({ length: DIALS }, (_, n) => {
    const hand = (name) => svg("line", { class: name, x1: 0, y1: 0 });
    const dial = {
      trail: [4, 3, 2, 1].map(() => hand("tc-ghost")),
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
      ...dial.trail,
      dial.old,
      dial.hand,
    );
    const node = h(
      "button",
      {
        type: "button",
        click: () => pick(dial.i),
        keydown: arrows((down, right) => {
          const to = dials[n + down + right];
          if (!to || to.node.hidden) return;
          to.node.focus();
          pick(to.i);
        }),
      },
      face,
      dial.note,
    );
    return Object.assign(dial, { node });
  });
  const some = h("p", { class: "tc-legend" });
  const panel = h(
    "div",
    {},
    some,
    h(
      "div",
      { class: "tc-dials", role: "group", "aria-label": "One dial for each pair of dimensions" },
      ...dials.map(({ node }) => node),
    ),
  );
  const turn = ({ view, dModel, base: b, length: rows, pos, k, pair, held }) => {
    const holds = view < 2 && held >= 0;
    const moved = view === 3 ? k : 0;
    const all = shownPairs(dModel / 2, pair);
    // A shift is seen in larger dials: of sixteen the eight faster ones, or the slower ones.
    const first = LARGE * Math.floor(all.indexOf(pair) / LARGE);
    const shown = view === 3 ? all.slice(first, first + LARGE) : all;
    // A hand that hardly turns from the first position to the last.
    const slow = (rate) => (rows - 1) * rate * (180 / Math.PI) < CLEAR;
    dials.forEach((dial, n) => {
      dial.node.hidden = n >= shown.length;
      if (dial.node.hidden) return;
      const i = (dial.i = shown[n]);
      const rate = omega(i, dModel, b);
      const [from, to] = [(holds ? held : pos) * rate, (pos + moved) * rate];
      const [[x, y], [u, v]] = [end(from), end(to)];
      assign(dial.old, { x2: x, y2: y });
      assign(dial.hand, { x2: u, y2: v });
      dial.trail.forEach((ghost, ago) => {
        const [s, t] = end(Math.max(0, pos - ago - 1) * rate);
        assign(ghost, { x2: s, y2: t, opacity: moved || holds ? 0 : 0.34 - 0.07 * ago });
      });
      const turned = holds ? 0 : Math.abs(to - from);
      const off = holds ? apart(pos, held, i, dModel, b) : 0;
      dial.node.classList.toggle("tc-slow", view < 2 && !holds && slow(rate));
      dial.node.classList.toggle("tc-apart", off > CLEAR);
      dial.node.classList.toggle("tc-alike", holds && pos !== held && off <= CLEAR);
      assign(dial.arc, {
        d:
          turned && turned < 2 * Math.PI
            ? `M0 0L${x * WEDGE} ${y * WEDGE}A${20 * WEDGE} ${20 * WEDGE} 0 ` +
              `${Number(turned > Math.PI)} ${Number(to > from)} ${u * WEDGE} ${v * WEDGE}z`
            : "",
      });
      const wave = span((2 * Math.PI) / rate);
      say(dial.note, short((2 * Math.PI) / rate));
      assign(dial.node, {
        "aria-pressed": i === pair,
        tabindex: i === pair ? 0 : -1,
        "aria-label":
          `Pair ${i}: sine ${format(Math.sin(to))}, cosine ${format(Math.cos(to))}, ` +
          `one turn in ${wave} positions` +
          (holds ? `, ${fixed(off, 0)} degrees from position ${held}` : ""),
      });
    });
    const pairs = dModel / 2;
    const few = shown.length < pairs ? `${shown.length} of ${pairs} pairs. ` : "";
    const old = holds
      ? `Dashed: position ${held}.`
      : `Pale: the 4 before. Gray: under ${CLEAR}° from 0 to ${rows - 1}.`;
    say(some, `${few}Number: positions in one turn. ${old}`);
  };
  return { panel, turn };
}
