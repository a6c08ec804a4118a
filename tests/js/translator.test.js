// The translator's words and its engine, without a browser: node --test tests/js/
import { describe } from "../../transformer_course/widgets/translator_words.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine } from "../../transformer_course/widgets/translating.js";
import {
  fromHundredths,
  refusal,
  rowOf,
  shades,
} from "../../transformer_course/widgets/translator_words.js";

/** @type {import("../../transformer_course/widgets/translator_words.js").Result} */
const RESULT = {
  text: "a b",
  beam: 4,
  source: ["▁one", "▁", "</s>"],
  output: ["▁Eins", "</s>"],
  translation: "Eins",
  unknown: [],
  candidates: [
    [
      ["▁Eins", 0.914],
      ["▁Zwei", 0.02],
      ["x", 0.001],
    ],
    [["</s>", 1]],
  ],
  weights: {
    cross: [[[0.1, 0.9, 0, 0.25, 0.25, 0.5]]],
    encoder: [[[1, 0, 0, 0, 1, 0, 0, 0, 1]]],
    decoder: [[[1, 0, 0.3, 0.7]]],
  },
  alike: {
    source: [
      [1, 0.5, -0.2, 0.5, 1, 0, -0.2, 0, 1],
      [1, 0.1, 0.2, 0.1, 1, 0, 0.2, 0, 1],
    ],
    output: [
      [1, 0.4, 0.4, 1],
      [1, 0.3, 0.3, 1],
    ],
  },
  turned: { source: [[0.8, 0.7, 0.6]], output: [[0.5, 0.4]] },
};

test("the chosen row is put in words, with its numbers", () => {
  const say = (look, layer, row) => describe(RESULT, { look, layer, head: 1, row });
  assert.equal(
    say("cross", 1, 0),
    "Layer 1, head 1. To write “Eins”, the decoder looks most at “␣” (0.90), then at “one” " +
      "(0.10). Likeliest here: “Eins” 91 %, “Zwei” 2 %.",
  );
  assert.equal(
    say("encoder", 1, 2),
    "Layer 1, head 1. To read “</s>”, the encoder looks most at “</s>” (1.00), then at “one” " +
      "(0.00).",
  );
  assert.match(
    say("decoder", 1, 0),
    /^Layer 1, head 1\. To write “Eins”, the decoder looks back most at “<s>” \(1\.00\)\. /,
  );
  assert.match(
    say("decoder", 1, 1),
    /looks back most at “Eins” \(0\.70\), then at “<s>” \(0\.30\)\./,
  );
  assert.equal(
    say("source", 1, 0),
    "After layer 1, the vector of “one” points most the way of “</s>” (0.20), then “␣” (0.10). " +
      "Layer 1 kept 0.80 of its own direction.",
  );
  assert.match(
    say("output", 0, 1),
    new RegExp(
      "^Before the first layer, the vector that becomes “</s>” points most the way of " +
        "“Eins” \\(0\\.40\\)\\. It holds no more than a token and a position\\.",
    ),
  );
});

test("a row of the decoder's self-attention has no future", () => {
  assert.deepEqual(rowOf(RESULT, { look: "decoder", layer: 1, head: 1, row: 0 }), [1]);
  assert.deepEqual(rowOf(RESULT, { look: "decoder", layer: 1, head: 1, row: 1 }), [0.3, 0.7]);
  assert.deepEqual(rowOf(RESULT, { look: "cross", layer: 1, head: 1, row: 1 }), [0.25, 0.25, 0.5]);
});

test("Python's hundredths become numbers, words stay words", () => {
  const found = fromHundredths({
    text: "a",
    candidates: [["x", 0.5]],
    weights: { cross: [["100 4"]] },
    alike: { source: ["-7"] },
    turned: { source: ["50"] },
  });
  assert.deepEqual(found, {
    text: "a",
    candidates: [["x", 0.5]],
    weights: { cross: [[[1, 0.04]]] },
    alike: { source: [[-0.07]] },
    turned: { source: [[0.5]] },
  });
});

test("a map has a path for each shade, and leaves out what is too faint", () => {
  assert.deepEqual(shades([1, 0.01, -0.5, 1], 2), [
    { level: 6, negative: false, path: "M0 0h1v1h-1zM1 1h1v1h-1z" },
    { level: 3, negative: true, path: "M0 1h1v1h-1z" },
  ]);
});

test("a text is refused before anything is loaded if it is empty or far too long", () => {
  assert.equal(refusal("A dog runs.", 120), "");
  for (const text of ["", "  ", "\n\t"])
    assert.match(refusal(text, 120), /^There is nothing to translate yet/);
  assert.match(
    refusal("word ".repeat(300), 120),
    /^This text has 300 words, and the page takes 120 pieces/,
  );
  assert.match(refusal("x".repeat(9999), 120), /^This text has 9999 characters/);
});

test("an engine answers a broken file in words", async () => {
  const said = [];
  await createEngine()(
    { kind: "load", tokenizer: new TextEncoder().encode("{oops"), weights: new Uint8Array(9) },
    (answer) => said.push(answer),
  );
  assert.equal(said[0].kind, "failed");
  assert.match(said[0].message, /^The model could not be used: .*JSON/);
});
