// @ts-check
// The tree of a beam search as SVG: a column a step, a branch as wide as its word is likely.
import { shown } from "./beam_tree_search.js";
import { fixed, format } from "./numbers.js";
import { assign, say, svg } from "./shared.js";

const [START, TALL, THICK, THIN] = [42, 20, 6, 3];
const [FONT, PAD, GAP, AHEAD, NUMBER] = [12.5, 8, 14, 14, 44];

/** What a box says: a word, or the score of a sentence that has ended. */
const said = (table, { node, score }) =>
  score === undefined ? shown(table, node) : `■ ${format(score)}`;

/** Each column as wide as its longest word that stays, with a gap before it; letters get smaller
 * where a whole search would not fit else. On a phone it need not.
 * @param {any} now @param {(words: string) => number} long @param {number} room */
function columns({ table, steps, greedyPath }, long, room) {
  const stays = ({ node, fate }) => fate !== "dropped" || greedyPath.includes(node);
  const words = steps.map(({ candidates }) =>
    Math.max(...candidates.filter(stays).map((each) => long(said(table, each)))),
  );
  const all = words.reduce((sum, x) => sum + x, 0);
  const [many, broad] = [words.length, room > 500];
  const free = room - START - 6 - many * PAD;
  const squeeze = broad ? Math.min(1, (free - 6 * many) / all) : 1;
  const gap = broad ? Math.min(40, (free - all * squeeze) / many) : GAP;
  let end = START;
  const left = words.map((x) => {
    const from = end + gap;
    end = from + x * squeeze + PAD;
    return from;
  });
  return { left, end, size: words.map((x) => x * squeeze + PAD), squeeze };
}

/** The tree, which keeps its branches while it grows. `draw` gives how far it has grown.
 * @returns {{node: any, boxes: any, draw: (now: any, beam: number, room: number, high: number) =>
 * number}} */
export function treePicture() {
  const [links, boxes] = [svg("g"), svg("g")];
  const way = svg("path", { class: "tc-greedy" });
  const node = svg(
    "svg",
    { role: "group", "aria-label": "Tree; arrow keys move" },
    links,
    way,
    boxes,
  );
  const pen = /** @type {any} */ (document.createElement("canvas").getContext("2d"));
  /** @type {Map<number, {link: any, box: any, word: any, sum: any, wide: number}>} */
  const held = new Map();

  function make(each) {
    const word = svg("text", { y: 4 });
    const sum = svg("text", { y: 4, class: "tc-sum" });
    const box = svg(
      "g",
      {
        class: "tc-box",
        "data-node": each.node,
        role: "button",
        tabindex: -1,
        "data-lm-suppress-shortcuts": "true",
      },
      svg("rect", { height: TALL, y: -TALL / 2, rx: 6 }),
      word,
      sum,
    );
    const link = svg("path", { class: "tc-branch" });
    if (each.node) links.append(link);
    boxes.append(box);
    return { link, box, word, sum, wide: 0 };
  }

  function draw(now, beam, room, high) {
    const { table, drawn, ended, places, best, greedyPath } = now;
    const [onBest, onGreedy] = [new Set(best), new Set(greedyPath)];
    pen.font = `600 ${FONT}px ${getComputedStyle(node).fontFamily}`;
    const long = (words) => pen.measureText(words).width;
    const { left, end, size, squeeze } = columns(now, long, room);
    const wideOf = (each) => (each.node ? long(said(table, each)) * squeeze + PAD : START - 4);
    node.style.fontSize = `${FONT * squeeze}px`;
    const newest = ended ? 0 : drawn.length; // there one looks, and it stands a little apart
    const rows = ended ? 1 + Math.max(...[...places.values()].map(([, n]) => n)) : 2 * beam;
    const row = Math.min(44, high / rows); // fewer rows stand further apart
    /** The numbers of the newest words stand behind the longest. */
    const words = newest ? Math.max(...drawn[newest - 1].candidates.map(wideOf)) + 4 : 0;
    const ahead = Math.max(0, Math.min(AHEAD, room - NUMBER * squeeze - words - left[newest - 1]));
    /** The middle of a row, counted from the tree's own middle. */
    const down = (n) => high / 2 + 2 + (n + 0.5 - rows / 2) * row;
    /** The middle of a box. */
    const at = (id) => {
      const [column, n] = places.get(id);
      return [column ? left[column - 1] + (column === newest ? ahead : 0) : 2, down(n)];
    };
    const curve = ({ node: to, parent }) => {
      const [[x1, y1], [x2, y2]] = [at(parent), at(to)];
      const begin = x1 + (held.get(parent)?.wide ?? 0);
      // What goes down more than a row bends behind its column, and crosses no word.
      const behind = parent && y2 - y1 > 1.5 * row;
      const from = behind ? Math.max(begin, x1 + size[places.get(parent)[0] - 1]) : begin;
      const middle = (from + x2) / 2;
      return `M${begin} ${y1}H${from}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
    };
    const all = [{ node: 0, total: 0, fate: "kept" }, ...drawn.flatMap((step) => step.candidates)];
    for (const each of all) {
      const parts = held.get(each.node) ?? make(each);
      held.set(each.node, parts);
      const { link, box, word, sum } = parts;
      const [x, y] = at(each.node);
      const wide = (parts.wide = wideOf(each));
      const chance = each.node ? Math.exp(table.log_prob[each.node] / 10_000) : 1;
      const looked = newest > 0 && places.get(each.node)[0] === newest;
      const score = each.score === undefined ? "" : `, score ${format(each.score)}`;
      const label =
        `${shown(table, each.node)}, probability ${fixed(chance, 3)}, ` +
        `log p ${format(each.total)}, ${each.fate}, place ${each.rank + 1}${score}`;
      assign(box, {
        "aria-label": each.node ? label : "start",
        "data-fate": each.fate,
        style: `transform: translate(${x.toFixed(1)}px, ${y}px)`,
      });
      say(word, said(table, each));
      say(sum, looked && !each.score ? format(each.total) : "");
      sum.setAttribute("x", String(words));
      box.classList.toggle("tc-now", looked);
      const out =
        each.score !== undefined && !now.finished.some(({ node: end }) => end === each.node);
      box.classList.toggle("tc-out", out);
      box.classList.toggle("tc-won", onBest.has(each.node));
      box.classList.toggle("tc-chain", onGreedy.has(each.node) && !onBest.has(each.node));
      assign(box.firstChild, { width: wide });
      word.setAttribute("x", String(wide / 2));
      if (!each.node) continue;
      // As wide as it is likely: most where one looks, less elsewhere.
      const thick = Math.max(onBest.has(each.node) ? 2 : 1, (looked ? THICK : THIN) * chance);
      assign(link, { d: curve(each), style: `stroke-width: ${thick.toFixed(2)}px` });
      link.classList.toggle("tc-won", onBest.has(each.node));
    }
    for (const [id, { link, box }] of held) {
      if (places.has(id)) continue;
      link.remove();
      box.remove();
      held.delete(id);
    }
    for (const each of all) boxes.append(held.get(each.node)?.box);
    const alone = (each) => onGreedy.has(each.node) && !onBest.has(each.node);
    way.setAttribute("d", all.filter(alone).map(curve).join(""));
    const width = newest ? left[newest - 1] + ahead + words + NUMBER * squeeze : end + 4;
    const height = high + 4;
    assign(node, { width, height, viewBox: `0 0 ${width} ${height}` });
    // How far one looks: to the newest words, and at the end to the winner's last.
    return newest ? width : (left[best.length] ?? end);
  }
  return { node, boxes, draw };
}
