// @ts-check
// A word's vector goes through a feed-forward network: expanded, cut at zero, contracted.
import { cells, firing } from "./expand_contract_numbers.js";
import { fixed } from "./numbers.js";
import { MOVES, assign, check, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const [TALL, TOP, WIDE, STRONGEST] = [4, 20, 18, 5]; // pixels of a cell; rows of the list
const CLEAR = 60; // percent of its firings before one word: what a unit is for is clear
const STEPS = ["In", "Expand", "ReLU", "Contract"];
const [LEFT, RIGHT] = [4, 318]; // where the narrow columns stand
const column = (n) => 112 + n * (WIDE + 4); // those of the hidden units

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const [places, units] = [model.get("places"), model.get("units")];
  const width = places[0].x.length;
  const all = [...places.keys()];
  let asked = /** @type {number | null} */ (null);
  const go = (at) => {
    asked = null;
    save(model, { at });
  };

  const bar = stepBar({
    names: STEPS,
    get: () => model.get("step"),
    go: (step) => save(model, { step }),
  });
  const gate = check({ label: "ReLU", value: true, change: (relu) => save(model, { relu }) });
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

  // -- the network: a narrow column, four of the same height, a narrow one --
  const cell = (x, n) => svg("rect", { x, y: TOP + n * TALL, width: WIDE, height: TALL - 0.5 });
  const rows = [...Array(width).keys()];
  const into = rows.map((n) => cell(LEFT, n));
  const out = rows.map((n) => cell(RIGHT, n));
  const hidden = places[0].z.map((_, unit) => cell(column(Math.floor(unit / width)), unit % width));
  hidden.forEach((rect, unit) => rect.addEventListener("click", () => ask(unit)));
  const high = TOP + width * TALL;
  const wedge = (x0, a, x1, b) =>
    svg("path", { class: "tc-wedge", d: `M${x0} ${a}L${x1} ${b}V${high}H${x0}Z` });
  const ground = (x, wide) =>
    svg("rect", { class: "tc-ground", x, y: TOP, width: wide, height: width * TALL });
  const name = (x, text) => svg("text", { x, y: 12, "text-anchor": "middle" }, text);
  const rays = svg("g", { class: "tc-rays" });
  const picture = svg(
    "svg",
    { class: "tc-chart", viewBox: `0 0 ${RIGHT + WIDE + 4} ${high + 4}`, role: "img" },
    wedge(LEFT + WIDE + 3, TOP + width * 3, column(0) - 3, TOP),
    wedge(column(3) + WIDE + 3, TOP, RIGHT - 3, TOP + width * 3),
    ground(LEFT, WIDE),
    ...[0, 1, 2, 3].map((n) => ground(column(n), WIDE)),
    ground(RIGHT, WIDE),
    rays,
    ...into,
    ...hidden,
    ...out,
    name(LEFT + WIDE / 2 + 2, String(width)),
    name((column(1) + column(3)) / 2 - 4, `${4 * width} units`),
    name(RIGHT + WIDE / 2 - 2, String(width)),
  );
  const paint = (rects, values) =>
    rects.forEach((rect, n) =>
      assign(rect, {
        class: values[n] < 0 ? "tc-less" : "tc-more",
        "fill-opacity": values[n] ? (0.15 + 0.85 * Math.abs(values[n])).toFixed(3) : 0,
      }),
    );
  const draw = glide((now) => {
    paint(into, now.into);
    paint(hidden, now.hidden);
    paint(out, now.out);
  });

  // -- the units that fire most --
  const list = Array.from({ length: STRONGEST }, () => {
    const fill = h("i");
    const [title, about] = [h("b"), h("span")];
    const button = press("", () => ask(Number(button.dataset.unit)));
    button.append(title, h("em", {}, fill), about);
    return { button, title, fill, about };
  });
  const ask = (unit) => {
    asked = asked === unit ? null : unit;
    update();
  };
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const outcome = h("p", { class: "tc-outcome" });
  const key = [
    ["more", "above zero"],
    ["less", "below"],
  ].map(([kind, text]) => h("span", {}, h("i", { class: `tc-${kind}` }), text));
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
    inputs: [picture, h("p", { class: "tc-legend" }, ...key)],
    result: [
      told,
      h(
        "p",
        { class: "tc-legend" },
        "The strongest units: before what they fire, or what they favor",
      ),
      h("div", { class: "tc-units" }, ...list.map(({ button }) => button)),
    ],
    below: [outcome],
  });

  const quoted = (text) => (/\w/.test(text) ? text : `“${text}”`);
  function sentence(place, step, on) {
    const fires = firing(place.z);
    if (asked !== null && fires.includes(asked)) {
      const unit = units[asked];
      return unit
        ? `Unit ${asked} is at ${fixed(place.z[asked], 1)}. Of all its firings on new sentences ` +
            `${unit.share} % are where ${quoted(unit.before)} comes next; its value favors ` +
            `${unit.says.map(quoted).join(", ")}.`
        : `Unit ${asked} is at ${fixed(place.z[asked], 1)}, not among the strongest here.`;
    }
    const count = `${fires.length} of ${place.z.length}`;
    return [
      `The decoder has read up to ${quoted(place.word)}. Its vector of ${width} numbers comes in; ` +
        "no other word’s does.",
      `Expand: the vector is compared with ${place.z.length} keys, one for each hidden unit. ` +
        `${count} numbers are above zero.`,
      on
        ? `ReLU: ${place.z.length - fires.length} units fall silent, and ${count} fire.`
        : `Without the ReLU all ${place.z.length} units go on, the negative ones too.`,
      `Contract: the values of ${on ? `the ${fires.length}` : "all"} units are added up, each ` +
        "times its unit’s number. The sum is added to the vector that came in.",
    ][step];
  }

  function update() {
    const [at, step, on] = ["at", "step", "relu"].map((each) => model.get(each));
    const place = places[at];
    const fires = firing(place.z);
    bar.show(step);
    gate.set(on);
    words.forEach((each, n) => {
      each.setAttribute("aria-pressed", String(n === at));
      each.tabIndex = n === at ? 0 : -1;
    });
    draw(cells(place, step, on));
    say(told, sentence(place, step, on));
    picture.setAttribute("aria-label", `The network at ${place.word}. ${told.textContent}`);
    list.forEach(({ button, title, fill, about }, n) => {
      const unit = fires[n];
      button.toggleAttribute("inert", step < 1 || unit === undefined);
      if (unit === undefined) return;
      button.dataset.unit = String(unit);
      button.setAttribute("aria-pressed", String(unit === asked));
      say(title, `${unit}`);
      fill.style.width = `${(100 * place.z[unit]) / place.z[fires[0]]}%`;
      const { before, share, says } = units[unit];
      const clear = share >= CLEAR;
      say(about, clear ? `${share} % before ${quoted(before)}` : says.map(quoted).join(" · "));
      button.classList.toggle("tc-clear", clear);
    });
    const [x0, x1] = [WIDE, RIGHT];
    const middle = (unit) => TOP + ((unit % width) + 0.5) * TALL;
    const shown = step < 3 ? [] : fires.slice(0, STRONGEST);
    rays.replaceChildren(
      ...shown.map((unit) =>
        svg("path", {
          d: `M${column(Math.floor(unit / width)) + x0} ${middle(unit)}L${x1} ${high - width * 2}`,
          class: unit === asked ? "tc-asked" : "",
        }),
      ),
    );
    hidden.forEach((rect, unit) => rect.classList.toggle("tc-asked", unit === asked));
    const sides = on
      ? [
          ["Next word", place.next],
          ["Without this network", place.without],
        ]
      : [
          ["Next word without the ReLU", place.linear],
          ["With it", place.next],
        ];
    outcome.replaceChildren(
      ...sides.map(([lead, found]) => h("span", {}, `${lead}: `, h("b", {}, found))),
    );
    outcome.classList.toggle("tc-differs", sides[0][1] !== sides[1][1]);
    outcome.toggleAttribute("inert", step < 3);
  }

  return live({ model, el }, root, ["at", "step", "relu"], update);
}

export default { render };
