// @ts-check
// Table 1 as pictures: how far a signal goes in a layer, in how many steps, for how much work.
import {
  LAYERS,
  LENGTHS,
  NEIGHBORS,
  amount,
  costs,
  explain,
  formula,
  nearest,
  weights,
} from "./complexity_counts.js";
import { workChart } from "./complexity_line.js";
import { lane } from "./complexity_pictures.js";
import { count, plain } from "./numbers.js";
import { check, h, live, press, save, say, slider } from "./shared.js";
import { frame, stack, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const TRIP = 5000; // ms that the longest way of a signal takes
const FIRST = Math.log(8); // its first hop takes an eighth of them, to be seen
const HEADS = ["multiply-adds", "sequential steps", "longest path"];
const VIEWS = [
  { name: "Path", key: "path", unit: "hop", go: "Send a signal" },
  { name: "Steps", key: "sequential", unit: "step", go: "Compute the layer" },
  { name: "Work", key: "", unit: "", go: "" },
];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  const traits = ["n", "d", "k", "r", "projections"];
  let all = false; // the layers of the compromise too
  let view = 0;

  // -- what the reader can change --
  const steps = (label, trait, stops, unit = "") =>
    slider({
      label,
      min: 0,
      max: stops.length - 1,
      value: 0,
      show: () => count(get(trait)) + (unit && unit + (get(trait) === 1 ? "" : "s")),
      change: (place) => set({ [trait]: stops[place] }),
    });
  const long = steps("Length n", "n", LENGTHS, " word");
  const near = steps("Neighborhood r", "r", NEIGHBORS);
  const kernel = slider({
    label: "Kernel k",
    min: 2,
    max: 15,
    value: get("k"),
    show: () => plain(get("k")),
    change: (k) => set({ k }),
  });
  const own = check({
    label: "Count the projections",
    value: get("projections"),
    change: (projections) => set({ projections }),
  });
  const more = press("", () => {
    all = !all;
    update();
  });
  const tabs = VIEWS.map(({ name }, place) =>
    press(name, () => {
      view = place;
      update();
    }),
  );
  let stop = () => {};
  let here = /** @type {Record<string, any>} */ ({});
  const shown = () => rows.filter(({ compromise }) => all || !compromise);
  const go = press(
    "",
    () => {
      stop();
      const most = Math.max(...shown().map(({ name }) => here[name][VIEWS[view].key]));
      // As many hops at a time in each layer; the later ones faster, to be through with them all.
      const faster = Math.max(1, Math.log(most) / FIRST);
      stop = tween(Math.min(TRIP, 600 * most), (eased) => {
        const after = most * (1 - Math.cbrt(1 - eased)) ** faster;
        for (const { track } of shown()) {
          track.clock(after / most);
          track.run(after);
        }
      });
    },
    { class: "tc-go" },
  );
  const narrow = el.clientWidth > 0 && el.clientWidth < 560;
  const chart = workChart(narrow ? 330 : 654, set);

  // -- a layer: its lane, its work as a bar, and its row of the table --
  const rows = LAYERS.map(({ name, words, compromise }) => {
    const track = lane(name, words, narrow ? 330 : 400);
    const [bar, rule, work, unit] = [h("i"), h("span"), h("b"), h("span")];
    const extra = h("small", {}, "projections");
    const weight = h(
      "div",
      { class: `tc-layer tc-${name}` },
      h("p", {}, h("b", {}, words), rule),
      h("div", {}, bar, extra),
      h("p", { class: "tc-counter" }, work, unit),
    );
    const cells = HEADS.map(() => h("td"));
    const row = h("tr", {}, h("th", { scope: "row" }, words), ...cells);
    return { name, compromise, bar, extra, rule, work, unit, track, weight, cells, row };
  });
  const heads = HEADS.map((name) => h("th", { scope: "col" }, name));
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...rows.map(({ row }) => row)),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  words.dataset.room = explain({ n: 128000, d: 4096, k: 3, r: 32, projections: false }, 1);
  const memory = h("p");
  const extra = h("div", { class: "tc-bar tc-extra" }, kernel.node, near.node);
  const bar = (...nodes) => h("div", { class: "tc-bar" }, ...nodes);
  const views = stack([
    h("div", {}, bar(go, long.node), ...rows.map(({ track }) => track.node)),
    h(
      "div",
      { class: "tc-works" },
      bar(own.node, h("small", {}, "multiply-adds")),
      ...rows.map(({ weight }) => weight),
      chart.node,
    ),
  ]);
  const root = frame({
    name: "complexity",
    title: "What a layer costs",
    controls: tabs,
    told: words,
    below: [
      views.node,
      bar(more),
      extra,
      h("details", {}, h("summary", {}, "Table 1 in numbers"), table, memory),
    ],
  });

  function update() {
    const now = /** @type {any} */ (Object.fromEntries(traits.map((name) => [name, get(name)])));
    here = costs(now);
    const bare = costs({ ...now, projections: false });
    stop();
    long.set(nearest(LENGTHS, now.n));
    near.set(nearest(NEIGHBORS, now.r));
    kernel.set(now.k);
    own.set(now.projections);
    tabs.forEach((tab, place) => tab.setAttribute("aria-pressed", String(place === view)));
    views.show(Number(view === 2));
    const { key, unit, go: act } = VIEWS[Math.min(1, view)];
    say(go, act);
    // The scale of the bars: with the projections, counted or not.
    const whole = costs({ ...now, projections: true });
    const most = Math.max(...shown().map(({ name }) => whole[name].operations));
    const least = (key) => Math.min(...shown().map(({ name }) => here[name][key]));
    for (const each of rows) {
      const cost = here[each.name];
      for (const node of [each.track.node, each.weight, each.row])
        node.toggleAttribute("hidden", !all && Boolean(each.compromise));
      each.row.classList.toggle("tc-best", cost.operations === least("operations"));
      // The projections are a part of the bar, or as long where they are not counted.
      const [base, full] = [bare, whole].map((costs) => costs[each.name].operations);
      each.bar.style.width = `${(100 * base) / most}%`;
      each.extra.style.width = `${(100 * (full - base)) / most}%`;
      each.extra.hidden = full === base;
      each.extra.classList.toggle("tc-counted", now.projections);
      say(each.rule, formula(each.name, now));
      const [number, size = ""] = amount(cost.operations).split(" ");
      say(each.work, number);
      say(each.unit, size);
      each.track.draw(now, cost[key], unit, view === 1);
      ["operations", "sequential", "path"].forEach((key, n) => {
        say(each.cells[n], n ? count(cost[key]) : amount(cost[key]));
        each.cells[n].classList.toggle("tc-least", cost[key] === least(key));
      });
    }
    say(more, all ? "Leave out the two compromises" : "Add two compromises");
    more.setAttribute("aria-expanded", String(all));
    extra.toggleAttribute("hidden", !all);
    say(memory, weights(now.n));
    say(words, explain(now, view));
    chart.show(now);
  }

  return live({ model, el }, root, traits, update);
}

export default { render };
