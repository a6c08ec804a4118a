// @ts-check
// All numbers of the engine in one block of memory, and the product of matrices in it.
import { KERNEL } from "./kernel_bytes.js";

/** @typedef {Float32Array | Float64Array} Numbers */

/** A matrix and the gradient of the loss by it. `at` and `gradAt` are their places in memory.
 * @typedef {{rows: number, width: number, at: number, data: Numbers, gradAt: number,
 *   grad: Numbers}} Tensor */

/** C += A B, all three in memory; a step is the distance of neighbors in a column or a row.
 * @typedef {(a: number, aRow: number, aColumn: number, b: number, bRow: number, c: number,
 *   cRow: number, rows: number, inner: number, columns: number) => void} Product */

/** C += A Wᵀ, the rows of W being whole numbers of one byte, each row times its scale. `inner` is a
 * multiple of eight, `columns` of two.
 * @typedef {(a: number, w: number, scale: number, c: number, rows: number, inner: number,
 *   columns: number) => void} ProductOfBytes */

export class Memory {
  /** @param {number} megabytes how much there is: it does not grow
   * @param {{exact?: boolean, simd?: boolean}} [options] `exact` counts in double precision, as
   * tests want it; without `simd` the product is plain JavaScript, as on old telephones */
  constructor(megabytes, { exact = false, simd = true } = {}) {
    const kernel = simd && !exact ? openKernel(megabytes) : null;
    this.compiled = kernel !== null;
    this.numbers = exact
      ? new Float64Array(megabytes << 17)
      : new Float32Array(kernel?.memory.buffer ?? new ArrayBuffer(megabytes << 20));
    /** @type {Product} */
    this.product = kernel?.product ?? plainProduct(this.numbers);
    this.bytes = new Int8Array(this.numbers.buffer);
    /** @type {ProductOfBytes} */
    this.productOfBytes = kernel?.productOfBytes ?? plainProductOfBytes(this.numbers, this.bytes);
    this.used = 0;
    this.one = 0;
    this.reset();
  }

  /** Forget all that is in it. */
  reset() {
    this.used = 0;
    this.one = this.take(1);
    this.numbers[this.one] = 1;
    return this;
  }

  /** Room for some numbers, all zero. @param {number} size @returns {number} its place */
  take(size) {
    const at = this.used;
    this.used = at + 4 * Math.ceil(size / 4);
    if (this.used > this.numbers.length)
      throw new RangeError(
        "this model does not fit into its memory: choose fewer tokens a batch, or a smaller model",
      );
    this.numbers.fill(0, at, this.used);
    return at;
  }

  /** @param {number} at @param {number} size @returns {Numbers} */
  view(at, size) {
    return this.numbers.subarray(at, at + size);
  }

  /** Put numbers, or bytes, into memory. @param {Float32Array | Int8Array} found
   * @returns {number} their place */
  store(found) {
    const at = this.take(Math.ceil(found.byteLength / 4));
    if (found instanceof Int8Array) this.bytes.set(found, 4 * at);
    else this.numbers.set(found, at);
    return at;
  }

  /** A matrix of zeros with a gradient of zeros.
   * @param {number} rows @param {number} width @returns {Tensor} */
  tensor(rows, width) {
    const size = rows * width;
    const [at, gradAt] = [this.take(size), this.take(size)];
    return { rows, width, at, data: this.view(at, size), gradAt, grad: this.view(gradAt, size) };
  }

  /** A matrix with rows and columns exchanged: the product reads B along its rows.
   * @param {number} at @param {number} step from row to row @param {number} rows
   * @param {number} width @returns {number} its place; its rows are `rows` long */
  transposed(at, step, rows, width) {
    const to = this.take(rows * width);
    const { numbers } = this;
    for (let i = 0; i < rows; i += 1)
      for (let j = 0; j < width; j += 1) numbers[to + j * rows + i] = numbers[at + i * step + j];
    return to;
  }
}

/** The compiled products, or null where the browser has no SIMD. @param {number} megabytes */
function openKernel(megabytes) {
  const bytes = Uint8Array.from(KERNEL.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(bytes)) return null;
  const memory = new WebAssembly.Memory({ initial: megabytes * 16 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const { product, productOfBytes } = /** @type {any} */ (exports);
  return { memory, product, productOfBytes };
}

/** The same in JavaScript. @param {Numbers} x @returns {Product} */
export const plainProduct = (x) => (a, aRow, aColumn, b, bRow, c, cRow, rows, inner, columns) => {
  for (let i = 0; i < rows; i += 1)
    for (let k = 0; k < inner; k += 1) {
      const value = x[a + i * aRow + k * aColumn];
      for (let j = 0; j < columns; j += 1) x[c + i * cRow + j] += value * x[b + k * bRow + j];
    }
};

/** @param {Numbers} x @param {Int8Array} bytes @returns {ProductOfBytes} */
export const plainProductOfBytes = (x, bytes) => (a, w, scale, c, rows, inner, columns) => {
  for (let j = 0; j < columns; j += 1)
    for (let i = 0; i < rows; i += 1) {
      const [from, by] = [a + i * inner, 4 * w + j * inner];
      let sum = 0;
      for (let k = 0; k < inner; k += 1) sum += x[from + k] * bytes[by + k];
      x[c + i * columns + j] += sum * x[scale + j];
    }
};
