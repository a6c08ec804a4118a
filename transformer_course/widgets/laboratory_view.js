// @ts-check
// What one sees of a run: its loss, the share that is right, what it writes, where its heads look.
import { h, say, svg } from "./shared.js";
import { drawPicture, route } from "./laboratory_pictures.js";
import { count, fixed } from "./numbers.js";
import { mean } from "./laboratory_guesses.js";
import { LONGEST, TASKS, namesOf, vocabulary } from "./engine/tasks.js";
import { headMaps, meanOf } from "./laboratory_heads.js";
import { EXPERIMENTS, changed } from "./laboratory_experiments.js";
import { WORDS } from "./laboratory_controls.js";
import { makeChart } from "./laboratory_chart.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

/** A run: its number, its settings, the loss of each step, the shares right on the way, and the
 * last look at the model. @typedef {{id: number, settings: any, losses: number[], shares: number[][],
 * step: number, looked: any}} Run */

/** Means of some steps: single losses jump. @param {number[]} losses @returns {number[][]} */
export function smooth(losses) {
  const size = Math.max(5, Math.round(losses.length / 60));
  const points = [];
  for (let n = 0; n + size <= losses.length; n += size) {
    const part = losses.slice(n, n + size);
    points.push([n + size / 2, mean(part)]);
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

// The first experiment, and six layers, as recorded with seed 0: mean losses of a hundred steps.
const USUAL = [2.92, 2.36, 1.94, 1.71, 1.16, 1.09, 0.88, 0.93, 0.73, 0.65, 0.63, 0.62];
const SIX = [3.05, 2.97, 2.93, 2.91, 2.9, 2.88];

/** The run that stands beside an experiment's own, if one does: a recorded one, but beside six
 * layers the reader's own with the norm before, once it has ended.
 * @param {Prepared} experiment @param {Run[]} past */
export function besides({ beside: name, changes }, past) {
  const { layers, norm } = changes;
  const other = past.find(({ settings }) => !changed(settings, EXPERIMENTS[7]));
  if (layers && !norm && other) return { ...other, name: "norm before" };
  return name && { name, points: (norm ? SIX : USUAL).map((y, n) => [100 * n + 50, y]) };
}

const KEY = "Row: what it writes. Filled: what it looks at.";
/** @param {string} task */
const ofRows = (task) => `New ${TASKS[task].many} right, of 100`;

/** Its parts, and how to draw them. */
export function makeView() {
  const todo = h("small");
  const curve = makeChart();
  const title = h("b");
  const about = h("b");
  const picture = svg("svg", { role: "img" });
  const note = h("small");
  const maps = h("div", { class: "tc-maps" });
  const right = h("p", { class: "tc-right" });

  /** The loss and the share of rows, one above the other; while one guesses, what is asked alone.
   * @param {Run | null} run null while one guesses @param {any} before what stands beside
   * @param {any} settings @param {string} scale rows, loss, or look: the places of the row
   * @param {any} size of it: how high, and across */
  function drawChart(run, before, { task, smoothing, steps }, scale, { high, across }) {
    const guessing = Math.log(TASKS[task].targets);
    const lowest = lowestLoss(vocabulary(TASKS[task]), smoothing);
    const lineOf = (of, share, kind) => {
      const all =
        of.points ?? (share ? of.shares.map(([x, y]) => [x, 100 * y]) : smooth(of.losses));
      const points = all.filter(([x]) => x <= steps);
      if (!points.length) return [];
      const value = points.at(-1)[1];
      // While one guesses, the sketches have their words at the end: it has its name on the way.
      const at = Math.min(Math.ceil(0.4 * points.length), points.length - 1);
      if (!run && of.name) return [{ points, kind, text: of.name, at }];
      const text = share ? `${Math.round(value)} of 100` : fixed(value, 2);
      return [{ points, kind, text: of === run ? text : `${of.name ?? "was"} ${text}` }];
    };
    const band = (share, first) => {
      const lines = [
        ...(before && first ? lineOf(before, share, "tc-before") : []),
        ...(run ? lineOf(run, share, first ? "tc-first" : "tc-second") : []),
      ];
      if (share) return { top: 100, up: [0, 100], lines };
      const most = Math.max(guessing, ...lines.flatMap(({ points }) => points.map(([, y]) => y)));
      const known = [[guessing, `guessing blindly: ${fixed(guessing, 2)}`, -7]];
      // What a run without smoothing goes below is no line for it.
      if (smoothing) known.push([lowest, `lowest if smoothed: ${fixed(lowest, 2)}`, 18]);
      const top = Math.min(8, 0.3 + most);
      return { top, up: first ? [0, 1, 2, 3] : [0, 3], known: first ? known : [], lines };
    };
    const rows = scale === "rows";
    const second = { ...band(!rows, false), title: rows ? "Loss" : ofRows(task) };
    curve.draw(steps, [band(rows, true), ...(run ? [second] : [])], high, across);
    return { steps, guessing };
  }

  return {
    chart: curve,
    picture,
    nodes: {
      todo,
      right,
      result: h(
        "div",
        { class: "tc-result" },
        title,
        h("span", { class: "tc-ask" }, "Guess ↓"),
        h("div", { class: "tc-plot" }, curve.node),
      ),
      looks: h(
        "div",
        { class: "tc-looks" },
        about,
        h("div", { class: "tc-plot" }, picture),
        note,
        maps,
      ),
    },
    /** @param {{run: Run | null, before: any, fresh: any, settings: any, text: string,
     * scale: string, mine: number, small: boolean, size: {width: number, height: number, high: number, across: number}}} state
     * `mine` is the letter that is picked, `size` the picture's, `high` and `across` the chart's, `fresh` a look at the model
     * before it learns
     * @returns {any} what sketches in the chart need to know */
    draw({ run, before, fresh, settings, text, scale, mine, size, small }) {
      say(todo, `Task: ${WORDS[settings.task]}`);
      const seen = run?.looked;
      const shown = run?.settings ?? settings;
      const task = TASKS[shown.task];
      const written = run ? seen : fresh;
      const share = written?.share ?? 0;
      const now = `${Math.round(100 * share)} of 100 right`;
      const after = run && (run.step < shown.steps ? `${now} after` : "Trained for");
      say(right, run ? `${after} ${count(run.step)} steps` : fresh ? `${now}, untrained` : "");
      say(title, scale === "rows" ? ofRows(shown.task) : "Loss");
      const row = (seen?.row ?? task.read(text)).slice(0, LONGEST);
      const wanted = task.answer(row);
      const [source, hoped, output] = [row, wanted ?? [], written?.output ?? []].map((ids) =>
        namesOf(task, ids),
      );
      const looks = seen ? meanOf(seen.weights).slice(0, output.length) : null;
      const picks = scale === "look";
      const [learned, believes] = [seen?.cosines, wanted?.length ? seen?.belief : null];
      const scene = { source, hoped, output, looks, learned, believes, mine, picks, ...size };
      const crosses = drawPicture(picture, about, shown, scene);
      const words = task.between !== "";
      // Where it writes nothing, as the picture says, no head has a line to show.
      const mapped = crosses && (run || small) && output.length;
      const ways = route(source, hoped, shown.task === "reverse");
      headMaps(maps, mapped ? written.weights : [], source, output, { hoped, ways });
      const hint = wanted
        ? `It should write ${hoped.join(" ")}`
        : "The phrasebook has no such sentence.";
      say(note, words ? hint : small && mapped ? KEY : "");
      return drawChart(run, before, shown, scale, size);
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
