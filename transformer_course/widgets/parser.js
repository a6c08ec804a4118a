// @ts-check
// A parser in the page: a sentence in, its tree out, drawn token by token as the line is written.
import { makeLoader } from "./model_files.js";
import { startParser } from "./parsing.js";
import { kindOf, treePicture } from "./parser_picture.js";
import { asked, doubtOf } from "./parser_rival.js";
import { LABELS, facts, partsOf, refusal, strangers, told, written } from "./parser_words.js";
import { scrollEdges } from "./scroll_edges.js";
import { sentenceField } from "./sentence_field.js";
import { h, live, press, say, take } from "./shared.js";
import { still } from "./stage.js";
/** @import {Part, Result} from "./parser_words.js" */
/** @import {Context} from "./types.js" */

const CARRIED = { folder: "parser", start: startParser, asks: "parse", lost: "No tree" };
const PACE = { token: 90, all: 4500 }; // ms a token, and the whole line at most
const LEARNED =
  "It learned from articles of biology (CRAFT, CC BY 3.0) and from captions of photographs, " +
  "and guesses at other English.";
const CHOOSE = matchMedia("(hover: none)").matches
  ? "Tap a label."
  : "Point at a label, or use the arrow keys.";

/** The tree as nested lists. @param {Part} part @param {string[]} words @returns {HTMLElement} */
const outline = (part, words) =>
  h(
    "li",
    {},
    `${part.label}, ${LABELS[part.label] ?? "a kind of phrase"}`,
    h(
      "ul",
      {},
      ...part.below.map((child) =>
        typeof child === "number" ? h("li", {}, written(words[child])) : outline(child, words),
      ),
    ),
  );

/** @param {Context} context
 * @returns {() => void} clean-up */
function render({ model, el, experimental }) {
  const get = (name) => model.get(name);
  const examples = /** @type {Result[]} */ (get("examples"));
  const files = ["tokens", "weights"].map((name) => get("files")[name]);
  const loader = makeLoader({ ...CARRIED, files }, experimental.invoke, get("_esm"), (answer) =>
    hear(answer),
  );
  let /** @type {Result | null} */ result = null;
  let /** @type {Result | undefined} */ last;
  let job = 0; // the parse that is on its way; 0 is none
  let jobs = 0;
  let /** @type {any} */ timer = 0;

  // -- asking --
  const input = sentenceField(() => go(), 1);
  const button = press("Parse", () => (job ? stop() : go()), { class: "tc-go" });
  const chips = examples.map((example) =>
    press(example.text, () => {
      stop();
      input.value = example.text;
      show(example);
    }),
  );

  // -- what came of it --
  const picture = treePicture((place) => choose(place));
  const view = h("div", { class: "tc-view" }, picture.node);
  const edges = scrollEdges(view);
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const line = h("p", { class: "tc-brackets" });
  const many = h("p", { class: "tc-facts", role: "status" });
  const note = h("p", { class: "tc-note" });
  const asks = h("p", { class: "tc-meaning", role: "status" });
  const names = h("dl", { class: "tc-names" });
  const nested = h("ul", { class: "tc-outline" });
  const found = h(
    "div",
    { class: "tc-found" },
    view,
    why,
    names,
    h("p", { class: "tc-legend" }, "Token by token, as the model writes:"),
    line,
    h(
      "details",
      {},
      h("summary", {}, "More about this tree"),
      many,
      note,
      h("p", {}, LEARNED),
      nested,
    ),
  );
  const root = h(
    "div",
    { class: "tc tc-parser", role: "group", "aria-label": "A parser of English sentences" },
    h("div", { class: "tc-form" }, input, button),
    h("div", { class: "tc-bar tc-examples", role: "group", "aria-label": "Examples" }, ...chips),
    loader.node,
    asks,
    found,
  );
  picture.nodes.addEventListener("keydown", (event) => {
    const place = picture.placeOf(event.target);
    if (place >= 0 && picture.next(place, event.key)) take(event);
  });

  /** @param {number} place of a constituent; -1 is none */
  function choose(place) {
    picture.pick(place);
    const part = picture.part(place);
    say(why, part && result ? told(part, result.words).replace(/[ .]*$/, ".") : CHOOSE);
  }

  /** As much of the line as is written. @param {number} tokens */
  function draw(tokens) {
    if (!result) return;
    const begun = result.line.slice(0, tokens);
    picture.show(result, tokens);
    edges();
    line.replaceChildren(
      ...begun.flatMap((token) => [
        "()".includes(token[0]) ? h("span", {}, token) : h("b", {}, written(token)),
        " ",
      ]),
    );
  }

  /** @param {Result} next @param {{ms?: number, grow?: boolean}} [how] */
  function show(next, { ms, grow = true } = {}) {
    clearTimeout(timer);
    // A line names words that the parser does not know by their look: show the reader's own.
    let word = 0;
    const own = (token) => ("()".includes(token[0]) ? token : next.words[word++]);
    // What a reader says of an example is true of the same tree, however it came.
    const wrong = examples.some((one) => one.wrong && `${one.line}` === `${next.line}`);
    result = { ...next, wrong, line: next.line.map(own) };
    found.inert = false;
    const length = result.line.length;
    const pace = Math.min(PACE.token, PACE.all / length);
    const step = (tokens) => {
      draw(tokens);
      if (tokens < length) timer = setTimeout(() => step(tokens + 1), pace);
      else finish();
    };
    const finish = () => {
      root.removeAttribute("data-writing");
      say(many, facts(next, ms));
      // The phrase that the question is about is marked, and told by the question.
      picture.pick(parts.findIndex((part) => part.at === doubtOf(parts, next.words)?.pp.at));
    };
    const { parts } = partsOf(result.line);
    root.setAttribute("data-writing", "");
    say(many, "");
    choose(-1);
    step(grow && !still() ? 1 : length);
    say(note, strangers(next.unknown));
    say(asks, asked(parts, result, last));
    last = result;
    const labels = [...new Set(parts.map(({ label }) => label))];
    names.replaceChildren(
      ...labels.map((label) =>
        h(
          "div",
          { "data-kind-of": kindOf(label) },
          h("dt", {}, label),
          h("dd", {}, LABELS[label] ?? "a kind of phrase"),
        ),
      ),
    );
    nested.replaceChildren(outline(parts[0], result.words));
  }

  /** Nothing came of it yet: the last tree stays, pale. @param {string} text */
  function clear(text) {
    found.inert = true;
    say(asks, text);
  }

  // -- the engine --
  function hear({ kind, ...answered }) {
    if (!job) return;
    if (kind === "failed") finish(answered.message);
    if (kind === "done") {
      finish();
      show(answered.result, { ms: answered.ms });
    }
  }
  async function go() {
    const text = input.value;
    const no = refusal(text, get("limit"));
    if (no) return clear(no);
    const mine = (job = jobs += 1);
    clear("");
    say(button, "Stop");
    root.setAttribute("aria-busy", "true");
    try {
      await loader.prepare();
      if (job === mine) loader.send({ kind: "parse", text, beam: get("beam") });
    } catch (error) {
      if (job === mine) finish(/** @type {Error} */ (error).message, "Try again");
    }
  }
  function finish(text = "", label = "Parse") {
    job = 0;
    say(button, label);
    root.removeAttribute("aria-busy");
    if (text) clear(text);
  }
  function stop() {
    if (!job) return;
    loader.send({ kind: "stop" });
    finish("Stopped.");
  }

  input.value = examples[0].text;
  const unlisten = live({ model, el }, root, [], () => {});
  show(examples[0], { grow: false });
  return () => {
    clearTimeout(timer);
    loader.close();
    unlisten();
  };
}

export default { render };
