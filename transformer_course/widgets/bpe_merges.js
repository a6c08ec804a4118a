// @ts-check
// Byte-pair encoding on any text, one merge at a time: the algorithm of
// transformer_course/tokenizer.py.
import { LONGEST, explain, learn, visible } from "./bpe_learner.js";
import { count } from "./numbers.js";
import { h, live, press, save, say } from "./shared.js";
import { frame, play } from "./stage.js";
/** @import {Context} from "./types.js" */

const PAIRS = 6; // in sight
const KEY = "“▁” is the space before a word, <unk> a character that the text does not have.";

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  let learned = get("text");
  let learner = learn(learned);

  // -- what the reader does --
  const message = h("p", { class: "tc-message", role: "status" });
  const short = (text) => {
    const characters = [...text];
    message.textContent =
      characters.length > LONGEST
        ? `That was ${count(characters.length)} characters. Expected at most ${count(LONGEST)}; ` +
          "the first of them are used."
        : "";
    return characters.length > LONGEST ? characters.slice(0, LONGEST).join("") : text;
  };
  const keep = (event) => event.stopPropagation();
  const text = h("textarea", {
    rows: 2,
    spellcheck: false,
    input: () => save(model, { text: short(text.value), done: 0 }),
    keydown: keep,
  });
  const word = h("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: false,
    input: () => save(model, { word: short(word.value) }),
    keydown: keep,
  });
  const go = (done) => {
    follow(done);
    save(model, { done: learner.merges.length });
  };
  const here = () => learner.merges.length;
  const [back, next, ten] = [
    press("Back", () => go(here() - 1)),
    press("Merge", () => go(here() + 1)),
    press("Merge 10", () => go(here() + 10)),
  ];
  const reset = press("Reset", () => go(0));
  const more = () => (learner.pairs()[0]?.count ?? 0) > 1;
  let stop = /** @type {(() => void) | null} */ (null);
  const playing = (way) => {
    stop = way;
    say(button, way ? "Pause" : "Play");
    button.classList.toggle("tc-on", Boolean(way));
  };
  const start = () => {
    if (!more()) go(0);
    const stopped = () => playing(null);
    playing(play({ root, more, next: () => go(here() + 1), stopped, every: 1100 }));
  };
  const button = press("Play", () => (stop ? stop() : start()), { class: "tc-go" });

  /** Bring the learner to a text and a number of merges. @param {number} done */
  function follow(done) {
    if (learned !== get("text")) learner = learn((learned = get("text")));
    while (here() > Math.max(0, done)) learner.back();
    while (here() < done && learner.merge());
  }

  // -- what is shown --
  const chip = (piece, kind = "") =>
    h(
      "span",
      { class: `tc-piece ${kind}` },
      h("bdi", {}, piece === null ? "<unk>" : visible(piece)),
      " ",
    );
  /** The piece that was made last: its two parts, which close up where the merge is new. */
  const joined = ({ left, right }, fresh) =>
    h(
      "span",
      { class: `tc-piece tc-new ${fresh ? "tc-join" : ""}` },
      h("bdi", {}, ...[left, right].map((id) => h("span", {}, visible(learner.pieces[id])))),
      " ",
    );
  /** A piece of the word above the two it was made of. */
  const tree = (top, { from }) =>
    h("span", { class: "tc-tree" }, top, from.length ? h("span", {}, ...from.map(part)) : "");
  const part = (one) => tree(h("i", { "aria-hidden": "true" }, visible(one.piece)), one);
  /** The pieces of a part of the word; over two that merge next, what they will be. */
  const growing = (grown, best) => {
    const found = [];
    const top = (one) => tree(chip(one.piece, one.piece === null ? "tc-unk" : ""), one);
    for (let i = 0; i < grown.length; i += 1) {
      const [one, two] = [grown[i], grown[i + 1]];
      if (best && two && one.id === best.left && two.id === best.right) {
        const will = visible(one.piece + two.piece);
        const soon = h(
          "b",
          { class: "tc-soon", "aria-hidden": "true" },
          will,
          h("small", {}, " next"),
        );
        found.push(h("span", { class: "tc-tree" }, soon, h("span", {}, top(one), top(two))));
        i += 1;
      } else found.push(top(one));
    }
    return found;
  };
  const list = (label) =>
    h("div", { class: "tc-pieces", tabindex: 0, role: "group", "aria-label": label });
  const box = (title, ...inside) => {
    const note = h("small");
    return {
      note,
      node: h("div", { class: "tc-box" }, h("p", {}, h("b", {}, title), " ", note), ...inside),
    };
  };
  const [pieceList, textList, wordList] = ["Vocabulary", "The text now", "The word"].map(list);
  const rows = Array.from({ length: PAIRS }, () => {
    const [pair, bar, number] = [h("td"), h("i"), h("td")];
    const line = h("tr", {}, pair, h("td", { "aria-hidden": "true" }, bar), number);
    return { pair, bar, number, line };
  });
  const head = h(
    "thead",
    { class: "tc-unseen" },
    h(
      "tr",
      {},
      h("th", { scope: "col" }, "pair"),
      h("td", { "aria-hidden": "true" }),
      h("th", { scope: "col" }, "count"),
    ),
  );
  const table = h("table", {}, head, h("tbody", {}, ...rows.map(({ line }) => line)));
  const pairBox = box("Pairs of neighbors", table);
  const [pieceBox, textBox] = [box("Vocabulary", pieceList), box("The text now", textList)];
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const encoded = h("small", { "aria-live": "polite" });
  const root = frame({
    name: "bpe",
    title: "Byte-pair encoding, merge by merge",
    steps: h("div", {}, h("div", { class: "tc-stepbar" }, back, button, next, ten, reset)),
    told: words,
    inputs: [
      h(
        "div",
        { class: "tc-box" },
        h("label", { class: "tc-word" }, h("b", {}, "How a word grows"), word, encoded),
        wordList,
      ),
    ],
    result: [pairBox.node],
    below: [
      h("label", { class: "tc-text" }, "Text to learn from", text),
      message,
      textBox.node,
      pieceBox.node,
      h("p", { class: "tc-legend" }, KEY),
    ],
  });
  let before = /** @type {{done: number, text: string}} */ ({ done: Infinity, text: learned });

  function update() {
    follow(get("done"));
    const { pieces, characters, merges } = learner;
    const done = here();
    if (text.value !== learned) text.value = learned;
    if (word.value !== get("word")) word.value = get("word");
    const pairs = learner.pairs();
    const [best] = pairs;
    const end = !best || best.count < 2;
    const newest = merges[done - 1]?.made ?? -1;
    const fresh = before.text === learned && done > before.done;
    before = { done, text: learned };
    const last = merges[done - 1];
    const shown = (piece, id, kind = "") =>
      id === newest && last ? joined(last, fresh) : chip(piece, kind);

    rows.forEach(({ pair, bar, number, line }, n) => {
      const one = pairs[n];
      line.classList.toggle("tc-no", !one);
      line.classList.toggle("tc-next", !n && !end);
      if (!one) return;
      pair.replaceChildren(chip(pieces[one.left]), chip(pieces[one.right]));
      bar.style.width = `${(100 * one.count) / best.count}%`;
      say(number, count(one.count));
    });
    say(pairBox.note, `most frequent of ${count(pairs.length)}`);

    const latest = pieces.slice(characters).slice(-40);
    const first = Math.max(0, 100 - latest.length);
    pieceList.replaceChildren(
      ...pieces.slice(0, Math.min(characters, first)).map((piece) => chip(piece)),
      ...(characters > first || pieces.length - characters > 40 ? ["… "] : []),
      ...latest.map((piece, n) => shown(piece, pieces.length - latest.length + n, "tc-made")),
    );
    pieceList.scrollTop = pieceList.scrollHeight; // the newest stays in sight
    say(
      pieceBox.note,
      `${count(characters)} characters + ${count(pieces.length - characters)} merged = ` +
        `${count(pieces.length)} pieces`,
    );

    const begin = learner.start(100);
    const known = new Map(pieces.map((piece, id) => [piece, id]));
    const ids = begin.map((piece) => known.get(piece));
    const [now, letters] = [learner.size(), learner.letters()];
    textList.replaceChildren(
      ...begin.map((piece, i) => {
        const id = ids[i];
        const pair = (a, b) => !end && ids[a] === best.left && ids[b] === best.right;
        return shown(piece, id, pair(i, i + 1) || pair(i - 1, i) ? "tc-next" : "");
      }),
      ...(now > begin.length ? ["…"] : []),
    );
    say(textBox.note, `${count(letters)} characters in ${count(now)} pieces`);

    const grown = learner.grow(get("word"));
    const own = grown.flat();
    let left = 200;
    const sights = grown.map((one) => one.slice(0, Math.max(0, (left -= one.length) + one.length)));
    const drawn = sights.flatMap((one) => growing(one, !end && best));
    wordList.replaceChildren(h("div", {}, ...drawn, own.length > 200 ? "…" : ""));
    const unknown = own.filter(({ piece }) => piece === null).length;
    say(
      encoded,
      `${count(own.length)} piece${own.length === 1 ? "" : "s"}` +
        (unknown ? `, ${count(unknown)} unknown` : ""),
    );

    back.setAttribute("aria-disabled", String(done === 0));
    reset.setAttribute("aria-disabled", String(done === 0));
    next.setAttribute("aria-disabled", String(end));
    ten.setAttribute("aria-disabled", String(end));
    say(words, explain(learner, pairs));
  }

  return live({ model, el }, root, ["text", "done", "word"], update);
}

export default { render };
