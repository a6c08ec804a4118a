// @ts-check
// What one sees of a run: its loss, the share that is right, what it writes, where its heads look.
import { chart } from "./chart.js";
import { LONGEST, TASKS, namesOf } from "./engine/tasks.js";
import { TO_DO } from "./laboratory_experiments.js";
import { headMaps } from "./laboratory_heads.js";
import { count, fixed } from "./numbers.js";
import { h, say, svg } from "./shared.js";

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

/** Its parts, and how to draw them. */
export function makeView() {
  const task = h("small");
  const curve = chart({ label: "Loss by step", width: 350, height: 236 });
  const waits = svg(
    "text",
    { class: "tc-waits", x: 195, y: 120 },
    "Here its loss will fall, or not.",
  );
  curve.node.append(waits);
  const key = h("p", { class: "tc-legend" });
  const meter = h("div", { class: "tc-meter", role: "img" }, h("i"), h("b"), h("u"));
  const right = h("p", { class: "tc-right" });
  const counted = h("b");
  const written = h("div", { class: "tc-written" });
  const where = h("p", { class: "tc-where" });
  const maps = h("div", { class: "tc-maps" });

  /** @param {Run | null} run @param {Run | null} before @param {number} end of the axis
   * @param {number} tokens that a target may have @param {number | undefined} mine the reader's guess
   * of where it ends */
  function drawLoss(run, before, end, tokens, mine) {
    const guessing = Math.log(tokens);
    const mark = [0, end].map((x) => [x, guessing]);
    /** @type {any[]} */
    const lines = [{ points: mark, hue: 5, dash: "2 4", width: 1 }];
    if (before) lines.push({ points: smooth(before.losses), hue: 4, dash: "5 4" });
    const start = run && run.id < 0 ? run.looked.loss : null;
    if (run && !start) lines.push({ points: smooth(run.losses), hue: 1, width: 2.5 });
    const marks = start ? [{ x: 0, y: start, hue: 1, text: `untrained: ${fixed(start, 2)}` }] : [];
    if (mine !== undefined)
      marks.push({ x: end, y: mine, hue: 4, text: `your guess: ${fixed(mine, 1)}` });
    waits.classList.toggle("tc-off", Boolean(before) || !start || mine !== undefined);
    const top = Math.max(
      3.5,
      start ?? 0,
      ...lines.flatMap(({ points }) => points.map(([, y]) => y)),
    );
    curve.draw({
      x: { min: 0, max: end, label: "step" },
      y: { min: 0, max: Math.min(top, 8), label: "" },
      lines,
      marks,
    });
    const legend = `${before !== null} ${tokens}`;
    if (key.dataset.legend === legend) return;
    key.dataset.legend = legend;
    key.replaceChildren(
      h("span", {}, h("i", { class: "tc-hue1" }), "this run"),
      ...(before ? [h("span", {}, h("i", { class: "tc-hue4" }), "the run before")] : []),
      h(
        "span",
        {},
        h("i", { class: "tc-hue5" }),
        `guessing blindly: ln ${tokens} = ${fixed(guessing, 2)}`,
      ),
    );
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
    const loss = fixed(smooth(run?.losses ?? []).at(-1)?.[1] ?? NaN, 2).replace("NaN", "–");
    const after = run && run.id > 0 ? `${now} after ${count(run.step)} steps; loss ${loss}` : "";
    say(right, after || `Not trained yet${run ? `: ${now}` : ""}.`);
  }

  /** The row, what is written for it, and where the heads look; before a run, the room for it.
   * @param {Run | null} run @param {any} settings @param {string} text */
  function drawLook(run, settings, text) {
    const seen = run?.looked;
    const task = TASKS[(seen ? run.settings : settings).task];
    const words = task.between !== "";
    const row = seen ? seen.row : task.read(text).slice(0, LONGEST);
    const wanted = seen ? seen.wanted : task.answer(row);
    const [source, hoped] = [row, wanted ?? []].map((ids) => namesOf(task, ids));
    const output = seen ? namesOf(task, seen.output) : hoped.map(() => "");
    const missing = words ? [] : hoped.slice(output.length); // it has ended before them
    const kind = (name, n) =>
      !seen ? "open" : !wanted || run.id < 0 ? "unknown" : name === hoped[n] ? "right" : "wrong";
    const tiles = (names, tag) =>
      names.flatMap((name, n) => [
        n ? task.between : "",
        h("span", { "data-kind": tag(name, n) }, name),
      ]);
    const wish = !wanted
      ? "The phrasebook's grammar has no such sentence."
      : `It should write ${hoped.join(task.between)}`;
    const line = (label, node) => h("p", {}, h("span", {}, label), node);
    written.classList.toggle("tc-words", words);
    written.replaceChildren(
      ...(words
        ? []
        : [line("reads", h("span", { class: "tc-tiles" }, ...tiles(source, () => "read")))]),
      line(
        "writes",
        h(
          "span",
          { class: "tc-tiles tc-output" },
          ...tiles(output, kind),
          ...missing.map(() => h("span", { "data-kind": "open" })),
        ),
      ),
      h("small", {}, seen ? (output.length ? "" : "It writes nothing. ") + wish : ""),
    );
    const heads = words ? 1 : settings.heads;
    const blank = (length) => Array.from({ length }, () => Array(source.length + 1).fill(0));
    const lines = seen
      ? seen.weights.map((written) => [...written, ...blank(missing.length)])
      : Array.from({ length: heads }, () => blank(output.length + 1));
    headMaps(maps, lines, source, output, words);
  }

  return {
    nodes: { task, curve: curve.node, key, meter, right, counted, written, where, maps },
    /** @param {{run: Run | null, before: Run | null, mine: Record<string, number>, settings: any,
     * text: string}} state `mine` is the reader's guess, by what it is of */
    draw({ run, before, mine, settings, text }) {
      say(task, TO_DO[settings.task]);
      const { many, targets } = TASKS[(run?.settings ?? settings).task];
      const words = TASKS[settings.task].between !== "";
      say(
        counted,
        words ? "New sentences translated without a mistake" : "New rows written without a mistake",
      );
      say(
        where,
        words
          ? "Where it looks: a line for each German word, a column for each of yours, ■ the end"
          : "Where its heads look: a line for each letter that it writes, a column for each of your row",
      );
      const end = Math.max(settings.steps, before?.step ?? 0, run?.step ?? 0);
      drawLoss(run, before, end, targets, mine.loss);
      drawShare(run, before, mine.share, many);
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
