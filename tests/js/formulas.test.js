// What is a formula and what is code, and how a formula is read: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { lettersOf, readFormula } from "../../transformer_course/widgets/formulas.js";

/** A tree as one line: its names and texts. */
const flat = (tree) =>
  Array.isArray(tree[1]) ? `${tree[0]}(${tree.slice(1).map(flat).join(" ")})` : String(tree[1]);
const read = (text) => {
  const tree = readFormula(text);
  return tree && flat(tree);
};

test("powers, subscripts, roots and fractions are read as they are meant", () => {
  assert.equal(read("d_k"), "math(msub(d k))");
  assert.equal(read("d_model = 512"), "math(msub(d model) = 512)");
  assert.equal(read("8 d^2 + 4 n d"), "math(8 msup(d 2) + 4 n d)");
  assert.equal(read("4 * d_model ** 2"), "math(4 · msubsup(d model 2))");
  assert.equal(
    read("softmax(Q K^T / sqrt(d_k)) V"),
    "math(softmax mrow(( mfrac(mrow(Q msup(K T)) msqrt(msub(d k))) )) V)",
  );
  assert.equal(
    read("pos / 10000^(2i / d_model)"),
    "math(mfrac(pos msup(10000 mrow(2 i / msub(d model)))))",
  );
  assert.equal(
    read("d_model^-0.5 · min(step^-0.5, step · warmup^-1.5)"),
    "math(msubsup(d model mrow(− 0.5)) · min mrow(( msup(step mrow(− 0.5)) , " +
      "step · msup(warmup mrow(− 1.5)) )))",
  );
  assert.equal(read("-a - b"), "math(− a − b)");
  assert.equal(read("a = -b, 37,000"), "math(a = − b , 37,000)");
  assert.equal(read("a (-b)"), "math(a mrow(( − b )))");
  assert.equal(read("max(0, b1) W2"), "math(max mrow(( 0 , msub(b 1) )) msub(W 2))");
});

test("code stays code", () => {
  const codes = [
    "x = x @ value",
    "x = x.exp()",
    "y = feed_forward(x)",
    "x = norm1(x + y)",
    "(q_len, k_len)",
    "q_len",
    "padding_mask",
    "[0, 0]",
    "-inf",
    "1e6",
    "<s>",
    "n",
    "7",
    "x +",
    "(a",
    "a)",
    "sqrt 2",
    "()",
    "",
    "a ^",
    "2048x16 y",
    "🙂",
  ];
  for (const code of codes) assert.equal(readFormula(code), null, code);
});

test("a formula names its letters", () => {
  assert.deepEqual(lettersOf(readFormula("n d^2") ?? []), ["n", "d"]);
});
