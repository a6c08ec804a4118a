// The mathematics and the words of AttentionSteps, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aggregate,
  applyMask,
  compute,
  explain,
  feeds,
  scale,
  scores,
} from "../../transformer_course/widgets/attention_steps_numbers.js";
import { parseCell } from "../../transformer_course/widgets/number_field.js";
import {
  causalMask,
  dot,
  format,
  plain,
  softmax,
} from "../../transformer_course/widgets/numbers.js";

const ALL = [
  [true, true, true],
  [true, true, true],
  [true, true, true],
];
const EXAMPLE = {
  tokens: ["the", "cat", "sat"],
  query: [
    [1.5, 0, 0, -1],
    [0, 1, 0.5, 1],
    [2, 0, 0.5, 1],
  ],
  key: [
    [0, 2, 0, 1],
    [2, 0, 0, 1],
    [0, 0, 2, -1],
  ],
  value: [
    [1, 0, 0, 1],
    [0, 2, 1, -1],
    [1, 0, 2, 0],
  ],
  mask: ALL,
};

function close(actual, expected, tolerance = 1e-12) {
  assert.equal(actual.length, expected.length);
  actual.forEach((x, n) =>
    assert.ok(Math.abs(x - expected[n]) <= tolerance, `${actual} is not ${expected}`),
  );
}

test("scores are the dot products of queries and keys", () => {
  assert.equal(dot([2, 0, 0.5, 1], [2, 0, 0, 1]), 5);
  assert.deepEqual(scores(EXAMPLE.query, EXAMPLE.key), [
    [-1, 2, 1],
    [3, 1, 0],
    [1, 5, 0],
  ]);
});

test("scaling divides by the square root of the head's width", () => {
  assert.deepEqual(scale([[-1, 2, 1]], 4), [[-0.5, 1, 0.5]]);
  assert.deepEqual(scale([[8]], 64), [[1]]);
});

test("softmax gives weights that sum to one and grow with the score", () => {
  close(softmax([0, 0, 0]), [1 / 3, 1 / 3, 1 / 3]);
  close(softmax([Math.log(1), Math.log(2), Math.log(5)]), [0.125, 0.25, 0.625]);
});

test("softmax of huge scores neither overflows nor underflows to nothing", () => {
  close(softmax([1000, 1000]), [0.5, 0.5]);
  close(softmax([1000, 0, -1000]), [1, 0, 0]);
  close(softmax([-1000, -1001]), softmax([1, 0]));
});

test("softmax does not change when every score moves by the same amount", () => {
  close(softmax([0.5, 2.5, 0]), softmax([100.5, 102.5, 100]));
});

test("a masked key gets no weight, and the others share it", () => {
  const [row] = applyMask([[1, 5, 1]], [[true, false, true]]);
  assert.deepEqual(row, [1, -Infinity, 1]);
  assert.deepEqual(softmax(row), [0.5, 0, 0.5]);
});

test("a row with every key masked is not a number, and leaves the other rows alone", () => {
  const now = compute({ ...EXAMPLE, mask: [[false, false, false], ALL[1], ALL[2]] });
  assert.deepEqual(now.weights[0], [NaN, NaN, NaN]);
  assert.deepEqual(now.output[0], [NaN, NaN, NaN, NaN]);
  assert.deepEqual(now.output.slice(1), compute(EXAMPLE).output.slice(1));
});

test("under the causal mask the future cannot change the past", () => {
  const mask = causalMask(3);
  assert.deepEqual(mask, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
  const changed = {
    ...EXAMPLE,
    mask,
    key: [...EXAMPLE.key.slice(0, 2), [9, 9, 9, 9]],
    value: [...EXAMPLE.value.slice(0, 2), [7, 7, 7, 7]],
  };
  assert.deepEqual(
    compute(changed).output.slice(0, 2),
    compute({ ...EXAMPLE, mask }).output.slice(0, 2),
  );
  assert.deepEqual(compute({ ...EXAMPLE, mask }).output[0], EXAMPLE.value[0]);
});

test("an output is a mixture of the values", () => {
  assert.deepEqual(aggregate([[0.5, 0.5, 0]], EXAMPLE.value), [[0.5, 1, 0.5, 0]]);
});

test("numbers keep two decimals, a true minus sign, and no minus before zero", () => {
  /** @type {[number, string][]} */
  const cases = [
    [1, "1.00"],
    [-0.5, "−0.50"],
    [-0.001, "0.00"],
    [0, "0.00"],
    [123.456, "123.5"],
    [40000, "40000"],
    [NaN, "NaN"],
    [-Infinity, "−∞"],
  ];
  for (const [x, text] of cases) assert.equal(format(x), text);
  assert.equal(plain(-1.5), "−1.5");
  assert.equal(plain(0.1 + 0.2), "0.3");
});

test("a cell takes numbers as people write them, and keeps two decimals", () => {
  /** @type {[string, number][]} */
  const cases = [
    ["0.5", 0.5],
    [" -2 ", -2],
    ["−2", -2],
    ["+1", 1],
    [".5", 0.5],
    ["3.", 3],
    ["0,25", 0.25],
    ["0.333", 0.33],
    ["1e1", 10],
    ["100", 100],
    ["-100", -100],
    ["-0", 0],
  ];
  for (const [text, value] of cases) assert.deepEqual(parseCell(text), { value });
});

test("a cell refuses anything else, and says what it expects", () => {
  /** @type {[string, RegExp][]} */
  const cases = [
    ["", /^The cell was empty\. /],
    ["   ", /empty/],
    ["abc", /^“abc” is not a number\. /],
    ["1 2", /not a number/],
    ["0x10", /not a number/],
    ["NaN", /not a number/],
    ["Infinity", /not a number/],
    ["--1", /not a number/],
    ["1e999", /^1e999 is too large\. /],
    ["100.01", /too large/],
    ["-101", /too large/],
    ["9".repeat(400), /^9{12}… is too large/],
  ];
  for (const [text, message] of cases) {
    const { error = "" } = parseCell(text);
    assert.match(error, message);
    assert.match(error, /Expected a number from −100 to 100, like 0\.5; the old value stays\.$/);
  }
});

test("every number is explained by the numbers it came from", () => {
  const sum = (step, i, j, state = EXAMPLE) => explain(step, i, j, state)[1];
  assert.equal(sum(0, 2, 1), "score[2][1] = 2·2 + 0·0 + 0.5·0 + 1·1 = 5.00");
  assert.equal(sum(0, 0, 2), "score[0][2] = 1.5·0 + 0·0 + 0·2 + −1·(−1) = 1.00");
  assert.equal(sum(1, 2, 1), "scaled[2][1] = 5.00 ÷ √4 = 2.50");
  assert.equal(
    sum(2, 2, 1),
    "weight[2][1] = exp(2.50) ÷ (exp(0.50) + exp(2.50) + exp(0.00)) ≈ 12.18 ÷ (1.65 + 12.18 + " +
      "1.00) ≈ 0.82",
  );
  assert.equal(sum(3, 2, 1), "output[2][1] ≈ 0.11·0 + 0.82·2 + 0.07·0 ≈ 1.64");
});

test("a masked key, a masked row and large scores are explained for what they are", () => {
  const masked = { ...EXAMPLE, mask: [[true, true, false], [false, false, false], ALL[2]] };
  assert.match(explain(2, 0, 2, masked)[0], /^“the” may not attend to “sat”/);
  assert.match(explain(2, 1, 0, masked)[0], /^Every key of “cat” is masked.*0 ÷ 0 is not a number/);
  assert.match(explain(2, 1, 0, masked)[1], /0\.00 ÷ \(0\.00 \+ 0\.00 \+ 0\.00\) = NaN$/);
  const [words, sum] = explain(2, 0, 0, {
    ...EXAMPLE,
    query: [[0, 100, 0, 0], ...EXAMPLE.query.slice(1)],
  });
  assert.match(words, /The largest score, 100\.0, is taken off first: same weights, no overflow\./);
  assert.match(
    sum,
    new RegExp(
      "exp\\(0\\.00\\) ÷ \\(exp\\(0\\.00\\) \\+ exp\\(−100\\.0\\) \\+ exp\\(−100\\.0\\)\\) " +
        "≈ 1\\.00 ÷ \\(1\\.00 \\+ 0\\.00 \\+ 0\\.00\\) = 1\\.00$",
    ),
  );
});

test("what feeds a number: a row of each, one score, a row of scores, a row and a column", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((step) => feeds(step, 2, 1)),
    [
      [
        [2, null],
        [1, null],
      ],
      [[2, 1]],
      [[2, null]],
      [
        [2, null],
        [null, 1],
      ],
    ],
  );
});
