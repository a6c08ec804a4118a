// @ts-check
// One word asks: lines to the words that it looks at. Under them what the reading makes of a word
// with two meanings, or the loop that would hand the words on.
import { meanings, wiring } from "./relay_cards.js";
import {
  STORY,
  about,
  holds,
  linesOf,
  readers,
  remains,
  steps,
  told,
  total,
  ways,
} from "./relay_numbers.js";
import { arc, carried, look, measure, roomy, run, shaft } from "./relay_scene.js";
import { MOVES, assign, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const HOP = 170; // ms of a step
/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["text", "asks", "width", "head"];
  const texts = model.get("texts");
  const pair = model.get("pair");
  const shares = model.get("shares");
  const loop = model.get("width") > 0;
  const all = texts[0].words.map((_, n) => n);
  const go = (asks) => save(model, { asks });
  const tabs = (name, buttons) =>
    h("div", { class: "tc-tabs", role: "group", "aria-label": name }, ...buttons);

  const ends = texts.map(({ end }, n) => press(end, () => save(model, { text: n })));
  let told0 = 0; // the step of the story that was last in sight
  const found = () => {
    const [text, asks, head] = ["text", "asks", "head"].map((name) => model.get(name));
    const at = STORY.findIndex((each) => each[1] === head && (!head || each[0] === text));
    return asks !== pair[0] || at < 0 ? -1 : at;
  };
  const chapter = () => (told0 = found() < 0 ? told0 : found());
  // Of all words that the loop reads before the one in question, one step tells.
  const early = pair[0] - 1;
  const late = () => Math.max(0, model.get("asks") - early);
  const step = loop ? late : chapter;
  const short = STORY.map(([text, head]) => (head ? texts[text].end : "mean"));
  const bar = stepBar({
    names: loop ? texts[0].words.slice(early) : short,
    short: loop ? undefined : short,
    get: step,
    go: (n) =>
      loop ? go(n + early) : save(model, { text: STORY[n][0], head: STORY[n][1], asks: pair[0] }),
    every: loop ? 1300 : 2600,
  });
  const width = choice({
    label: "Numbers in the state",
    options: Object.keys(shares).map((each) => [each, each]),
    value: "4",
    change: (each) => save(model, { width: Number(each) }),
  });
  const two = readers(texts, pair);
  const shown = [-1, ...texts[0].heads.map((_, n) => n + 1), 0]; // of `head`
  const heads = shown.map((n) =>
    press(n < 0 ? two.join(" and ") : n ? String(n) : "mean", () => save(model, { head: n })),
  );
  const words = all.map((n) =>
    press("", () => go(n), {
      pointerenter: ({ buttons }) => buttons && go(n),
      keydown: (event) => {
        const [down, across] = MOVES[event.key] ?? [0, 0];
        const to = n + down + across;
        if (to === n || !words[to]) return;
        take(event);
        go(to);
        words[to].focus();
      },
    }),
  );

  // -- the picture: lines over the words, and under them the loop or the two meanings --
  const lines = svg("g", { class: "tc-links" });
  const [dot, walker] = [1, 2].map(() => svg("circle", { class: "tc-signal", r: 6 }));
  const chain = svg("path");
  const tracks = all.map(() => svg("path", { class: "tc-track" }));
  const bars = all.map(() => svg("path", { class: "tc-held" }));
  const state = carried();
  const left = svg("text", { class: "tc-left" });
  const wires = wiring();
  const under = loop ? [...tracks, ...bars, state.node, chain, walker, left] : wires.nodes;
  const picture = svg("svg", { "aria-hidden": "true" }, ...under, lines, dot);
  const cards = meanings(texts, pair[0], (text) => save(model, { text }));
  const line = h(
    "div",
    { class: "tc-line", role: "group", "aria-label": "The word that asks; arrow keys move" },
    ...words,
  );
  const note = (name, text) => h("small", {}, h("b", {}, name), h("span", {}, " ", text));
  const notes = [
    note("Attention", "every word in 1 step"),
    note(
      "Loop",
      "its numbers (hollow: below 0), and what they hold of each word (one draw of many)",
    ),
  ];
  const scene = h(
    "div",
    { class: "tc-scene" },
    picture,
    ...(loop ? notes : []),
    line,
    loop ? h("div", { class: "tc-room-below" }) : h("div", { class: "tc-cards" }, ...cards),
  );

  const full = h("p", { class: "tc-legend" });
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = frame({
    name: "relay",
    title: loop ? "What a loop keeps" : "A word with two meanings",
    controls: [h("span", {}, "… he needed the"), tabs("Last word", ends)],
    steps: bar.node,
    told: why,
    inputs: [scene],
    below: loop
      ? [h("div", { class: "tc-bar" }, width.node, full)]
      : [h("div", { class: "tc-bar" }, h("span", {}, "Its four heads:"), tabs("Head", heads))],
  });
  root.classList.toggle("tc-both", loop);

  let [place, told1, stop] = /** @type {any[]} */ ([null, "", () => {}]);
  const filled = glide((held) =>
    bars.forEach((bar, n) => assign(bar, { d: shaft(place, n, held[n]) })),
  );

  /** The lines in sight: of two heads, of one, or of the mean; with a loop, to one word. */
  const seen = () => {
    const [n, asks, , head] = names.map((name) => model.get(name));
    if (!loop) return linesOf(texts[n], asks, head < 0 ? two : [head]);
    return [
      { to: about(pair, asks, loop), weight: 100, lane: 0, name: "", hue: "var(--tc-weights)" },
    ];
  };

  function update() {
    const [n, asks, wide, head] = names.map((name) => model.get(name));
    const text = texts[n];
    const from = about(pair, asks, loop);
    const strong = seen();
    ends.forEach((end, m) => end.setAttribute("aria-pressed", String(m === n)));
    const means = !loop && !head && asks === pair[0];
    root.classList.toggle("tc-means", means);
    cards.forEach((card, m) => card.classList.toggle("tc-on", means || m === n));
    heads.forEach((each, m) => each.setAttribute("aria-pressed", String(shown[m] === head)));
    bar.show(step());
    const away = !loop && found() < 0;
    if (away) bar.tabs.forEach((tab) => tab.setAttribute("aria-current", "false"));
    root.classList.toggle("tc-away", away);
    words.forEach((word, m) => {
      say(word, text.words[m]);
      word.setAttribute("aria-pressed", String(m === asks));
      word.classList.toggle("tc-about", m === from);
      const { weight = 0, hue } = strong.findLast(({ to }) => to === m) ?? {};
      word.style.setProperty("--t", String(weight / 100));
      word.style.setProperty("--of", hue);
      word.tabIndex = m === asks ? 0 : -1;
    });
    const held = loop ? holds(shares[wide], asks) : [];
    say(why, loop ? ways(text, pair, asks, held) : told(texts, pair, { text: n, asks, head }));
    say(full, `Its ${wide} numbers can hold ${wide} words’ worth: they hold ${total(held)}.`);
    width.set(String(wide));
    draw();
  }

  /** All that depends on where the words stand. */
  function draw() {
    const [n, asks, wide, head] = names.map((name) => model.get(name));
    if (!scene.clientWidth) return;
    place = measure(words, getComputedStyle(line).flexDirection === "column");
    const from = about(pair, asks, loop);
    const whole = place.column || from === asks ? "whole" : "whole, in 1 step";
    const strong = seen();
    const can = (to) =>
      svg("path", { d: arc(place, asks, to), class: to === from ? "tc-whole" : "tc-can" });
    const drawn = strong.map((each) => {
      const whose = head < 0 && asks === pair[0] && !place.column ? " of its attention" : "";
      const share =
        each.name && place.column && !roomy(place, strong) ? "" : `${each.weight} %${whose}`;
      return look(place, asks, each, loop ? whole : share, 1.5 + each.weight / 20);
    });
    lines.replaceChildren(
      ...(loop ? all.filter((to) => to !== asks).map(can) : []),
      ...drawn.map(([line]) => line),
      ...drawn.map(([, number]) => number),
    );
    const far = steps(from, asks);
    const hops = all.slice(from, asks + 1);
    if (loop) {
      const [at, under] = [place.at, place.under];
      assign(chain, { d: asks ? `M${under(at[0], 12)}L${under(at[asks], 12)}` : "" });
      tracks.forEach((track, m) => assign(track, { d: shaft(place, m) }));
      state.show(place, model.get("states")[wide][n], asks);
      const held = holds(shares[wide], asks);
      const [x, y] = under(at[from], place.end + 3);
      assign(left, place.column ? { x, y: y + 4 } : { x, y: y + 10, "text-anchor": "middle" });
      say(left, far === null ? "" : remains(far, held[from], place.column));
      bars.forEach((each, m) => each.classList.toggle("tc-asked", m === from));
      filled(held);
    } else {
      wires.show(place, pair[0], cards[n], cards[1 - n]);
    }
    if (told1 === (told1 = `${n} ${asks} ${wide} ${head}`)) return;
    stop();
    // What is read runs to the word that asks; each step takes the same time, in both ways.
    const [source] = strong.filter(({ to }) => to !== asks).sort((a, b) => b.weight - a.weight);
    dot.style.display = source ? "" : "none";
    dot.style.setProperty("--of", source?.hue);
    walker.style.display = far === null ? "none" : "";
    const stops = [
      source ? run(dot, [arc(place, source.to, asks, source.lane)], 2 * HOP) : () => {},
      far
        ? run(
            walker,
            hops
              .slice(1)
              .map((m) => `M${place.under(place.at[m - 1], 12)}L${place.under(place.at[m], 12)}`),
            HOP,
          )
        : () => {},
    ];
    if (!far && far !== null) {
      const [cx, cy] = place.under(place.at[asks], 12);
      assign(walker, { cx, cy });
    }
    stop = () => stops.forEach((each) => each());
  }

  const gone = live({ model, el }, root, names, update);
  const watch = new ResizeObserver(draw);
  for (const node of [scene, ...words]) watch.observe(node); // a font that comes late, too
  return () => {
    watch.disconnect();
    stop();
    gone();
  };
}

export default { render };
