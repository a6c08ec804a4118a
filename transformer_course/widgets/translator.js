// @ts-check
// A translator in the page: a sentence in, the model's German out, and every head and layer to look
// into.
import { choice, h, live, press, save, say } from "./shared.js";
import { makeLoader } from "./translator_files.js";
import { drawMaps, makeInput, makeStrip } from "./translator_looking.js";
import {
  LOOKS,
  alongColumns,
  describe,
  factsInWords,
  fromHundredths,
  lookOf,
  ofVectors,
  placeOf,
  refusal,
  unknownInWords,
} from "./translator_words.js";
/** @import {Result} from "./translator_words.js" */
/** @import {Context} from "./types.js" */

/** @param {Context} context
 * @returns {() => void} clean-up */
function render({ model, el, experimental }) {
  const get = (name) => model.get(name);
  const examples = get("examples").map(fromHundredths);
  const files = ["tokenizer", "weights"].map((name) => get("files")[name]);
  const loader = makeLoader(files, experimental.invoke, get("_esm"), (answer) => hear(answer));
  let /** @type {Result} */ result = examples[0];
  let facts = "";
  let job = 0; // the translation that is on its way; 0 is none
  let jobs = 0;
  let pointed = null;

  // -- asking --
  const input = makeInput(() => go());
  const button = press("Translate", () => (job ? stop() : go()), { class: "tc-go" });
  const search = choice({
    label: "Search",
    options: [
      [1, "greedy"],
      [4, "beam of 4"],
    ],
    value: get("beam"),
    change: (value) => save(model, { beam: Number(value) }),
  });
  const buttons = examples.map((example) =>
    press(example.text, () => {
      stop();
      input.value = example.text;
      facts = "";
      show(example);
    }),
  );
  const message = h("p", { class: "tc-message", role: "status" });
  const translation = h("b", { lang: "de" });
  const told = h("small");
  const answer = h("p", { class: "tc-answer", "aria-live": "polite" }, translation, told);

  // -- looking --
  const look = choice({
    label: "Look at",
    options: Object.entries(LOOKS).map(([name, { label }]) => [name, label]),
    value: get("look"),
    change: (value) =>
      save(model, {
        look: value,
        token: Math.min(get("token"), result[LOOKS[value].rows].length - 1),
      }),
  });
  const maps = h("div", { class: "tc-maps", role: "group", "aria-label": "Layers and heads" });
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const strips = {
    source: makeStrip("source", "English pieces", "en", () => get("look"), ask, point),
    output: makeStrip("output", "German pieces", "de", () => get("look"), ask, point),
  };
  const looking = h(
    "div",
    { class: "tc-looking" },
    h("div", {}, strips.source.node, strips.output.node, why),
    maps,
  );

  const root = h(
    "div",
    {
      class: "tc tc-translator",
      role: "group",
      "aria-label": "A translator from English to German",
    },
    input,
    h("div", { class: "tc-bar" }, button, search.node),
    h(
      "div",
      { class: "tc-bar tc-examples", role: "group", "aria-label": "Examples" },
      "or try",
      ...buttons,
    ),
    h(
      "p",
      { class: "tc-legend tc-subject" },
      "The model has learned from captions of photographs alone. On any other subject its German " +
        "is fluent and wrong.",
    ),
    loader.node,
    message,
    answer,
    h("div", { class: "tc-bar" }, look.node),
    looking,
    h(
      "p",
      { class: "tc-legend" },
      "Choose a piece, or a square for another layer or head, by pointer or by Tab and the arrow " +
        "keys. In a square each row is a piece that asks, each column one that is looked at; " +
        "stronger color is more.",
    ),
  );

  /** Ask about a piece; that of the other side is asked in the way that belongs to it. */
  function ask(side, row) {
    if (job) return;
    const now = get("look");
    pointed = null;
    save(model, { look: lookOf(side, now), token: row });
  }
  function point(place) {
    pointed = place && place[0] === LOOKS[get("look")].rows ? place[1] : null;
    if (!job) mark();
  }
  const place = () => placeOf(get, result, pointed);

  let marks = /** @type {ReturnType<typeof drawMaps>} */ ([]);
  let drawn = "";
  function redraw() {
    drawn = get("look");
    const choose = (layer, head) => save(model, { layer, head });
    marks = drawMaps(maps, result, drawn, () => get("head"), choose);
  }

  /** The chosen row: on the pieces, in the maps, in words. */
  function mark() {
    const now = place();
    const { rows, columns } = LOOKS[now.look];
    const shown = alongColumns(result, now);
    for (const [side, { mark: put }] of Object.entries(strips))
      put(side === columns ? shown : undefined, ofVectors(now.look), side === rows ? now.row : -1);
    for (const { node, line, layer, head } of marks) {
      const chosen = layer === now.layer && head === now.head;
      node.setAttribute("aria-pressed", String(chosen));
      node.tabIndex = chosen ? 0 : -1;
      line.setAttribute("y", now.row);
    }
    say(why, describe(result, now));
  }

  /** @param {Result} next */
  function show(next) {
    result = next;
    pointed = null;
    say(message, unknownInWords(next));
    say(translation, next.translation || "(nothing)");
    say(
      told,
      facts ||
        "Translated ahead, with a beam of 4. Press Translate, and your browser does it " +
          `itself${loader.loaded() ? "" : `, after it has loaded ${loader.size} MB once`}.`,
    );
    strips.source.fill(next.source);
    strips.output.fill(["<s>", ...next.output], 1);
    redraw();
    update();
  }

  // -- the engine --
  function hear({ kind, ...answered }) {
    if (!job) return;
    if (kind === "read") strips.source.fill(answered.source);
    if (kind === "read" || kind === "token") {
      strips.output.fill(["<s>", ...(answered.output ?? [])], 1);
      say(translation, answered.translation ?? "");
    }
    if (kind === "refused" || kind === "failed") finish(answered.message);
    if (kind === "done") {
      result = answered.result;
      facts = factsInWords(answered.tokens, answered.ms, result.beam);
      finish();
    }
  }

  async function go() {
    const text = input.value;
    const no = refusal(text, get("limit"));
    say(message, no);
    if (no) return unanswered();
    const mine = (job = jobs += 1);
    say(button, "Stop");
    root.setAttribute("aria-busy", "true");
    try {
      await loader.prepare();
      if (job === mine)
        loader.send({ kind: "translate", text, beam: get("beam"), limit: get("limit") });
    } catch (error) {
      if (job === mine) finish(/** @type {Error} */ (error).message, "Try again");
    }
  }
  function finish(text = "", label = "Translate") {
    job = 0;
    say(button, label);
    root.removeAttribute("aria-busy");
    show(result);
    if (!text) return;
    say(message, text);
    unanswered();
  }
  /** Nothing came of this request: what is shown belongs to an earlier text, and must not look like
   * the answer. */
  function unanswered() {
    if (input.value.trim() === result.text.trim()) return;
    say(translation, "—");
    say(
      told,
      `No translation of this text. The last one, “${result.text}”, is still taken apart below.`,
    );
  }
  function stop() {
    if (!job) return;
    loader.send({ kind: "stop" });
    finish("Stopped.");
  }

  function update() {
    look.set(get("look"));
    search.set(get("beam"));
    if (drawn !== get("look")) redraw();
    if (!job) mark();
  }
  input.value = result.text;
  const unlisten = live({ model, el }, root, ["look", "layer", "head", "token", "beam"], update);
  show(result);
  return () => {
    loader.close();
    unlisten();
  };
}

export default { render };
