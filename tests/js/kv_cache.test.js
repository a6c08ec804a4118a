// The arithmetic of KVCache, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amount,
  cacheBytes,
  divisors,
  drawn,
  fitting,
  middleOf,
  multiplyAdds,
  costInWords,
  size,
  stepInWords,
  textsInTile,
  textsThatFit,
  tiling,
  workInWords,
} from "../../transformer_course/widgets/kv_cache_numbers.js";

const SMALL = {
  layers: 3,
  heads: 6,
  kv_heads: 2,
  head_dim: 8,
  context: 17,
  batch: 5,
  number_bytes: "2",
};

test("keys and values: two numbers for every layer, head, dimension, token and sequence", () => {
  assert.equal(cacheBytes(SMALL, 2, 17), 2 * 3 * 2 * 8 * 17 * 5 * 2);
  assert.equal(cacheBytes(SMALL, 6, 17), 3 * cacheBytes(SMALL, 2, 17));
  assert.equal(
    cacheBytes({ ...SMALL, number_bytes: "1" }, 2, 17) * 4,
    cacheBytes({ ...SMALL, number_bytes: "4" }, 2, 17),
  );
});

test("the sum of multiply-adds is that of its steps", () => {
  for (const cached of [true, false]) {
    let sum = 0;
    for (let t = 1; t <= 9; t += 1) {
      const now = multiplyAdds(SMALL, t, cached);
      sum += now.step;
      assert.equal(now.sum, sum);
    }
  }
});

test("the first step costs the same, step t without a cache t times as much", () => {
  assert.deepEqual(multiplyAdds(SMALL, 1, true), multiplyAdds(SMALL, 1, false));
  for (const t of [2, 7, 100])
    assert.equal(multiplyAdds(SMALL, t, false).step, t * multiplyAdds(SMALL, t, true).step);
});

test("heads are shared in equal groups only", () => {
  assert.deepEqual(divisors(12), [1, 2, 3, 4, 6, 12]);
  assert.deepEqual([fitting(12, 8), fitting(7, 6), fitting(64, 64), fitting(1, 8)], [6, 1, 64, 1]);
});

test("sizes and counts are told in three digits and a unit", () => {
  /** @type {[number, string][]} */
  const sizes = [
    [512, "512 bytes"],
    [2048, "2 KiB"],
    [1342177280, "1.25 GiB"],
    [160 * 2 ** 20, "160 MiB"],
    [1023 * 1024, "1,023 KiB"],
    [2 ** 50, "1 PiB"],
  ];
  for (const [bytes, text] of sizes) assert.equal(size(bytes), text);
  /** @type {[number, string][]} */
  const amounts = [
    [999, "999"],
    [12345, "12,345"],
    [1.5e6, "1.50 million"],
    [131.4e15, "131 quadrillion"],
    [6.05e13, "60.5 trillion"],
  ];
  for (const [x, text] of amounts) assert.equal(amount(x), text);
});

test("the picture shows the first layer and the last", () => {
  assert.deepEqual(drawn(1), [1]);
  assert.deepEqual(drawn(2), [1, 2]);
  assert.deepEqual(drawn(80), [1, null, 80]);
});

test("between all heads and one stands the divisor nearest to a quarter", () => {
  assert.deepEqual([64, 8, 6, 1].map(middleOf), [16, 2, 2, 1]);
});

test("the work that is counted has the name of its model, or else its sizes", () => {
  const work = "Multiply-adds of self-attention in";
  assert.equal(workInWords({ ...SMALL, batch: 1 }, "the model"), `${work} the model`);
  assert.equal(workInWords(SMALL, ""), `${work} 3 layers of 6 heads, 5 sequences at once`);
});

const LLAMA = {
  layers: 80,
  heads: 64,
  kv_heads: 8,
  head_dim: 128,
  context: 4096,
  batch: 1,
  number_bytes: "2",
};

test("as many texts fit as the memory divided by one text's cache, however many run at once", () => {
  assert.deepEqual(
    [64, 8, 1].map((heads) => textsThatFit(LLAMA, heads)),
    [8, 64, 512],
  );
  assert.equal(textsThatFit({ ...LLAMA, batch: 8 }, 8), 64);
  assert.equal(textsThatFit({ ...LLAMA, context: 131072 }, 64), 0);
  assert.match(
    costInWords(LLAMA),
    /64 texts of 4,096 tokens fit into .*; with .* head, 8 texts\.$/,
  );
  assert.match(costInWords({ ...LLAMA, context: 65536, kv_heads: 64 }), /no text of .* fits into/);
});

test("tiles hold every text, leave few places empty, and stand for more where there are many", () => {
  assert.deepEqual([1, 8, 64, 512].map(tiling), [
    [1, 1],
    [4, 2],
    [8, 8],
    [32, 16],
  ]);
  for (let n = 0; n <= 4096; n += 1) {
    const [columns, rows] = tiling(n);
    assert.ok(columns * rows >= n && columns * (rows - 1) < Math.max(1, n), String(n));
  }
  assert.deepEqual([0, 1, 4096, 4097, 54613].map(textsInTile), [1, 1, 1, 10, 100]);
});

test("what is computed is said for the first step, with a cache and without", () => {
  const words = ["The", "cat", "sat"];
  assert.match(stepInWords({ cached: true, step: 1 }, words), /either way/);
  assert.match(
    stepInWords({ cached: true, step: 2 }, words),
    /only “cat” is computed; the keys and values of the token before it are read\. The gray/,
  );
  assert.match(stepInWords({ cached: false, step: 3 }, words), /the 2 tokens before “sat” must/);
});
