// The one part of the engine that is compiled (AssemblyScript): C += A B in single precision.
// Four rows by eight columns at a time, each register holding four numbers. `make kernel`
// writes kernel_bytes.js from it. Places and steps count numbers; a number has four bytes.

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
