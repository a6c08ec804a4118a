// @ts-check
// A Transformer that learns in the page: an experiment, a guess, a run, and what one sees of it.
import { chart } from "./chart.js";
import { PAPERS, idsOf, lettersOf, LONGEST } from "./engine/experiment.js";
import { makeServer } from "./engine/serving.js";
import {
  ALLOWED,
  EXPERIMENTS,
  asLink,
  changed,
  fromLink,
  outcome,
} from "./laboratory_experiments.js";
import { headMaps } from "./laboratory_heads.js";
import { count, fixed } from "./numbers.js";
import { check, choice, h, live, press, save, say, slider } from "./shared.js";
import { frame } from "./stage.js";
import { ownCode, startWorker } from "./worker.js";
/** @import {Context} from "./types.js" */

const GUESSING = Math.log(21); // the loss of who knows the alphabet and the end mark, no more
const NAMES = Object.keys(PAPERS);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const settings = () => Object.fromEntries(NAMES.map((name) => [name, model.get(name)]));
  const row = () => idsOf(model.get("row")).slice(0, LONGEST);
  let /** @type {any} */ run = null; // the one that is shown: id, settings, losses, step, looked
  let /** @type {any} */ before = null; // the one before it
  let /** @type {any} */ server = null;
  let /** @type {number | null} */ guess = null;
  let runs = 0;
  let busy = false;
  let drawing = 0;

  // ---- What one chooses ----

  const which = choice({
    label: "Experiment",
    options: EXPERIMENTS.map(({ name }, n) => [n, name]),
    value: 0,
    change: (n) => {
      stop();
      guess = null;
      save(model, {
        ...PAPERS,
        ...EXPERIMENTS[n].changes,
        seed: model.get("seed"),
        experiment: Number(n),
      });
    },
  });
  const change = (name) => (value) => {
    stop();
    save(model, { [name]: value });
  };
  const list = (label, name, options) =>
    choice({
      label,
      options,
      value: PAPERS[name],
      change: (value) => change(name)(typeof PAPERS[name] === "number" ? Number(value) : value),
    });
  const range = (label, name, step) =>
    slider({ label, ...ALLOWED[name], step, value: PAPERS[name], change: change(name) });
  const controls = {
    task: list("Task", "task", [
      ["reverse", "reverse"],
      ["copy", "copy"],
      ["sort", "sort"],
    ]),
    positions: list("Positions", "positions", [
      ["sinusoidal", "sinusoids"],
      ["learned", "learned"],
      ["rotary", "rotary"],
      ["none", "none"],
    ]),
    norm: list("Norm", "norm", [
      ["post", "after the sum"],
      ["pre", "before the sub-layer"],
    ]),
    heads: list("Heads", "heads", [
      [1, "1"],
      [2, "2"],
      [4, "4"],
    ]),
    layers: range("Layers", "layers", 1),
    rate: range("Rate, times equation 3's", "rate", 0.5),
    warmup: range("Warm-up, steps", "warmup", 50),
    smoothing: range("Label smoothing", "smoothing", 0.1),
    steps: range("Steps", "steps", 200),
    seed: range("Seed", "seed", 1),
    mask: check({ label: "Mask in the decoder", value: true, change: change("mask") }),
  };
  const guessed = slider({
    label: "Your guess",
    min: 0,
    max: 100,
    value: 50,
    show: (x) => `${x} of 100`,
    change: (x) => {
      guess = x;
    },
  });
  const start = press("Train", () => (busy ? stop() : train()), { class: "tc-go" });
  const input = h("input", {
    type: "text",
    maxlength: String(LONGEST),
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    input: () => {
      save(model, { row: input.value });
      server?.send({ kind: "row", row: row() });
    },
    keydown: (event) => event.stopPropagation(),
  });

  // ---- What one sees ----

  const question = h("p", { class: "tc-question" });
  const curve = chart({ label: "Loss by step", width: 350, height: 210 });
  const key = h("p", { class: "tc-legend" });
  const meter = h("div", { class: "tc-meter", role: "img" }, h("i"), h("b"), h("u"));
  const right = h("p", { class: "tc-right" });
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const written = h("p", { class: "tc-written" });
  const maps = h("div", { class: "tc-maps" }, h("p", {}, "They appear when it learns."));
  const link = h("a", { href: "" }, "A link to these settings");
  const small = model.get("small");
  const counted = [h("p", {}, h("b", {}, "New rows written without a mistake")), meter, right];
  const own = [
    h("label", { class: "tc-row" }, h("b", {}, "Your row"), " letters a to t", input),
    written,
  ];
  const looks = [
    h(
      "p",
      {},
      h("b", {}, "Where its heads look"),
      " while it writes: a line for each letter of its own, a column for each of your row; ■ is the end mark",
    ),
    maps,
  ];
  const root = frame({
    name: "laboratory",
    title: "Train a Transformer",
    controls: small ? [start] : [which.node, start],
    inputs: small
      ? [question, ...counted, ...own]
      : [
          question,
          guessed.node,
          h("p", {}, h("b", {}, "Loss"), " in nats a token"),
          curve.node,
          key,
          ...counted,
        ],
    result: small ? looks : [...own, ...looks],
    below: small
      ? [told]
      : [
          told,
          h(
            "details",
            {},
            h("summary", {}, "All settings"),
            h(
              "div",
              { class: "tc-settings" },
              ...Object.values(controls).map(({ node }) => node),
              link,
            ),
          ),
        ],
  });

  root.classList.toggle("tc-small", small);

  // ---- A run ----

  /** The server's answers. @param {any} answer */
  function hear({ kind, id, ...answer }) {
    if (id !== run.id || (kind === "moved" && !busy)) return; // of a run that was stopped
    if (kind === "failed") {
      finish(`The run has ended: ${answer.message}.`);
      return;
    }
    if (answer.losses) {
      run.losses.push(...answer.losses);
      run.step = answer.step;
    }
    if (answer.looked) run.looked = answer.looked;
    if (kind === "ended") {
      save(model, { losses: run.losses, share: run.looked.share });
      finish(outcome(run, guess, EXPERIMENTS[model.get("experiment")]));
    }
    if (answer.looked) drawing ||= requestAnimationFrame(draw); // a few times a second
  }

  function train() {
    if (run?.step) before = run;
    runs += 1;
    run = { id: runs, settings: settings(), losses: [], step: 0, looked: null };
    server ??= startWorker(ownCode(model.get("_esm")), hear, makeServer);
    busy = true;
    guess ??= small ? null : Number(guessed.input.value);
    guessed.input.disabled = true;
    say(start, "Stop");
    say(told, "It learns …");
    update();
    server.send({ kind: "start", id: run.id, settings: run.settings, row: row() });
  }

  const finish = (words) => {
    busy = false;
    guessed.input.disabled = false;
    say(start, run ? "Again" : "Train");
    say(told, words);
  };

  function stop() {
    if (!busy) return;
    server.send({ kind: "stop" });
    finish(`Stopped after ${count(run.step)} steps.`);
  }

  // ---- Drawing ----

  /** Means of some steps: single losses jump. */
  const smooth = (losses) => {
    const size = Math.max(5, Math.round(losses.length / 60));
    const points = [];
    for (let n = 0; n + size <= losses.length; n += size) {
      const part = losses.slice(n, n + size);
      points.push([n + size / 2, part.reduce((sum, x) => sum + x, 0) / size]);
    }
    return points;
  };

  function draw() {
    drawing = 0;
    const steps = Math.max(model.get("steps"), before?.step ?? 0, run?.step ?? 0);
    const lines = [];
    const line = (y, dash) => ({
      points: [
        [0, y],
        [steps, y],
      ],
      hue: 5,
      dash,
      width: 1,
    });
    lines.push(line(GUESSING, "2 4"));
    if (before) lines.push({ points: smooth(before.losses), hue: 4, dash: "5 4" });
    if (run) lines.push({ points: smooth(run.losses), hue: 1, width: 2.5 });
    const ink = Math.max(3.5, ...lines.flatMap(({ points }) => points.map(([, y]) => y)));
    curve.draw({
      x: { min: 0, max: steps, label: "step" },
      y: { min: 0, max: Math.min(ink, 8), label: "" },
      lines,
    });
    const share = run?.looked?.share ?? 0;
    const [bar, past, mine] = /** @type {any[]} */ (Array.from(meter.children));
    bar.style.width = `${100 * share}%`;
    past.hidden = !before?.looked;
    past.style.left = `${100 * (before?.looked?.share ?? 0)}%`;
    mine.hidden = guess === null;
    mine.style.left = `${guess ?? 0}%`;
    const now = `${Math.round(100 * share)} of 100`;
    meter.setAttribute("aria-label", `${now} new rows right`);
    say(
      right,
      run
        ? `${now} after ${count(run.step)} steps; loss ${fixed(smooth(run.losses).at(-1)?.[1] ?? NaN, 2).replace("NaN", "–")}`
        : "Not trained yet.",
    );
    const seen = run?.looked;
    if (!seen) return;
    const wanted = lettersOf(seen.wanted);
    const letters = Array.from(lettersOf(seen.output), (letter, n) =>
      h("span", { "data-kind": letter === wanted[n] ? "right" : "wrong" }, letter),
    );
    written.replaceChildren(
      "It writes ",
      h("span", { class: "tc-output" }, ...letters),
      ` and should write ${wanted}`,
    );
    headMaps(maps, seen, Array.from(lettersOf(seen.row)), Array.from(lettersOf(seen.output)));
  }

  function update() {
    const experiment = EXPERIMENTS[model.get("experiment")] ?? EXPERIMENTS[0];
    which.set(model.get("experiment"));
    for (const name of NAMES) controls[name]?.set(model.get(name));
    controls.mask.input.checked = model.get("mask");
    link.setAttribute("href", asLink(settings()));
    if (document.activeElement !== input) input.value = model.get("row");
    say(
      question,
      small
        ? "22,000 random numbers that have never seen a letter. Press Train: they learn to write rows backwards."
        : changed(settings(), experiment)
          ? "Your own settings. What do you expect?"
          : experiment.question,
    );
    key.replaceChildren(
      h("span", {}, h("i", { class: "tc-hue1" }), "this run"),
      ...(before ? [h("span", {}, h("i", { class: "tc-hue4" }), "the run before")] : []),
      h("span", {}, h("i", { class: "tc-hue5" }), "guessing letters: ln 21"),
    );
    draw();
  }

  const asked = small ? null : fromLink(location.hash);
  if (asked) save(model, asked);
  else if (NAMES.every((name) => model.get(name) === PAPERS[name]))
    save(model, EXPERIMENTS[model.get("experiment")].changes);
  const undo = live({ model, el }, root, [...NAMES, "experiment", "row"], update);
  const hidden = () => document.hidden && stop();
  document.addEventListener("visibilitychange", hidden);
  return () => {
    document.removeEventListener("visibilitychange", hidden);
    cancelAnimationFrame(drawing);
    server?.close();
    undo();
  };
}

export default { render };
