// @ts-check
// Beam search over recorded log-probabilities, step by step, and where its tree stands.
import { lengthPenalty } from "./numbers.js";

/** What a model said about one sentence: node 0 is the empty prefix, others continue `parent` by
 * `piece`.
 * @typedef {{source: string, limit: number, pieces: string[], end: number, parent: number[], piece:
 * number[], log_prob: number[]}} Table */
/** @typedef {{node: number, parent: number, total: number, rank: number, fate: "kept" | "dropped" |
 * "finished", score?: number}} Candidate */
/** @typedef {{node: number, total: number, length: number, penalty: number, score: number}} Whole a
 * finished sentence */

/** @param {Table} table @returns {number[][]} the recorded continuations of each node */
export function childrenOf({ parent }) {
  const children = parent.map(() => /** @type {number[]} */ ([]));
  parent.forEach((from, node) => {
    if (from >= 0) children[from].push(node);
  });
  return children;
}

/** Every step of a search: its candidates best first, the sentences finished so far, why it stops.
 * @param {Table} table @param {number} beam @param {number} alpha */
export function search(table, beam, alpha) {
  const children = childrenOf(table);
  const steps = [];
  let alive = [{ node: 0, total: 0 }];
  /** @type {Whole[]} */
  let finished = [];
  /** @type {{best: number | undefined, bound: number, worst: number} | null} */
  let stop = null;
  for (let length = 1; !stop; length += 1) {
    const full = length > table.limit; // out of room: only the end may follow
    const candidates = alive
      .flatMap(({ node, total }) =>
        children[node]
          .filter((child) => !full || table.piece[child] === table.end)
          .map((child) => ({
            node: child,
            parent: node,
            total: total + table.log_prob[child] / 10_000,
          })),
      )
      .sort((a, b) => b.total - a.total || a.node - b.node)
      .slice(0, 2 * beam);
    const penalty = lengthPenalty(length, alpha);
    let places = beam;
    /** @type {Candidate[]} */
    const judged = candidates.map((each, rank) => {
      if (table.piece[each.node] === table.end)
        return rank < beam
          ? { ...each, rank, fate: "finished", score: each.total / penalty }
          : { ...each, rank, fate: "dropped" };
      places -= 1;
      return { ...each, rank, fate: places >= 0 ? "kept" : "dropped" };
    });
    const ended = judged
      .filter(({ fate }) => fate === "finished")
      .map(({ node, total, score = 0 }) => ({ node, total, length, penalty, score }));
    finished = [...finished, ...ended].sort((a, b) => b.score - a.score);
    alive = judged.filter(({ fate }) => fate === "kept");
    const worst = finished[beam - 1]?.score;
    const bound = alive.length ? alive[0].total / lengthPenalty(table.limit + 1, alpha) : -Infinity;
    if (!alive.length || worst >= bound) stop = { best: alive[0]?.total, bound, worst };
    steps.push({ length, candidates: judged, ended, finished: finished.slice(0, beam), stop });
  }
  return steps;
}

/** The likeliest token, again and again.
 * @param {Table} table @returns {number[]} its nodes, the end mark included if it came */
export function greedy(table) {
  const children = childrenOf(table);
  const path = [0];
  while (path.length <= table.limit) {
    const next = [...children[path[path.length - 1]]].sort(
      (a, b) => table.log_prob[b] - table.log_prob[a],
    )[0];
    path.push(next);
    if (table.piece[next] === table.end) break;
  }
  return path.slice(1);
}

/** Which sentence wins for which alpha, 0 to 1 by 0.05.
 * @param {Table} table @param {number} beam */
export function winners(table, beam) {
  /** @type {{from: number, to: number, sentence: string}[]} */
  const ranges = [];
  for (let n = 0; n <= 20; n += 1) {
    const steps = search(table, beam, n / 20);
    const sentence = text(table, pathTo(table, steps[steps.length - 1].finished[0].node));
    const last = ranges[ranges.length - 1];
    if (last?.sentence === sentence) last.to = n / 20;
    else ranges.push({ from: n / 20, to: n / 20, sentence });
  }
  return ranges;
}

/** From the first token to this node. @param {Table} table @param {number} node */
export function pathTo({ parent }, node) {
  const path = [];
  for (let at = node; at > 0; at = parent[at]) path.unshift(at);
  return path;
}

/** The sentence of these nodes. @param {Table} table @param {number[]} nodes */
export const text = ({ piece, pieces, end }, nodes) =>
  nodes
    .filter((node) => piece[node] !== end)
    .map((node) => pieces[piece[node]])
    .join("")
    .replaceAll("▁", " ")
    .trim();

/** A piece as a box shows it: "+" joins it to the piece before.
 * @param {Table} table @param {number} node */
export function shown({ piece, pieces, end }, node) {
  if (node === 0) return "start";
  if (piece[node] === end) return "■ end";
  const name = pieces[piece[node]];
  return name.startsWith("▁") ? name.slice(1) : `+${name}`;
}

/** Where each node stands: a column a step, children in the order of their parents, so that no
 * edges cross; the likeliest way runs along the top, or the last of `ways`, whose lane stays its
 * own; the others follow.
 * @param {ReturnType<typeof search>} steps @param {number[][]} ways */
export function layout(steps, ways = []) {
  const places = new Map([[0, [0, 0]]]);
  const lead = (node) => -ways.findLastIndex((way) => way.includes(node));
  steps.forEach(({ candidates }, column) => {
    const row = (node) => /** @type {number[]} */ (places.get(node))[1];
    const order = (a, b) =>
      row(a.parent) - row(b.parent) || lead(a.node) - lead(b.node) || a.rank - b.rank;
    const free = Number(column >= (ways.at(-1) ?? steps).length);
    [...candidates].sort(order).forEach(({ node }, n) => places.set(node, [column + 1, n + free]));
  });
  return places;
}
