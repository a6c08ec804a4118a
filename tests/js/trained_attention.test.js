// What TrainedAttention reads from its percents, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  betweenWords,
  job,
  told,
  weights,
  wholeWords,
  written,
} from "../../transformer_course/widgets/trained_attention_words.js";

const ONE = {
  text: "a b",
  src: ["▁it", "▁a", "▁b"],
  tgt: ["<s>", "▁c"],
  encoder: [
    ["100 0 0 0 100 0 0 0 100", "40 50 10 0 0 100 0 0 100"],
    ["60 0 40 0 0 100 0 0 100", "30 30 40 0 0 100 0 0 100"],
  ],
  decoder: [["100 25 75"]],
  cross: [["10 20 70 0 0 100"]],
};

test("percents become rows; above the diagonal of a decoder's own attention stands nothing", () => {
  assert.deepEqual(weights(ONE, "encoder", 1, 2), [
    [40, 50, 10],
    [0, 0, 100],
    [0, 0, 100],
  ]);
  assert.deepEqual(weights(ONE, "decoder", 1, 1), [
    [100, 0],
    [25, 75],
  ]);
  assert.deepEqual(weights(ONE, "cross", 1, 1), [
    [10, 20, 70],
    [0, 0, 100],
  ]);
});

test("pieces are laid together to words; signs and marks stand alone", () => {
  const pieces = ["<s>", "▁be", "c", "ause", "▁it", ".", "▁don", "'", "t", "</s>"];
  const words = wholeWords(pieces);
  assert.deepEqual(words, [[0], [1, 2, 3], [4], [5], [6, 7, 8], [9]]);
  assert.deepEqual(
    words.map((at) => written(pieces, at)),
    ["<s>", "because", "it", ".", "don't", "</s>"],
  );
});

test("between words the pieces of a query are averaged, those of a key added up", () => {
  const rows = [
    [50, 30, 20],
    [10, 10, 80],
    [0, 40, 60],
  ];
  const words = [[0, 1], [2]];
  assert.deepEqual(betweenWords(rows, words, words), [
    [50, 50],
    [40, 60],
  ]);
});

test("a row is told by its two largest weights", () => {
  assert.equal(told([1, 0, 60, 9, 30], ["a", "b", "c", "d", "e"]), "60 % to “c”, 30 % to “e”");
  assert.equal(told([0, 100], ["a", "b"]), "100 % to “b”");
});

test("a head is named by where most of its weight goes", () => {
  const diagonal = [
    [70, 20, 10],
    [10, 80, 10],
    [20, 0, 80],
  ];
  const back = [
    [90, 10, 0],
    [80, 10, 10],
    [30, 60, 10],
  ];
  assert.deepEqual(job(diagonal, "encoder"), [
    "itself",
    "looks mostly at the word itself",
    "It gets 77\u00a0%.",
  ]);
  assert.deepEqual(job(back, "encoder"), [
    "back",
    "looks mostly back",
    "Earlier words get 57\u00a0%, the nearest 47\u00a0%.",
  ]);
  assert.equal(job(back.map((row) => row.toReversed()).toReversed(), "encoder")[0], "ahead");
  // To a decoder the first column is the start, whoever looks at it.
  assert.deepEqual(job(back, "decoder").slice(0, 2), ["start", "looks mostly at the start"]);
});

test("a head that favors no word is told apart from one that does", () => {
  const flat = [
    [34, 33, 33],
    [33, 34, 33],
  ];
  const sharp = [
    [0, 98, 2],
    [0, 0, 100],
  ];
  const between = [
    [50, 50, 0],
    [0, 40, 60],
  ];
  assert.deepEqual(
    [flat, sharp, between].map((rows) => job(rows, "cross")[0]),
    ["spread", "one", "a few"],
  );
  assert.equal(job(flat, "encoder")[2], "Its top word averages 34\u00a0%.");
});

test("a head that gives no side more than half is mixed, and its shares add up", () => {
  const rows = [
    [34, 66, 0],
    [90, 10, 0],
    [5, 35, 60],
  ];
  assert.deepEqual(job(rows, "encoder"), [
    "mixed",
    "is mixed",
    "On average: itself 35\u00a0%, earlier 43\u00a0%, later 22\u00a0%.",
  ]);
  assert.equal(
    job(
      [
        [100, 0],
        [51, 49],
      ],
      "encoder",
    )[0],
    "itself",
  );
  assert.equal(
    job(
      [
        [0, 100],
        [0, 100],
      ],
      "encoder",
    )[0],
    "mixed",
  ); // half, and no more
});
