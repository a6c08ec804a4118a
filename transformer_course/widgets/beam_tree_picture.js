// @ts-check
// The tree of a beam search as SVG: a column a step, a branch as wide as its word is likely.
import { shown } from "./beam_tree_search.js";
import { fixed, format } from "./numbers.js";
import { assign, say, svg } from "./shared.js";

const [START, TALL, THICK, THIN, GAP] = [42, 22, 11, 3, 15];

/** Squeeze a word that is wider than its room, and no other. @param {any} word @param {number} room */
function fit(word, room) {
  for (const name of ["textLength", "lengthAdjust"]) word.removeAttribute(name);
  if (word.getComputedTextLength() > room)
    assign(word, { textLength: room, lengthAdjust: "spacingAndGlyphs" });
}

/** How wide a column is, so that the whole search fits if it can; on a phone it cannot.
 * @param {number} room @param {number} steps */
export const columnWidth = (room, steps) =>
  Math.max(room > 500 ? 46 : 54, Math.min(92, (room - START - 6) / steps));

/** The tree, which keeps its branches while it grows. `draw` gives how far it has grown.
 * @returns {{node: any, boxes: any, squeeze: () => void, draw: (now: any, beam: number,
 * wide: number, high: number) => number}} */
export function treePicture() {
  const [links, boxes] = [svg("g"), svg("g")];
  const way = svg("path", { class: "tc-greedy" });
  const node = svg("svg", { role: "group" }, links, way, boxes);
  /** @type {Map<string, {link: any, box: any, word: any, room: number}>} */
  const held = new Map();

  function make(each) {
    const word = svg("text", { y: 4 });
    const box = svg(
      "g",
      { class: "tc-box", "data-node": each.node, role: "button", tabindex: -1 },
      svg("rect", { height: TALL, y: -TALL / 2, rx: 6 }),
      word,
    );
    box.setAttribute("data-lm-suppress-shortcuts", "true");
    const link = svg("path", { class: "tc-branch", pathLength: 1 });
    if (each.node) links.append(link);
    boxes.append(box);
    return { link, box, word, room: 0 };
  }

  function draw(now, beam, wide, high) {
    const { table, drawn, ended, places, best, greedyPath } = now;
    const [onBest, onGreedy] = [new Set(best), new Set(greedyPath)];
    const gap = Math.min(GAP, wide - 40); // where there is little room the boxes get it
    const size = wide - gap;
    const rows = ended ? 1 + Math.max(...[...places.values()].map(([, n]) => n)) : 2 * beam;
    const row = Math.min(44, high / rows); // fewer rows stand further apart
    /** The middle of a row, counted from the tree's own middle. */
    const down = (n) => high / 2 + 2 + (n + 0.5 - rows / 2) * row;
    /** The middle of a box. */
    const at = (id) => {
      const [column, n] = places.get(id);
      return [column ? START + (column - 1) * wide + gap : 2, down(n)];
    };
    /** As wide as its word, about. */
    const broad = (id) => (id ? Math.min(size, 7 * shown(table, id).length + 14) : START - 4);
    const curve = ({ node: to, parent }) => {
      const [[x1, y1], [x2, y2]] = [at(parent), at(to)];
      const begin = x1 + broad(parent);
      // At the end what goes down more than a row bends behind its column, and crosses no word.
      const from = ended && parent && y2 - y1 > 1.5 * row ? Math.max(begin, x1 + size) : begin;
      const middle = (from + x2) / 2;
      return `M${begin} ${y1}H${from}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
    };
    const all = [{ node: 0, total: 0, fate: "kept" }, ...drawn.flatMap((step) => step.candidates)];
    const newest = drawn.length;
    const kept = new Set();
    for (const each of all) {
      const key = `${table.source} ${each.node}`;
      kept.add(key);
      const parts = held.get(key) ?? make(each);
      held.set(key, parts);
      const { link, box, word } = parts;
      const [x, y] = at(each.node);
      const wideHere = broad(each.node);
      const chance = each.node ? Math.exp(table.log_prob[each.node] / 10_000) : 1;
      const looked = !ended && places.get(each.node)[0] === newest;
      const past = each.fate === "dropped" && !looked && !onGreedy.has(each.node);
      const ways = [
        ...(onBest.has(each.node) ? ["on the winner's way"] : []),
        ...(onGreedy.has(each.node) ? ["on greedy's way"] : []),
      ];
      const score = each.score === undefined ? [] : [`score ${format(each.score)}`];
      const label = [
        `${shown(table, each.node)}, probability ${fixed(chance, 3)}, log p ${format(each.total)}`,
        `${each.fate}, place ${each.rank + 1}`,
        ...score,
        ...ways,
      ].join(", ");
      assign(box, {
        "aria-label": each.node ? label : "start",
        "data-fate": each.fate,
        style: `transform: translate(${x.toFixed(1)}px, ${y}px)`,
      });
      const told = each.score && (each.fate === "finished" || onGreedy.has(each.node));
      say(word, told ? `■ ${format(each.score)}` : shown(table, each.node));
      box.classList.toggle("tc-past", past);
      box.classList.toggle("tc-now", looked);
      const out = each.score && !now.finished.some(({ node: end }) => end === each.node);
      box.classList.toggle("tc-out", out);
      box.classList.toggle("tc-won", onBest.has(each.node));
      box.classList.toggle("tc-chain", onGreedy.has(each.node) && !onBest.has(each.node));
      assign(box.firstChild, { width: wideHere });
      word.setAttribute("x", String(wideHere / 2));
      parts.room = wideHere - 4;
      if (!each.node) continue;
      // As wide as it is likely: most where one looks, less elsewhere.
      const thick = Math.max(onBest.has(each.node) ? 2 : 1, (looked ? THICK : THIN) * chance);
      assign(link, {
        d: curve(each),
        "data-fate": each.fate,
        style: `stroke-width: ${thick.toFixed(2)}px`,
      });
      link.classList.toggle("tc-past", past);
      link.classList.toggle("tc-won", onBest.has(each.node));
    }
    for (const [key, { link, box }] of held) {
      if (kept.has(key)) continue;
      link.remove();
      box.remove();
      held.delete(key);
    }
    for (const each of all) boxes.append(held.get(`${table.source} ${each.node}`)?.box);
    const alone = (each) => onGreedy.has(each.node) && !onBest.has(each.node);
    way.setAttribute("d", all.filter(alone).map(curve).join(""));
    const width = START + now.all * wide + 6;
    const height = high + 4;
    node.classList.toggle("tc-ended", ended);
    assign(node, { width, height, viewBox: `0 0 ${width} ${height}` });
    // How far one looks: to the newest words, and at the end to the winner's last.
    const seenTo = newest < now.all ? newest : best.length;
    return START + seenTo * wide + 6;
  }
  /** Letters have a width only where they stand on the page. */
  const squeeze = () => {
    for (const { word, room } of held.values()) fit(word, room);
  };
  return { node, boxes, draw, squeeze };
}
