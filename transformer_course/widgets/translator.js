// @ts-check
// A translator in the page: a sentence in, the model's German out, threads of attention between the
// words, and other words to go on from.
import { makeLoader } from "./model_files.js";
import { choice, h, live, press, save, say } from "./shared.js";
import { startEngine } from "./translating.js";
import { sentenceField } from "./sentence_field.js";
import { makeRivals } from "./translator_rivals.js";
import { makeThreads } from "./translator_threads.js";
import {
  LOOKS,
  describe,
  doubt,
  described,
  endings,
  factsInWords,
  fromHundredths,
  joined,
  leastSure,
  passed,
  refusal,
  rivalsOf,
  viewOf,
  warnings,
} from "./translator_words.js";
/** @import {Result} from "./translator_words.js" */
/** @import {Context} from "./types.js" */

const LANGUAGES = { source: "en", output: "de" };
const THREADS =
  "A thread leads to what a word looked at: attention. Choose a word, or go on from a rival.";
// Milliseconds a word: the example when the page opens, the reader's own.
const PACE = { first: 330, own: 110 };

/** @param {Context} context
 * @returns {() => void} clean-up */
function render({ model, el, experimental }) {
  const get = (name) => model.get(name);
  const small = get("small");
  const examples = get("examples").map(fromHundredths);
  const { tokenizer, weights, words } = get("files");
  const carried = {
    folder: "model",
    files: [tokenizer, weights, words],
    start: startEngine,
    asks: "translate",
    lost: "No translation",
  };
  const loader = makeLoader(carried, experimental.invoke, get("_esm"), (answer) => hear(answer));
  let /** @type {Result} */ result = examples[0];
  let /** @type {{} | null} */ job = null; // the translation that is on its way
  let asked = 0; // so many pieces of its beginning are the reader's
  let own = result; // the model's own sentence, beside one that begins as the reader chose

  // -- asking --
  const input = sentenceField(() => go(), 2);
  const button = press("Translate", () => (job ? stop() : go()), { class: "tc-go" });
  const message = h("p", { class: "tc-message", role: "status" });
  const said = h("p", { class: "tc-said", "aria-live": "polite", lang: "de" });
  const told = h("p", { class: "tc-told" });
  // The sentence that stands in the small form's field needs no button.
  const chips = examples.slice(Number(small)).map((example) =>
    press(example.text, () => {
      stop();
      input.value = example.text;
      show(example, PACE.own);
    }),
  );

  // -- looking --
  const rivals = makeRivals((begun) => go(begun));
  const threads = makeThreads({
    rivals: rivals.node,
    ask: (row) => {
      save(model, { token: row });
      look(); // the same word again, after one above
    },
    tell: (column) => {
      save(model, { token: -1 });
      say(why, described(viewOf(result, place()), column));
    },
  });
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const replay = press("▶ Play", () => threads.play(PACE.first), { class: "tc-replay" });
  const backTo = () => {
    stop();
    show(own, PACE.own);
    rivals.focus();
  };
  const back = press("↩ Model’s own", backTo, { class: "tc-replay" });
  const layers = result.weights.cross;
  const numbered = (list) => list.map((_, n) => [n + 1, n + 1]);
  const option = (name, label, options) =>
    choice({
      label,
      options,
      value: 0,
      change: (value) =>
        save(model, name === "look" ? { look: value, token: 0 } : { [name]: Number(value) }),
    });
  const looks = Object.entries(LOOKS).map(([name, { label }]) => [name, label]);
  const controls = {
    look: option("look", "Look at", looks),
    layer: option("layer", "Layer", numbered(layers)),
    head: option("head", "Head", [[0, "all, their mean"], ...numbered(layers[0])]),
    beam: option("beam", "Search", [
      [1, "greedy"],
      [4, "beam of 4"],
    ]),
  };
  const root = h(
    "div",
    {
      class: `tc tc-translator${small ? " tc-small" : ""}`,
      role: "group",
      "aria-label": "A translator from English to German",
    },
    h("div", { class: "tc-form" }, input, button),
    h("div", { class: "tc-bar tc-examples", role: "group", "aria-label": "Examples" }, ...chips),
    loader.node,
    why,
    threads.node,
    h("div", { class: "tc-below" }, replay, back, message, told),
    said,
    h(
      "details",
      { class: "tc-inside" },
      h("summary", {}, "Heads, layers, search"),
      h("div", { class: "tc-bar" }, ...Object.values(controls).map(({ node }) => node)),
    ),
  );

  const place = () => ({ look: get("look"), layer: get("layer"), head: get("head") });

  /** The words, their threads, and what there is to say of the chosen one. */
  function look() {
    const view = viewOf(result, place());
    const { rows, columns } = LOOKS[get("look")];
    const row = Math.min(get("token"), view.bottom.length - 1);
    const writes = rows === "output";
    const { begun = 0 } = result;
    const mine = view.bottom.find(({ from }) => from === begun - 1);
    const word = writes && (view.bottom[row] ?? mine ?? leastSure(result, view.bottom));
    const others = word ? rivalsOf(result, word) : [];
    const hint = word ? doubt(view, word, others, word === mine) : "Choose a word below.";
    say(why, row < 0 ? hint : describe(view, place(), row, begun ? "" : passed(others)));
    rivals.show(others);
    threads.show(view, [LANGUAGES[columns], LANGUAGES[rows]], row, word);
  }

  /** @param {Result} next @param {number} pace ms a word
   * @param {string} facts about how it came */
  function show(next, pace, facts = "") {
    result = next;
    root.classList.remove("tc-stale");
    model.set("token", -1);
    model.set("look", "cross");
    const { begun } = next;
    if (!begun) own = next;
    back.hidden = !begun;
    const warned = begun ? "" : warnings(next, get("unsure"));
    say(message, warned);
    say(said, next.translation || "(nothing)");
    // A warning takes the place of what is said of threads.
    told.replaceChildren(begun ? endings(own, next) : warned ? "" : THREADS, h("small", {}, facts));
    look();
    threads.play(pace);
  }

  // -- the engine --
  /** @param {any} answer */
  function hear({ source, output = [], message: problem, result: next, tokens, ms }) {
    if (!job) return;
    if (source)
      threads.show({ top: joined(source), bottom: joined(output), cells: [] }, ["en", "de"]);
    if (problem) finish(problem);
    if (!next) return;
    finish();
    // Rivals may lead back to the model's own sentence.
    const same = asked && String(next.output) === String(own.output);
    // The small form cannot choose a search, so it names none.
    const facts = factsInWords(tokens, ms, small ? 0 : next.beam);
    show(same ? own : { ...next, begun: asked }, PACE.own, asked ? "" : facts);
  }

  /** @param {string[]} [begun] pieces that the translation must begin with */
  async function go(begun = []) {
    const text = begun.length ? result.text : input.value;
    const no = refusal(text, get("limit"));
    say(message, no);
    if (no) return unanswered(text);
    const mine = (job = {});
    asked = begun.length;
    say(button, "Stop");
    root.setAttribute("aria-busy", "true");
    try {
      await loader.prepare();
      if (job === mine)
        loader.send({ kind: "translate", text, begun, beam: get("beam"), limit: get("limit") });
    } catch (error) {
      if (job === mine) finish(/** @type {Error} */ (error).message, "Try again");
    }
  }
  function finish(text = "", label = "Translate") {
    job = null;
    say(button, label);
    root.removeAttribute("aria-busy");
    threads.stop();
    if (!text) return;
    look();
    say(message, text);
    unanswered(input.value);
  }
  /** Nothing came of this request: what is shown belongs to an earlier text, and must not look like
   * the answer. @param {string} text */
  function unanswered(text) {
    if (text.trim() === result.text.trim()) return;
    root.classList.add("tc-stale");
    say(said, "—");
    say(told, `No translation of this text. Shown is the last one, of “${result.text}”.`);
  }
  function stop() {
    if (!job) return;
    loader.send({ kind: "stop" });
    finish("Stopped.");
  }
  function update() {
    for (const [name, control] of Object.entries(controls)) control.set(get(name));
    if (!job) look();
  }

  input.value = result.text;
  const names = [...Object.keys(controls), "token"];
  const unlisten = live({ model, el }, root, names, update);
  show(result, PACE.first);
  return () => {
    threads.close();
    loader.close();
    unlisten();
  };
}

export default { render };
