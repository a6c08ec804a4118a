// The mathematics and the words of EncoderTrip, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  explain,
  feeds,
  layerNorm,
  readOut,
  tables,
  trip,
} from "../../transformer_course/widgets/encoder_trip_numbers.js";
import { PARTS, STEPS } from "../../transformer_course/widgets/encoder_trip_steps.js";
import { format, sinusoids } from "../../transformer_course/widgets/numbers.js";

const { weights, german } = JSON.parse(
  readFileSync(
    new URL("../../transformer_course/widgets/encoder_trip.json", import.meta.url),
    "utf8",
  ),
);
const TOKENS = ["the", "cat", "sees", "a", "dog"];
const IDS = [0, 4, 7, 1, 2];
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const shown = async (step, head = 1) => {
  return tables(step, trip(weights, IDS), head, weights, TOKENS);
};

test("positions are sines and cosines", () => {
  assert.deepEqual(sinusoids(2, 4)[0], [0, 1, 0, 1]);
  near(sinusoids(2, 4)[1][2], Math.sin(1 / 100));
  near(sinusoids(2, 4)[1][3], Math.cos(1 / 100));
});

test("layer norm gives each row mean 0 and variance 1, then scale and shift", () => {
  const [row] = layerNorm([[1, 2, 3, 6]], [1, 1, 1, 1], [0, 0, 0, 0]);
  near(
    row.reduce((a, b) => a + b),
    0,
  );
  assert.ok(Math.abs(row.reduce((a, b) => a + b * b, 0) / 4 - 1) < 1e-4);
  assert.deepEqual(layerNorm([[1, 2, 3, 6]]), [row]); // as it is before what is learned
  // No spread: only the shift is left.
  assert.deepEqual(layerNorm([[5, 5]], [2, 2], [1, -1]), [[1, -1]]);
});

test("the trip keeps 5 rows of 8, widens to 16 inside, and reads the German off", () => {
  const run = trip(weights, IDS);
  const size = (name) => [run[name].length, run[name][0].length];
  for (const name of ["embedded", "x", "concat", "attended", "norm1", "thought", "norm2"])
    assert.deepEqual(size(name), [5, 8]);
  assert.deepEqual(size("hidden"), [5, 16]);
  assert.deepEqual(size("query2"), [5, 4]);
  for (const row of [...run.weights1, ...run.weights2])
    near(
      row.reduce((a, b) => a + b),
      1,
    );
  assert.deepEqual(readOut(run.read, german), ["die", "Katze", "sieht", "einen", "Hund"]);
});

test("every step shows tables of the shapes that its map has", async () => {
  const size = ({ numbers }) => `${numbers.length} × ${numbers[0].length}`;
  const all = [];
  for (let step = 0; step < STEPS.length; step += 1) {
    const { left, out } = await shown(step);
    all.push(`${left.map(size).join(", ")} → ${size(out)}`);
  }
  assert.equal(STEPS.length, 16);
  assert.deepEqual(
    [all[0], all[1], all[2], all[5], all[7], all[8], all[11], all[12]],
    [
      "5 × 8 → 5 × 8",
      "5 × 8, 5 × 8 → 5 × 8",
      "5 × 8, 4 × 9 → 5 × 4", // of W and b a row for each column,
      "5 × 4, 5 × 4 → 5 × 5",
      "5 × 5, 5 × 4 → 5 × 4",
      "5 × 4, 5 × 4 → 5 × 8",
      "5 × 8, 5 × 8, 2 × 8 → 5 × 8",
      "5 × 8, 16 × 9 → 5 × 16",
    ],
  );
});

test("the parts of the layer begin where their steps do", () => {
  assert.deepEqual(
    PARTS.map(([, first]) => STEPS[first].name),
    ["Embed", "Queries", "Add", "Widen", "Add"],
  );
});

/** The sum of an explanation, done again from the two decimals that it shows. */
const again = (text) => {
  const sum = text
    .split("; ")
    .at(-1)
    .split(/ [≈=] /)[0]
    .replaceAll("−", "-")
    .replaceAll("·", "*")
    .replaceAll("÷", "/")
    .replace(/√\(([^)]*)\)/, "Math.sqrt($1)")
    .replaceAll("exp", "Math.exp")
    .replaceAll("max", "Math.max")
    .replace("√8", "Math.sqrt(8)")
    .replace(/^mean .*?: /, "");
  return Function(`return ${sum.replace(/-\(-/g, "+(")}`)();
};

test("every number is the result of the sum that explains it, to the digits shown", async () => {
  for (let step = 0; step < STEPS.length; step += 1) {
    if (STEPS[step].kind === "concat") continue;
    const tables = await shown(step, 2);
    tables.out.numbers.forEach((row, i) =>
      row.forEach((x, j) => {
        const text = explain(step, tables, i, j);
        assert.ok(Math.abs(again(text) - x) < 0.05, `step ${step}: ${text} but ${x}`);
        const [sum, cut] = text.split("; "); // of a ReLU: the sum, then what it makes of it
        if (!cut) return;
        const found = Number(sum.split(" ≈ ")[1].replace("−", "-"));
        assert.ok(Math.abs(again(sum) - found) < 0.05 && Math.max(0, found) === Number(format(x)));
      }),
    );
  }
});

test("a sign stands between the terms of a sum, in one style", async () => {
  for (let step = 0; step < STEPS.length; step += 1) {
    const tables = await shown(step);
    tables.out.numbers.forEach((row, i) =>
      row.forEach((_, j) => {
        const text = explain(step, tables, i, j);
        assert.ok(!/[+−] −|\+ \(|− \+/.test(text), text); // never "+ −0.13·0.18"
      }),
    );
  }
});

test("what feeds a number: a cell, two rows, a row and a column, or one head", () => {
  assert.deepEqual(feeds("add", 1, 2, 8), [
    [1, 2],
    [1, 2],
  ]);
  assert.deepEqual(feeds("scores", 1, 2, 4), [
    [1, null],
    [2, null],
  ]);
  assert.deepEqual(feeds("linear", 1, 2, 8), [
    [1, null],
    [2, null],
  ]);
  assert.deepEqual(
    [feeds("concat", 1, 2, 4), feeds("concat", 1, 6, 4)],
    [
      [
        [1, 2],
        [1, -2], // no cell
      ],
      [
        [1, 6],
        [1, 2],
      ],
    ],
  );
});

test("the last words, whose room every step keeps, are the longest", () => {
  for (const { words } of STEPS) assert.ok(words.length <= STEPS[15].words.length, words);
});
