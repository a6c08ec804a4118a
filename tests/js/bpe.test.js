// The translator's tokenizer, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { UNK_ID, readTokenizer } from "../../transformer_course/widgets/bpe.js";

const MERGES = [
  ["a", "b"],
  ["b", "c"],
  ["▁", "a"],
  ["ab", "c"],
  ["c", "c"],
];
const PIECES = [
  "<pad>",
  "<s>",
  "</s>",
  "<unk>",
  "a",
  "b",
  "c",
  "é",
  "▁",
  ".",
  "ab",
  "bc",
  "▁a",
  "abc",
  "cc",
];
const STORED = {
  normalizer: {
    normalizers: [
      { type: "NFC" },
      { type: "Replace", pattern: { Regex: "[\t \u00a0▁]+" } },
      { type: "Strip" },
    ],
  },
  pre_tokenizer: {
    pretokenizers: [{ type: "Metaspace" }, { type: "Split", pattern: { Regex: "[\\p{P}$]" } }],
  },
  model: {
    type: "BPE",
    vocab: Object.fromEntries(PIECES.map((piece, id) => [piece, id])),
    merges: MERGES,
  },
};

test("the earliest merge comes first, the leftmost of equals, and words begin with a mark", () => {
  const { encode } = readTokenizer(JSON.stringify(STORED));
  const read = (text) =>
    encode(text)
      .map(({ piece }) => piece)
      .join(" ");
  assert.equal(read("abc"), "▁ abc"); // a b before b c, and before ▁ a
  assert.equal(read("ac"), "▁a c");
  assert.equal(read("ccc"), "▁ cc c");
  assert.equal(read(" \t a\u00a0 ▁ b "), "▁a ▁ b");
  assert.equal(read("a.b"), "▁a . b");
  assert.equal(read("e\u0301"), "▁ é"); // one character, however it was typed
  assert.deepEqual(["", "  ", "▁▁"].map(encode), [[], [], []]);
});

test("a character never seen is unknown and keeps its name", () => {
  const { encode, decode } = readTokenizer(JSON.stringify(STORED));
  const unknown = encode("a日🎉\ud800</s>")
    .filter(({ id }) => id === UNK_ID)
    .map(({ text }) => text);
  // No text can end the sentence.
  assert.deepEqual(unknown, ["日", "🎉", "\ud800", "<", "/", "s", ">"]);
  assert.equal(decode([1, 12, 3, 8, 13, 9, 2, 0]), "a� abc.");
});

test("another kind of tokenizer is refused", () => {
  const lower = { ...STORED, normalizer: { normalizers: [{ type: "Lowercase" }] } };
  assert.throws(
    () => readTokenizer(JSON.stringify(lower)),
    /expected a tokenizer with the steps NFC Replace Strip Metaspace Split BPE, got Lowercase/,
  );
});
