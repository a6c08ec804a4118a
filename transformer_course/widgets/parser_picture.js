// @ts-check
// A tree over its words as SVG: the words in a row, a label above what it spans, the top one highest.
import { doubtOf, percent } from "./parser_rival.js";
import { partsOf, told, written } from "./parser_words.js";
import { assign, svg } from "./shared.js";
/** @import {Part, Result} from "./parser_words.js" */

const [TALL, TOP, GAP, LEAST] = [360, 14, 13, 22]; // pixels: whole, first row, around a word, column
const [LOW, HIGH, FOOT] = [28, 84, 12]; // between two rows, below the words
const HALF = 10; // of a label's height
const [SMALLER, LARGER] = [0.85, 1.35]; // than that at most, to fit the room; else it scrolls
const FADE = 32; // pixels, at the edge of what scrolls

/** @type {Record<string, string>} */
const KINDS = { NP: "np", NML: "np", WHNP: "np", QP: "np", VP: "vp", PP: "pp", WHPP: "pp" };
/** Which color a label has. @param {string} label */
export const kindOf = (label) => KINDS[label] ?? (label[0] === "S" ? "s" : "other");

/** How wide a text is, in the font of words. */
const measure = (() => {
  let /** @type {any} */ context = null;
  return (/** @type {string} */ text) => {
    context ??= document.createElement("canvas").getContext("2d");
    context.font = '15px system-ui, -apple-system, "Segoe UI", sans-serif';
    return context.measureText(text).width;
  };
})();

/** Where the columns begin: as wide as a word, and as a label that stands over one word alone.
 * @param {string[]} words @param {Part[]} parts */
function columnsOf(words, parts) {
  const widths = words.map((word) => Math.max(LEAST, measure(written(word)) + GAP));
  for (const { label, from, to } of parts)
    if (to - from === 1) widths[from] = Math.max(widths[from], measure(label) + GAP);
  const starts = [0];
  for (const width of widths) starts.push(starts[starts.length - 1] + width);
  return starts;
}

/** The picture: `show` draws as much of a line as is written; `pick` marks a constituent.
 * @param {(place: number) => void} chosen what to do when a label is chosen */
export function treePicture(chosen) {
  const [edges, ghost, leaves, nodes] = ["", "tc-ghost", "", ""].map((kind) =>
    svg("g", { class: kind }),
  );
  const block = svg("rect", { class: "tc-block", rx: 6 });
  const node = svg("svg", { role: "group" }, block, edges, ghost, leaves, nodes);
  let blockOf = (/** @type {Part | undefined} */ _) => ({});
  let /** @type {Part[]} */ parts = [];

  /** How a phrase hangs, and, dashed, how the other tree has it. */
  function rival({ pp, has, np, other }, share, at, elbow) {
    const [[x, y], [x2, y2], side] = [at(other), at(pp), other === np];
    const told = (part, left, top, kind) =>
      svg("text", { x: left, y: top, class: kind }, percent(part));
    const edge = elbow(at(has), [x2, y2]);
    edge.setAttribute("class", "tc-own");
    return [
      svg("path", { d: `M${x + 16} ${y}H${side ? x2 - 16 : `${x2 + 7}V${y2 - HALF}`}` }),
      edge,
      told(share, x2 + 20, y2 + 5, "tc-own"),
      side ? told(1 - share, x - 46, y + 5) : told(1 - share, x2 + 13, (y + y2) / 2),
    ];
  }

  /** @param {Result} result @param {number} many tokens of its line */
  function show({ text, words, line, share, wrong }, many) {
    const whole = partsOf(line).parts;
    const starts = columnsOf(words, whole);
    const depth = Math.max(...whole.map((part) => part.depth));
    const now = partsOf(line.slice(0, many));
    parts = now.parts;
    const view = node.parentElement; // shows what was written last; a whole line from its start
    const width = Math.ceil(starts[words.length]);
    const fit = ((view?.clientWidth ?? 0) - 8) / width;
    const scale = fit < SMALLER ? 1 : Math.min(LARGER, fit);
    const level = Math.max(LOW, Math.min(HIGH, (TALL / scale - TOP - FOOT) / (depth + 1)));
    const floor = TOP + (depth + 1) * level;
    const middle = (from, to) => (starts[from] + starts[Math.max(to, from + 1)]) / 2;
    const at = (part) => [middle(part.from, part.to), TOP + part.depth * level];
    const elbow = (/** @type {number[]} */ [x, y], /** @type {number[]} */ [x2, y2]) =>
      svg("path", { d: `M${x} ${y + HALF}V${y + level / 2}H${x2}V${y2 - HALF}` });
    edges.replaceChildren(
      ...parts.flatMap((part) =>
        part.below.map((child) =>
          elbow(at(part), typeof child === "number" ? [middle(child, child), floor] : at(child)),
        ),
      ),
    );
    leaves.replaceChildren(
      ...words.map((word, n) =>
        svg(
          "text",
          { x: middle(n, n), y: floor + 5, class: `tc-leaf${n < now.written ? "" : " tc-ahead"}` },
          written(word),
        ),
      ),
    );
    nodes.replaceChildren(
      ...parts.map((part, place) => {
        const wide = measure(part.label) + 8;
        return svg(
          "g",
          {
            class: `tc-part${part.open ? " tc-open" : ""}`,
            role: "button",
            tabindex: place ? -1 : 0,
            transform: `translate(${at(part).join(" ")})`,
            "data-kind-of": kindOf(part.label),
            "aria-label": told(part, words),
            "data-lm-suppress-shortcuts": "true",
            focus: () => chosen(place),
            click: () => chosen(place),
            pointerenter: () => chosen(place),
          },
          svg("rect", { x: -wide / 2, y: -HALF - 1, width: wide, height: 2 * HALF + 2, rx: 4 }),
          svg("text", { y: 5 }, part.label),
        );
      }),
    );
    const height = floor + FOOT;
    const [wide, high] = [scale * width, scale * height];
    const doubt = share && many === line.length ? doubtOf(parts, words) : null;
    ghost.classList.toggle("tc-wrong", Boolean(wrong));
    ghost.replaceChildren(...(doubt && share ? rival(doubt, share, at, elbow) : []));
    assign(node, { width: wide, height: high, viewBox: `0 0 ${width} ${height}` });
    node.setAttribute("aria-label", `The tree of “${text}”`);
    blockOf = (part) => ({
      x: part ? starts[part.from] : 0,
      y: part ? at(part)[1] - HALF - 4 : 0,
      width: part ? starts[part.to] - starts[part.from] : 0,
      height: part ? height - at(part)[1] + HALF + 3 : 0,
    });
    if (view)
      view.scrollLeft =
        (doubt ? starts[doubt.pp.to] + FADE : many < line.length ? starts[now.written] : 0) -
        view.clientWidth;
  }

  /** Mark a constituent and its words; -1 marks none. @param {number} place */
  function pick(place) {
    const part = parts[place];
    for (const each of [leaves, block]) each.dataset.kindOf = part ? kindOf(part.label) : "";
    assign(block, blockOf(part));
    [...nodes.children].forEach((each, n) => {
      each.classList.toggle("tc-pick", n === place);
      each.setAttribute("tabindex", n === Math.max(place, 0) ? "0" : "-1");
    });
    [...leaves.children].forEach((each, n) => {
      each.classList.toggle("tc-spanned", Boolean(part) && n >= part.from && n < part.to);
    });
  }

  /** Where an arrow leads from a constituent. @param {number} place @param {string} key */
  function next(place, key) {
    const part = parts[place];
    const row = parts.filter((each) => each.depth === part.depth);
    const step = (by) => row[row.indexOf(part) + by];
    const wanted = {
      ArrowUp: () => part.parent,
      ArrowDown: () => part.below.find((child) => typeof child !== "number"),
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => parts[0],
    }[key];
    if (!wanted) return false;
    const found = parts.indexOf(/** @type {Part} */ (wanted()));
    nodes.children[found < 0 ? place : found].focus();
    return true;
  }

  return {
    node,
    nodes,
    show,
    pick,
    next,
    part: (place) => parts[place],
    placeOf: (element) => [...nodes.children].indexOf(element.closest?.(".tc-part")),
  };
}
