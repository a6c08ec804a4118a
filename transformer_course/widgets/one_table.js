// @ts-check
// One table of vectors: read a word of either language from it, score every word by it, choose.
import { count, fixed, random } from "./numbers.js";
import { inPlay, scores, shares, size, tallied } from "./one_table_numbers.js";
import { sumOf } from "./one_table_sum.js";
import { MOVES, h, live, press, save, say, slider, svg, take } from "./shared.js";
import { frame, glide, stack, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const [SHOWN, HIGH] = [24, 23]; // entries of a row that are drawn, and its pixels
const [ROWS_TO, X_TO] = [0.3, 4]; // the sizes that have the full color
const STEPS = ["Read English", "Read German", "Score", "Choose"];
const DRAWS = 100;
const WHO = "1: the encoder reads English. 2: the decoder reads German. 3: it scores every row.";
const legend = (text, kind = "") => h("p", { class: `tc-legend ${kind}` }, text);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const { words, read, rows, x, logits, best } = model.get("table");
  const width = x.length;
  const root = Math.sqrt(width);
  const all = [...words.keys()];
  const found = scores(x, rows);
  const [low, high] = [Math.min(0, ...found), Math.max(...found)];
  const top = found.indexOf(high);
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
    go: (step) => save(model, { step, word: read[step]?.[1] ?? top }),
    every: 2600,
  });

  // -- in the middle: the table, a row of entries for each word --
  const strip = (values, most) => {
    const cells = values.slice(0, SHOWN).map((v, d) => {
      const opacity = (0.08 + 0.92 * Math.min(1, Math.abs(v) / most)).toFixed(2);
      const kind = v < 0 ? "tc-less" : "tc-more";
      return svg("rect", { class: kind, x: d * 10, width: 9, height: 10, "fill-opacity": opacity });
    });
    const box = { viewBox: `0 0 ${SHOWN * 10 - 1} 10`, preserveAspectRatio: "none" };
    return svg("svg", { ...box, class: "tc-strip", "aria-hidden": true }, ...cells);
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
  const strips = rows.map((row) => strip(row, ROWS_TO));
  labels.forEach((label, n) => {
    label.append(h("span", {}, words[n]), strips[n]);
  });
  const table = h(
    "div",
    { class: "tc-rows", role: "group", "aria-label": "Rows of the table; arrow keys move" },
    ...labels,
  );

  // -- at the left: the three jobs, each wired to its rows --
  const places = [...read, all].map((ids, n) =>
    n < 2 ? (Math.min(...ids) + Math.max(...ids) + 1) / 2 : all.length - 1.5,
  );
  const jobs = ["Encoder", "Decoder", "Decoder"].map((name, n) => {
    const about = ["reads English", "reads German", "scores every row"][n];
    const style = `top: ${places[n] * HIGH}px`;
    const button = press("", () => bar.tabs[n].click(), { class: `tc-job tc-job${n}`, style });
    button.append(h("i", {}, String(n + 1)), h("span", {}, h("b", {}, name), ` ${about}`));
    return button;
  });
  const wires = [...read, all].map((ids, n) =>
    ids.map((row) => {
      const [from, to] = [places[n] * HIGH, (row + 0.5) * HIGH];
      return svg("path", { class: `tc-job${n}`, d: `M0 ${from}C24 ${from} 16 ${to} 40 ${to}` });
    }),
  );
  const box = { viewBox: `0 0 40 ${all.length * HIGH}`, preserveAspectRatio: "none" };
  const fans = svg("svg", { ...box, class: "tc-fans", "aria-hidden": true });
  fans.append(...wires.reverse().flat());
  wires.reverse();

  // -- at the right: a score for each row, from zero on --
  const along = (score) => (100 * score) / (high - low);
  const bars = all.map((n) => {
    const [fill, value] = [h("i"), h("data")];
    const zero = h("s", { style: `left: ${along(-low)}%` });
    const kind = n === top ? "tc-top" : "";
    const node = h("li", { class: kind }, h("span", {}, words[n]), h("em", {}, fill, zero), value);
    return { node, fill, value };
  });
  const scored = h("ol", { class: "tc-bars" }, ...bars.map(({ node }) => node));
  const grow = glide((lengths) =>
    bars.forEach(({ fill }, n) => {
      fill.style.width = `${along(Math.abs(lengths[n]))}%`;
      fill.style.left = `${along(Math.min(0, lengths[n]) - low)}%`;
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
    const [fill, mark, value] = [h("i", { class: "tc-more" }), h("u"), h("data")];
    const node = h("li", {}, h("span", {}, name), h("em", {}, fill, mark), value);
    return { node, fill, mark, value };
  });
  const roll = press(`Draw ${DRAWS} words`, () => {
    const p = shares(logits, model.get("temperature"));
    const ids = best.map(([id]) => id);
    tally = tallied(p, ids, DRAWS, luck);
    update();
  });
  const marked = h("small", {}, `mark: its share of the ${DRAWS} draws`);
  const choose = h(
    "div",
    { class: "tc-panel" },
    heat.node,
    h("ol", { class: "tc-likely" }, ...likely.map(({ node }) => node)),
    h("div", { class: "tc-bar" }, roll, marked),
  );
  const sway = glide((p) => likely.forEach(({ fill }, n) => (fill.style.width = `${100 * p[n]}%`)));

  const sum = sumOf(width, SHOWN);
  const panels = stack([scored, choose, sum.node]);
  const to = h("b");
  const about = `${count(rows.length)} of its ${count(logits.length)} rows`;
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const widget = frame({
    name: "onetable",
    title: "One table, three jobs",
    steps: bar.node,
    told,
    inputs: [
      h("p", { class: "tc-shown" }, h("b", {}, "The table"), h("small", {}, about)),
      h("div", { class: "tc-vector" }, h("span", {}, "x"), strip(x, X_TO)),
      h("div", { class: "tc-jobs" }, ...jobs),
      fans,
      table,
    ],
    result: [h("p", {}, to), panels.node],
    below: [
      legend(WHO, "tc-who"),
      legend(
        `Of each row the first ${SHOWN} of ${width} numbers; color is above zero, gray below.`,
        "tc-strips",
      ),
    ],
  });

  let seen = -1;
  let before = NaN;
  function update() {
    const [word, step, T] = ["word", "step", "temperature"].map((name) => model.get(name));
    if (T !== before) [before, tally] = [T, []];
    const p = shares(logits, T);
    const some = best.map(([id]) => p[id]);
    const parts = [...some, 1 - some.reduce((sum, share) => sum + share, 0)];
    bar.show(step);
    heat.set(T);
    panels.show([2, 2, 0, 1][step]);
    say(to, ["Into the encoder", "Into the decoder", "x against every row", "The next word"][step]);
    const place = read[step]?.indexOf(word) ?? -1; // the decoder's position 0 has the start
    sum.show(
      words[word],
      rows[word],
      place < 0 ? place : place + step,
      ["encoder", "decoder"][step],
    );
    widget.classList.toggle("tc-choosing", step > 2);
    widget.classList.toggle("tc-reading", step < 2);
    widget.classList.toggle("tc-writing", step === 1);
    const job = Math.min(step, 2);
    jobs.forEach((each, n) => each.setAttribute("aria-pressed", String(job === n)));
    wires.forEach((fan, n) =>
      fan.forEach((wire, at) => {
        wire.classList.toggle("tc-on", job === n);
        wire.classList.toggle("tc-chosen", job === n && (read[n] ?? all)[at] === word);
      }),
    );
    scored.classList.toggle("tc-pale", step !== 2);
    labels.forEach((label, n) => {
      label.setAttribute("aria-pressed", String(n === word));
      label.tabIndex = n === word ? 0 : -1;
      label.classList.toggle("tc-read", step === 0 && read[0].includes(n));
      label.classList.toggle("tc-write", step === 1 && read[1].includes(n));
      const likeliest = best.some(([, name]) => name === words[n]);
      label.classList.toggle("tc-compared", step === 2 || (step === 3 && likeliest));
    });
    if (step === 2 && seen !== 2 && seen >= 0) grow(found.map(() => 0));
    seen = step;
    grow(found);
    bars.forEach(({ value }, n) => say(value, fixed(found[n], 1)));
    sway(parts);
    marked.style.visibility = tally.length ? "" : "hidden";
    likely.forEach(({ value, mark }, n) => {
      say(value, `${fixed(100 * parts[n], parts[n] < 0.1 ? 1 : 0)}\u00a0%`);
      mark.style.left = `${tally[n] ?? 0}%`;
      mark.hidden = tally.length === 0;
    });
    const first = `“${best[0][1]}”`;
    const other = word === top ? "" : `; “${words[word]}” has ${fixed(found[word], 1)}`;
    const smaller = fixed(Math.SQRT1_2 / size(rows[word]), 0);
    const lookup =
      place < 0
        ? `“${words[word]}” is not in its text.`
        : `The numbers of “${words[word]}” are ${smaller} times smaller than a position’s, so ` +
          `the row is multiplied by √${width}\u00a0≈\u00a0${fixed(root, 1)}.`;
    say(
      told,
      [
        `Job 1: the encoder looks up English. ${lookup}`,
        `Job 2: the decoder looks up German there too. ${lookup}`,
        `Job 3: the decoder compares its vector x with the same rows. The best match of ` +
          `${count(logits.length)} is ${first}, with a score of ` +
          `${fixed(logits[best[0][0]], 1)}${other}.`,
        `At temperature ${fixed(T, 2)} ${first} has ${fixed(100 * some[0], 1)}\u00a0%: as open as a ` +
          `choice among ${inPlay(p) < 100 ? fixed(inPlay(p), 1) : count(inPlay(p))} equal words. Hotter is more ` +
          "even, the order stays.",
      ][step],
    );
  }

  return live({ model, el }, widget, ["word", "step", "temperature"], update);
}

export default { render };
