// The mathematics and the words of EncoderTrip, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bars } from "../../transformer_course/widgets/encoder_trip_chart.js";
import {
  explain,
  layerNorm,
  readOut,
  tables,
  trip,
} from "../../transformer_course/widgets/encoder_trip_numbers.js";
import { PARTS, STEPS } from "../../transformer_course/widgets/encoder_trip_steps.js";
import { sinusoids } from "../../transformer_course/widgets/numbers.js";

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
      "5 × 5, 4 × 5 → 5 × 4", // of V too
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
const again = (text) =>
  Function(
    `return ${text
      .split(/ [≈=] /)[0]
      .replace(/^.* sum to /, "")
      .replaceAll("−", "-")
      .replaceAll("·", "*")
      .replaceAll("÷", "/")
      .replace("exp", "Math.exp")
      .replace("max", "Math.max")
      .replace(/√(\d)/, "Math.sqrt($1)")
      .replace(/- -/g, "+ ")}`,
  )();

test("every number is the result of the sum that explains it, to the digits shown", async () => {
  for (let step = 0; step < STEPS.length; step += 1) {
    if (STEPS[step].kind === "concat") continue;
    const tables = await shown(step, 2);
    tables.out.numbers.forEach((row, i) =>
      row.forEach((x, j) => {
        const text = explain(step, tables, i, j);
        const off = Math.abs(again(text) - x);
        assert.ok(off < 0.05 + 0.02 * Math.abs(x), `step ${step}: ${text} but ${x}`);
      }),
    );
  }
});

test("a chart's bars end where the number is, or show what it is made from", async () => {
  let sums = 0;
  for (let step = 0; step < STEPS.length; step += 1) {
    const { kind } = STEPS[step];
    if (kind === "concat") continue;
    const { left, out } = await shown(step);
    out.numbers.forEach((made, i) =>
      made.forEach((x, j) => {
        const rows = left.map(({ numbers }, n) => numbers[n && /li|sc|mi/.test(kind) ? j : i]);
        const { bars: drawn, line = 0, digits } = bars(kind, rows, made);
        if (!digits) {
          if (kind === "norm") near(drawn[j][1] - line, rows[0][j] - line);
          else near(drawn[j][1], x);
          if (kind === "norm") near(line, rows[0].reduce((a, b) => a + b) / 8);
          return;
        }
        sums += 1;
        drawn.slice(1).forEach(([from], n) => assert.equal(from, drawn[n][1])); // end to end
        digits.forEach((text, n) => {
          const found = Number(text.replace("−", "-"));
          assert.ok(Math.abs(found - (drawn[n][1] - drawn[n][0])) < 0.0051);
        });
        near(line, drawn[drawn.length - 1][1]);
        const end = out.caption === "Hidden h" ? Math.max(0, line) : line;
        near(kind === "scores" ? line / 2 : end, x);
      }),
    );
  }
  assert.equal(sums, 5 * (4 + 4 + 4 + 5 + 4 + 8 + 16 + 8));
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

test("the last words, whose room every step keeps, are the longest", () => {
  for (const { words } of STEPS) assert.ok(words.length <= STEPS[15].words.length, words);
});
