// What the laboratory shows before a run, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { Experiment, PAPERS } from "../../transformer_course/widgets/engine/experiment.js";
import { makeServer } from "../../transformer_course/widgets/engine/serving.js";
import { TASKS } from "../../transformer_course/widgets/engine/tasks.js";
import { untrained } from "../../transformer_course/widgets/laboratory_idle.js";

test("a peek shows the model that a run would start from, and trains nothing", async () => {
  /** @type {any[]} */
  const told = [];
  await makeServer()({ kind: "peek", id: -1, settings: PAPERS, text: "cab" }, (m) => told.push(m));
  const [{ id, settings, looked }] = told;
  assert.deepEqual([told.length, id, settings], [1, -1, PAPERS]);
  const fresh = new Experiment(PAPERS);
  const { output, weights } = fresh.look(TASKS.reverse.read("cab"));
  assert.deepEqual([looked.output, looked.weights], [output, weights]);
  assert.equal(looked.loss, fresh.step());
});

test("one looks once the widget is in sight, and only the newest answer is shown", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let appear = /** @type {any} */ (null);
  /** @type {any} */ (globalThis).IntersectionObserver = class {
    constructor(/** @type {any} */ seen) {
      appear = () => seen([{ isIntersecting: true }]);
    }
    observe() {}
    disconnect() {}
  };
  /** @type {any[]} */
  const sent = [];
  let drawn = 0;
  const ask = (/** @type {any} */ message) => sent.push(message);
  let running = false;
  const how = { root: /** @type {any} */ ({}), free: () => !running, ask };
  const idle = untrained({ ...how, draw: () => (drawn += 1) });
  idle.want({ heads: 2 }, "ab");
  t.mock.timers.tick(500);
  assert.equal(sent.length, 0);
  appear();
  idle.want({ heads: 2 }, "ab");
  idle.want({ heads: 2 }, "abc");
  t.mock.timers.tick(500);
  assert.deepEqual(
    sent.map(({ kind, text }) => [kind, text]),
    [
      ["peek", "ab"],
      ["peek", "abc"],
    ],
  );
  idle.hear({ id: sent[0].id, settings: {}, looked: {} });
  assert.equal(idle.run(), null);
  idle.hear({ id: sent[1].id, settings: { heads: 2 }, looked: { share: 0 } });
  assert.equal(drawn, 1);
  assert.equal(/** @type {any} */ (idle.run()).looked.share, 0);

  idle.want({ heads: 4 }, "abc"); // a run begins before the pause is over
  running = true;
  t.mock.timers.tick(500);
  assert.equal(sent.length, 2);
  running = false;
  idle.want({ heads: 4 }, "abc");
  t.mock.timers.tick(500);
  assert.equal(sent[2].settings.heads, 4);
});
