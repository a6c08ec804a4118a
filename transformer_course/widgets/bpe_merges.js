// @ts-check
// Byte-pair encoding on any text, one merge at a time: the algorithm of
// transformer_course/tokenizer.py.
import { LONGEST, explain, learn, visible } from "./bpe_learner.js";
import { mergeTree } from "./bpe_merges_tree.js";
import { count } from "./numbers.js";
import { h, live, press, save, say } from "./shared.js";
import { frame, play } from "./stage.js";
/** @import {Context} from "./types.js" */

const PAIRS = 5; // in sight
const [WORDS, PIECES] = [60, 200]; // at most, of a text and of the new word

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
    rows: 1,
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
  /** How a piece looks: the newest, one of those merged, a character, or none known. */
  const kindOf = (id, piece, made) => {
    if (piece === null) return "tc-unk";
    if (id === made.id) return `tc-new ${made.fresh ? "tc-join" : ""}`;
    return id < learner.characters ? "" : "tc-made";
  };
  /** Pieces side by side; two that merge next stand out. @param {{id: number, piece: any}[]} row */
  const side = (row, best, made) => {
    const pair = (n) => best && row[n]?.id === best.left && row[n + 1]?.id === best.right;
    let closes = -1; // the second of a pair is no first of the next
    return row.map(({ id, piece }, n) => {
      if (n !== closes && pair(n)) closes = n + 1;
      const next = n === closes ? "tc-next tc-last" : closes === n + 1 ? "tc-next" : "";
      return chip(piece, next || kindOf(id, piece, made));
    });
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
  const tree = mergeTree();
  const [pieceList, textList, wordList] = ["Vocabulary", "The text now", "The new word"].map(list);
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
  const textBox = box("The text now", textList);
  const line = (label, note, ...inside) =>
    h("div", { class: "tc-box tc-line" }, h("p", {}, label, note), ...inside);
  const pieceNote = h("small");
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const encoded = h("small", { "aria-live": "polite" });
  // What the two rows beside are: numbers of merges, and below them the pieces.
  const beside = h("div", { class: "tc-beside" }, h("small", {}, "merge"), encoded);
  const fields = [word, text].map((field, n) => {
    field.id = `tc-bpe-${Math.random()}`;
    return h("label", { for: field.id }, h("b", {}, ["A new word", "Text to learn from"][n]));
  });
  const root = frame({
    name: "bpe",
    title: "Byte-pair encoding",
    steps: h("div", {}, h("div", { class: "tc-stepbar" }, back, button, next, ten, reset)),
    told: words,
    inputs: [textBox.node],
    result: [pairBox.node],
    below: [
      h("div", { class: "tc-box tc-line tc-word" }, fields[0], word, beside, wordList),
      line(h("b", {}, "Vocabulary"), pieceNote, pieceList),
      h(
        "details",
        {},
        h("summary", {}, "Learn from a text of your own"),
        line(fields[1], h("small", {}, "▁ marks a space"), text),
      ),
      message,
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
    const made = { id: newest, fresh };

    rows.forEach(({ pair, bar, number, line }, n) => {
      const one = pairs[n];
      line.classList.toggle("tc-no", !one);
      line.classList.toggle("tc-next", !n && !end);
      if (!one) return;
      const row = [one.left, one.right].map((id) => ({ id, piece: pieces[id] }));
      pair.replaceChildren(...side(row, n || end ? null : one, {}));
      bar.style.width = `${(100 * one.count) / best.count}%`;
      const parts = n || end ? [] : learner.occurs(one);
      bar.replaceChildren(...parts.map((times) => h("b", { style: `flex: ${times}` })));
      say(number, count(one.count));
    });
    const cut = pairs.length > PAIRS ? `the first ${PAIRS} of ${count(pairs.length)}` : "";
    say(pairBox.note, best ? cut : "none is left");

    const latest = pieces.slice(characters).slice(-40);
    const first = Math.max(0, 100 - latest.length);
    pieceList.replaceChildren(
      ...pieces.slice(0, Math.min(characters, first)).map((piece) => chip(piece)),
      ...(characters > first || pieces.length - characters > 40 ? ["… "] : []),
      ...latest.map((piece, n) =>
        chip(piece, kindOf(pieces.length - latest.length + n, piece, made)),
      ),
    );
    pieceList.scrollTop = pieceList.scrollHeight; // the newest stays in sight
    const merged = pieces.length - characters;
    say(pieceNote, `${count(pieces.length)} pieces, ${count(merged)} merged`);

    const soon = end ? null : best;
    const all = learner.words;
    textList.replaceChildren(
      ...all.slice(0, WORDS).map(({ count: amount, ids }) => {
        const row = ids.map((id) => ({ id, piece: pieces[id] }));
        const often = h("small", {}, `${count(amount)} ×`);
        return h("div", { class: "tc-row" }, often, h("span", {}, ...side(row, soon, made)));
      }),
      ...(all.length > WORDS ? [`… ${count(all.length - WORDS)} more words`] : []),
    );
    say(textBox.note, `${count(learner.letters())} characters in ${count(learner.size())} pieces`);

    const placed = learner.place(get("word"));
    const own = placed.flat();
    const drawn = placed.flatMap((part) => side(part, soon, made));
    const chips = drawn.slice(0, PIECES);
    wordList.replaceChildren(tree.node, ...chips, own.length > PIECES ? "…" : "");
    tree.show({ chips, row: own, done, fresh });
    const unknown = own.filter(({ piece }) => piece === null).length;
    say(
      encoded,
      `${count(own.length)} piece${own.length === 1 ? "" : "s"}` +
        (unknown ? `, ${count(unknown)} unknown` : ""),
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
