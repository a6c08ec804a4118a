// The counts and the words of Complexity, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LAYERS,
  LENGTHS,
  LONGEST,
  amount,
  costs,
  explain,
  formula,
  times,
  nearestRatio,
  layersToSpan,
  nearest,
  operations,
  weights,
} from "../../transformer_course/widgets/complexity_counts.js";
import { about, hops } from "../../transformer_course/widgets/complexity_pictures.js";

const START = { n: 100, d: 512, k: 3, r: 32, projections: false };

test("each kind of layer has its count", () => {
  assert.deepEqual(operations({ n: 7, d: 5, k: 3, r: 4, projections: false }), {
    attention: 490,
    recurrent: 350,
    contiguous: 525,
    dilated: 525,
    restricted: 280,
  });
  assert.equal(operations({ n: 7, d: 5, k: 3, r: 4, projections: true }).attention, 490 + 700);
  assert.equal(operations({ n: 7, d: 5, k: 3, r: 99, projections: false }).restricted, 490);
});

test("paths: one for attention, n for recurrence, the logarithm for dilated convolutions", () => {
  assert.deepEqual(
    Object.values(costs(START)).map(({ path }) => path),
    [1, 100, 50, 5, 4],
  );
  assert.deepEqual(
    Object.values(costs({ ...START, n: 1 })).map(({ path }) => path),
    [1, 1, 1, 1, 1],
  );
  assert.deepEqual(
    [1, 3, 4, 9, 10, 27, 28].map((n) => layersToSpan(n, 3, 3)),
    [1, 1, 2, 2, 3, 3, 4],
  );
});

test("the formulas are the counts, with and without the projections", () => {
  for (const projections of [false, true])
    for (const n of [7, 640]) {
      const state = { ...START, n, projections };
      const { d, k, r } = state;
      const squares = { "n²d": n * n * d, "nd²": n * d * d, rnd: r * n * d };
      const counted = (text) =>
        text.split(" + ").reduce((sum, part) => {
          const [, times, name] = /^(\d+)(.+)$/.exec(part) ?? [];
          return sum + Number(times) * squares[name];
        }, 0);
      for (const { name } of LAYERS)
        assert.equal(counted(formula(name, state)), operations(state)[name], `${name}, ${k}`);
    }
});

test("the slider's lengths rise from 1 to 128,000 and hold the round ones", () => {
  assert.deepEqual([LENGTHS[0], LENGTHS.at(-1)], [1, LONGEST]);
  assert.ok(LENGTHS.every((n, i) => Number.isInteger(n) && (!i || n > LENGTHS[i - 1])));
  for (const n of [1, 10, 100, 1000, 10000, 100000]) assert.equal(LENGTHS[nearest(LENGTHS, n)], n);
  assert.equal(LENGTHS[nearest(LENGTHS, 101)], 100);
});

test("large numbers have a name", () => {
  /** @type {[number, string][]} */
  const told = [
    [490, "490"],
    [123456, "123,456"],
    [1e6, "1 million"],
    [10240000, "10.2 million"],
    [16.384e9, "16.4 billion"],
    [1.7e13, "17 trillion"],
  ];
  for (const [x, text] of told) assert.equal(amount(x), text);
});

test("each view has its words, and those of the work say on which side of n = d they are", () => {
  const told = (view, change = {}) => explain({ ...START, ...change }, view);
  assert.match(told(0), /^In self-attention the last word reads the first directly\./);
  assert.match(told(1), /so the last word waits 99 steps\.$/);
  assert.match(told(1, { n: 2 }), /waits 1 step\.$/);
  assert.deepEqual(
    [0, 1].map((view) => told(view, { n: 1 })),
    ["One word alone has nowhere to send a signal.", "One word alone waits for no other."],
  );
  assert.match(told(2), /While n < d = 512, self-attention does less\.$/);
  assert.match(told(2, { n: 512 }), /At n = d = 512 both are the same work\.$/);
  assert.match(told(2, { n: 520 }), /Beyond n = d = 512, self-attention does more\.$/);
  const own = operations({ ...START, projections: true }).attention - operations(START).attention;
  assert.equal(own, 2 * operations(START).recurrent);
  assert.match(told(2, { projections: true }), /alone are twice .* does more at any n\.$/);
  assert.equal(weights(1000), "One head holds n × n weights: 1 million, 4 MB.");
});

test("a lane says how its signal goes, or how many words are computed at a time", () => {
  const way = (name, change = {}, waiting = false) => {
    const state = { ...START, ...change };
    return about(name, state, costs(state)[name].path, waiting);
  };
  assert.equal(way("contiguous"), "2 words back, 50 layers");
  assert.equal(way("contiguous", { k: 2 }), "1 word back, 99 layers");
  assert.equal(way("restricted", { r: 500 }), "99 words back, 1 layer");
  assert.equal(way("dilated", { k: 5 }), "gaps grow 5-fold, 3 layers");
  assert.equal(way("recurrent", {}, true), "one after another");
  assert.equal(way("dilated", {}, true), "all at once");
});

test("a ratio is a part where it is near one, else percents or times", () => {
  assert.deepEqual([0.5, 0.195, 0.1, 0.4, 0.013, 1, 2.24, 250].map(times), [
    "half",
    "about a fifth",
    "a tenth",
    "40 %",
    "1.3 %",
    "1 times",
    "2.2 times",
    "250 times",
  ]);
});

test("the hops lead from the first place to the last, as many as the path is long", () => {
  for (const n of [1, 2, 3, 10, 12, 27, 100, 160])
    for (const [k, r] of [
      [2, 2],
      [3, 32],
      [5, 4],
    ])
      for (const { name } of LAYERS) {
        const found = hops(name, { n, k, r }) ?? [];
        assert.equal(found.length, costs({ ...START, n, k, r })[name].path);
        assert.equal(
          found.reduce((sum, hop) => sum + hop, 0),
          n - 1,
        );
        const window = { attention: n, recurrent: 2, contiguous: k, restricted: r }[name];
        found.forEach((hop, layer) => {
          if (window) assert.ok(hop >= 0 && hop < Math.max(window, 1));
          else assert.ok(hop % k ** layer === 0 && hop / k ** layer < k);
        });
      }
  assert.equal(hops("recurrent", { ...START, n: 161 }), null);
  assert.equal(hops("dilated", { ...START, n: 128000 })?.length, 11);
});

test("by ratio a stop is nearest that is nearest on a logarithmic axis", () => {
  assert.equal(nearestRatio([1, 10, 100], 31), 1);
  assert.equal(nearestRatio([1, 10, 100], 33), 2);
});
