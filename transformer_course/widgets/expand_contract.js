// @ts-check
// A word's vector goes through a feed-forward network: expanded, cut at zero, contracted.
import { cells, chance, firing, fitting } from "./expand_contract_numbers.js";
import { glossed, quoted, sentence } from "./expand_contract_words.js";
import { MOVES, assign, check, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const [STEP, TOP, STRONGEST] = [15, 24, 5]; // pixels from a cell to the next; rows of the list
const TALL = 16; // cells of a column: 64 numbers are 4 columns, 256 units are 16
const CLEAR = 60; // percent of its firings before one word: what a unit is for is clear
const AROUND = "what came in goes around, and is added";
const STEPS = ["Whole", "Expand", "ReLU", "Contract"];
const [UNITS, LIST, OUT] = [92, 366, 32]; // where the units, the list, the numbers out begin
const HIGH = TOP + TALL * STEP;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const [places, units, means] = ["places", "units", "means"].map((name) => model.get(name));
  const width = places[0].x.length;
  const all = [...places.keys()];
  const off = /** @type {Set<number>} */ (new Set()); // the units that are switched off
  let back = false; // some were, until the ReLU was taken away
  const turn = (to) => {
    back = "relu" in to && off.size > 0;
    off.clear();
    save(model, to);
  };
  const go = (at) => turn({ at });

  const bar = stepBar({
    names: STEPS,
    get: () => model.get("step"),
    go: (step) => save(model, { step }),
  });
  const gate = check({ label: "ReLU", value: true, change: (relu) => turn({ relu }) });
  const words = all.map((n) =>
    press(places[n].word, () => go(n), {
      pointerenter: ({ buttons }) => buttons && go(n),
      keydown: (event) => {
        const [down, right] = MOVES[event.key] ?? [0, 0];
        const to = n + down + right;
        if (to === n || !words[to]) return;
        take(event);
        go(to);
        words[to].focus();
      },
    }),
  );

  // -- the network: 4 columns of numbers, 16 of units, 4 of numbers, all to one scale --
  const spot = (n) => [STEP * Math.floor(n / TALL), TOP + STEP * (n % TALL)];
  const cell = (left) => (_, n) => {
    const [x, y] = spot(n);
    return svg("rect", { x: left + x + 0.5, y: y + 0.5, width: STEP - 1, height: STEP - 1, rx: 2 });
  };
  const middle = (unit) => spot(unit).map((z, n) => z + STEP / 2 + (n ? 0 : UNITS));
  const into = places[0].x.map(cell(0));
  const out = places[0].x.map(cell(OUT));
  const hidden = places[0].z.map((_, unit) => {
    const [cx, cy] = middle(unit);
    return svg("circle", { cx, cy, click: () => shown.includes(unit) && flick(unit) });
  });
  const name = (x, words, anchor = "middle") =>
    svg("text", { x, y: 13, "text-anchor": anchor }, words);
  const middling = (TOP + HIGH) / 2;
  const arrow = svg("path", { class: "tc-arrow", d: `M71 ${middling - 9}l9 9l-9 9` });
  const fires = name(UNITS + 8 * STEP, "");
  const [rays, fan] = [svg("g", { class: "tc-rays" }), svg("g", { class: "tc-rays" })];
  const tags = svg("g", { class: "tc-tags" }); // where it is narrow, in place of the rays
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${LIST} ${HIGH + 4}`, width: LIST, role: "img" },
    svg("rect", { class: "tc-night", x: UNITS - 4, y: TOP - 4, width: 248, height: 248, rx: 8 }),
    arrow,
    rays,
    ...into,
    ...hidden,
    tags,
    name(0, `${width} in`, "start"),
    fires,
  );
  const last = svg(
    "svg",
    { viewBox: `0 0 ${OUT + 60} ${HIGH}`, width: OUT + 60, "aria-hidden": "true" },
    fan,
    svg("rect", { class: "tc-ground", x: OUT, y: TOP, width: 60, height: 240, rx: 4 }),
    ...out,
    name(OUT + 60, `${width} out`, "end"),
  );
  const kind = (value) => (value < 0 ? "tc-less" : value ? "tc-more" : "tc-zero");
  const paint = (rects, values) =>
    rects.forEach((rect, n) =>
      assign(rect, {
        class: kind(values[n]),
        "fill-opacity": values[n] ? (0.12 + 0.88 * Math.abs(values[n])).toFixed(3) : 0,
      }),
    );
  const draw = glide((now) => {
    paint(into, now.into);
    paint(out, now.out);
    hidden.forEach((dot, unit) => {
      const value = now.hidden[unit];
      const r = value ? 2.5 + 4.5 * Math.sqrt(Math.abs(value)) : 1.5;
      assign(dot, { class: kind(value), r: r.toFixed(2) });
    });
  });

  // -- the units that fire most: each is switched off and on --
  let shown = /** @type {number[]} */ ([]);
  const list = Array.from({ length: STRONGEST }, () => {
    const fill = h("i");
    const [title, about] = [h("b"), h("span")];
    const button = press("", () => flick(Number(button.dataset.unit)));
    button.append(title, h("em", {}, fill), about);
    return { button, title, fill, about };
  });
  const flick = (unit) => {
    if (!model.get("relu")) save(model, { relu: true });
    if (!off.delete(unit)) off.add(unit);
    update();
  };
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const outcome = [0, 1].map(() => {
    const [lead, name, gloss, share] = [h("small"), h("b"), h("span"), h("i")];
    return { node: h("p", {}, lead, name, gloss, share), lead, name, gloss, share };
  });
  const legend = h("span");
  const signs = [
    ["more", "above zero"],
    ["less", "below"],
  ].map(([kind, name]) => h("span", {}, h("i", { class: `tc-${kind}` }), name));
  const named = h("small");
  const asked = h("div", { class: "tc-units" }, named, ...list.map(({ button }) => button));
  const around = h("p", { class: "tc-around" }, h("small", {}, AROUND));
  const root = frame({
    name: "expand",
    title: "Expand, cut at zero, contract",
    controls: [gate.node],
    steps: bar.node,
    told: h(
      "div",
      { class: "tc-words", role: "group", "aria-label": "The word just read; arrow keys move" },
      ...words,
    ),
    inputs: [told, around, h("div", { class: "tc-flow" }, picture, asked, last)],
    below: [
      h("div", { class: "tc-outcome" }, ...outcome.map(({ node }) => node)),
      h("p", { class: "tc-legend" }, ...signs, legend),
    ],
  });

  function update() {
    const [at, step, on] = ["at", "step", "relu"].map((each) => model.get(each));
    const place = places[at];
    const strong = firing(place.z);
    shown = strong.slice(0, STRONGEST);
    bar.show(step);
    gate.set(on);
    words.forEach((each, n) => {
      each.setAttribute("aria-pressed", String(n === at));
      each.tabIndex = n === at ? 0 : -1;
    });
    draw({ ...cells(place, step || 3, on, off, units), out: cells(place, 3, on, off, units).out });
    root.dataset.step = String(step);
    root.classList.toggle("tc-cut", on && step !== 1);
    say(told, sentence({ place, step, on, shown, off, means, back }));
    picture.setAttribute("aria-label", `The network at ${place.word}. ${told.textContent}`);
    const fire = on ? `${strong.length - off.size} fire` : "all go on";
    const all = place.z.length;
    const wider = `${all / width} × ${width} = ${all} units`;
    say(fires, `${wider}${step === 1 ? " compare" : `: ${fire}`}`);
    const row = TOP + (TALL * STEP) / STRONGEST / 2;
    const height = (n) => row + (n * TALL * STEP) / STRONGEST;
    list.forEach(({ button, title, fill, about }, n) => {
      const unit = shown[n];
      button.toggleAttribute("inert", unit === undefined);
      if (unit === undefined) return;
      button.dataset.unit = String(unit);
      button.setAttribute("aria-pressed", String(!off.has(unit)));
      say(title, `${unit}`);
      fill.style.width = off.has(unit) ? "0" : `${(100 * place.z[unit]) / place.z[strong[0]]}%`;
      const { before, share, says } = units[unit];
      const clear = share >= CLEAR;
      const text = clear
        ? `fires before ${quoted(before)}: ${share} %`
        : `→ ${fitting(says.map((text) => glossed(text, means)))}`;
      say(about, text);
      button.classList.toggle("tc-clear", clear);
    });
    const clear = shown.map((unit) => units[unit].share >= CLEAR);
    say(named, `${shown.length} strongest: press to switch off`);
    say(
      legend,
      (clear.includes(false) ? "→ Favors: words whose score it raises. " : "") +
        (clear.includes(true) ? "Fires before: how often it is next." : ""),
    );
    const ray = (d, n) => {
      const much = 1 + 4 * Math.sqrt(place.z[shown[n]] / place.z[strong[0]]);
      const about = { d, "stroke-width": much, class: off.has(shown[n]) ? "tc-off" : "" };
      return svg("path", about);
    };
    rays.replaceChildren(
      ...shown.flatMap((unit, n) => {
        const [x, y] = middle(unit);
        const [bend, to, end] = [UNITS + TALL * STEP, UNITS + 8 * STEP, HIGH + 4]; // or down
        const across = `${bend} ${y} ${bend} ${height(n)} ${LIST} ${height(n)}`;
        const ways = [across, `${x} ${HIGH - 20} ${to} ${HIGH - 70} ${to} ${end}`];
        return ways.map((way) => ray(`M${x} ${y}C${way}`, n));
      }),
    );
    const lit = shown.filter((unit) => !off.has(unit));
    tags.replaceChildren(
      ...lit.map((unit) => {
        const [x, y] = middle(unit);
        return svg("text", { x: x + 7, y: y - 5 }, `${unit}`);
      }),
    );
    fan.replaceChildren(
      ...shown.map((_, n) =>
        ray(`M0 ${height(n)}C14 ${height(n)} 14 ${middling} ${OUT} ${middling}`, n),
      ),
    );
    hidden.forEach((dot, unit) => dot.toggleAttribute("data-strong", shown.includes(unit)));
    // At the left what comes next as things are now, at the right what to compare it with.
    const sides = [
      on
        ? ["Next word", place.next, chance(place, shown, off)]
        : ["Next word, no ReLU", place.linear, place.sure.linear],
      ["Without this network", place.without, place.sure.without],
    ];
    outcome.forEach(({ node, lead, name, gloss, share }, n) => {
      const [about, word, percent] = sides[n];
      say(lead, about);
      say(name, word);
      say(gloss, glossed(word, means).slice(quoted(word).length));
      say(share, `${percent} %`);
      node.style.setProperty("--t", `${percent}%`);
    });
    const differs = sides[Number(on)][1] !== place.next;
    outcome.forEach(({ node }, n) =>
      node.classList.toggle("tc-differs", differs && n === Number(on)),
    );
  }

  return live({ model, el }, root, ["at", "step", "relu"], update);
}

export default { render };
