// The wiring, the shapes and the counts of ArchitectureMap, without a browser: node --test
// tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BLOCKS } from "../../transformer_course/widgets/architecture_blocks.js";
import {
  brief,
  meaning,
  parameters,
  section,
  shape,
  stretch,
} from "../../transformer_course/widgets/architecture_counts.js";
import {
  WALK,
  WIRES,
  neighbor,
  path,
} from "../../transformer_course/widgets/architecture_wires.js";

const TEXTS = JSON.parse(
  readFileSync(
    new URL("../../transformer_course/widgets/architecture_map.json", import.meta.url),
    "utf8",
  ),
);
const BASE = { vocab_size: 37000, d_model: 512, num_heads: 8, d_ff: 2048, num_layers: 6 };
const LENGTHS = { batch: 2, src_len: 3, tgt_len: 5 };
const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

test("a block's parameters are counted as its text says", () => {
  assert.deepEqual(parameters("cross_attn", BASE), {
    number: 1050624,
    sum: "4 · (512² + 512)",
    table: 18944000,
    encoder: 18914304,
    decoder: 25224192,
    model: 63082496,
  });
  assert.equal(parameters("encoder_feed_forward", BASE).number, 2 * 512 * 2048 + 2048 + 512);
  assert.equal(parameters("softmax", BASE).number, 0);
  assert.equal(parameters("decoder", BASE).sum, "6 · (2 · 1,050,624 + 2,099,712 + 3 · 1,024)");
});

test("what a count means depends on how often the block stands in the model", () => {
  assert.match(
    meaning("encoder_self_attn", BASE, "base"),
    /^Each of the 6 layers has one: together 6,303,744, 10\u00a0% of all in base\.$/,
  );
  assert.match(
    meaning("linear", BASE, "base"),
    /^One matrix for the two embeddings and the linear map: 30\u00a0%/,
  );
  assert.match(meaning("decoder", BASE, "base"), /^6 layers together: 40\u00a0%/);
  assert.equal(meaning("src_tokens", BASE, "base"), "Nothing here is learned.");
});

test("the end says which block holds most, in all its layers", () => {
  assert.match(
    meaning("softmax", BASE, "base"),
    /Most in one block: Embedding, 18,944,000, 30\u00a0% of all/,
  );
  const wide = { ...BASE, d_ff: 8192 };
  assert.match(meaning("softmax", wide, "base"), /Most in one block: Feed-forward, 50,383,872, /);
});

test("of each block its shape and its parameters are said in short", () => {
  assert.equal(brief("cross_attn", BASE, LENGTHS), "out (2, 5, 512) · 6 × 1,050,624 parameters");
  assert.equal(
    brief("linear", BASE, LENGTHS),
    "logits (2, 5, 37000) · 18,944,000 parameters, the most",
  );
});

test("shapes are numbers, written as Python does", () => {
  assert.equal(shape("b h t s", BASE, LENGTHS), "(2, 8, 5, 3)");
  assert.equal(shape("b h s k", BASE, LENGTHS), "(2, 8, 3, 64)");
  assert.equal(shape("t v f", BASE, LENGTHS), "(5, 37000, 2048)");
  assert.equal(shape("d", BASE, LENGTHS), "(512,)");
});

test("a sentence travels along a wire from the middle of a block to the middle of the next", () => {
  const wire = path("encoder_self_attn", "encoder_norm1").slice(1);
  assert.equal(path("encoder_self_attn", "encoder_norm1", true), `M103 348L${wire}L103 308`);
});

test("every block has a place, shapes, and two sentences on what it does", () => {
  assert.deepEqual(Object.keys(BLOCKS), Object.keys(TEXTS));
  for (const [id, { name, formula, role, chapter }] of Object.entries(TEXTS)) {
    assert.ok(name && formula && BLOCKS[id].shapes.length && /^0\d-/.test(chapter), id);
    assert.equal(role.split(/\. (?=[A-Z])/).length, 2, `${id}: ${role}`);
  }
});

test("arrow keys lead to blocks, up and down undo each other, every block can be reached", () => {
  const seen = new Set(["encoder_self_attn"]);
  for (const id of seen)
    for (const key of KEYS) {
      const to = neighbor(id, key);
      if (to === undefined) continue;
      assert.ok(BLOCKS[to], `${id} ${key} leads to ${to}`);
      seen.add(to);
    }
  assert.deepEqual([...seen].sort(), Object.keys(BLOCKS).sort());
  assert.equal(neighbor("decoder_norm1", "ArrowUp"), "cross_attn");
  assert.equal(neighbor("cross_attn", "ArrowDown"), "decoder_norm1");
  assert.equal(neighbor("encoder_norm2", "ArrowUp"), "cross_attn");
  assert.equal(neighbor("cross_attn", "ArrowLeft"), "encoder_norm2");
  assert.equal(neighbor("softmax", "ArrowUp"), undefined);
});

test("a link is named by its section", () => {
  assert.equal(section("03-2-2-multi-head-attention"), "3.2.2");
  assert.equal(section("05-1-data-and-batches"), "5.1");
});

test("only residual wires and the memory pass by a block, and each wire has a path", () => {
  assert.equal(WIRES.length, 6 + 10 + 5 + 1);
  for (const [from, to] of WIRES) assert.match(path(from, to), /^M[\d.]+ [\d.]+([HV][\d.]+)+$/);
  assert.equal(WIRES.filter(([from, to]) => path(from, to).includes("H")).length, 6);
});

test("the stretches of the bar lie side by side, and those of a stack fill it", () => {
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);
  for (const [stack, prefix] of [
    ["encoder", "encoder_"],
    ["decoder", ""],
  ]) {
    const [from, to] = stretch(stack, BASE, WALK);
    const after = WALK.slice(WALK.indexOf("tgt_tokens"));
    let at = from;
    for (const id of stack === "encoder" ? WALK.filter((each) => each.startsWith(prefix)) : after) {
      const part = stretch(id, BASE, WALK);
      if (BLOCKS[id].shared || part[0] === part[1]) continue;
      near(part[0], at);
      at = part[1];
    }
    near(at, to);
  }
  assert.equal(stretch("src_embedding", BASE, WALK)[0], 0);
});
