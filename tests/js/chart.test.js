// Where a chart puts its words, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { chart } from "../../transformer_course/widgets/chart.js";
import { freePlace, touches } from "../../transformer_course/widgets/chart_words.js";

const box = { left: 10, right: 20, top: 10, bottom: 20 };
const frame = { left: 0, right: 300, top: 0, bottom: 200 };

test("a line touches a box that it crosses, ends in or runs along, and no other", () => {
  for (const [a, b] of [
    [
      [0, 0],
      [30, 30],
    ],
    [
      [15, 15],
      [90, 90],
    ],
    [
      [15, 0],
      [15, 30],
    ],
    [
      [0, 12],
      [30, 12],
    ],
    [
      [12, 12],
      [13, 13],
    ],
  ])
    assert.ok(touches(box, a, b));
  for (const [a, b] of [
    [
      [0, 0],
      [9, 9],
    ],
    [
      [0, 25],
      [30, 25],
    ],
    [
      [25, 0],
      [25, 30],
    ],
    [
      [0, 11],
      [11, 0],
    ],
    [
      [21, 15],
      [30, 15],
    ],
  ])
    assert.ok(!touches(box, a, b));
});

test("the words of a mark stand right above it, or where no line strikes them", () => {
  const free = freePlace([100, 100], "step 6", frame, [], []);
  assert.deepEqual([free.x, free.y, free.anchor], [109, 92, "start"]);
  const above = [
    [0, 85],
    [300, 85],
  ];
  assert.ok(freePlace([100, 100], "step 6", frame, [above], []).y > 100);
  assert.equal(freePlace([290, 100], "step 6", frame, [], []).anchor, "end");
});

/** Just enough of an element for a chart: it counts how often its children are put anew. */
class Element {
  written = 0;
  children = [];
  attributes = {};
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
    this.written += 1;
  }
}

test("an axis is drawn anew only when it has something else to say", (t) => {
  const world = /** @type {any} */ (globalThis);
  world.document = { createElementNS: () => new Element() };
  t.after(() => delete world.document);
  const { node, draw } = chart({ label: "Loss by step" });
  const [, across, up, curves] = node.children;
  const x = { min: 0, max: 100, label: "step" };
  const y = { min: 0, max: 4 };
  const line = (...points) => [{ points }];
  draw({ x, y, lines: line([0, 3], [10, 2]) });
  draw({ x: { ...x }, y: { ...y }, lines: line([0, 3], [10, 2], [20, 1]) });
  assert.deepEqual([across.written, up.written, curves.written], [1, 1, 2]);
  assert.equal(curves.children[0].attributes.points.split(" ").length, 3);
  draw({ x, y: { ...y, max: 8 } });
  assert.deepEqual([across.written, up.written], [1, 2]);
  draw({ x: { ...x, show: (value) => `${value} km` }, y: { ...y, max: 8 } });
  assert.deepEqual([across.written, up.written], [2, 2]);
  draw({ x: { ...x, label: "steps" }, y: { ...y, max: 8, log: false } });
  assert.equal(across.written, 3);
});
