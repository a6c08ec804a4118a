// The translator's engine and words, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { UNK_ID, readTokenizer } from "../../transformer_course/widgets/bpe.js";
import { readCheckpoint } from "../../transformer_course/widgets/checkpoint.js";
import { lengthPenalty } from "../../transformer_course/widgets/numbers.js";
import {
  beamSearch,
  greedySearch,
  largest,
  logSum,
} from "../../transformer_course/widgets/search.js";
import {
  Transformer,
  addAndNorm,
  attend,
  linear,
} from "../../transformer_course/widgets/transformer.js";
import { checked, crc32, createEngine } from "../../transformer_course/widgets/translating.js";
import {
  describe,
  fromHundredths,
  refusal,
  rowOf,
  shades,
} from "../../transformer_course/widgets/translator_words.js";

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

function close(actual, expected, tolerance = 1e-12) {
  assert.equal(actual.length, expected.length);
  Array.from(actual).forEach((x, n) =>
    assert.ok(Math.abs(x - expected[n]) <= tolerance, `${actual} is not ${expected}`),
  );
}

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

// ---- A checkpoint ----

function checkpoint(tensors, config) {
  const header = { __metadata__: { config: JSON.stringify(config) } };
  let at = 0;
  for (const [name, array] of Object.entries(tensors)) {
    header[name] = {
      dtype: array instanceof Int8Array ? "I8" : "F32",
      shape: [array.length],
      data_offsets: [at, (at += array.byteLength)],
    };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + at);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  Object.values(tensors).forEach((array, n) =>
    bytes.set(
      new Uint8Array(array.buffer),
      8 + text.length + Object.values(header)[n + 1].data_offsets[0],
    ),
  );
  return bytes.buffer;
}
const OURS = {
  norm_placement: "post",
  norm: "layer",
  positions: "sinusoidal",
  activation: "relu",
  head_dim: null,
  value_dim: null,
  num_kv_heads: null,
};

test("int8 rows become the float32 that Python makes of them", () => {
  const scale = Float32Array.of(0.1, 0.3);
  const { tensors } = readCheckpoint(
    checkpoint({ w: Int8Array.of(127, -3, 5, 0), "w.scale": scale, b: Float32Array.of(1.5) }, OURS),
  );
  assert.deepEqual([...tensors.keys()], ["w", "b"]);
  assert.deepEqual(
    [...tensors.get("w")],
    [127 * scale[0], -3 * scale[0], 5 * scale[1], 0].map(Math.fround),
  );
});

test("a file that is cut, or of another model, is refused with what was expected", () => {
  const whole = checkpoint({ b: Float32Array.of(1, 2) }, OURS);
  assert.throws(() => readCheckpoint(whole.slice(0, -4)), /expected \d+ bytes, got \d+/);
  assert.throws(
    () => readCheckpoint(new ArrayBuffer(3)),
    /expected a safetensors file, got 3 bytes without a header/,
  );
  assert.throws(
    () => readCheckpoint(checkpoint({}, { ...OURS, norm: "rms" })),
    /expected a model with norm=layer, got rms/,
  );
  assert.throws(() => new Transformer(whole), /expected weights of embedding, got none/);
});

test("the checksum is zlib's, and a file that is not as promised says how it differs", () => {
  const bytes = new TextEncoder().encode("123456789");
  assert.equal(crc32(bytes), 0xcbf43926);
  const file = { name: "weights", bytes: 9, crc32: 0xcbf43926 };
  assert.equal(checked(bytes, file), bytes);
  assert.throws(
    () => checked(bytes.subarray(0, 5), file),
    /^Error: weights broke off after 5 of 9 bytes\. Try again\.$/,
  );
  assert.throws(
    () => checked(new Uint8Array(10), file),
    /weights has 10 bytes or more, expected 9/,
  );
  assert.throws(
    () => checked(new Uint8Array(9), file),
    /weights came damaged: its checksum is e60914ae, expected cbf43926/,
  );
});

// ---- The parts ----

test("a linear map works for any number of rows", () => {
  const weight = Float32Array.from({ length: 21 }, (_, n) => n - 10);
  const x = Float64Array.of(1, -2, 0.5);
  const rows = Array.from(
    { length: 7 },
    (_, i) => weight[3 * i] - 2 * weight[3 * i + 1] + weight[3 * i + 2] / 2,
  );
  close(linear(x, { weight }), rows);
  close(
    linear(x, { weight, bias: Float32Array.from(rows, (y) => -y) }),
    rows.map(() => 0),
  );
});

test("layer normalization gives mean 0 and variance 1 before its own scale and shift", () => {
  const norm = { weight: Float32Array.of(1, 1, 2), bias: Float32Array.of(0, 0, 5) };
  const y = addAndNorm(Float64Array.of(1, 2, 3), Float64Array.of(0, 0, 3), norm);
  const plain = [y[0], y[1], (y[2] - 5) / 2];
  close(
    [plain[0] + plain[1] + plain[2], (plain[0] ** 2 + plain[1] ** 2 + plain[2] ** 2) / 3],
    [0, 1],
    1e-5,
  );
});

test("each head mixes its own slice of the values, and its weights sum to one", () => {
  const record = { weights: [], states: [] };
  const cache = {
    keys: [Float64Array.of(4, 0), Float64Array.of(0, 0)],
    values: [Float64Array.of(1, 1), Float64Array.of(0, 0)],
  };
  const share = 1 / (1 + Math.exp(-4));
  close(attend(Float64Array.of(1, 9), cache, 2, record), [share, 0.5]);
  close(record.weights[0], [share, 1 - share, 0.5, 0.5]);
});

test("of equal numbers the earlier counts as larger", () => {
  assert.deepEqual(largest(Float64Array.of(1, 5, 5, -Infinity, 7), 3), [4, 1, 2]);
  assert.deepEqual(largest(Float64Array.of(2, 2, 2), 2), [0, 1]);
  close([logSum(Float64Array.of(1000, 1000, -Infinity))], [1000 + Math.log(2)]);
});

// ---- Search, on a model that is a table: what may follow which beginning, how likely ----

function table(rows, maxLen = 9) {
  return {
    begin: () => [{ keys: [], values: [] }],
    encode: () => ({}),
    limit: (length, extra) => Math.min(length + extra, maxLen - 1),
    step(memory, [{ keys }], id) {
      keys.push(id);
      const shares = rows[keys.slice(1).join(" ")] ?? { 2: 1 };
      return Float64Array.from({ length: 8 }, (_, next) => Math.log(shares[next] ?? 0));
    },
  };
}
const finish = (search) => {
  const seen = [];
  for (;;) {
    const { done, value } = search.next();
    if (done) return { ids: value, seen };
    seen.push(value);
  }
};
const GARDEN = { "": { 4: 0.6, 5: 0.4 }, 4: { 6: 0.4, 7: 0.3, 2: 0.3 }, 5: { 7: 1 } };

test("greedy search takes the likeliest token; a beam finds the likelier sentence", () => {
  assert.deepEqual(finish(greedySearch(table(GARDEN), [9, 2])), {
    ids: [4, 6],
    seen: [[4], [4, 6]],
  });
  // 0.4 against 0.24 and 0.18.
  assert.deepEqual(finish(beamSearch(table(GARDEN), [9, 2], 2, 0)).ids, [5, 7]);
});

test("the length penalty decides between a short and a long sentence", () => {
  const rows = { "": { 4: 0.5, 2: 0.5 }, 4: { 5: 0.9, 2: 0.1 } };
  assert.deepEqual(finish(beamSearch(table(rows), [9, 2], 2, 0)).ids, []);
  assert.deepEqual(finish(beamSearch(table(rows), [9, 2], 2, 1)).ids, [4, 5]);
  close([lengthPenalty(1, 0.6), lengthPenalty(13, 0.6)], [1, 3 ** 0.6]);
});

test("equal sentences are ordered as Python orders them, the larger ids first", () => {
  assert.deepEqual(finish(beamSearch(table({ "": { 4: 0.5, 5: 0.5 } }), [9, 2], 2)).ids, [5]);
});

test("both searches end at the limit", () => {
  const forever = new Proxy({}, { get: () => ({ 4: 0.9, 2: 0.1 }) });
  assert.equal(finish(greedySearch(table(forever, 99), [9, 2], 5)).ids.length, 7);
  assert.equal(finish(greedySearch(table(forever, 4), [9, 2], 5)).ids.length, 3);
  assert.ok(finish(beamSearch(table(forever, 4), [9, 2], 2)).ids.length <= 3);
  assert.deepEqual(finish(beamSearch(table(forever, 4), [9, 2], 1, 9)).ids, [4, 4, 4]);
});

// ---- Words ----

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
