// The search of BeamTree, without a browser, on a table small enough to follow by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  greedy,
  layout,
  pathTo,
  search,
  shown,
  text,
  winners,
} from "../../transformer_course/widgets/beam_tree_search.js";
import { chance } from "../../transformer_course/widgets/beam_tree_words.js";
import { lengthPenalty } from "../../transformer_course/widgets/numbers.js";

const log = (p) => Math.round(Math.log(p) * 10_000);
// start -> "a" 0.6, "b" 0.4; "a" -> end 0.3, "c" 0.25, "d" 0.2; "b" -> end 0.9, "c" 0.1; out of
// room after two tokens.
const TABLE = {
  source: "x",
  limit: 2,
  pieces: ["</s>", "▁a", "▁b", "c", "▁d"],
  end: 0,
  parent: [-1, 0, 0, 1, 1, 1, 2, 2, 4, 5, 7],
  piece: [-1, 1, 2, 0, 3, 4, 0, 3, 0, 0, 0],
  log_prob: [
    0,
    log(0.6),
    log(0.4),
    log(0.3),
    log(0.25),
    log(0.2),
    log(0.9),
    log(0.1),
    log(0.99),
    log(0.5),
    log(0.5),
  ],
};
const near = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) < 2e-4, `${actual} is not ${expected}`);

test("the length penalty is GNMT's: 1 for one token, or for alpha 0", () => {
  assert.equal(lengthPenalty(1, 0.6), 1);
  assert.equal(lengthPenalty(9, 0), 1);
  near(lengthPenalty(7, 1), 2);
});

test("greedy takes the likeliest token, and misses the likelier sentence of two beams", () => {
  assert.deepEqual(greedy(TABLE), [1, 3]);
  const [best] = search(TABLE, 2, 0).at(-1).finished;
  assert.deepEqual(pathTo(TABLE, best.node), [2, 6]);
  assert.equal(text(TABLE, [2, 6]), "b");
  near(best.total, Math.log(0.4 * 0.9));
});

test("one beam keeps greedy's way", () => {
  const steps = search(TABLE, 1, 0);
  assert.deepEqual(
    steps[0].candidates.map(({ fate }) => fate),
    ["kept", "dropped"],
  );
  assert.equal(steps.at(-1).finished[0].node, greedy(TABLE).at(-1));
});

test("a step looks at twice the beam, drops the rest, and an end far down does not count", () => {
  const [, second] = search(TABLE, 2, 1);
  assert.deepEqual(
    second.candidates.map(({ node, fate }) => [node, fate]),
    [
      [6, "finished"],
      [3, "finished"],
      [4, "kept"],
      [5, "kept"],
    ],
  );
  const far = {
    ...TABLE,
    log_prob: TABLE.log_prob
      .with(3, log(0.01))
      .with(4, log(0.5))
      .with(5, log(0.45))
      .with(6, log(0.2))
      .with(7, log(0.1)),
  };
  const fates = Object.fromEntries(
    search(far, 2, 1)[1].candidates.map(({ node, fate }) => [node, fate]),
  );
  assert.equal(fates[6], "dropped");
});

test("out of room only the end may follow, and the search stops when nothing is left", () => {
  const long = {
    ...TABLE,
    log_prob: TABLE.log_prob.with(3, log(0.001)).with(6, log(0.001)).with(7, log(0.9)),
  };
  const last = search(long, 2, 1).at(-1);
  assert.equal(last.length, 3);
  assert.ok(last.candidates.every(({ fate }) => fate === "finished"));
  assert.deepEqual([last.stop.best, last.stop.bound], [undefined, -Infinity]);
});

test("the search stops once the best beginning left cannot beat the worst of the finished", () => {
  const steps = search(TABLE, 2, 0);
  assert.deepEqual(
    steps.map(({ stop }) => Boolean(stop)),
    [false, true],
  );
  near(steps[1].stop.bound, Math.log(0.6 * 0.25));
  assert.ok(steps[1].stop.worst >= steps[1].stop.bound);
});

test("with a length penalty even one beam may go on past greedy's end, for a better score", () => {
  const [best] = search(TABLE, 1, 1).at(-1).finished;
  assert.deepEqual(pathTo(TABLE, best.node), [1, 4, 8]);
  near(best.score, Math.log(0.6 * 0.25 * 0.99) / lengthPenalty(3, 1));
  assert.deepEqual(greedy(TABLE), [1, 3]);
});

test("a larger alpha lets the longer sentence win, and each range of alpha has one winner", () => {
  const table = {
    ...TABLE,
    log_prob: TABLE.log_prob
      .with(6, log(0.5))
      .with(3, log(0.31))
      .with(4, log(0.3))
      .with(8, log(0.99)),
  };
  const ranges = winners(table, 2);
  assert.deepEqual(
    ranges.map(({ sentence }) => sentence),
    ["b", "ac"],
  );
  assert.equal(ranges[0].from, 0);
  assert.equal(ranges[1].to, 1);
  near(ranges[1].from - ranges[0].to, 0.05);
});

test("boxes show a piece as it joins, and where the sentence ends", () => {
  assert.deepEqual(
    [0, 1, 4, 3].map((node) => shown(TABLE, node)),
    ["start", "a", "+c", "■ end"],
  );
  assert.equal(text(TABLE, [1, 4, 8]), "ac");
  assert.equal(text(TABLE, [1, 5, 9]), "a d");
});

test("every box has a place of its own, and no two edges cross", () => {
  const places = layout(search(TABLE, 2, 1));
  assert.equal(new Set([...places.values()].map(String)).size, places.size);
  const edges = TABLE.parent
    .map((parent, node) => [places.get(parent) ?? [], places.get(node) ?? []])
    .filter(([from, to]) => from.length && to.length);
  for (const [[a, b], [c, d]] of edges) {
    for (const [[e, f], [g, i]] of edges) if (a === e && c === g) assert.ok((b - f) * (d - i) >= 0);
  }
});

test("a way that comes first runs along the top, and its lane stays its own", () => {
  const steps = search(TABLE, 2, 1);
  const way = pathTo(TABLE, steps[steps.length - 1].finished[1].node);
  const places = layout(steps, [way]);
  const top = [...places].filter(([, [, row]]) => row === 0).map(([node]) => node);
  assert.deepEqual(top.slice(0, way.length + 1), [0, ...way]);
  assert.equal(top.length, way.length + 1);
  assert.equal(new Set([...places.values()].map(String)).size, places.size);
});

test("a small probability has digits enough for its logarithm to be checked", () => {
  assert.deepEqual([0.928, 0.0016, 0.00085, 1].map(chance), [
    "0.928",
    "0.0016",
    "0.00085",
    "1.000",
  ]);
  for (const p of [0.0044, 0.00085, 0.000123])
    assert.ok(Math.abs(Math.log(Number(chance(p))) - Math.log(p)) < 0.05);
});
