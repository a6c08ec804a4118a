// The one part of the engine that is compiled (AssemblyScript): products of matrices in
// single precision. Some rows by some columns at a time, each register holding four numbers.
// `make kernel` writes kernel_bytes.js from it. Places and steps count numbers, of four bytes each.

/** C += A B. Four rows by eight columns at a time. */
export function product(
  a: usize, aRow: usize, aColumn: usize,
  b: usize, bRow: usize,
  c: usize, cRow: usize,
  rows: i32, inner: i32, columns: i32,
): void {
  a <<= 2; aRow <<= 2; aColumn <<= 2;
  b <<= 2; bRow <<= 2;
  c <<= 2; cRow <<= 2;
  let i = 0;
  for (; i + 4 <= rows; i += 4) {
    let j = 0;
    for (; j + 8 <= columns; j += 8)
      fourByEight(a, aRow, aColumn, b + (<usize>j << 2), bRow, c + (<usize>j << 2), cRow, inner);
    for (let r = 0; r < 4; r++)
      rest(a + <usize>r * aRow, aColumn, b, bRow, c + <usize>r * cRow, inner, j, columns);
    a += 4 * aRow;
    c += 4 * cRow;
  }
  for (; i < rows; i++) {
    rest(a, aColumn, b, bRow, c, inner, 0, columns);
    a += aRow;
    c += cRow;
  }
}

/** A tile of C stays in eight registers while k runs. */
// @ts-ignore: decorator
@inline
function fourByEight(
  a0: usize, aRow: usize, aColumn: usize,
  b: usize, bRow: usize,
  c: usize, cRow: usize,
  inner: i32,
): void {
  let a1 = a0 + aRow, a2 = a1 + aRow, a3 = a2 + aRow;
  const c1 = c + cRow, c2 = c1 + cRow, c3 = c2 + cRow;
  let s00 = v128.load(c), s01 = v128.load(c, 16);
  let s10 = v128.load(c1), s11 = v128.load(c1, 16);
  let s20 = v128.load(c2), s21 = v128.load(c2, 16);
  let s30 = v128.load(c3), s31 = v128.load(c3, 16);
  for (let k = 0; k < inner; k++) {
    const left = v128.load(b), right = v128.load(b, 16);
    let x = v128.load32_splat(a0);
    s00 = f32x4.add(s00, f32x4.mul(x, left));
    s01 = f32x4.add(s01, f32x4.mul(x, right));
    x = v128.load32_splat(a1);
    s10 = f32x4.add(s10, f32x4.mul(x, left));
    s11 = f32x4.add(s11, f32x4.mul(x, right));
    x = v128.load32_splat(a2);
    s20 = f32x4.add(s20, f32x4.mul(x, left));
    s21 = f32x4.add(s21, f32x4.mul(x, right));
    x = v128.load32_splat(a3);
    s30 = f32x4.add(s30, f32x4.mul(x, left));
    s31 = f32x4.add(s31, f32x4.mul(x, right));
    a0 += aColumn; a1 += aColumn; a2 += aColumn; a3 += aColumn;
    b += bRow;
  }
  v128.store(c, s00); v128.store(c, s01, 16);
  v128.store(c1, s10); v128.store(c1, s11, 16);
  v128.store(c2, s20); v128.store(c2, s21, 16);
  v128.store(c3, s30); v128.store(c3, s31, 16);
}

/** One row of C from column j on: four columns at a time, then one. */
function rest(
  a: usize, aColumn: usize, b: usize, bRow: usize, c: usize,
  inner: i32, j: i32, columns: i32,
): void {
  for (; j + 4 <= columns; j += 4) {
    const at = c + (<usize>j << 2);
    let sum = v128.load(at), from = a, by = b + (<usize>j << 2);
    for (let k = 0; k < inner; k++) {
      sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(from), v128.load(by)));
      from += aColumn;
      by += bRow;
    }
    v128.store(at, sum);
  }
  for (; j < columns; j++) {
    const at = c + (<usize>j << 2);
    let sum = load<f32>(at), from = a, by = b + (<usize>j << 2);
    for (let k = 0; k < inner; k++) {
      sum += load<f32>(from) * load<f32>(by);
      from += aColumn;
      by += bRow;
    }
    store<f32>(at, sum);
  }
}

// ---- Weights of one byte ----

/** C += A Wᵀ, where W has a row of whole numbers, one byte each, for each column of C, and each of
 * these rows its scale. `inner` is a multiple of eight, `columns` of two. */
export function productOfBytes(
  a: usize, w: usize, scale: usize, c: usize,
  rows: i32, inner: i32, columns: i32,
): void {
  a <<= 2; w <<= 2; scale <<= 2; c <<= 2;
  const aRow = <usize>inner << 2, cRow = <usize>columns << 2;
  for (let j = 0; j < columns; j += 2) {
    let x = a, y = c + (<usize>j << 2), i = 0;
    for (; i + 4 <= rows; i += 4) {
      fourByTwo(x, aRow, w, scale, y, cRow, inner);
      x += 4 * aRow;
      y += 4 * cRow;
    }
    for (; i < rows; i++) {
      oneByTwo(x, w, scale, y, inner);
      x += aRow;
      y += cRow;
    }
    w += 2 * inner;
    scale += 8;
  }
}

/** Four rows with two rows of W, four numbers at a time. */
// @ts-ignore: decorator
@inline
function fourByTwo(
  a0: usize, aRow: usize, w0: usize, scale: usize, c: usize, cRow: usize, inner: i32,
): void {
  let a1 = a0 + aRow, a2 = a1 + aRow, a3 = a2 + aRow, w1 = w0 + <usize>inner;
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00;
  let s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  for (let k = 0; k < inner; k += 4) {
    const left = fourBytes(w0), right = fourBytes(w1);
    let x = v128.load(a0);
    s00 = f32x4.add(s00, f32x4.mul(x, left));
    s01 = f32x4.add(s01, f32x4.mul(x, right));
    x = v128.load(a1);
    s10 = f32x4.add(s10, f32x4.mul(x, left));
    s11 = f32x4.add(s11, f32x4.mul(x, right));
    x = v128.load(a2);
    s20 = f32x4.add(s20, f32x4.mul(x, left));
    s21 = f32x4.add(s21, f32x4.mul(x, right));
    x = v128.load(a3);
    s30 = f32x4.add(s30, f32x4.mul(x, left));
    s31 = f32x4.add(s31, f32x4.mul(x, right));
    a0 += 16; a1 += 16; a2 += 16; a3 += 16;
    w0 += 4; w1 += 4;
  }
  const f = load<f32>(scale), g = load<f32>(scale, 4);
  const c1 = c + cRow, c2 = c1 + cRow, c3 = c2 + cRow;
  finish(c, s00, f);
  finish(c + 4, s01, g);
  finish(c1, s10, f);
  finish(c1 + 4, s11, g);
  finish(c2, s20, f);
  finish(c2 + 4, s21, g);
  finish(c3, s30, f);
  finish(c3 + 4, s31, g);
}

/** One row with two rows of W; two sums each, so that no addition waits for the one before. */
// @ts-ignore: decorator
@inline
function oneByTwo(a: usize, w0: usize, scale: usize, c: usize, inner: i32): void {
  const w1 = w0 + <usize>inner;
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00;
  for (let k = 0; k < inner; k += 8) {
    const at = a + (<usize>k << 2);
    const p = v128.load8x8_s(w0 + <usize>k), q = v128.load8x8_s(w1 + <usize>k);
    const left = v128.load(at), right = v128.load(at, 16);
    s00 = f32x4.add(s00, f32x4.mul(left, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(p))));
    s01 = f32x4.add(s01, f32x4.mul(right, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(p))));
    s10 = f32x4.add(s10, f32x4.mul(left, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q))));
    s11 = f32x4.add(s11, f32x4.mul(right, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q))));
  }
  finish(c, f32x4.add(s00, s01), load<f32>(scale));
  finish(c + 4, f32x4.add(s10, s11), load<f32>(scale, 4));
}

// @ts-ignore: decorator
@inline
function fourBytes(w: usize): v128 {
  const four = i16x8.extend_low_i8x16_s(v128.load32_zero(w));
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(four));
}

/** Add up what a register holds, and put it, scaled, to C. */
// @ts-ignore: decorator
@inline
function finish(c: usize, four: v128, scale: f32): void {
  const left = f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 1);
  const right = f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3);
  store<f32>(c, load<f32>(c) + (left + right) * scale);
}
