// The translator's files and parts, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCheckpoint, rowOf } from "../../transformer_course/widgets/checkpoint.js";
import { Memory } from "../../transformer_course/widgets/engine/memory.js";
import { largest, logSum } from "../../transformer_course/widgets/search.js";
import { normal, random } from "../../transformer_course/widgets/numbers.js";
import { Transformer } from "../../transformer_course/widgets/transformer.js";
import {
  addAndNorm,
  attend,
  linear,
  makeMap,
  turn,
} from "../../transformer_course/widgets/transformer_parts.js";
import { checked, crc32 } from "../../transformer_course/widgets/download.js";

function close(actual, expected, tolerance = 1e-12) {
  assert.equal(actual.length, expected.length);
  Array.from(actual).forEach((x, n) =>
    assert.ok(Math.abs(x - expected[n]) <= tolerance, `${actual} is not ${expected}`),
  );
}

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
  const w = Int8Array.of(127, -3, 5, 0);
  const { tensors } = readCheckpoint(
    checkpoint({ w, "w.scale": scale, b: Float32Array.of(1.5) }, OURS),
  );
  assert.deepEqual([...tensors.keys()], ["w", "b"]);
  const stored = /** @type {any} */ (tensors.get("w"));
  assert.deepEqual(stored.numbers, w);
  const square = { ...stored, shape: [2, 2] };
  assert.deepEqual(
    [...rowOf(square, 0), ...rowOf(square, 1)],
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

test("a linear map is the same in bytes and in numbers, compiled and plain, of any size", () => {
  const uniform = random(4);
  for (const [rows, inner, width] of [
    [1, 8, 2],
    [4, 16, 6],
    [7, 24, 10],
    [5, 5, 3], // not of the kernel's sizes
    [2, 8, 3],
  ]) {
    const numbers = Int8Array.from({ length: width * inner }, () => 255 * uniform() - 127.5);
    const scale = Float32Array.from({ length: width }, () => 0.01 * (1 + uniform()));
    const bytes = { shape: [width, inner], numbers, scale };
    const whole = Array.from({ length: width }, (_, j) => rowOf(bytes, j));
    const floats = {
      shape: bytes.shape,
      numbers: Float32Array.from(whole.flatMap((row) => [...row])),
    };
    const bias = { shape: [width], numbers: Float32Array.from(scale, (x) => 100 * x) };
    const x = Float32Array.from({ length: rows * inner }, () => normal(uniform));
    const wanted = Array.from({ length: rows }, (_, i) =>
      whole.map((row, j) => row.reduce((sum, w, k) => sum + w * x[i * inner + k], bias.numbers[j])),
    ).flat();
    for (const simd of [true, false])
      for (const stored of [bytes, floats]) {
        const memory = new Memory(1, { simd });
        const map = makeMap(memory, stored, bias);
        assert.equal(map.scale !== undefined, stored === bytes && (inner % 8) + (width % 2) === 0);
        const y = linear(memory, memory.store(x), rows, map);
        close(memory.view(y, rows * width), wanted, 2e-5);
      }
  }
});

test("layer normalization gives mean 0 and variance 1 before its own scale and shift", () => {
  const norm = { weight: Float32Array.of(1, 1, 2), bias: Float32Array.of(0, 0, 5) };
  const y = Float32Array.of(1, 2, 3);
  addAndNorm(y, Float32Array.of(0, 0, 3), norm);
  const plain = [y[0], y[1], (y[2] - 5) / 2];
  close(
    [plain[0] + plain[1] + plain[2], (plain[0] ** 2 + plain[1] ** 2 + plain[2] ** 2) / 3],
    [0, 1],
    1e-5,
  );
});

test("each head mixes its own slice of the values, and its weights sum to one", () => {
  const record = { weights: [] };
  const cache = {
    keys: [Float32Array.of(4, 0), Float32Array.of(0, 0)],
    values: [Float32Array.of(1, 1), Float32Array.of(0, 0)],
  };
  const share = 1 / (1 + Math.exp(-4));
  const mixed = new Float32Array(2);
  attend(Float32Array.of(1, 9), cache, 2, mixed, record);
  close(mixed, [share, 0.5], 1e-6);
  close(record.weights[0], [share, 1 - share, 0.5, 0.5], 1e-6);
});

test("of equal numbers the earlier counts as larger", () => {
  assert.deepEqual(largest(Float64Array.of(1, 5, 5, -Infinity, 7), 3), [4, 1, 2]);
  assert.deepEqual(largest(Float64Array.of(2, 2, 2), 2), [0, 1]);
  close([logSum(Float64Array.of(1000, 1000, -Infinity))], [1000 + Math.log(2)]);
});

test("two turned vectors match by their distance alone, and each keeps its length", () => {
  const met = (i, j) => {
    const [q, k] = [Float32Array.of(1, 0, 3, 4), Float32Array.of(0, 1, 0, 0)];
    turn(q, i, 4);
    turn(k, j, 4);
    close([Math.hypot(...q), Math.hypot(...k)], [Math.sqrt(26), 1], 1e-5);
    return q.reduce((sum, x, d) => sum + x * k[d], 0);
  };
  close([met(9, 4), met(5, 0), met(0, 5)], [5, 5, -5].map(Math.sin), 1e-5);
  const two = Float32Array.of(1, 0, 1, 0); // two heads of two numbers turn alike
  turn(two, 1, 2);
  close(two, [Math.cos(1), Math.sin(1), Math.cos(1), Math.sin(1)], 1e-6);
});
