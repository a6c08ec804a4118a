// Motion, Play and the colors of the stage, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, mock, test } from "node:test";
import { between, easeOut, glide, play, tween } from "../../transformer_course/widgets/stage.js";

const world = /** @type {any} */ (globalThis);
const text = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf-8");
let frames = /** @type {((now: number) => void)[]} */ ([]);
let seen = /** @type {any} */ (null);

beforeEach(() => {
  frames = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  world.matchMedia = () => ({ matches: false });
  world.requestAnimationFrame = (tick) => frames.push(tick);
  world.cancelAnimationFrame = (id) => (frames[id - 1] = () => {});
  world.document = Object.assign(new EventTarget(), { hidden: false });
  world.IntersectionObserver = class {
    constructor(tell) {
      seen = (isIntersecting) => tell([{ isIntersecting }]);
    }
    observe() {}
    disconnect() {}
  };
});

test("a tween begins at 0, slows down, and ends at 1 exactly", () => {
  const drawn = [];
  tween(300, (t) => drawn.push(t));
  for (const now of [1000, 1100, 1200, 1400]) frames[frames.length - 1](now);
  assert.deepEqual(
    drawn,
    [0, 1 / 3, 2 / 3, 1].map((t) => easeOut(t)),
  );
  assert.ok(drawn[1] - drawn[0] > drawn[2] - drawn[1]);
  assert.equal(frames.length, 4);
});

test("a tween that is stopped draws no more", () => {
  const drawn = [];
  const stop = tween(300, (t) => drawn.push(t));
  stop();
  frames.at(-1)?.(0);
  assert.deepEqual(drawn, []);
});

test("where motion is unwelcome a tween is done at once, with no frame asked for", () => {
  world.matchMedia = (query) => ({ matches: query === "(prefers-reduced-motion: reduce)" });
  const drawn = [];
  tween(300, (t) => drawn.push(t));
  assert.deepEqual([drawn, frames.length], [[1], 0]);
});

test("between takes numbers and lists of lists, and ends at the target itself", () => {
  assert.deepEqual(between([[0, 4]], [[1, 2]], 0.5), [[0.5, 3]]);
  assert.deepEqual(between([1], [-Infinity], 1), [-Infinity]);
  assert.equal(between(-Infinity, -Infinity, 0.5), -Infinity);
  assert.deepEqual(between([1], [3, 5], 0.5), [2, 5]);
});

test("what glides goes on from where it is when the target changes", () => {
  const drawn = [];
  const to = glide((x) => drawn.push(x), 100);
  to(0);
  to(8);
  frames[0](0);
  frames[1](50);
  assert.deepEqual(drawn, [0, 0, 7]);
  to(7);
  frames.at(-1)?.(60);
  assert.equal(drawn.at(-1), 7);
});

/** A widget of five steps that plays from the first. */
function playing() {
  const state = { step: 0, stopped: 0 };
  const root = new EventTarget();
  const stop = play({
    root,
    more: () => state.step < 4,
    next: () => (state.step += 1),
    stopped: () => (state.stopped += 1),
    every: 900,
  });
  const touch = (type, control, details = {}) => {
    const event = Object.assign(new Event(type), details);
    Object.defineProperty(event, "target", { value: { closest: () => control } });
    root.dispatchEvent(event);
  };
  return { state, stop, touch };
}

test("Play goes to the end and stops there", () => {
  const { state } = playing();
  mock.timers.tick(300);
  assert.equal(state.step, 1);
  for (let n = 0; n < 9; n += 1) mock.timers.tick(900);
  assert.deepEqual(state, { step: 4, stopped: 1 });
});

test("Play stops when the page is hidden, the widget out of sight, or a control touched", () => {
  const own = { matches: () => true };
  const other = { matches: () => false };
  const ways = [
    () => {
      world.document.hidden = true;
      world.document.dispatchEvent(new Event("visibilitychange"));
      world.document.hidden = false;
    },
    () => seen(false),
    (touch) => touch("pointerdown", other),
    (touch) => touch("keydown", other, { key: "a" }),
    (touch) => touch("input", other),
  ];
  for (const way of ways) {
    const { state, touch } = playing();
    mock.timers.tick(300);
    seen(true);
    touch("pointerdown", null);
    touch("pointerdown", own);
    touch("keydown", other, { key: "Tab" });
    assert.equal(state.stopped, 0);
    way(touch);
    mock.timers.tick(5000);
    assert.deepEqual(state, { step: 1, stopped: 1 });
  }
});

test("each color can be read as text in both themes, and no two are one", () => {
  const part = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const luminance = (hex) =>
    [0.2126, 0.7152, 0.0722].reduce(
      (sum, share, n) => sum + share * part(parseInt(hex.slice(2 * n + 1, 2 * n + 3), 16) / 255),
      0,
    );
  const shared = text("transformer_course/widgets/shared.css");
  const sheet = text("book/_static/course/course.css");
  const names = ["q", "k", "v", "weights", "output", "error"].map((name) => {
    const hue = shared.match(`--tc-${name}: var\\(--(hue\\d|site-\\w+)`)?.[1] ?? "";
    return hue.startsWith("hue") ? shared.match(`--${hue}: var\\(--([\\w-]+)`)?.[1] : hue;
  });
  assert.equal(new Set(names).size, 6);
  for (const [start, ground] of [
    [":root {", "#ffffff"],
    ['html[data-theme="dark"] {', "#121212"],
  ])
    for (const name of names) {
      const color = sheet.slice(sheet.indexOf(start)).match(`--${name}: (#\\w{6})`)?.[1] ?? "";
      const [low, high] = [luminance(color), luminance(ground)].sort((a, b) => a - b);
      assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${name} on ${ground}`);
    }
});
