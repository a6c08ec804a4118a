// The reshape and the counts of HeadSlices, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  WORDS,
  costs,
  divisors,
  rows,
  shades,
  splitHeads,
  spot,
  stripes,
  tell,
  vectors,
  way,
  weightsOf,
} from "../../transformer_course/widgets/head_slices_numbers.js";

const X = [
  [0, 1, 2, 3],
  [4, 5, 6, 7],
  [8, 9, 10, 11],
];
const STATE = { d_model: 16, num_heads: 4, length: 4, wrong: false };

test("each head gets one slice of every token, in order", () => {
  assert.deepEqual(splitHeads(X, 2, false), [
    [
      [0, 1],
      [4, 5],
      [8, 9],
    ],
    [
      [2, 3],
      [6, 7],
      [10, 11],
    ],
  ]);
  assert.deepEqual(splitHeads(X, 1, false), [X]);
});

test("a view without transpose keeps the order of the memory, and mixes tokens up", () => {
  assert.deepEqual(splitHeads(X, 2, true), [
    [
      [0, 1],
      [2, 3],
      [4, 5],
    ],
    [
      [6, 7],
      [8, 9],
      [10, 11],
    ],
  ]);
  assert.deepEqual(splitHeads(X, 1, true), [X]); // with one head the two agree
});

test("every number of q takes something from all numbers of a word's vector", () => {
  for (const d of [8, 16, 64]) {
    const one = (at) => Array.from({ length: d }, (_, n) => Number(n === at));
    const matrix = vectors(Array.from({ length: d }, (_, n) => one(n))); // W^Q, transposed
    for (const row of matrix)
      for (const each of row) assert.ok(Math.abs(Math.abs(each) - 1 / Math.sqrt(d)) < 1e-9);
    const [q] = rows(1, d);
    const [x] = vectors([q]);
    matrix.forEach((column, n) =>
      assert.ok(Math.abs(column.reduce((sum, w, m) => sum + w * x[m], 0) - q[n]) < 1e-9),
    );
  }
});

test("weights of a head are a softmax over its own slices", () => {
  const [[own, other]] = weightsOf([
    [2, 0],
    [0, 0],
  ]);
  assert.ok(Math.abs(own / other - Math.exp(4 / Math.sqrt(2))) < 1e-9);
  assert.deepEqual(weightsOf([[0], [0]]), [
    [0.5, 0.5],
    [0.5, 0.5],
  ]);
});

test("only the softmaxes and the scores grow with the heads", () => {
  assert.deepEqual(costs(512, 8, 4), {
    d_k: 64,
    parameters: 1050624,
    "multiply-adds": 4210688,
    softmaxes: 32,
    scores: 128,
  });
  for (const n of divisors(64)) {
    assert.equal(costs(64, n, 5).parameters, costs(64, 1, 5).parameters);
    assert.equal(costs(64, n, 5)["multiply-adds"], costs(64, 1, 5)["multiply-adds"]);
    assert.equal(costs(64, n, 5).softmaxes, 5 * n);
  }
  assert.deepEqual(divisors(64), [1, 2, 4, 8, 16, 32]);
});

test("slices never overlap, in any stage", () => {
  for (const wrong of [false, true])
    for (const num_heads of [1, 2, 4, 8, 16, 32])
      for (let stage = 0; stage < 5; stage += 1) {
        const seen = new Set();
        for (let token = 0; token < 6; token += 1)
          for (let part = 0; part < num_heads; part += 1) {
            const { left, top, width } = spot(stage, token, part, { num_heads, length: 6, wrong });
            seen.add(`${left.toFixed(6)} ${top}`);
            assert.ok(left >= 0 && left + width <= 1 + 1e-9);
          }
        assert.equal(seen.size, 6 * num_heads);
      }
});

test("ways of slices end apart, and never cross where the order stays", () => {
  for (const wrong of [false, true]) {
    const ways = [0, 1, 2].flatMap((token) =>
      [0, 1].map((part) => way(token, part, { num_heads: 2, length: 3, wrong })),
    );
    const ends = ways.map(([, to]) => to);
    assert.equal(new Set(ends).size, 6);
    assert.deepEqual(
      ways.map(([from]) => from),
      [...ends].sort((a, b) => a - b),
    );
    assert.equal(
      ways.every(([from, to]) => from === to),
      wrong,
    );
  }
});

test("every stage says its code and its shape, and what the wrong one does", () => {
  const weights = splitHeads(rows(4, 16), 4, false).map(weightsOf);
  const said = [0, 1, 2, 3, 4].map((stage) => tell(stage, STATE, weights));
  assert.deepEqual(
    said.map(([, shape]) => shape),
    [
      "(batch, 4, 16)",
      "(batch, 4, 4, 4)",
      "(batch, 4, 4, 4)",
      "(batch, 4, 4, 4)",
      "(batch, 4, 16)",
    ],
  );
  assert.equal(said[1][0], "q.unflatten(-1, (4, 4))");
  assert.match(
    said[3][2],
    /most in head 2, by kind, at “dog” \(0\.47\); in head 3, by who, at “her” \(0\.47\)\.$/,
  );
  const wrong = tell(2, { ...STATE, num_heads: 2, wrong: true }, weights);
  assert.match(
    wrong[2],
    /^The shape is right, the content is not: head 1 holds 4 rows, but of “she”, “sees” only/,
  );
  assert.match(tell(2, { ...STATE, num_heads: 1, wrong: true }, weights)[2], /nothing to mix up/);
});

test("two heads are named only if they look at different words", () => {
  for (const d_model of [8, 16, 64, 512])
    for (const num_heads of [1, 2, 4, 8])
      for (let length = 2; length <= 6; length += 1) {
        const weights = splitHeads(rows(length, d_model), num_heads, false).map(weightsOf);
        const [, , words] = tell(3, { d_model, num_heads, length, wrong: false }, weights);
        const at = [...words.matchAll(/in head (\d), by [a-z ]+, at “(\w+)” \((0\.\d\d)\)/g)];
        assert.ok(at.length === 1 || at.length === 2);
        assert.equal(new Set(at.map(([, , word]) => word)).size, at.length);
        for (const [, head, word, share] of at) {
          const others = weights[Number(head) - 1][0].slice(1);
          assert.equal(WORDS[others.indexOf(Math.max(...others)) + 1], word);
          assert.equal(Math.max(...others).toFixed(2), share);
        }
      }
});

test("a slice is drawn as a row of shades, one for a group of numbers where there are many", () => {
  assert.deepEqual(
    shades([-1.5, 0, 1.5], 3).map((x) => Number(x.toFixed(2))),
    [0.08, 0.47, 0.86],
  );
  assert.deepEqual(
    shades([-1.5, 1.5, 1.5, 1.5], 2).map((x) => Number(x.toFixed(2))),
    [0.47, 0.86],
  );
  assert.equal(
    stripes([0, 1], "red"),
    "linear-gradient(90deg, color-mix(in srgb, red 0.0%, var(--bg)) 0.00% 50.00%, color-mix(in " +
      "srgb, red 100.0%, var(--bg)) 50.00% 100.00%)",
  );
});
