// @ts-check
// One word asks: lines to the words that it looks at, and beside them the loop that would hand them
// on.
import { about, holds, looks, steps, total, ways } from "./relay_numbers.js";
import { MOVES, assign, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stepBar, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const ROW = 26; // pixels of a word

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["text", "asks", "width", "head"];
  const texts = model.get("texts");
  const pair = model.get("pair");
  const shares = model.get("shares");
  const loop = model.get("width") > 0;
  const [LANE, BEND] = loop ? [118, 9] : [200, 17]; // pixels of a side, and of a curve for each word
  // Where the weight on itself is free of the curves: narrow ones leave no room over their start.
  const own = loop ? { x: 4 * BEND, y: 4 } : { x: 14, y: -8 };
  const count = texts[0].words.length;
  const all = Array.from({ length: count }, (_, n) => n);
  const middle = (n) => (n + 0.5) * ROW;
  const go = (asks) => save(model, { asks });

  const ends = texts.map(({ end }, n) => press(end, () => save(model, { text: n })));
  const bar = stepBar({
    names: all.map((n) => texts[0].words[n]),
    get: () => model.get("asks"),
    go,
    every: 1300,
  });
  const width = choice({
    label: "Numbers in the state",
    options: Object.keys(shares).map((each) => [each, each]),
    value: "4",
    change: (each) => save(model, { width: Number(each) }),
  });

  const heads = ["all", ...texts[0].heads].map((_, n) =>
    press(n ? String(n) : "mean", () => save(model, { head: n })),
  );

  const words = all.map((n) =>
    press("", () => go(n), {
      pointerenter: ({ buttons }) => buttons && go(n),
      keydown: (event) => {
        const to = n + (MOVES[event.key]?.[0] ?? 0);
        if (to === n || !words[to]) return;
        take(event);
        go(to);
        words[to].focus();
      },
    }),
  );
  const lane = (name, ...nodes) =>
    svg("svg", { class: name, width: LANE, height: ROW * count, "aria-hidden": "true" }, ...nodes);

  // -- left: a loop from word to word, and what is held of each --
  const rail = LANE - 10;
  const bars = all.map((n) => svg("rect", { y: n * ROW + 6, height: ROW - 12, rx: 2 }));
  const nodes = all.map((n) => svg("circle", { cx: rail, cy: middle(n), r: 4 }));
  const links = all
    .slice(1)
    .map((n) => svg("path", { d: `M${rail} ${middle(n - 1)}V${middle(n)}` }));
  const walker = svg("circle", { class: "tc-signal", cx: rail, r: 6 });
  const left = lane("tc-loop", ...links, ...bars, ...nodes, walker);
  const room = all.map(() => h("i"));
  const state = h("div", { class: "tc-room", "aria-hidden": "true" }, ...room);
  const full = h("p", { class: "tc-legend" });
  const glideTo = glide((held) =>
    all.forEach((n) => {
      const long = held[n] * (rail - 14);
      assign(bars[n], { x: rail - 8 - long, width: long });
      room[n].style.flexBasis = `${(100 * held[n]) / model.get("width")}%`;
    }),
  );

  // -- right: a line to every word --
  const lines = svg("g");
  const jumper = svg("circle", { class: "tc-signal", r: 6 });
  const right = lane("tc-links", lines, jumper);

  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const translation = h("p", { lang: "de" });
  const title = (text) => h("small", {}, text);
  const root = frame({
    name: "relay",
    title: loop ? "What a loop keeps" : "A word with two meanings",
    controls: [
      h("span", {}, "… he needed the"),
      h("div", { class: "tc-tabs", role: "group", "aria-label": "Last word" }, ...ends),
    ],
    steps: bar.node,
    inputs: [
      h(
        "div",
        { class: "tc-lanes" },
        ...(loop ? [title("the loop holds"), title(""), title("attention")] : []),
        ...(loop ? [left] : []),
        h("div", { role: "group", "aria-label": "The word that asks; arrow keys move" }, ...words),
        right,
      ),
    ],
    result: [
      h("p", { class: "tc-legend" }, "The translation of the same model:"),
      translation,
      told,
      ...(loop
        ? [width.node, state, full]
        : [
            h("p", { class: "tc-legend" }, "Of its four attentions, the heads:"),
            h("div", { class: "tc-tabs", role: "group", "aria-label": "Head" }, ...heads),
          ]),
    ],
  });
  root.classList.toggle("tc-both", loop);

  let stop = () => {};
  let last = "";
  function update() {
    const [n, asks, wide, head] = names.map((name) => model.get(name));
    const text = texts[n];
    const weights = head ? text.heads[head - 1] : text.weights;
    const held = loop ? holds(shares[wide], asks) : [];
    const from = about(pair, asks);
    ends.forEach((end, m) => end.setAttribute("aria-pressed", String(m === n)));
    heads.forEach((each, m) => each.setAttribute("aria-pressed", String(m === head)));
    bar.show(asks);
    words.forEach((word, m) => {
      say(word, text.words[m]);
      word.setAttribute("aria-pressed", String(m === asks));
      word.classList.toggle("tc-about", m === from);
      word.style.setProperty("--t", String(weights[asks][m] / 100));
      word.tabIndex = m === asks ? 0 : -1;
    });
    // The German noun that the bank has become.
    const parts = text.translation.split(/(Bank|Ufer)/);
    translation.replaceChildren(...parts.map((part, m) => (m % 2 ? h("b", {}, part) : part)));
    say(told, loop ? ways(text, pair, asks, held) : looks({ ...text, weights }, asks));

    const bend = (to) => Math.min(LANE - 44, 2 * BEND + BEND * Math.abs(to - asks));
    const strong = all.filter((to) => weights[asks][to] >= 3);
    lines.replaceChildren(
      ...all
        .filter((to) => loop && to !== asks)
        .map((to) => svg("path", { d: curve(to), class: "tc-can" })),
      ...strong.map((to) =>
        svg("path", { d: curve(to), "stroke-width": 1.5 + weights[asks][to] / 10 }),
      ),
      ...strong.map((to) =>
        svg(
          "text",
          to === asks
            ? { x: own.x, y: middle(to) + own.y }
            : { x: 6, y: middle(to) + (to > asks ? 13 : -8) },
          `${weights[asks][to]} %`,
        ),
      ),
    );
    function curve(to) {
      const [a, b, x] = [middle(asks), middle(to), bend(to) * 1.33];
      return to === asks
        ? `M0 ${a - 5}C16 ${a - 9} 16 ${a + 9} 0 ${a + 5}`
        : `M0 ${a}C${x} ${a} ${x} ${b} 0 ${b}`;
    }

    if (last === (last = `${n} ${asks} ${wide}`)) return;
    if (loop) {
      glideTo(held);
      nodes.forEach((node, m) => node.classList.toggle("tc-read", m <= asks));
      links.forEach((link, m) => link.classList.toggle("tc-read", m < asks));
      say(
        full,
        `All bars together: ${total(held)} words. ${wide} numbers never hold more than ${wide}.`,
      );
      width.set(String(wide));
    }
    stop();
    const far = steps(from, asks);
    const path = svg("path", { d: curve(from) });
    const long = path.getTotalLength();
    // Each step takes the same time, on both sides.
    const time = 160 * Math.max(1, loop ? (far ?? 1) : 1);
    stop = tween(time, (t) => {
      const walked = Math.min(far ?? 0, Math.floor(t * (far ?? 0) + 1e-9));
      walker.style.display = far === null ? "none" : "";
      assign(walker, { cy: middle(from + walked) });
      const at = path.getPointAtLength(long * (1 - Math.min(1, (t * time) / 160)));
      assign(jumper, { cx: at.x, cy: at.y });
    });
  }

  const gone = live({ model, el }, root, names, update);
  return () => {
    stop();
    gone();
  };
}

export default { render };
