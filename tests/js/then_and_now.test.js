// The words of ThenAndNow, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  angle,
  bend,
  normed,
  seen,
} from "../../transformer_course/widgets/then_and_now_pictures.js";
import {
  size,
  tally,
  totals,
  typeset,
  weighed,
} from "../../transformer_course/widgets/then_and_now_words.js";

/** @returns {any} only what the words look at */
const row = (state, then, now) => ({ state, kind: "", weights: [then, now] });

const said = (rows) =>
  tally(rows)
    .map(([, ...words]) => words.join(""))
    .join("");

test("what became of the parts is one sentence, in one order, of what occurs", () => {
  const [kept, gone, changed] = [row("kept", 1, 1), row("gone", 1, 0), row("changed", 1, 2)];
  assert.equal(said([gone, kept, kept]), "Kept 2 parts, dropped 1.");
  assert.equal(said([kept, row("neither", 0, 0)]), "Kept 1 part.");
  assert.equal(
    said([row("new", 0, 1), changed, gone, kept]),
    "Kept 1 part, changed 1, added 1, dropped 1.",
  );
  assert.deepEqual(
    tally([row("new", 0, 1), kept]).map(([state]) => state),
    ["kept", "new"],
  );
});

test("what is drawn is computed: a norm, a bend, a mask and a rotation", () => {
  const x = [2, 0, 1, 5];
  const mean = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;
  const square = (list) => mean(list.map((each) => each ** 2));
  const [layer, rms] = ["layer", "rms"].map((kind) => normed(kind, x));
  for (const out of [layer, rms]) assert.ok(Math.abs(square(out) - 1) < 1e-9);
  assert.ok(Math.abs(mean(layer)) < 1e-9);
  assert.ok(mean(rms) > 0.5 && rms[1] === 0);
  assert.equal(normed("post", x), x);

  assert.deepEqual(
    [-2, 3].map((at) => bend("then", at)),
    [0, 3],
  );
  // torch.nn.functional.gelu, and silu(1) and silu(-2) times 3
  assert.deepEqual(
    [1, -2].map((at) => bend("gelu", at).toFixed(5)),
    ["0.84134", "-0.04550"],
  );
  assert.deepEqual(
    [1, -2].map((at) => bend("swiglu", at, 3).toFixed(4)),
    ["2.1932", "-0.7152"],
  );

  const keys = (kind) => [0, 1, 2, 3, 4, 5].filter((j) => seen(kind, 4, j));
  assert.deepEqual(keys("both").length, 6);
  assert.deepEqual(keys("causal"), [0, 1, 2, 3, 4]);
  assert.deepEqual(keys("window"), [2, 3, 4]);

  const apart = (kind, place) => angle(kind, 1.4, place + 1) - angle(kind, 0.3, place);
  assert.ok(Math.abs(apart("rotary", 1) - apart("rotary", 4)) < 1e-9);
  assert.notEqual(angle("rotary", 1.4, 1), angle("rotary", 1.4, 4));
  assert.equal(angle("plain", 1.4, 1), angle("plain", 1.4, 4));
});

test("parameters stand in millions from a million on", () => {
  assert.equal(size(67_125_248), "67.1 million");
  assert.equal(size(8192), "8,192");
});

test("a factor is told only where both sides have some, and differ", () => {
  assert.equal(weighed(row("kept", 0, 0)), "Parameters: none, then or now");
  assert.match(weighed(row("changed", 100, 150)), /: 100, now 150 \(× 1\.50\)$/);
  assert.match(weighed(row("gone", 100, 0)), /: 100, now none$/);
  assert.match(weighed({ ...row("changed", 0, 0), once: 5 }), /: none, now 5, below all layers$/);
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
