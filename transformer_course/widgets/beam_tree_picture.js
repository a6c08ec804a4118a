// @ts-check
// The tree of a beam search as SVG: a column a step, a box a node.
import { shown } from "./beam_tree_search.js";
import { WORDS } from "./beam_tree_words.js";
import { format } from "./numbers.js";
import { svg } from "./shared.js";

const [WIDE, ROW, START] = [80, 38, 50]; // of a column, a row, the first box
const [BOX, TALL] = [69, 32];

/** The tree as it stands: its size, the paths of its edges, a group for each box.
 * @param {any} now @param {number} beam */
export function treeOf(now, beam) {
  const { table, seen, places, best, greedyPath } = now;
  const [onBest, onGreedy] = [new Set(best), new Set(greedyPath)];
  const at = (node) => {
    const [column, row] = places.get(node);
    return [column ? START + (column - 1) * WIDE + 12 : 4, row * ROW + 5];
  };
  const width = START + seen.length * WIDE + 6;
  const height = 2 * beam * ROW + 6;
  const candidates = seen.flatMap((each) => each.candidates);
  const line = ({ node, parent }) => {
    const [[x1, y1], [x2, y2]] = [at(parent), at(node)];
    const from = parent ? x1 + BOX : START;
    const middle = (from + x2) / 2;
    return (
      `M${from} ${y1 + TALL / 2}C${middle} ${y1 + TALL / 2} ${middle} ${y2 + TALL / 2} ` +
      `${x2} ${y2 + TALL / 2}`
    );
  };
  /** One path for all edges of a kind: a drag draws the tree in every frame. */
  const edges = (kind, wanted) =>
    svg("path", { class: kind, d: candidates.filter(wanted).map(line).join("") });
  const box = ({ node, total, fate, score, rank }) => {
    const [x, y] = at(node);
    const name = shown(table, node);
    const wide = node ? BOX : START - 4;
    const short = name.length > 12 ? `${name.slice(0, 11)}…` : name;
    const number = node ? format(total) : "0";
    const told = [
      `${name}, ${number}, ${WORDS[fate]}, place ${rank + 1}`,
      ...(score === undefined ? [] : [`score ${format(score)}`]),
      ...(onBest.has(node) ? ["on the winner's way"] : []),
      ...(onGreedy.has(node) ? ["on greedy's way"] : []),
    ].join(", ");
    const group = svg(
      "g",
      {
        class: "tc-box",
        "data-node": node,
        "data-fate": fate,
        transform: `translate(${x} ${y})`,
        role: "button",
        tabindex: -1,
        "aria-label": node ? told : "start",
        "data-lm-suppress-shortcuts": true,
      },
      svg("rect", { width: wide, height: TALL, rx: 5 }),
      svg(
        "text",
        {
          x: wide / 2,
          y: 14,
          textLength: short.length > 8 ? wide - 6 : null,
          lengthAdjust: "spacingAndGlyphs",
        },
        short,
      ),
      svg(
        "text",
        { x: wide / 2, y: 27, class: "tc-total" },
        score === undefined ? number : `→ ${format(score)}`,
      ),
    );
    if (onBest.has(node)) group.dataset.best = "true";
    return group;
  };
  const start = { node: 0, parent: -1, total: 0, rank: 0, fate: "kept" };
  return {
    width,
    height,
    edges: [
      edges("tc-dropped", ({ fate }) => fate === "dropped"),
      edges("tc-kept", ({ fate }) => fate !== "dropped"),
      edges("tc-best", ({ node }) => onBest.has(node)),
      edges("tc-greedy", ({ node }) => onGreedy.has(node)),
    ],
    nodes: [start, ...candidates].map(box),
  };
}
