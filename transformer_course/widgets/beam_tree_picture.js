// @ts-check
// The tree of a beam search as SVG: a column a step, a branch as wide as its word is likely.
import { shown } from "./beam_tree_search.js";
import { fixed, format } from "./numbers.js";
import { assign, say, svg } from "./shared.js";

const [START, TALL, THICK, THIN] = [42, 20, 6, 3];
const [FONT, PAD, GAP, AHEAD, NUMBER] = [12.5, 8, 10, 14, 44];

/** What a box says: a word, or the score of a sentence that has ended. */
const said = (table, { node, score }) =>
  score === undefined ? shown(table, node) : `■ ${format(score)}`;

/** Each column as wide as its longest word, with a gap before it: together as wide as there is room
 * for; where a search needs more, it scrolls.
 * @param {any} now @param {(words: string) => number} long @param {number} room */
function columns({ table, drawn, ended }, long, room) {
  const words = drawn.map(({ candidates }) =>
    Math.max(...candidates.map((each) => long(said(table, each)))),
  );
  const [all, many] = [words.reduce((sum, x) => sum + x, 0), words.length];
  const tail = ended ? 4 : AHEAD + NUMBER;
  const free = room - START - many * PAD - tail;
  const scale = Math.max(room > 500 ? 0.9 : 1, Math.min(1.2, (free - 2 * GAP * many) / all));
  const gap = Math.max(GAP, Math.min(8 * GAP, (free - all * scale) / many));
  const size = words.map((x) => x * scale + PAD);
  let end = START;
  const left = size.map((x) => (end += gap + x) - x);
  return { left, gap, end: end + tail, size, scale };
}

/** Where a tree has no room, the winner alone, and below it the other way from where they part.
 * @param {any} now @param {(each: any) => number} wide @param {number} room
 * @returns {Map<number, number[]>} */
function lanes({ best, greedyPath, known }, wide, room) {
  const spots = new Map([[0, [2, 0]]]);
  const own = greedyPath.filter((node) => known.has(node) && !best.includes(node));
  const step = (node) => wide(known.get(node)) + GAP / 2;
  let [x, row] = [START, 0];
  for (const node of [...best, ...own]) {
    if (node === own[0] || x + step(node) > room + GAP / 2) [x, row] = [START, row + 1];
    spots.set(node, [x, row]);
    x += step(node);
  }
  return spots;
}

/** The tree, which keeps its branches while it grows. `draw` gives where to look from.
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
    const { table, drawn, ended, best, greedyPath } = now;
    const [onBest, onGreedy] = [new Set(best), new Set(greedyPath)];
    pen.font = `600 ${FONT}px ${getComputedStyle(node).fontFamily}`;
    const long = (words) => pen.measureText(words).width;
    let { left, gap, end, size, scale } = columns(now, long, room);
    const brief = (now.brief = ended && end > room);
    if (brief) scale = 0.9;
    const wideOf = (each) => (each.node ? long(said(table, each)) * scale + PAD : START - 4);
    const places = (now.places = brief ? lanes(now, wideOf, room) : now.tree);
    node.style.fontSize = `${FONT * scale}px`;
    const newest = ended ? 0 : drawn.length; // there one looks, and it stands a little apart
    const rows = ended ? 1 + Math.max(...[...places.values()].map(([, n]) => n)) : 2 * beam;
    const row = Math.min(44, high / rows); // fewer rows stand further apart
    /** The middle of a row, counted from the tree's own middle. */
    const down = (n) => high / 2 + 2 + (n + 0.5 - rows / 2) * row;
    /** The middle of a box. */
    const at = (id) => {
      const [column, n] = places.get(id);
      const x = left[column - 1] + (column === newest ? AHEAD : 0);
      return [brief ? column : column ? x : 2, down(n)];
    };
    const curve = ({ node: to, parent }) => {
      const [[x1, y1], [x2, y2]] = [at(parent), at(to)];
      const begin = x1 + (held.get(parent)?.wide ?? 0);
      if (brief && y2 > y1) {
        // To another line: between the lines, then down, so that it crosses no word and no number.
        const won = onBest.has(to) ? 10 : 0;
        return `M${begin - 8 + won / 2} ${y1}V${y1 + 17 + won}H${x2 - 10 + 2 * won}V${y2}H${x2}`;
      }
      // What goes down more than a row bends behind its column, and crosses no word.
      const behind = parent && y2 - y1 > 1.5 * row;
      const from = behind ? Math.max(begin, x1 + size[places.get(parent)[0] - 1]) : begin;
      const middle = (from + x2) / 2;
      return `M${begin} ${y1}H${from}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
    };
    const all = [
      { node: 0, total: 0, fate: "kept" },
      ...drawn.flatMap((step) => step.candidates),
    ].filter((each) => places.has(each.node));
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
        style: `transform: translate(${x}px, ${y}px)`,
      });
      say(word, said(table, each));
      say(
        sum,
        looked && !each.score
          ? format(each.total)
          : brief && each.node
            ? fixed(chance, 2).replace("0.", ".")
            : "",
      );
      const [, n] = places.get(each.node);
      assign(
        sum,
        brief ? { x: wide / 2 - 10, y: n ? 24 : -15 } : { x: (size[newest - 1] || 0) + 4, y: 4 },
      );
      box.classList.toggle("tc-now", looked);
      const out = each.score < 0 && !now.finished.some(({ node: end }) => end === each.node);
      box.classList.toggle("tc-out", out);
      for (const part of [box, link]) {
        part.classList.toggle("tc-won", onBest.has(each.node));
        part.classList.toggle("tc-live", now.alive.has(each.node));
      }
      box.classList.toggle("tc-chain", onGreedy.has(each.node) && !onBest.has(each.node));
      assign(box.firstChild, { width: wide });
      word.setAttribute("x", String(wide / 2));
      if (!each.node) continue;
      // As wide as it is likely: most where one looks, less elsewhere.
      const thick = Math.max(onBest.has(each.node) ? 2 : 1, (looked ? THICK : THIN) * chance);
      assign(link, { d: curve(each), style: `stroke-width: ${thick}px` });
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
    // To the newest words one looks; the edge cuts none.
    const from = brief
      ? 0
      : ([0, ...left.map((x) => x - gap / 2)].find((x) => x >= end - room) ?? 0);
    const width = brief ? room : Math.max(end, from && from + room);
    const height = high + 4;
    assign(node, { width, height, viewBox: `0 0 ${width} ${height}` });
    return from;
  }
  return { node, boxes, draw };
}
