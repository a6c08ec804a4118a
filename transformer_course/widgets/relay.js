// @ts-check
// One word asks: lines to the words that it looks at. Under them what the reading makes of a word
// with two meanings, or the loop that would hand the words on.
import { meanings } from "./relay_cards.js";
import { about, holds, remains, steps, told, total, ways } from "./relay_numbers.js";
import { arc, band, label, measure, run } from "./relay_scene.js";
import { MOVES, assign, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const BAR = 58; // pixels of a word that is wholly held
const HOP = 170; // ms of a step
/** Each ending with all heads, then with the head that reads it: [text, head]. */
const STORY = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 4],
];
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
  const chapter = () => {
    const [text, asks, head] = ["text", "asks", "head"].map((name) => model.get(name));
    const at = STORY.findIndex((each) => asks === pair[0] && each[0] === text && each[1] === head);
    return (told0 = at < 0 ? told0 : at);
  };
  const bar = loop
    ? stepBar({ names: texts[0].words, get: () => model.get("asks"), go, every: 1300 })
    : stepBar({
        names: STORY.map(([text, head]) => texts[text].end + (head ? `, head ${head}` : "")),
        short: STORY.map(([text, head]) => (head ? `head ${head}` : texts[text].end)),
        get: chapter,
        go: (n) => save(model, { text: STORY[n][0], head: STORY[n][1], asks: pair[0] }),
        every: 2600,
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
  const dot = svg("circle", { class: "tc-signal", r: 6 });
  const walker = svg("circle", { class: "tc-signal", r: 6 });
  const chain = svg("path");
  const ribbon = svg("path", { class: "tc-band" });
  const tracks = all.map(() => svg("path", { class: "tc-track" }));
  const bars = all.map(() => svg("path", { class: "tc-held" }));
  const left = svg("text", { class: "tc-left" });
  const wire = svg("path", { class: "tc-wire" });
  const ghost = svg("path", { class: "tc-ghost" }); // to the meaning that it has not
  const under = loop ? [...tracks, ...bars, chain, ribbon, walker, left] : [ghost, wire];
  const picture = svg("svg", { "aria-hidden": "true" }, ...under, lines, dot);
  const cards = meanings(texts, (text) => save(model, { text }));
  const line = h(
    "div",
    { class: "tc-line", role: "group", "aria-label": "The word that asks; arrow keys move" },
    ...words,
  );
  const note = (name, text) => h("small", {}, h("b", {}, name), h("span", {}, " ", text));
  const scene = h(
    "div",
    { class: "tc-scene" },
    picture,
    ...(loop ? [note("Attention", "every word in 1 step")] : []),
    ...(loop ? [note("Loop", "how much of each word its state still holds")] : []),
    line,
    loop ? h("div", { class: "tc-room-below" }) : h("div", { class: "tc-cards" }, ...cards),
  );

  const room = all.map(() => h("i"));
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
      ? [h("div", { class: "tc-bar" }, width.node, h("div", { class: "tc-room" }, ...room), full)]
      : [h("div", { class: "tc-bar" }, h("span", {}, "Its four heads:"), tabs("Head", heads))],
  });
  root.classList.toggle("tc-both", loop);

  let place = /** @type {any} */ (null);
  let told1 = "";
  let stop = () => {};
  const wired = glide(([a, b, ...ends]) =>
    [wire, ghost].forEach((each, n) => {
      const [c, d] = ends.slice(2 * n);
      const [x, y] = place.column ? [(c - a) / 2, 0] : [0, (d - b) / 2];
      assign(each, { d: `M${a} ${b}C${a + x} ${b + y} ${c - x} ${d - y} ${c} ${d}` });
    }),
  );
  const filled = glide((held) =>
    all.forEach((n) => {
      assign(bars[n], {
        d: `M${place.under(place.at[n], 26)}L${place.under(place.at[n], 26 + BAR * held[n])}`,
      });
      room[n].classList.toggle("tc-asked", n === about(pair, model.get("asks")));
      room[n].style.flexBasis = `${(100 * held[n]) / model.get("width")}%`;
    }),
  );

  function update() {
    const [n, asks, wide, head] = names.map((name) => model.get(name));
    const text = texts[n];
    const weights = (head ? text.heads[head - 1] : text.weights)[asks];
    const from = about(pair, asks);
    ends.forEach((end, m) => end.setAttribute("aria-pressed", String(m === n)));
    cards.forEach((card, m) => card.classList.toggle("tc-on", m === n));
    heads.forEach((each, m) => each.setAttribute("aria-pressed", String(m === head)));
    bar.show(loop ? asks : chapter());
    words.forEach((word, m) => {
      say(word, text.words[m]);
      word.setAttribute("aria-pressed", String(m === asks));
      word.classList.toggle("tc-about", m === from);
      word.style.setProperty("--t", String(loop ? Number(m === from) : weights[m] / 100));
      word.tabIndex = m === asks ? 0 : -1;
    });
    const held = loop ? holds(shares[wide], asks) : [];
    say(why, loop ? ways(text, pair, asks, held) : told(texts, pair, { text: n, asks, head }));
    if (loop) {
      say(full, `All bars together: ${total(held)} of at most ${wide} words.`);
      width.set(String(wide));
    }
    draw();
  }

  /** All that depends on where the words stand. */
  function draw() {
    const [n, asks, wide, head] = names.map((name) => model.get(name));
    if (!scene.clientWidth) return;
    place = measure(words, getComputedStyle(line).flexDirection === "column");
    const text = texts[n];
    const weights = (head ? text.heads[head - 1] : text.weights)[asks];
    const from = about(pair, asks);
    const strong = loop ? [from] : all.filter((to) => weights[to] >= 3);
    const thick = (to) => (loop ? 5 : 1.5 + weights[to] / 10);
    const whole = place.column ? "100 %" : "100 % in 1 step";
    const path = (to, more) => svg("path", { d: arc(place, asks, to), ...more });
    const can = (to) => path(to, { class: to === from ? "tc-whole" : "tc-can" });
    lines.replaceChildren(
      ...(loop ? all.filter((to) => to !== asks).map(can) : []),
      ...strong.map((to) =>
        path(to, { "stroke-width": thick(to), class: to === from && !loop ? "tc-key" : "" }),
      ),
      ...strong.map((to) => label(place, asks, to, loop ? whole : `${weights[to]} %`)),
    );

    const far = steps(from, asks);
    const hops = all.slice(from, asks + 1);
    if (loop) {
      const [at, under] = [place.at, place.under];
      assign(chain, { d: `M${under(at[0], 12)}L${under(at[asks], 12)}` });
      tracks.forEach((track, m) =>
        assign(track, { d: `M${under(at[m], 26)}L${under(at[m], 26 + BAR)}` }),
      );
      const kept = hops.map((m) => holds(shares[wide], m)[from]);
      assign(ribbon, { d: band(place, from, kept) });
      const [x, y] = under(at[from], 26 + BAR + 3);
      assign(left, place.column ? { x, y: y + 4 } : { x, y: y + 10, "text-anchor": "middle" });
      say(left, far === null ? "" : remains(far, kept[far], place.column));
      bars.forEach((each, m) => each.classList.toggle("tc-asked", m === from));
      filled(holds(shares[wide], asks));
    } else {
      const [x, y] = place.under(place.at[pair[0]], 2);
      const to = [cards[n], cards[1 - n]].flatMap((card) =>
        place.column
          ? [card.offsetLeft, card.offsetTop + card.offsetHeight / 2]
          : [card.offsetLeft + card.offsetWidth / 2, card.offsetTop],
      );
      wired([x, y, ...to]);
    }
    if (told1 === (told1 = `${n} ${asks} ${wide} ${head}`)) return;
    stop();
    // What is read runs to the word that asks; each step takes the same time, in both ways.
    const source = loop
      ? from
      : strong.filter((to) => to !== asks).sort((a, b) => weights[b] - weights[a])[0];
    dot.style.display = source === undefined ? "none" : "";
    walker.style.display = far === null ? "none" : "";
    const stops = [
      source === undefined ? () => {} : run(dot, [arc(place, source, asks)], HOP * (loop ? 1 : 2)),
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
