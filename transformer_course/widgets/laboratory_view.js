// @ts-check
// What one sees of a run: its loss, the share that is right, what it writes, where its heads look.
import { chart } from "./chart.js";
import { LONGEST, TASKS, namesOf, vocabulary } from "./engine/tasks.js";
import { TO_DO } from "./laboratory_experiments.js";
import { headMaps, meanOf } from "./laboratory_heads.js";
import { count, fixed } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";

/** A run: its number, below zero if it has learned nothing, its settings, the loss of each step, the shares right on the way, and the last
 * look at the model. @typedef {{id: number, settings: any, losses: number[], shares: number[][],
 * step: number, looked: any}} Run */

/** Means of some steps: single losses jump. @param {number[]} losses @returns {number[][]} */
export function smooth(losses) {
  const size = Math.max(5, Math.round(losses.length / 60));
  const points = [];
  for (let n = 0; n + size <= losses.length; n += size) {
    const part = losses.slice(n, n + size);
    points.push([n + size / 2, part.reduce((sum, x) => sum + x, 0) / size]);
  }
  return points;
}

/** The loss of a model that knows all: the smoothed target asks for doubt.
 * @param {number} tokens of the vocabulary @param {number} smoothing */
export function lowestLoss(tokens, smoothing) {
  const even = smoothing / tokens;
  const sure = 1 - smoothing + even;
  return smoothing ? -sure * Math.log(sure) - (tokens - 1) * even * Math.log(even) : 0;
}

/** Which letter of the source each wanted one is: of equal ones the first, or the last, in turn.
 * @param {string[]} source @param {string[]} wanted @param {boolean} back */
export function route(source, wanted, back) {
  const rest = [...source];
  return wanted.map((name) => {
    const at = back ? rest.lastIndexOf(name) : rest.indexOf(name);
    rest[at] = "";
    return at;
  });
}

/** Its parts, and how to draw them. */
export function makeView() {
  const task = h("small");
  const curve = chart({ label: "Loss by step", width: 320, height: 265 });
  const landmarks = [-6, 14].map((dy) => svg("text", { class: "tc-landmark", dy }));
  curve.node.append(...landmarks);
  const box = { viewBox: `0 0 ${LONGEST} 1`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const threads = svg("svg", box);
  const meter = h("div", { class: "tc-meter", role: "img" }, h("i"), h("b"), h("u"));
  const right = h("p", { class: "tc-right" });
  const counted = h("b");
  const written = h("div", { class: "tc-written" });
  const where = h("p", { class: "tc-where" });
  const maps = h("div", { class: "tc-maps" });

  /** @param {Run | null} run @param {Run | null} before @param {number} end of the axis
   * @param {any} settings @param {number | undefined} mine the reader's guess of where it ends */
  function drawLoss(run, before, end, { task, smoothing }, mine) {
    const guessing = Math.log(TASKS[task].targets);
    const lowest = lowestLoss(vocabulary(TASKS[task]), smoothing);
    const known = [guessing, lowest];
    /** @type {any[]} */
    const lines = known.map((y) => ({ points: [0, end].map((x) => [x, y]), hue: 5, dash: "2 4" }));
    /** @type {any[]} */
    const marks = [];
    const add = (points, hue, text, line) => {
      const [x, y] = points.at(-1) ?? [0, NaN];
      if (Number.isNaN(y)) return;
      marks.push({ x, y, hue, text: text + fixed(y, 2) });
      lines.push({ points, hue, ...line });
    };
    if (before) add(smooth(before.losses), 4, "the run before: ", { dash: "5 4" });
    if (run) add(smooth(run.losses), 1, "this run: ", { width: 2.5 });
    if (mine !== undefined)
      marks.push({ x: end, y: mine, hue: 4, text: `your guess: ${fixed(mine, 1)}` });
    const top = Math.max(3.5, ...lines.flatMap(({ points }) => points.map(([, y]) => y + 0.4)));
    curve.draw({
      x: { min: 0, max: end, label: "step" },
      y: { min: 0, max: Math.min(top, 8), label: "" },
      lines,
      marks,
    });
    landmarks.forEach((text, n) => {
      const [x, y] = curve.place(n ? 0 : end, known[n]); // where no curve comes
      assign(text, { x, y, "text-anchor": n ? "start" : "end" });
      const name = ["guessing blindly", "as low as can be"][n];
      say(text, known[n] ? `${name}: ${fixed(known[n], 2)}` : "");
    });
  }

  /** @param {Run | null} run @param {Run | null} before @param {number | undefined} mine the reader's
   * guess @param {string} many */
  function drawShare(run, before, mine, many) {
    const share = run?.looked?.share ?? 0;
    const [bar, past, guess] = /** @type {any[]} */ (Array.from(meter.children));
    bar.style.width = `${100 * share}%`;
    past.hidden = !before?.looked;
    past.style.left = `${100 * (before?.looked?.share ?? 0)}%`;
    guess.hidden = mine === undefined;
    guess.style.left = `${mine ?? 0}%`;
    const now = `${Math.round(100 * share)} of 100`;
    meter.setAttribute("aria-label", `${now} new ${many} right`);
    const after = run && run.id > 0 ? `${now} after ${count(run.step)} steps` : "";
    say(right, after || `Not trained yet${run ? `: ${now}` : ""}.`);
  }

  /** The row, what is written for it, and where the heads look; before a run, the room for it.
   * @param {Run | null} run @param {any} settings @param {string} text */
  function drawLook(run, settings, text) {
    const seen = run?.looked;
    const idle = !run || run.id < 0;
    const task = TASKS[(seen ? run.settings : settings).task];
    const words = task.between !== "";
    const row = seen ? seen.row : task.read(text).slice(0, LONGEST);
    const wanted = seen ? seen.wanted : task.answer(row);
    const [source, hoped] = [row, wanted ?? []].map((ids) => namesOf(task, ids));
    const output = seen ? namesOf(task, seen.output) : hoped.map(() => "");
    const missing = words ? [] : hoped.slice(output.length); // it has ended before them
    const kind = (name, n) =>
      !seen ? "open" : !wanted ? "unknown" : name === hoped[n] ? "right" : "wrong";
    const tiles = (names, tag) =>
      names.flatMap((name, n) => [
        n ? task.between : "",
        h("span", { "data-kind": tag(name, n) }, name),
      ]);
    const wish = !wanted
      ? "The phrasebook's grammar has no such sentence."
      : words
        ? `It should write ${hoped.join(task.between)}`
        : idle
          ? "Lines: where it belongs."
          : "Dotted: where it belongs. Green: where it looks.";
    const line = (label, ...tiles) =>
      h("p", {}, h("span", {}, label), h("span", { class: `tc-tiles tc-${label}` }, ...tiles));
    written.classList.toggle("tc-words", words);
    written.replaceChildren(
      ...(words
        ? []
        : [
            line("reads", ...tiles(source, () => "read")),
            threads,
            line("should", ...tiles(hoped, () => "open")),
          ]),
      line(
        "writes",
        ...tiles(output, kind),
        ...missing.map(() => h("span", { "data-kind": "open" })),
      ),
      h("small", {}, seen ? (output.length ? "" : "It writes nothing. ") + wish : ""),
    );
    const heads = words ? 1 : settings.heads;
    const blank = (length) => Array.from({ length }, () => Array(source.length + 1).fill(0));
    const lines = seen
      ? seen.weights.map((written) => [...written, ...blank(missing.length)])
      : Array.from({ length: heads }, () => blank(output.length + 1));
    headMaps(maps, lines, source, output, words);
    const thread = (from, to, more) =>
      svg("line", { x1: from + 0.5, x2: to + 0.5, y1: 0, y2: 1, ...more });
    const looks = words || idle ? [] : meanOf(lines).slice(0, output.length);
    const from = route(source, hoped, settings.task === "reverse");
    threads.replaceChildren(
      ...looks.flatMap((line, n) =>
        source.map((_, i) => thread(i, n, { "stroke-opacity": line[i].toFixed(2) })),
      ),
      ...from.map((i, n) => thread(i, n, { class: "tc-route" })),
    );
  }

  return {
    nodes: { task, curve: curve.node, meter, right, counted, written, where, maps },
    /** @param {{run: Run | null, before: Run | null, mine: Record<string, number>, settings: any,
     * text: string}} state `mine` is the reader's guess, by what it is of */
    draw({ run, before, mine, settings, text }) {
      say(task, TO_DO[settings.task]);
      const shown = run?.settings ?? settings;
      const words = TASKS[settings.task].between !== "";
      say(
        counted,
        words ? "New sentences translated without a mistake" : "New rows written without a mistake",
      );
      say(
        where,
        words
          ? "Where it looks: a line for each German word"
          : "Each head alone: a line for each letter it writes",
      );
      const end = Math.max(settings.steps, before?.step ?? 0, run?.step ?? 0);
      drawLoss(run, before, end, shown, mine.loss);
      drawShare(run, before, mine.share, TASKS[shown.task].many);
      drawLook(run, settings, text);
    },
  };
}

/** A source of the task that no model learns from, as text.
 * @param {string} task */
export function example(task) {
  const { draw, between } = TASKS[task];
  const [src] = draw(Math.random, true);
  return namesOf(TASKS[task], src.slice(0, LONGEST)).join(between);
}
