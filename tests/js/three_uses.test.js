// Masks, shapes and words of ThreeUses, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { linksOf, morph } from "../../transformer_course/widgets/three_uses_lines.js";
import {
  MARKS,
  hides,
  shapes,
  tell,
  weightsOf,
} from "../../transformer_course/widgets/three_uses_words.js";

const ALL = [true, true, false];
const DATA = {
  pieces: { src: ["dogs", "</s>", "<pad>"], tgt: ["<s>", "Hunde", "<pad>"] },
  masks: { encoder: [ALL, ALL], cross: [ALL, ALL], decoder: [[true, false, false], ALL] },
  weights: {
    encoder: [
      [
        [
          [900, 100, 0],
          [400, 600, 0],
        ],
      ],
    ],
    decoder: [
      [
        [
          [1000, 0, 0],
          [250, 750, 0],
        ],
      ],
    ],
    cross: [
      [
        [
          [800, 200, 0],
          [0, 1000, 0],
        ],
      ],
    ],
  },
  sizes: { d_model: 128, num_heads: 4 },
};
const at = (use, word) => ({ use, layer: 1, head: 1, word });

test("the decoder's mask is the causal one and the padding together", () => {
  assert.deepEqual(hides(DATA, "decoder"), [
    ["", "later", "both"],
    ["", "", "both"],
  ]);
});

test("the other two have the padding mask alone", () => {
  for (const use of ["encoder", "cross"])
    assert.deepEqual(hides(DATA, use), [
      ["", "", "padding"],
      ["", "", "padding"],
    ]);
});

test("what hides a pair is what the mask hides, and each way has its words", () => {
  for (const use of ["encoder", "decoder", "cross"])
    hides(DATA, use).forEach((row, i) =>
      row.forEach((kind, j) => {
        assert.equal(!kind, DATA.masks[use][i][j]);
        assert.ok(!kind || MARKS[kind]);
      }),
    );
});

test("queries and keys give the scores their two lengths", () => {
  const longer = { ...DATA, pieces: { src: ["a", "b", "c", "d"], tgt: ["x", "y"] } };
  const sizes = (use) => shapes(longer, use).map(([, , shape]) => shape);
  assert.deepEqual(sizes("encoder"), [
    "(1, 4, 128)",
    "(1, 4, 128)",
    "(1, 1, 1, 4)",
    "(1, 4, 4, 4)",
  ]);
  assert.deepEqual(sizes("decoder"), [
    "(1, 2, 128)",
    "(1, 2, 128)",
    "(1, 1, 2, 2)",
    "(1, 4, 2, 2)",
  ]);
  assert.deepEqual(sizes("cross"), ["(1, 2, 128)", "(1, 4, 128)", "(1, 1, 1, 4)", "(1, 4, 2, 4)"]);
});

test("a word's look is said with its numbers and with what is hidden", () => {
  assert.equal(tell(DATA, at("encoder", 0)), "“dogs” looks most at “dogs” (0.90). Hidden: 1 pad.");
  assert.equal(
    tell(DATA, at("decoder", 0)),
    "“<s>”, about to write “Hunde”, looks most at “<s>” (1.00). Hidden: 1 pad, " + "1 later word.",
  );
  assert.equal(
    tell(DATA, at("cross", 1)),
    "“Hunde”, about to write the end, looks most at “</s>” (1.00). Hidden: 1 pad.",
  );
});

test("weights are thousandths", () => {
  assert.deepEqual(weightsOf(DATA, at("cross", 0)), [
    [0.8, 0.2, 0],
    [0, 1, 0],
  ]);
});

test("lines move from one use to the next, and the chosen word's keep their ends", () => {
  const from = linksOf(weightsOf(DATA, at("encoder", 0)), 0);
  const to = linksOf(weightsOf(DATA, at("decoder", 1)), 1);
  assert.deepEqual(from["to 0"], [13.5, 13.5, 14 * 0.9]);
  assert.deepEqual(from["from 1 to 1"], [40.5, 40.5, 4 * 0.6]);
  assert.equal(from["to 2"], undefined);
  const half = morph(from, to, 0.5);
  assert.deepEqual(half["to 0"], [27, 13.5, 8.05]);
  assert.deepEqual(half["from 1 to 1"], [40.5, 40.5, 2 * 0.6]);
  assert.deepEqual(half["from 0 to 0"], [13.5, 13.5, 2]);
  assert.deepEqual(Object.keys(morph(from, to, 0.5)).length, 5);
  assert.equal(morph(from, to, 1), to);
});
