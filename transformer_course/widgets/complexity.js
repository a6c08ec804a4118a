// @ts-check
// Table 1 as pictures: how far a signal goes in a layer, in how many steps, for how much work.
import {
  LAYERS,
  NEIGHBORS,
  amount,
  costs,
  crossings,
  explain,
  nearest,
  weights,
} from "./complexity_counts.js";
import { lengthLine } from "./complexity_line.js";
import { layerPicture } from "./complexity_pictures.js";
import { count, plain } from "./numbers.js";
import { check, h, live, press, save, say, slider } from "./shared.js";
import { frame, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const TRIP = 5000; // ms that the longest way of a signal takes
const HEADS = ["multiply-adds", "sequential steps", "longest path"];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  const traits = ["n", "d", "k", "r", "projections"];
  let all = false; // the layers of the compromise too

  // -- what the reader can change --
  const near = slider({
    label: "Neighborhood r",
    min: 0,
    max: NEIGHBORS.length - 1,
    value: 0,
    show: () => count(get("r")),
    change: (place) => set({ r: NEIGHBORS[place] }),
  });
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
  let stop = () => {};
  let here = /** @type {Record<string, any>} */ ({});
  const signal = () => {
    stop();
    const shown = rows.filter(({ compromise }) => all || !compromise);
    const most = Math.max(...shown.map(({ name }) => here[name].path));
    stop = tween(Math.min(TRIP, 600 * most), (eased) => {
      const after = most * (1 - Math.cbrt(1 - eased)); // as many hops a second in each layer
      for (const { picture } of shown) picture.send(after);
    });
  };
  const send = press("Send a signal", signal, { class: "tc-go" });
  const narrow = el.clientWidth > 0 && el.clientWidth < 560;
  const line = lengthLine(narrow ? 330 : 654, set);

  // -- a layer: its name, its work as a bar, its picture; and its row of the table --
  const rows = LAYERS.map(({ name, words, compromise }) => {
    const [bar, work, part] = [h("i"), h("span"), h("span", { class: "tc-part" })];
    const picture = layerPicture(name, narrow ? 330 : 400);
    const about = h("div", {}, h("b", {}, words), h("div", {}, bar), work, part);
    if (name === "attention") bar.title = "dashed: the bar of the recurrent layer";
    const node = h("div", { class: `tc-layer tc-${name}` }, about, picture.node);
    const cells = HEADS.map(() => h("td"));
    const row = h("tr", {}, h("th", { scope: "row" }, words), ...cells);
    return { name, compromise, bar, work, part, picture, node, cells, row };
  });
  const heads = HEADS.map((name) => h("th", { scope: "col" }, name));
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...rows.map(({ row }) => row)),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  words.dataset.room = explain({ n: 95000, d: 4096, k: 15, r: 32, projections: true });
  const memory = h("p");
  const extra = h("div", { class: "tc-bar" }, kernel.node, near.node);
  const root = frame({
    name: "complexity",
    title: "What a layer costs",
    controls: [send, own.node],
    told: words,
    below: [
      h("div", { class: "tc-layers" }, ...rows.map(({ node }) => node)),
      line.node,
      h("div", { class: "tc-bar tc-more" }, more),
      extra,
      h("details", {}, h("summary", {}, "Table 1 in numbers"), table, memory),
    ],
  });

  function update() {
    const now = /** @type {any} */ (Object.fromEntries(traits.map((name) => [name, get(name)])));
    here = costs(now);
    const bare = costs({ ...now, projections: false });
    stop();
    near.set(nearest(NEIGHBORS, now.r));
    kernel.set(now.k);
    own.set(now.projections);
    const shown = rows.filter(({ compromise }) => all || !compromise);
    // The scale of the bars: with the projections, counted or not.
    const whole = costs({ ...now, projections: true });
    const most = Math.max(...shown.map(({ name }) => whole[name].operations));
    const least = (key) => Math.min(...shown.map(({ name }) => here[name][key]));
    // Attention's bar has that of recurrence around it.
    const equal = `${(100 * here.recurrent.operations) / most}%`;
    rows[0].bar.parentElement?.style.setProperty("--equal", equal);
    for (const each of rows) {
      const cost = here[each.name];
      for (const node of [each.node, each.row])
        node.toggleAttribute("hidden", !shown.includes(each));
      const cheapest = cost.operations === least("operations");
      for (const node of [each.node, each.row]) node.classList.toggle("tc-best", cheapest);
      each.bar.style.width = `${(100 * cost.operations) / most}%`;
      const own = cost.operations - bare[each.name].operations;
      each.bar.style.setProperty("--own", `${(100 * own) / cost.operations}%`);
      say(each.work, `${amount(cost.operations)} multiply-adds`);
      say(each.part, own ? `${amount(own)} in projections` : "");
      each.picture.draw(now, cost);
      ["operations", "sequential", "path"].forEach((key, n) => {
        say(each.cells[n], n ? count(cost[key]) : amount(cost[key]));
        each.cells[n].classList.toggle("tc-least", cost[key] === least(key));
      });
    }
    say(more, all ? "Leave out the two compromises" : "Add two compromises");
    more.setAttribute("aria-expanded", String(all));
    extra.toggleAttribute("hidden", !all);
    say(memory, weights(now.n));
    say(words, explain(now));
    line.show(now, crossings(now).recurrent);
  }

  return live({ model, el }, root, traits, update);
}

export default { render };
