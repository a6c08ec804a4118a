// The words of ThenAndNow, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  size,
  tally,
  totals,
  typeset,
  weighed,
} from "../../transformer_course/widgets/then_and_now_words.js";

/** @returns {any} only what the words look at */
const row = (state, then, now) => ({ state, weights: [then, now] });

const said = (rows) =>
  tally(rows, "decoder")
    .map(([, ...words]) => words.join(""))
    .join("");

test("what became of the parts is one sentence, in one order, of what occurs", () => {
  const [kept, gone, changed] = [row("kept", 1, 1), row("gone", 1, 0), row("changed", 1, 2)];
  assert.equal(said([gone, kept, kept]), "kept 2 parts of the paper’s decoder and dropped 1.");
  assert.equal(said([kept, row("neither", 0, 0)]), "kept 1 part of the paper’s decoder.");
  assert.equal(
    said([row("new", 0, 1), changed, gone, kept]),
    "kept 1 part of the paper’s decoder, changed 1, added 1 and dropped 1.",
  );
  assert.deepEqual(
    tally([row("new", 0, 1), kept], "decoder").map(([state]) => state),
    ["kept", "new"],
  );
});

test("parameters stand in millions from a million on", () => {
  assert.equal(size(67_125_248), "67.1 million");
  assert.equal(size(8192), "8,192");
});

test("a factor is told only where both sides have some, and differ", () => {
  assert.equal(weighed(row("kept", 0, 0)), "It has no parameters, then or now.");
  assert.match(
    weighed(row("changed", 100, 150)),
    /had 100 parameters then and has 150 parameters now, 1\.50 times as many\.$/,
  );
  assert.match(
    weighed(row("gone", 100, 0)),
    /had 100 parameters then and has no parameters now\.$/,
  );
  assert.match(
    weighed({ ...row("changed", 0, 0), once: 5 }),
    /5 parameters now, and none in 2017\.$/,
  );
});

test("a layer is the sum of its parts", () => {
  const rows = [row("kept", 600_000, 600_000), row("gone", 500_000, 0), row("new", 0, 24)];
  assert.deepEqual(totals(rows), [1_100_000, 600_024]);
});

test("a formula has its indices low and its exponents high, and no sign for them", () => {
  assert.deepEqual(typeset("W_g y"), [
    ["", "W"],
    ["sub", "g"],
    ["", " y"],
  ]);
  assert.deepEqual(typeset("x W^Q, K_src"), [
    ["", "x W"],
    ["sup", "Q"],
    ["", ", K"],
    ["sub", "src"],
    ["", ""],
  ]);
});
