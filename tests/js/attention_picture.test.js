// One head, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  changeRow,
  changeWord,
  compute,
  explain,
  fold,
  gives,
  inputs,
  open,
  project,
  takes,
  unfold,
  unpack,
} from "../../transformer_course/widgets/attention_picture_numbers.js";
import { parseCell } from "../../transformer_course/widgets/number_field.js";
import {
  causalMask,
  dot,
  format,
  plain,
  softmax,
} from "../../transformer_course/widgets/numbers.js";

const file = "../../transformer_course/widgets/attention_picture.json";
const data = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf-8"));
const head = open(data);
const WORDS = ["The", "bank", "and", "the", "safe", "were", "old", ".", "(end)"];
const ALL = WORDS.map(() => WORDS.map(() => true));
const START = { words: WORDS, mask: ALL, edits: {} };

function close(actual, expected, tolerance = 1e-9) {
  assert.equal(actual.length, expected.length);
  actual.forEach((x, n) =>
    assert.ok(Math.abs(x - expected[n]) <= tolerance, `${actual} is not ${expected}`),
  );
}

test("bytes come back as rows, each times its scale", () => {
  assert.deepEqual(unpack(btoa("\x01\xff\x02\x80"), [1, 0.5]), [
    [1, -1],
    [1, -64],
  ]);
});

test("x is the word and its place, and q, k, v are three maps of it", () => {
  const x = inputs(head, WORDS);
  const again = inputs(head, [...WORDS.slice(0, 3), "bank", ...WORDS.slice(4)]);
  assert.deepEqual([x.length, x[0].length], [9, 64]);
  assert.notDeepEqual(x[1], again[3]); // one word, two places
  for (const name of ["q", "k", "v"]) {
    const y = project(head, x, name);
    assert.deepEqual([y.length, y[0].length], [9, 16]);
    const zero = project(head, [x[0].map(() => 0)], name)[0];
    close(zero, head.maps[name].bias);
  }
});

test("everything follows from the words: scores, softmax, mixture", () => {
  const r = compute(head, START);
  assert.equal(r.scores[1][4], dot(r.q[1], r.k[4]));
  assert.equal(r.scaled[1][4], r.scores[1][4] / 4);
  close(r.weights[1], softmax(r.scaled[1]));
  close(
    r.output[1],
    r.v[0].map((_, d) =>
      dot(
        r.weights[1],
        r.v.map((row) => row[d]),
      ),
    ),
  );
});

test("a changed row moves what stands behind it and nothing before", () => {
  const before = compute(head, START);
  const edits = changeRow({}, "q", 1, before.q[1].with(2, -3));
  const after = compute(head, { ...START, edits });
  assert.deepEqual([after.x, after.k, after.v], [before.x, before.k, before.v]);
  assert.notDeepEqual(after.weights[1], before.weights[1]);
  assert.deepEqual(after.output[0], before.output[0]);
});

test("a score set by hand stays until its query or key changes, or its word", () => {
  const edits = { "1,4": 50, "2,4": 1, "1,3": 2 };
  assert.equal(compute(head, { ...START, edits }).scores[1][4], 50);
  const row = compute(head, START).q[1];
  assert.deepEqual(changeRow(edits, "q", 1, row), { "2,4": 1, q1: row });
  assert.deepEqual(changeRow(edits, "k", 4, row), { "1,3": 2, k4: row });
  assert.deepEqual(changeRow({ ...edits, q1: row }, "v", 4, row), { ...edits, q1: row, v4: row });
  assert.deepEqual(changeWord({ ...edits, k4: row, k5: row, v1: row }, 4), {
    "1,3": 2,
    k5: row,
    v1: row,
  });
});

test("a masked key gets no weight, an empty row is not a number, and the future is hidden", () => {
  const mask = causalMask(9);
  const r = compute(head, { ...START, mask });
  assert.ok(r.weights.every((row, i) => row.slice(i + 1).every((x) => x === 0)));
  const words = [...WORDS.slice(0, 6), "tired", ".", "(end)"];
  assert.deepEqual(
    compute(head, { ...START, words, mask }).output.slice(0, 6),
    r.output.slice(0, 6),
  );
  const empty = mask.map((row, i) => (i === 2 ? row.map(() => false) : row));
  const none = compute(head, { ...START, mask: empty });
  assert.ok(none.output[2].every(Number.isNaN));
  assert.deepEqual(none.output[3], r.output[3]);
  assert.match(explain(5, 2, 0, WORDS, none), /^Every key of “and” is masked/);
});

test("folded into a plane a key keeps its length and its score, and comes back", () => {
  const { q, k, scores } = compute(head, START);
  k.forEach((key, j) => {
    const flat = fold(q[1], key);
    assert.ok(Math.abs(flat.along ** 2 + flat.beside ** 2 - dot(key, key)) < 1e-9);
    assert.ok(Math.abs(flat.along * Math.sqrt(dot(q[1], q[1])) - scores[1][j]) < 1e-9);
    close(unfold(q[1], key, key, flat), key);
    const moved = fold(q[1], unfold(q[1], key, key, { along: 3, beside: 2 }));
    close([moved.along, moved.beside], [3, 2]);
  });
  const onLine = q[1].map((x) => 2 * x); // no side of its own: that of the spare one
  close([fold(q[1], unfold(q[1], onLine, k[4], { along: 1, beside: 2 })).beside], [2]);
});

test("each step says how its number came about", () => {
  const r = compute(head, START);
  assert.match(explain(2, 1, 4, WORDS, r), /q · k = 93\.\d$/);
  assert.match(explain(3, 1, 4, WORDS, r), /^93\.\d ÷ √16 = 23\.4$/);
  assert.match(explain(5, 1, 4, WORDS, r), /^exp\(23\.4\) ÷ .* = 0\.99 for “safe”$/);
  assert.equal(explain(6, 1, 4, WORDS, r), "output ≈ 0.99 × v of “safe” + 0.01 × v of “bank”");
  const past = explain(6, 1, 3, WORDS, r);
  assert.equal(past, "output ≈ 0.99 × v of “safe” + 0.01 × v of “bank” + …"); // “the” has 0.00
  const even = { ...r, weights: WORDS.map(() => WORDS.map(() => 1 / 9)) };
  assert.match(explain(6, 1, 4, WORDS, even), /0\.11 × v of “The” \+ 0\.11 × v of “bank” \+ …$/);
});

test("a row that takes nearly all from one value says from whom", () => {
  assert.equal(takes([0.05, 0.95], 0, ["bank", "safe"]), " “bank” takes that of “safe”.");
  assert.equal(takes([0.95, 0.05], 0, ["bank", "safe"]), " “bank” keeps its own.");
  assert.equal(takes([0.5, 0.5], 0, ["bank", "safe"]), "");
  assert.equal(takes([NaN, NaN], 0, ["bank", "safe"]), "");
});

test("a value that counts for nothing gives way to the one that counts most", () => {
  assert.equal(gives([0.004, 0.99, 0.006], 0), 1);
  assert.equal(gives([0.004, 0.99, 0.006], 2), 2);
  assert.equal(gives([NaN, NaN, NaN], 2), 2);
});

test("softmax of huge scores neither overflows nor underflows to nothing", () => {
  close(softmax([1000, 1000]), [0.5, 0.5]);
  close(softmax([1000, 0, -1000]), [1, 0, 0]);
  close(softmax([-1000, -1001]), softmax([1, 0]));
});

test("softmax does not change when every score moves by the same amount", () => {
  close(softmax([0.5, 2.5, 0]), softmax([100.5, 102.5, 100]));
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
