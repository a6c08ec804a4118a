// @ts-check
// One table of vectors: read a word of either language from it, score every word by it, choose.
import { count, fixed, random } from "./numbers.js";
import { drawn, inPlay, scores, shares, size } from "./one_table_numbers.js";
import { MOVES, h, live, press, save, say, slider, svg, take } from "./shared.js";
import { frame, glide, stack, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const [ROW, CELL] = [18, 2]; // pixels of a row, of an entry
const STEPS = ["Read English", "Read German", "Score", "Choose"];
const DRAWS = 100;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const { words, read, rows, x, logits, best } = model.get("table");
  const width = x.length;
  const root = Math.sqrt(width);
  const all = [...words.keys()];
  const found = scores(x, rows);
  const luck = random(7);
  let tally = /** @type {number[]} */ ([]);

  const go = (word) => {
    const step = model.get("step");
    const reads = read[1].includes(word) ? 1 : 0;
    save(model, { word, step: step > 1 ? step : read[reads].includes(word) ? reads : step });
  };
  const bar = stepBar({
    names: STEPS,
    short: ["1 English", "2 German", "3 Score", "4 Choose"],
    get: () => model.get("step"),
    go: (step) => save(model, step < 2 ? { step, word: read[step][1] } : { step }),
    every: 2600,
  });

  // -- left: the table, a row of entries for each word --
  const strip = (values, scale) => {
    const cells = values.map((v, d) =>
      svg("rect", {
        x: d * CELL,
        y: 1,
        width: CELL,
        height: ROW - 2,
        class: v < 0 ? "tc-less" : "tc-more",
        "fill-opacity": Math.min(1, Math.abs(v) / scale).toFixed(2),
      }),
    );
    const box = { viewBox: `0 0 ${width * CELL} ${ROW}`, preserveAspectRatio: "none" };
    return svg("svg", { ...box, "aria-hidden": true }, ...cells);
  };
  const labels = all.map((n) =>
    press("", () => go(n), {
      pointerenter: ({ buttons }) => buttons && go(n),
      keydown: (event) => {
        const to = n + (MOVES[event.key]?.[0] ?? 0);
        if (to === n || !labels[to]) return;
        take(event);
        go(to);
        labels[to].focus();
      },
    }),
  );
  labels.forEach((label, n) => label.append(h("span", {}, words[n]), strip(rows[n], 0.4)));
  const table = h(
    "div",
    { class: "tc-rows", role: "group", "aria-label": "Rows of the table; arrow keys move" },
    ...labels,
  );

  // -- right, for reading: the row, and the row times the root of the width --
  const copies = [h("div"), h("div")];
  const sizes = [h("p"), h("p")];
  const role = h("p", {});
  const lookup = h("div", { class: "tc-panel" }, sizes[0], copies[0], sizes[1], copies[1], role);

  // -- right, for scoring: one bar for each row --
  const most = Math.max(...found.map(Math.abs));
  const bars = all.map((n) => {
    const [fill, value] = [h("i"), h("output")];
    return { node: h("li", {}, h("span", {}, words[n]), h("em", {}, fill), value), fill, value };
  });
  const scored = h("ol", { class: "tc-scores" }, ...bars.map(({ node }) => node));
  const grow = glide((lengths) =>
    bars.forEach(({ fill }, n) => {
      fill.style.width = `${(50 * Math.abs(lengths[n])) / most}%`;
      fill.className = lengths[n] < 0 ? "tc-less" : "tc-more";
    }),
  );

  // -- right, for choosing: a temperature, shares, draws --
  const heat = slider({
    label: "Temperature",
    min: 0.25,
    max: 4,
    step: 0.05,
    value: 1,
    show: (t) => fixed(t, 2),
    change: (temperature) => save(model, { temperature }),
  });
  const names = [...best.map(([, name]) => name), "others"];
  const likely = names.map((name) => {
    const [fill, mark, value] = [h("i", { class: "tc-more" }), h("u"), h("output")];
    return {
      node: h("li", {}, h("span", {}, name), h("em", {}, fill, mark), value),
      fill,
      mark,
      value,
    };
  });
  const roll = press(`Draw ${DRAWS} words`, () => {
    const p = shares(logits, model.get("temperature"));
    tally = names.map(() => 0);
    for (let n = 0; n < DRAWS; n += 1) {
      const at = best.findIndex(([id]) => id === drawn(p, luck()));
      tally[at < 0 ? best.length : at] += 1;
    }
    update();
  });
  const choose = h(
    "div",
    { class: "tc-panel" },
    heat.node,
    h("ol", { class: "tc-likely" }, ...likely.map(({ node }) => node)),
    h("div", { class: "tc-bar" }, roll, h("small", {}, "a mark: of 100 draws")),
  );
  const sway = glide((p) => likely.forEach(({ fill }, n) => (fill.style.width = `${100 * p[n]}%`)));

  const panels = stack([lookup, scored, choose]);
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const widget = frame({
    name: "onetable",
    title: "One table, three jobs",
    steps: bar.node,
    inputs: [h("p", { class: "tc-legend" }, `Rows of ${width} numbers:`), table],
    result: [panels.node],
    below: [told],
  });

  let before = NaN;
  function update() {
    const [word, step, T] = ["word", "step", "temperature"].map((name) => model.get(name));
    if (T !== before) [before, tally] = [T, []];
    const p = shares(logits, T);
    const some = best.map(([id]) => p[id]);
    const parts = [...some, 1 - some.reduce((sum, share) => sum + share, 0)];
    bar.show(step);
    heat.set(T);
    panels.show([0, 0, 1, 2][step]);
    labels.forEach((label, n) => {
      label.setAttribute("aria-pressed", String(n === word));
      label.tabIndex = n === word ? 0 : -1;
      label.classList.toggle("tc-inuse", step < 2 ? read[step].includes(n) : true);
    });
    const own = size(rows[word]);
    say(sizes[0], `The row of “${words[word]}”: entries of size ${fixed(own, 2)}`);
    say(sizes[1], `Times √${width} = ${fixed(root, 1)}: entries of size ${fixed(own * root, 2)}`);
    copies[0].replaceChildren(strip(rows[word], 2.5));
    copies[1].replaceChildren(
      strip(
        rows[word].map((v) => v * root),
        2.5,
      ),
    );
    say(role, `A sinusoid’s entries have size ${fixed(Math.SQRT1_2, 2)}. The two are added.`);
    grow(found.map((score) => (step === 2 ? score : 0)));
    bars.forEach(({ node, value }, n) => {
      say(value, fixed(found[n], 1));
      node.classList.toggle("tc-on", n === word);
    });
    sway(parts);
    likely.forEach(({ value, mark }, n) => {
      say(value, `${fixed(100 * parts[n], parts[n] < 0.1 ? 1 : 0)} %`);
      mark.style.left = `${tally[n] ?? 0}%`;
      mark.hidden = tally.length === 0;
    });
    const top = best[0][1];
    const sentences = [read[0], read[1]].map((ids) =>
      ids
        .map((n) => words[n])
        .join(" ")
        .replace(" .", ""),
    );
    say(
      told,
      [
        `The encoder reads “${sentences[0]}”. Each word is a row of the table.`,
        `The decoder has written “${sentences[1]}”. Its words are rows of the same table.`,
        `The decoder’s last vector is compared with every row. Of all ${count(logits.length)} ` +
          `logits “${top}” has the largest, ${fixed(logits[best[0][0]], 1)}; “${words[word]}” has ` +
          `${fixed(found[word], 1)}.`,
        `At T = ${fixed(T, 2)} “${top}” has ${fixed(100 * some[0], 1)} %, and ` +
          `${fixed(inPlay(p), inPlay(p) < 100 ? 1 : 0)} words are in play. The order never changes.`,
      ][step],
    );
  }

  return live({ model, el }, widget, ["word", "step", "temperature"], update);
}

export default { render };
