// @ts-check
// The stage that widgets stand on: one frame, one bar to step with, one way to move.
import { h, press, say, take } from "./shared.js";

const READING = { word: 150, most: 6000 }; // ms, of what a step says
const CONTROLS = "button, input, select, textarea, summary, [tabindex]";

// ---- Motion ----

/** Whether the reader asked for less motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Fast at first, slow at the end. @param {number} t from 0 to 1 */
export const easeOut = (t) => 1 - (1 - t) ** 3;

/** Draw from 0 to 1 within some milliseconds; at once where motion is unwelcome. Gives a way to
 * stop it.
 * @param {number} ms @param {(t: number) => void} draw */
export function tween(ms, draw) {
  if (still()) {
    draw(1);
    return () => {};
  }
  let frame = 0;
  let start = /** @type {any} */ (null);
  const tick = (now) => {
    start ??= now;
    const t = Math.min(1, (now - start) / ms);
    draw(easeOut(t));
    if (t < 1) frame = requestAnimationFrame(tick);
  };
  frame = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(frame);
}

/** Numbers, or lists of them, part of the way from one to the other.
 * @param {any} a @param {any} b @param {number} t @returns {any} */
export function between(a, b, t) {
  if (Array.isArray(b)) return b.map((x, n) => between(a?.[n] ?? x, x, t));
  return Number.isFinite(b - a) && t < 1 ? a + (b - a) * t : b;
}

/** Numbers that glide to where they are told, the first time at once.
 * @param {(numbers: any) => void} draw @returns {(target: any) => void} */
export function glide(draw, ms = 300) {
  let now = /** @type {any} */ (null);
  let stop = () => {};
  const put = (numbers) => draw((now = numbers));
  return (target) => {
    stop();
    const from = now;
    if (from === null) put(target);
    else stop = tween(ms, (t) => put(between(from, target, t)));
  };
}

/** How long it takes to read what a widget tells, ms. @param {HTMLElement} root */
function toRead(root) {
  const told = root.querySelector(".tc-why")?.textContent ?? "";
  return Math.min(READING.most, READING.word * told.trim().split(/\s+/).length);
}

/** Step by itself from now on: until there is no more, the page or `root` goes out of sight (or
 * away), or the reader touches a control. Gives a way to stop it.
 * @param {{root: any, more: () => boolean, next: () => void, stopped: () => void, every: number}}
 * how ms between steps: quick ones are alike and show a pattern, slow ones wait until they are read
 * @returns {() => void} */
export function play({ root, more, next, stopped, every }) {
  let timer = /** @type {any} */ (0);
  const heard = new AbortController();
  const touched = (event) => {
    const control = event.target.closest(CONTROLS);
    if (control && !control.matches(".tc-go") && event.key !== "Tab") stop();
  };
  const unseen = () => document.hidden && stop();
  const watch = new IntersectionObserver(([seen]) => seen.isIntersecting || stop());
  const stop = () => {
    clearTimeout(timer);
    heard.abort();
    watch.disconnect();
    stopped();
  };
  const tick = () => {
    next();
    timer = more()
      ? setTimeout(tick, every < 1000 ? every : Math.max(every, toRead(root)))
      : stop();
  };
  const { signal } = heard;
  for (const name of ["pointerdown", "keydown", "input"])
    root.addEventListener(name, touched, { capture: true, signal });
  document.addEventListener("visibilitychange", unseen, { signal });
  watch.observe(root);
  timer = setTimeout(tick, every / 3);
  return stop;
}

// ---- The frame ----

/** Things in one place, of which one is seen at a time: the tallest sets the height.
 * @param {any[]} nodes @returns {{node: any, show: (n: number) => void}} */
export function stack(nodes) {
  const show = (n) => nodes.forEach((node, m) => node.toggleAttribute("inert", m !== n));
  return { node: h("div", { class: "tc-stack" }, ...nodes), show };
}

/** The bar to step with: Back, Play, Next, and the steps by name, or by what is `short` for it. `go`
 * changes the step, `show` marks it. The arrow keys, Home and End step too.
 * @param {{names: string[], short?: string[], get: () => number, go: (step: number) => void,
 * every?: number}} how
 * @returns {{node: any, tabs: any[], show: (step: number) => void}} */
export function stepBar({ names, short, get, go, every = 1800 }) {
  const last = names.length - 1;
  let stop = /** @type {(() => void) | null} */ (null);
  const move = (step) => names[step] && go(step);
  const playing = (way) => {
    stop = way;
    say(button, way ? "Pause" : "Play");
    button.classList.toggle("tc-on", Boolean(way));
  };
  const start = () => {
    if (get() === last) move(0);
    const [more, next] = [() => get() < last, () => move(get() + 1)];
    playing(play({ root: node.closest(".tc"), more, next, stopped: () => playing(null), every }));
  };
  const back = press("Back", () => move(get() - 1));
  const button = press("Play", () => (stop ? stop() : start()), { class: "tc-go" });
  const next = press("Next", () => move(get() + 1));
  const place = h("span", { class: "tc-place" });
  const tabs = names.map((name, n) =>
    press(short?.[n] ?? `${n + 1} ${name}`, () => move(n), { "aria-label": `${n + 1} ${name}` }),
  );
  const list = h("ol", {}, ...tabs.map((tab) => h("li", {}, tab)));
  const keydown = (event) => {
    const keys = { ArrowLeft: get() - 1, ArrowRight: get() + 1, Home: 0, End: last };
    if (!(event.key in keys)) return;
    take(event);
    move(keys[event.key]);
    if (list.contains(event.target)) tabs[get()].focus();
  };
  const node = h("div", { class: "tc-stepbar", keydown }, back, button, next, place, list);
  const show = (step) => {
    tabs.forEach((tab, n) => {
      tab.classList.toggle("tc-done", n < step);
      tab.setAttribute("aria-current", n === step ? "step" : "false");
    });
    back.setAttribute("aria-disabled", String(step === 0));
    next.setAttribute("aria-disabled", String(step === last));
    say(place, `${step + 1} of ${names.length}`);
  };
  return { node, tabs, show };
}

/** A widget's frame: title, bar of controls, the step bar, what happens, inputs left and the result
 * right (one above the other where it is narrow), and what stands below.
 * @param {{name: string, title: string, controls?: any[], steps?: any, told?: any, inputs?: any[],
 * result?: any[], below?: any[]}} parts @returns {any} */
export function frame({ name, title, ...parts }) {
  const { controls = [], steps = "", told = "", inputs = [], result = [], below = [] } = parts;
  const box = (kind, list) => h("div", { class: `tc-${kind}` }, ...list);
  const head = box("head", [h("b", {}, title), ...controls]);
  const body = box("body", [box("given", inputs), box("result", result)]);
  const about = { class: `tc tc-staged tc-${name}`, role: "group", "aria-label": title };
  return h("div", about, head, steps, told, body, ...below);
}
