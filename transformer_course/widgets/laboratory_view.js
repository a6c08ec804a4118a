// @ts-check
// What one sees of a run: its loss, the share that is right, what it writes, where its heads look.
import { LONGEST, TASKS, namesOf, vocabulary } from "./engine/tasks.js";
import { headMaps, meanOf } from "./laboratory_heads.js";
import { WORDS } from "./laboratory_controls.js";
import { makeChart } from "./laboratory_chart.js";
import { drawPicture } from "./laboratory_pictures.js";
import { count, fixed } from "./numbers.js";
import { h, say, svg } from "./shared.js";

/** A run: its number, its settings, the loss of each step, the shares right on the way, and the
 * last look at the model. @typedef {{id: number, settings: any, losses: number[], shares: number[][],
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

/** Its parts, and how to draw them. */
export function makeView() {
  const todo = h("small");
  const curve = makeChart();
  const title = h("p");
  const about = h("b");
  const picture = svg("svg", { role: "img" });
  const note = h("small");
  const maps = h("div", { class: "tc-maps" });
  const right = h("p", { class: "tc-right" });

  /** The loss and the share of rows, of which one has the axis.
   * @param {Run | null} run null while one guesses @param {Run | null} before
   * @param {any} settings @param {string} scale rows, loss, both, or look: the places of the row
   * @param {string[]} row */
  function drawChart(run, before, { task, smoothing, steps }, scale, row) {
    const end = Math.max(steps, before?.step ?? 0, run?.step ?? 0);
    const guessing = Math.log(TASKS[task].targets);
    const about = { steps: end, guessing, row: row.length };
    if (scale === "look") {
      const across = [...row, "■"].map((name, n) => [n, name]);
      const lines = [
        { points: [[row.length / 2, 0.92]], hue: 5, text: "writes the first letter", at: 0 },
      ];
      curve.draw({ x: [-0.5, row.length + 0.5], top: 1, label: "it reads", across, up: [], lines });
      return about;
    }
    const rows = scale === "rows";
    const lowest = lowestLoss(vocabulary(TASKS[task]), smoothing);
    /** @type {any[]} */
    const lines = [];
    const add = (of, share, hue, text, more) => {
      const points = share ? of.shares.map(([x, y]) => [x, y * guessing]) : smooth(of.losses);
      if (!points.length) return;
      const last = points.at(-1)[1];
      const value = share ? `${Math.round((100 * last) / guessing)} of 100` : fixed(last, 2);
      // While one guesses, the sketches have their words at the end.
      const at = run ? undefined : Math.floor(points.length / 4);
      lines.push({ points, hue, text: `${text}: ${value}`, at, ...more });
    };
    if (before) add(before, rows, 4, "the run before", { dash: "5 4" });
    if (run) add(run, !rows, rows ? 1 : 3, rows ? "loss" : "rows right", { width: 1.5 });
    if (run) add(run, rows, rows ? 3 : 1, rows ? "rows right" : "loss", { width: 3 });
    const top = Math.min(
      8,
      0.46 + Math.max(guessing, ...lines.flatMap(({ points }) => points.map(([, y]) => y))),
    );
    const step = end > 2000 ? 1000 : end > 1000 ? 400 : 200;
    const every = (most, by) =>
      Array.from({ length: Math.floor(most / by) + 1 }, (_, n) => [n * by, count(n * by)]);
    const known = [
      [guessing, `guessing blindly: ${fixed(guessing, 2)}`, run ? -30 : -6, run],
      [lowest, `as low as can be: ${fixed(lowest, 2)}`, 14, true],
    ];
    curve.draw({
      x: [0, end],
      top,
      label: "step",
      across: every(end, step),
      up: rows ? [0, 50, 100].map((n) => [(n * guessing) / 100, String(n)]) : every(top, 1),
      known: rows ? [] : known.filter(([y]) => y),
      lines,
    });
    return about;
  }

  return {
    chart: curve,
    nodes: {
      todo,
      right,
      title,
      plot: h("div", { class: "tc-plot" }, curve.node),
      looks: h("div", { class: "tc-looks" }, about, picture, note, maps),
    },
    /** @param {{run: Run | null, before: Run | null, fresh: any, settings: any, text: string,
     * scale: string, guesses: string, wide: boolean}} state `guesses` says what the chart shows of
     * them, `fresh` is a look at the untrained model
     * @returns {any} what sketches in the chart need to know */
    draw({ run, before, fresh, settings, text, scale, guesses, wide }) {
      say(todo, `Task: ${WORDS[settings.task]}`);
      const seen = run?.looked;
      const shown = run?.settings ?? settings;
      const task = TASKS[shown.task];
      const written = run ? seen : fresh;
      const share = written?.share ?? 0;
      const now = `${Math.round(100 * share)} of 100 right`;
      say(right, run ? `${now} after ${count(run.step)} steps` : fresh ? `${now}, untrained` : "");
      title.replaceChildren(
        h(
          "b",
          {},
          {
            rows: `New ${task.many} right, of 100`,
            both: "Loss, and rows right (green)",
            look: "Where it looks",
          }[scale] ?? "Loss",
        ),
        h("small", {}, guesses),
      );
      const row = (seen?.row ?? task.read(text)).slice(0, LONGEST);
      const wanted = task.answer(row);
      const [source, hoped, output] = [row, wanted ?? [], written?.output ?? []].map((ids) =>
        namesOf(task, ids),
      );
      const heads = seen?.weights;
      const looks = heads ? meanOf(heads).slice(0, output.length) : null;
      drawPicture(picture, about, shown, { source, hoped, output, looks }, wide);
      const words = task.between !== "";
      headMaps(maps, words || !heads ? [] : heads, source, output);
      say(
        note,
        !wanted
          ? "The phrasebook's grammar has no such sentence."
          : !run
            ? ""
            : words
              ? `It should write ${hoped.join(" ")}`
              : "Green: where it looks. Dotted: where it belongs.",
      );
      return drawChart(run, before, shown, scale, source);
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
