// @ts-check
// One table of vectors: read a word of either language from it, score every word by it, choose.
import { count, fixed, random } from "./numbers.js";
import { inPlay, scores, shares, size, tallied } from "./one_table_numbers.js";
import { sumOf } from "./one_table_sum.js";
import { MOVES, h, live, press, save, say, slider, svg, take } from "./shared.js";
import { frame, glide, stack, stepBar, still, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const [SHOWN, HIGH] = [16, 22]; // entries of a row that are drawn, and its pixels
const [ROWS_TO, X_TO] = [0.3, 4]; // the sizes that have the full color
const STEPS = ["Read English", "Read German", "Score", "Choose"];
const DRAWS = 100;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const { words, ids, read, rows, x, logits, best } = model.get("table");
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
    go: (step) => save(model, { word: read[step]?.[1] ?? top, step }),
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
  // x is laid over one row after the other.
  const over = h(
    "div",
    { class: "tc-vector", "aria-hidden": true },
    h("b", {}, "x"),
    strip(x, X_TO),
  );
  const rest = count(logits.length - rows.length);
  const more = h("p", { class: "tc-more" }, `${rest} others`);
  const group = {
    class: "tc-rows",
    role: "group",
    "aria-label": "Rows of the table; arrow keys move",
  };
  const table = h("div", group, ...labels, more, over);

  // -- at the right: for each row a bar, first of its score, then of its share --
  const bars = [...words, "others"].map((word, n) => {
    const [fill, mark, value] = [h("i"), h("u"), h("data")];
    const kind = n === top ? "tc-top" : "";
    const node = h("li", { class: kind }, h("span", {}, word), h("em", {}, fill, mark), value);
    return { node, fill, mark, value };
  });
  const zero = h("s");
  const list = h("ol", { class: "tc-bars" }, ...bars.map(({ node }) => node));
  const scored = h("div", { class: "tc-scored" }, list, zero);
  const draw = (ends) =>
    bars.forEach(({ fill }, n) => {
      const [from, to] = ends[n];
      fill.style.left = `${Math.min(from, to)}%`;
      fill.style.width = `${Math.abs(to - from)}%`;
      fill.className = to < from ? "tc-less" : "tc-more";
    });
  const grow = glide(draw);
  const along = (score) => (100 * (score - low)) / (high - low);
  const lengths = [...found.map((score) => [along(0), along(score)]), [along(0), along(0)]];

  // -- for choosing: a temperature, draws --
  const heat = slider({
    label: "Temperature",
    min: 0.25,
    max: 4,
    step: 0.05,
    value: 1,
    show: (t) => fixed(t, 2),
    change: (temperature) => save(model, { temperature }),
  });
  const parts = () => {
    const p = shares(logits, model.get("temperature"));
    const some = ids.map((id) => p[id]);
    return [...some, 1 - some.reduce((sum, share) => sum + share, 0)];
  };
  const roll = press(`Draw ${DRAWS} words`, () => {
    tally = tallied(parts(), all, DRAWS, luck);
    update();
  });
  const marked = h("small", {}, `mark: of ${DRAWS} draws`);
  const luckily = h("div", { class: "tc-bar" }, marked, roll);

  const sum = sumOf(width, SHOWN);
  const panels = stack([scored, sum.node]);
  const to = h("b");
  const about = `${count(rows.length)} of its ${count(logits.length)} rows`;
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const legend = `${SHOWN} of each row’s ${width} numbers; gray is below zero.`;
  const widget = frame({
    name: "onetable",
    title: "One table, three jobs",
    steps: bar.node,
    told,
    inputs: [h("p", {}, h("b", {}, "The table"), h("small", {}, about)), table],
    result: [h("p", {}, to, heat.node), panels.node],
    below: [h("div", { class: "tc-foot" }, h("p", { class: "tc-legend" }, legend), luckily)],
  });

  /** The row flies into the sum that it is the first part of. @param {number} word */
  function fly(word) {
    if (still()) return;
    const [from, base] = [strips[word], panels.node].map((node) => node.getBoundingClientRect());
    const end = sum.first.getBoundingClientRect();
    const ghost = strips[word].cloneNode(true);
    const at = { left: from.left - base.left, top: from.top - base.top, width: from.width };
    ghost.style.cssText = `left: ${at.left}px; top: ${at.top}px; width: ${at.width}px`;
    panels.node.append(ghost);
    const by = `translate(${end.left - from.left}px, ${end.top - from.top - 4}px)`;
    const way = [{}, { transform: by, opacity: 1, offset: 0.8 }, { transform: by, opacity: 0 }];
    ghost.animate(way, { duration: 900, easing: "ease-in-out" }).onfinish = () => ghost.remove();
  }

  let stop = () => {};
  let [seen, flown] = [-1, -1];
  let before = NaN;
  function update() {
    const [word, step, T] = ["word", "step", "temperature"].map((name) => model.get(name));
    if (T !== before) [before, tally] = [T, []];
    const share = parts();
    bar.show(step);
    heat.set(T);
    const reads = step < 2;
    panels.show(reads ? 1 : 0);
    say(to, ["Into the encoder", "Into the decoder", "x over each row", ""][step]);
    heat.node.hidden = step < 3;
    luckily.style.visibility = step < 3 ? "hidden" : "";
    const place = read[step]?.indexOf(word) ?? -1; // the decoder's position 0 has the start
    sum.show(
      words[word],
      rows[word],
      place < 0 ? place : place + step,
      ["encoder", "decoder"][step],
    );
    widget.dataset.step = step;
    labels.forEach((label, n) => {
      label.setAttribute("aria-pressed", String(n === word));
      label.tabIndex = n === word ? 0 : -1;
      label.classList.toggle("tc-read", (read[step] ?? all).includes(n));
    });
    stop();
    const lay = (row) => (over.style.top = `${row * HIGH}px`);
    const sweeps = step === 2 && seen >= 0 && seen < 2;
    if (sweeps)
      stop = tween(2600, (t) => {
        const at = t * all.length;
        const grown = (n) => Math.min(1, Math.max(0, at - n));
        draw(lengths.map(([from, to], n) => [from, from + (to - from) * grown(n)]));
        lay(t < 1 ? Math.floor(at) : word);
      });
    else if (step > 2) grow(share.map((each) => [0, 100 * each]));
    else grow(lengths);
    if (!sweeps || still()) lay(word);
    if (place >= 0 && seen >= 0 && (seen !== step || flown !== word)) fly(word);
    [seen, flown] = [step, word];
    zero.style.setProperty("--zero", String(step > 2 ? 0 : along(0) / 100));
    marked.style.visibility = tally.length ? "" : "hidden";
    bars.forEach(({ node, value, mark }, n) => {
      const percent = `${fixed(100 * share[n], share[n] < 0.1 ? 1 : 0)}\u00a0%`;
      say(value, step > 2 ? percent : n < all.length ? fixed(found[n], 1) : "");
      node.classList.toggle("tc-none", step > 2 && share[n] < 5e-4);
      mark.style.left = `${tally[n] ?? 0}%`;
      mark.hidden = step < 3 || tally.length === 0;
    });
    const many = inPlay(shares(logits, T));
    const equal = count(many);
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
        `Softmax makes shares of the scores: ${first} has ${fixed(100 * share[top], 1)}\u00a0%. That is as ` +
          `uncertain as a draw among ${equal} equally likely words. Hotter is more even; the order stays.`,
      ][step],
    );
  }

  return live({ model, el }, widget, ["word", "step", "temperature"], update);
}

export default { render };
