// @ts-check
// A Transformer that learns in the page: an experiment, a guess, a run, and what one sees of it.
// In this order the page's code compresses best: like stands beside like.
import { makeControls } from "./laboratory_controls.js";
import { besides, example, makeView } from "./laboratory_view.js";
import { TASKS, namesOf } from "./engine/tasks.js";
import { count } from "./numbers.js";
import { choice, h, live, press, save, say } from "./shared.js";
import { makeSketches, scaleOf } from "./laboratory_sketches.js";
import { foreseen, keep, outcome } from "./laboratory_guesses.js";
import { EXPERIMENTS, IN_SMALL, asLink, changed, fromLink } from "./laboratory_experiments.js";
import { onStore } from "./store.js";
import { ownCode, startWorker } from "./worker.js";
import { PAPERS } from "./engine/experiment.js";
import { makeServer } from "./engine/serving.js";
/** @import {Context} from "./types.js" */
/** @import {Run} from "./laboratory_view.js" */

const NAMES = Object.keys(PAPERS);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const small = model.get("small");
  const settings = () =>
    /** @type {any} */ (Object.fromEntries(NAMES.map((name) => [name, model.get(name)])));
  const experiment = () => EXPERIMENTS[model.get("experiment")] ?? EXPERIMENTS[0];
  const inWords = () => TASKS[model.get("task")].between !== "";
  const text = () => model.get(inWords() ? "sentence" : "row");
  let /** @type {Run | null} */ run = null; // the one that is shown
  const /** @type {Run[]} */ past = []; // those that ended, the last first
  let /** @type {any} */ [server, guess, fresh] = [null, null, null];
  let [runs, drawing, busy, waiting] = [0, 0, false, false]; // it waits while nobody looks

  // ---- What one chooses ----

  const which = choice({
    label: "Experiment",
    options: EXPERIMENTS.map(({ name }, n) => [n, name]),
    value: 0,
    change: (n) => {
      stop();
      run = guess = null; // what came of another experiment is no answer to this one
      say(start, "Train");
      tell("");
      const { changes } = EXPERIMENTS[n];
      save(model, { ...PAPERS, ...changes, seed: model.get("seed"), experiment: Number(n) });
    },
  });
  const controls = makeControls((name, value) => {
    stop();
    save(model, { [name]: value });
  });
  const start = press("Train", () => (busy ? stop() : train()), { class: "tc-go" });
  const ask = (words) => {
    save(model, { [inWords() ? "sentence" : "row"]: words });
    if (run) server?.send({ kind: "text", text: words });
  };
  const input = h("input", {
    type: "text",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    input: () => ask(input.value),
    keydown: (event) => event.stopPropagation(),
  });
  const another = press("Another", () => ask((input.value = example(model.get("task")))));

  // ---- What one sees ----

  const view = makeView();
  const { todo, right, result, looks } = view.nodes;
  const rowOf = () => namesOf(TASKS[model.get("task")], TASKS[model.get("task")].read(text()));
  const sketches = makeSketches(view, (value) => {
    guess = value;
    draw();
  });
  const question = h("p", { class: "tc-question" });
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const state = h("p", { class: "tc-state", "aria-live": "polite" });
  const score = h("p", { class: "tc-score" });
  const named = h("b");
  const link = h("a", { href: "" }, "A link to these settings");
  const row = h("label", { class: "tc-row" }, named, input);
  const bar = h("div", { class: "tc-bar" }, row, another, small ? "" : start);
  const nodes = Object.values(controls).map(({ node }) => node);
  // What it asks, then what came of it.
  const asking = h("div", {}, ...(small ? [question] : [todo, question]));
  const parts = small ? [bar, looks, right] : [looks, result, bar];
  const all = h("div", { class: "tc-settings" }, ...nodes, link);
  const more = h("details", {}, h("summary", {}, "All settings"), all);
  const name = "Train a Transformer";
  const root = h(
    "div",
    { class: "tc tc-laboratory", role: "group", "aria-label": name },
    h("div", { class: "tc-head" }, h("b", {}, name), small ? start : which.node),
    h("div", { class: "tc-asks" }, asking, told),
    h("div", { class: "tc-body" }, ...parts),
    small ? "" : h("div", { class: "tc-foot" }, state, right, score, more),
  );
  /** What came of a run, in place of its question. @param {string} words */
  const tell = (words) => {
    say(told, words);
    asking.toggleAttribute("inert", Boolean(words));
    told.toggleAttribute("inert", !words);
  };
  root.classList.toggle("tc-small", small);

  // ---- A run ----

  const reach = () => (server ??= startWorker(ownCode(model.get("_esm")), hear, makeServer));

  /** The server's answers. @param {any} answer */
  function hear({ kind, id, ...answer }) {
    if (kind === "died") {
      server = null;
      if (busy) finish(`The run has ended: ${answer.message} Nothing else is lost; press Again.`);
      return;
    }
    if (id === 0 && answer.looked) {
      fresh = answer.looked;
      draw();
    }
    if (!run || id !== run.id || (kind === "moved" && !busy)) return; // of a run that was stopped
    if (kind === "failed") return finish(`The run has ended: ${answer.message}.`);
    if (answer.losses) {
      run.losses.push(...answer.losses);
      run.step = answer.step;
    }
    if (answer.looked) {
      run.looked = answer.looked;
      run.shares.push([run.step, answer.looked.share]);
      drawing ||= requestAnimationFrame(draw); // a few times a second
    }
    if (kind === "ended") ended(run, answer.learned);
  }

  /** @param {Run} done @param {{shapes: any[], numbers: Float32Array}} learned */
  function ended(done, { shapes, numbers }) {
    const { losses, looked } = done;
    past.unshift(done);
    const bytes = Array.from(new Uint8Array(numbers.buffer), (byte) => String.fromCharCode(byte));
    const weights = btoa(bytes.join(""));
    save(model, { losses, share: looked.share, shapes, weights });
    const asked = !changed(done.settings, experiment());
    const note = asked && guess !== null ? keep(experiment(), guess, done) : "";
    finish(outcome(done, guess, asked ? experiment() : null, small) + note);
  }

  function train() {
    runs += 1;
    run = { id: runs, settings: settings(), losses: [], shares: [], step: 0, looked: null };
    busy = true;
    say(start, "Stop");
    tell("");
    update();
    reach().send({ kind: "start", id: run.id, settings: run.settings, text: text() });
  }

  /** @param {string} words */
  const finish = (words) => {
    busy = waiting = false;
    say(start, run ? "Again" : "Train");
    tell(words);
    draw();
  };

  function stop() {
    if (!busy) return;
    server.send({ kind: "stop" });
    finish(`Stopped after ${count(run?.step ?? 0)} steps.`);
  }

  /** A run waits while its page is hidden, and goes on when it is seen again. */
  function seen() {
    if (!busy || waiting === document.hidden) return;
    waiting = document.hidden;
    server.send({ kind: waiting ? "stop" : "go on" });
    say(state, waiting ? "It waits: this page is hidden." : "");
  }

  // ---- Drawing ----

  function draw() {
    drawing = 0;
    const of = run?.settings ?? settings();
    const own = changed(of, experiment());
    const was = past.find((each) => each !== run && each.settings.task === of.task);
    const asks = !run && !own;
    root.classList.toggle("tc-asked", asks);
    sketches.group.disabled = !asks; // a run locks the guess in
    const scale = scaleOf(asks || run ? experiment() : null, run);
    const look = root.classList.toggle("tc-look", scale === "look");
    const wide = el.clientWidth > 560;
    const about = view.draw({
      run,
      before: own ? was : besides(experiment(), past),
      fresh: experiment().asks === "share" ? fresh : null,
      settings: settings(),
      text: text(),
      scale,
      mine: experiment().asks === "look" ? sketches.picked() : -1,
      small,
      size: {
        width: look && wide ? 624 : 312,
        height: small ? 208 : look ? (wide ? 324 : 290) : 344,
        high: wide ? 405 : 280,
        across: el.clientWidth > 330 ? 400 : 320,
      },
    });
    if (!small) sketches.draw(about, asks, asks || Boolean(run));
  }

  function update() {
    which.set(model.get("experiment"));
    for (const name of NAMES) controls[name]?.set(model.get(name));
    link.setAttribute("href", asLink(settings()));
    if (document.activeElement !== input) input.value = text();
    const long = root.classList.toggle("tc-words", inWords());
    say(named, long ? "Your sentence" : "Your row");
    const own = changed(settings(), experiment()) && "Your own settings. What do you expect?";
    const asked = small ? IN_SMALL + (run ? "" : "Press Train.") : own || experiment().question;
    say(question, asked.replace(". ", ".\n"));
    if (!run) sketches.ask(experiment(), rowOf());
    say(score, foreseen(EXPERIMENTS));
    draw();
    // What it writes before it has learned anything, where that is shown.
    if (!run && experiment().asks === "share")
      reach().send({ kind: "start", id: 0, settings: { ...settings(), steps: 0 }, text: text() });
  }

  const asked = small ? null : fromLink(location.hash);
  if (asked) save(model, asked);
  else if (NAMES.every((name) => model.get(name) === PAPERS[name]))
    save(model, experiment().changes);
  const undo = live({ model, el }, root, [...NAMES, "experiment", "row", "sentence"], update);
  const forget = onStore(() => say(score, foreseen(EXPERIMENTS)));
  document.addEventListener("visibilitychange", seen);
  return () => {
    document.removeEventListener("visibilitychange", seen);
    cancelAnimationFrame(drawing);
    server?.close();
    forget();
    undo();
  };
}

export default { render };
