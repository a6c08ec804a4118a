// @ts-check
// A checkpoint: 8 bytes of length, a header in JSON, the numbers.

const OURS = {
  norm_placement: "post",
  norm: "layer",
  positions: "sinusoidal",
  activation: "relu",
  head_dim: null,
  value_dim: null,
  num_kv_heads: null,
};

/** The configuration and the weights of a safetensors file; int8 rows become float32 again, times
 * their scale.
 * @param {ArrayBuffer} bytes @returns {{config: any, tensors: Map<string, Float32Array>}} */
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
  for (const [name, value] of Object.entries(OURS)) {
    if (config[name] !== value)
      throw new Error(
        `expected a model with ${name}=${value}, got ${config[name]}: the page runs the paper's ` +
          "choices only",
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
    const stored = numbers(name);
    if (stored instanceof Float32Array) tensors.set(name, stored);
    else {
      const scale = numbers(`${name}.scale`);
      const weight = new Float32Array(stored.length);
      const width = stored.length / scale.length;
      for (let row = 0; row < scale.length; row += 1)
        for (let n = row * width; n < (row + 1) * width; n += 1) weight[n] = stored[n] * scale[row];
      tensors.set(name, weight);
    }
  }
  return { config, tensors };
}
