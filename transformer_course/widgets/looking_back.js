// @ts-check
// A writer writes word by word: with lines back to what was read, or from one vector for all.
import { copies } from "./looking_back_copies.js";
import { lookMap } from "./looking_back_map.js";
import { lines, opening, score, told, written } from "./looking_back_words.js";
import { choice, h, live, press, save, say, svg } from "./shared.js";
import { frame, stack, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const [ROW, LANE] = [24, 160]; // pixels of a word, and between the columns

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["which", "step", "looks"];
  const writings = model.get("writings");
  const both = writings.some(({ without }) => without.length);
  const most = Math.max(...writings.flatMap(({ read, wrote }) => [read.length, wrote.length]));
  const all = Array.from({ length: most }, (_, n) => n);
  const longest = Math.max(...writings.map(({ wrote }) => wrote.length));
  const one = () => writings[model.get("which")];
  const last = () => one().wrote.length - 1;
  const get = () => {
    const step = Math.min(model.get("step"), last());
    return step === last() ? longest - 1 : step;
  };
  const go = (to) => {
    const back = to === longest - 2 && get() === longest - 1;
    save(model, { step: back ? last() - 1 : Math.min(to, last()) });
  };

  const pick = choice({
    label: "It reads",
    options: writings.map(({ read }, n) => [n, read.join(both ? "" : " ")]),
    value: 0,
    change: (n) => save(model, { which: Number(n), step: opening(writings[n]) }),
  });
  const ways = [true, false].map((looks) => ({
    looks,
    button: press(looks ? "looking back" : "one vector", () => save(model, { looks })),
  }));
  const bar = stepBar({
    names: Array.from({ length: longest }, (_, n) => `word ${n + 1}`),
    get,
    go,
    every: 900,
  });
  const place = bar.node.querySelector(".tc-place");

  const left = all.map(() => h("li"));
  const right = all.map((_, n) => press("", () => save(model, { step: n })));
  const middle = (n) => (n + 0.5) * ROW;
  const between = svg("svg", { width: LANE, height: ROW * most, "aria-hidden": "true" });
  const columns = h(
    "div",
    { class: "tc-columns" },
    h("small", {}, "read"),
    h("small", {}),
    h("small", {}, "written"),
    h("ol", { "aria-label": "What was read" }, ...left),
    between,
    h("div", { role: "group", "aria-label": "What is written" }, ...right),
  );
  const letters = writings.flatMap(({ read, wrote }) => [...read, ...wrote].map((w) => w.length));
  const map = lookMap(
    longest,
    Math.max(...writings.map(({ read }) => read.length)),
    Math.max(...letters),
  );
  const words = h("p");
  const sum = h("p", { class: "tc-sum" });
  const copied = copies(longest);
  const seenHere = stack(both ? [map.node, copied.node] : [map.node]);
  const root = frame({
    name: "looking",
    title: "A writer that looks back",
    told: h("div", { class: "tc-why", "aria-live": "polite" }, words, sum),
    controls: [
      ...(writings.length > 1 ? [pick.node] : []),
      ...(both
        ? [h("div", { class: "tc-tabs", role: "group" }, ...ways.map(({ button }) => button))]
        : []),
    ],
    steps: bar.node,
    inputs: [columns],
    result: [seenHere.node],
  });

  function update() {
    const text = one();
    const looks = model.get("looks") || !text.without.length;
    const step = Math.min(model.get("step"), last());
    const wrote = written(text, looks);
    pick.set(model.get("which"));
    for (const way of ways) way.button.setAttribute("aria-pressed", String(way.looks === looks));
    bar.show(get());
    say(place, `${step + 1} of ${wrote.length}`);
    const seen = lines(text, step);
    left.forEach((item, n) => {
      item.hidden = n >= text.read.length;
      say(item, text.read[n] ?? "");
      const weight = text.weights[step][n] ?? 0;
      item.style.setProperty("--t", String(looks ? weight / 100 : 0));
    });
    right.forEach((item, n) => {
      item.hidden = n >= wrote.length;
      say(item, n <= step ? wrote[n] : "·");
      const wrong = text.without.length && n <= step && wrote[n] !== text.read[n];
      item.classList.toggle("tc-off", Boolean(wrong));
      item.dataset.not = wrong ? `not ${text.read[n]}` : "";
      item.setAttribute(
        "aria-label",
        n <= step ? `${wrote[n]}${wrong ? ", wrong" : ""}` : "not yet",
      );
      item.setAttribute("aria-pressed", String(n === step));
    });
    const [from, to, center] = [2, LANE - 2, (ROW * text.read.length) / 2];
    const y = middle(step);
    const curve = (at, row) =>
      `M${to} ${row}C${LANE / 2} ${row} ${LANE / 2} ${middle(at)} ${from} ${middle(at)}`;
    const before = Array.from({ length: looks ? step : 0 }, (_, n) =>
      lines(text, n)
        .slice(0, 1)
        .map(({ at, weight }) =>
          svg("path", {
            class: "tc-past",
            d: curve(at, middle(n)),
            "stroke-width": 0.5 + weight / 28,
          }),
        ),
    );
    between.replaceChildren(
      ...before.flat(),
      ...(looks
        ? seen.map(({ at, weight }) =>
            svg("path", {
              d: curve(at, y),
              pathLength: 1,
              "stroke-width": 1 + weight / 14,
              opacity: 0.35 + weight / 150,
            }),
          )
        : [
            ...text.read.map((_, at) =>
              svg("path", {
                class: "tc-in",
                d: `M${from} ${middle(at)}L${LANE / 2 - 14} ${center}`,
              }),
            ),
            svg("path", {
              class: "tc-out",
              d: `M${to} ${y}L${LANE / 2 + 14} ${center}`,
              pathLength: 1,
              "stroke-width": 4,
            }),
            ...[-3, -2, -1, 0, 1, 2].map((n) =>
              svg("rect", { x: LANE / 2 - 10, y: center + 15 * n, width: 20, height: 13, rx: 3 }),
            ),
          ]),
    );
    map.draw(text.read, wrote, text.weights, step);
    copied.draw(text, step);
    seenHere.show(looks ? 0 : 1);
    say(words, told(text, step, looks));
    say(sum, score(text, step, looks));
  }

  return live({ model, el }, root, names, update);
}

export default { render };
