// @ts-check
// A checkpoint: 8 bytes of length, a header in JSON, the numbers.

/** @type {Record<string, unknown[]>} */
const OURS = {
  norm_placement: ["post", "pre"],
  norm: ["layer"],
  positions: ["sinusoidal", "rotary"],
  activation: ["relu"],
  head_dim: [null],
  value_dim: [null],
  num_kv_heads: [null],
};

/** Numbers row after row; rows of whole numbers have a scale each, by which they are to be
 * multiplied.
 * @typedef {{shape: number[], numbers: Float32Array | Int8Array, scale?: Float32Array}} Stored */

/** The configuration and the weights of a safetensors file.
 * @param {ArrayBuffer} bytes @returns {{config: any, tensors: Map<string, Stored>}} */
export function readCheckpoint(bytes) {
  const size = bytes.byteLength >= 8 ? Number(new DataView(bytes).getBigUint64(0, true)) : 0;
  if (!size || 8 + size > bytes.byteLength)
    throw new Error(`expected a safetensors file, got ${bytes.byteLength} bytes without a header`);
  const { __metadata__: about, ...header } = JSON.parse(
    new TextDecoder().decode(new Uint8Array(bytes, 8, size)),
  );
  const end =
    8 + size + Math.max(0, ...Object.values(header).map((entry) => entry.data_offsets[1]));
  if (end !== bytes.byteLength) throw new Error(`expected ${end} bytes, got ${bytes.byteLength}`);
  const config = JSON.parse(about?.config ?? "{}");
  for (const [name, values] of Object.entries(OURS)) {
    if (!values.includes(config[name]))
      throw new Error(
        `expected a model with ${name}=${values.join(" or ")}, got ${config[name]}: the page runs ` +
          "these choices only",
      );
  }
  const numbers = (name) => {
    const {
      dtype,
      data_offsets: [from, to],
    } = header[name];
    const part = bytes.slice(8 + size + from, 8 + size + to);
    return dtype === "I8" ? new Int8Array(part) : new Float32Array(part);
  };
  const tensors = new Map();
  for (const name of Object.keys(header).filter((key) => !key.endsWith(".scale"))) {
    const { shape, dtype } = header[name];
    const scale = dtype === "I8" ? numbers(`${name}.scale`) : undefined;
    tensors.set(name, { shape, numbers: numbers(name), scale });
  }
  return { config, tensors };
}

/** A row of a stored matrix as it is meant. @param {Stored} stored @param {number} n */
export function rowOf({ shape: [, width], numbers, scale }, n) {
  const row = Float32Array.from(numbers.subarray(n * width, (n + 1) * width));
  return scale ? row.map((x) => x * scale[n]) : row;
}
