// @ts-check
// A sentence in a row with lines over it, or, where it is narrow, in a column with lines beside it.
import { assign, svg } from "./shared.js";
import { glide, tween } from "./stage.js";

const HIGH = { row: 100, column: 62 }; // pixels from the words to the highest line
const LANE = 18; // pixels between the lines of two heads
const BARS = { row: [50, 104], column: [48, 84] }; // where one begins, and ends if wholly held
const ASIDE = 10; // from the middle of a word to its line to itself

/** Where the words stand, and ways to points over and under them; in a column all is turned.
 * @param {any[]} words @param {boolean} column */
export function measure(words, column) {
  const [start, size, side, deep] = column
    ? ["offsetTop", "offsetHeight", "offsetLeft", "offsetWidth"]
    : ["offsetLeft", "offsetWidth", "offsetTop", "offsetHeight"];
  const edge = words[0][side];
  const low = edge + words[0][deep];
  const turn = (along, across) => (column ? [across, along] : [along, across]);
  return {
    column,
    end: BARS[column ? "column" : "row"][1],
    at: words.map((word) => word[start] + word[size] / 2),
    over: (along, out) => turn(along, edge - out),
    under: (along, out) => turn(along, low + out),
  };
}
/** @typedef {ReturnType<typeof measure>} Place */

/** Down from a word, as far as it is held. @param {Place} place @param {number} n */
export function shaft({ at, under, column }, n, held = 1) {
  const [from, to] = BARS[column ? "column" : "row"];
  return `M${under(at[n], from)}L${under(at[n], from + (to - from) * held)}`;
}

/** How far a line between two words goes from them, in pixels; those of neighbors clear the one
 * around a word. With two heads each has a `lane`, 0 or 1.
 * @param {Place} place @param {number} from @param {number} to @param {number} lane */
function height({ at, column }, from, to, lane) {
  const second = LANE * lane;
  if (from === to) return (column ? 12 : 26) + second;
  const far = HIGH[column ? "column" : "row"] * Math.sqrt(Math.abs(to - from) / (at.length - 1));
  return Math.max(column ? 30 : 44, far) - second;
}

/** A line between two words, or from one to itself, a little aside.
 * @param {Place} place @param {number} from @param {number} to @param {number} lane */
export function arc(place, from, to, lane = 0) {
  const { at, over, column } = place;
  const own = from === to;
  const [wide, aside] = own ? [7, column ? 0 : ASIDE] : [0, 0];
  const out = height(place, from, to, lane) / 0.75;
  const [a, b] = [at[from] - wide - aside, at[to] + wide - aside];
  return `M${over(a, 0)}C${over(a - 2 * wide, out)} ${over(b + 2 * wide, out)} ${over(b, 0)}`;
}

/** A line with the name of its head, and smaller its number: at its top, or beside that to the word itself.
 * @param {Place} place @param {number} from
 * @param {{to: number, lane: number, hue: string, name: string}} line
 * @param {string} share @param {number} wide */
export function look(place, from, { to, lane, hue, name }, share, wide) {
  const line = svg("path", { d: arc(place, from, to, lane), "stroke-width": wide });
  const beside = from === to && !place.column;
  const middle = (place.at[from] + place.at[to]) / 2 - (beside ? ASIDE + 18 : 0);
  const edge = beside && middle < 90; // no room at its side
  // A share without a name stands inside its arch, clear of a larger one.
  const inside = share.endsWith("%") && !name && Math.abs(place.at[from] - place.at[to]) > 80;
  const off = edge ? 10 : beside ? -8 : inside && !place.column ? -18 : 6;
  const out = height(place, from, to, lane) + off;
  const [x, y] = place.over(edge ? 0 : middle, out);
  const lift = from === to ? -5 : 4; // clear of a line to the word below
  const turned = place.column
    ? { y: y + lift, "text-anchor": "end" }
    : { y, "text-anchor": edge ? "start" : beside ? "end" : "middle" };
  const after = place.column ? { x, dy: 14 } : { dx: 3 };
  const text = name && share ? [name, svg("tspan", after, ` ${share}`)] : [name || share];
  const parts = [line, svg("text", { x, ...turned }, ...text)];
  for (const each of parts) {
    each.style.setProperty("--of", hue);
    each.classList.toggle("tc-own", from === to);
  }
  return parts;
}

/** Whether two lines of text beside each line do not meet.
 * @param {Place} place @param {{to: number}[]} lines */
export const roomy = ({ at }, lines) => {
  const tops = lines.map(({ to }) => at[to]).sort((a, b) => a - b);
  return tops.every((top, n) => !n || top - tops[n - 1] > 64);
};

/** A dot that runs along paths, one after the other, in equal times. @param {any} dot
 * @param {string[]} paths @param {number} time of each, ms */
export function run(dot, paths, time) {
  const ways = paths.map((d) => svg("path", { d }));
  return tween(time * ways.length, (t) => {
    const n = Math.min(ways.length - 1, Math.floor(t * ways.length));
    const { x, y } = ways[n].getPointAtLength(
      ways[n].getTotalLength() * Math.min(1, t * ways.length - n),
    );
    assign(dot, { cx: x, cy: y });
  });
}

/** The numbers of a state as cells below its word, in lines of eight: the larger, the stronger,
 * and below 0 hollow. @param {Place} place @param {number[]} state @param {number} along where the
 * word is @param {number} most of all numbers */
export function cells({ under, at }, state, along, most) {
  const size = state.length > 8 ? 12 : 15;
  const wide = size * Math.min(8, state.length);
  const ends = [at[0] - 12, at[at.length - 1] + 12 - wide];
  const start = Math.max(ends[0], Math.min(along - wide / 2, ends[1]));
  return state.map((x, n) => {
    const [a, b] = [start + size * (n % 8) + 1, 20 + size * Math.floor(n / 8)];
    const [c, d] = [a + size - 2, b + size - 2];
    return svg("path", {
      d: `M${[under(a, b), under(c, b), under(c, d), under(a, d)].join("L")}Z`,
      class: x < 0 ? "tc-minus" : "",
      opacity: 0.2 + 0.8 * Math.sqrt(Math.abs(x) / most),
    });
  });
}

/** The state, which goes along with the loop and changes. */
export function carried() {
  const node = svg("g", { class: "tc-state" });
  let place = /** @type {any} */ (null);
  const draw = glide(([along, most, ...state]) =>
    node.replaceChildren(...cells(place, state, along, most)),
  );
  /** @param {Place} where @param {number[][]} states after each word @param {number} asks */
  function show(where, states, asks) {
    place = where;
    draw([where.at[asks], Math.max(...states.flat().map(Math.abs)), ...states[asks]]);
  }
  return { node, show };
}
