// @ts-check
// Byte-pair encoding on any text, one merge at a time: the algorithm of
// transformer_course/tokenizer.py.
import { LONGEST, explain, learn, visible } from "./bpe_learner.js";
import { count, plain } from "./numbers.js";
import { h, live, press, save, say } from "./shared.js";
/** @import {Context} from "./types.js" */

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
    rows: 3,
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
    press("← Back", () => go(here() - 1)),
    press("Merge", () => go(here() + 1)),
    press("Merge 10", () => go(here() + 10)),
  ];
  const reset = press("Reset", () => go(0));

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
  const box = (title, ...inside) => {
    const note = h("small");
    return {
      note,
      node: h("div", { class: "tc-box" }, h("p", {}, h("b", {}, title), " ", note), ...inside),
    };
  };
  const list = () => h("div", { class: "tc-pieces" });
  const [pairRows, wordRows, pieceList, textList, wordList] = [
    h("tbody"),
    h("tbody"),
    list(),
    list(),
    list(),
  ];
  const head = (...names) =>
    h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));
  const pairBox = box("Pairs", h("table", {}, head("pair", "count"), pairRows));
  const wordBox = box("Words", h("table", {}, head("count", "pieces"), wordRows));
  const pieceBox = box("Vocabulary", pieceList);
  const textBox = box("The text now", textList);
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const encoded = h("small", { "aria-live": "polite" });
  const root = h(
    "div",
    { class: "tc tc-bpe", role: "group", "aria-label": "Byte-pair encoding, merge by merge" },
    h("label", { class: "tc-text" }, h("b", {}, "Text to learn from"), text),
    message,
    h("div", { class: "tc-bar" }, back, next, ten, reset),
    words,
    h("div", { class: "tc-two" }, pairBox.node, wordBox.node),
    pieceBox.node,
    textBox.node,
    h(
      "div",
      { class: "tc-box" },
      h("label", {}, h("b", {}, "Encode with these merges "), word),
      " ",
      encoded,
      wordList,
    ),
    h(
      "p",
      { class: "tc-legend" },
      h("span", {}, "“▁” is the space before a word."),
      h("span", {}, chip("es", "tc-new"), "made last"),
      h("span", {}, chip("e", "tc-next"), "merged next"),
    ),
  );

  function update() {
    follow(get("done"));
    const { pieces, characters, merges, words: all } = learner;
    const done = here();
    if (text.value !== learned) text.value = learned;
    if (word.value !== get("word")) word.value = get("word");
    const pairs = learner.pairs();
    const [best] = pairs;
    const end = !best || best.count < 2;
    const newest = merges[done - 1]?.made ?? -1;
    const row = (...cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, ...[cell].flat())));
    const mark = (id) => (id === newest ? "tc-new" : "");

    pairRows.replaceChildren(
      ...pairs.slice(0, 6).map((pair, n) => {
        const line = row(
          [
            chip(pieces[pair.left]),
            chip(pieces[pair.right]),
            ...(n || end ? [] : [h("small", {}, "← next")]),
          ],
          count(pair.count),
        );
        line.classList.toggle("tc-next", !n && !end);
        return line;
      }),
    );
    say(pairBox.note, `${count(pairs.length)} different`);

    const shown = [...all].sort((a, b) => b.count - a.count).slice(0, 6);
    wordRows.replaceChildren(
      ...shown.map((one) => {
        const spot = (i) =>
          best &&
          !end &&
          ((one.ids[i] === best.left && one.ids[i + 1] === best.right) ||
            (one.ids[i - 1] === best.left && one.ids[i] === best.right));
        const chips = one.ids
          .slice(0, 24)
          .map((id, i) => chip(pieces[id], `${mark(id)} ${spot(i) ? "tc-next" : ""}`));
        return row(count(one.count), [...chips, ...(one.ids.length > 24 ? ["…"] : [])]);
      }),
    );
    say(
      wordBox.note,
      all.length > 6
        ? `the 6 most frequent of ${count(all.length)}`
        : `${count(all.length)} different`,
    );

    const latest = pieces.slice(characters).slice(-40);
    const first = Math.max(0, 100 - latest.length);
    pieceList.replaceChildren(
      ...pieces.slice(0, Math.min(characters, first)).map((piece) => chip(piece)),
      ...(characters > first || pieces.length - characters > 40 ? ["… "] : []),
      ...latest.map((piece, n) =>
        chip(piece, `tc-made ${mark(pieces.length - latest.length + n)}`),
      ),
    );
    say(
      pieceBox.note,
      `${count(characters)} characters + ${count(pieces.length - characters)} merged = ` +
        `${count(pieces.length)} pieces`,
    );

    const begin = learner.start(100);
    const [now, before] = [
      learner.size(),
      all.reduce(
        (sum, one) => sum + one.count * one.ids.reduce((n, id) => n + [...pieces[id]].length, 0),
        0,
      ),
    ];
    textList.replaceChildren(
      ...begin.map((piece) => chip(piece, piece === pieces[newest] ? "tc-new" : "")),
      ...(now > begin.length ? ["…"] : []),
    );
    say(
      textBox.note,
      `${count(before)} characters in ${count(now)} ` +
        `pieces${now ? `, ${plain(Number((before / now).toFixed(2)))} each` : ""}`,
    );

    const own = learner.encode(get("word"));
    wordList.replaceChildren(
      ...own.slice(0, 200).map((piece) => chip(piece, piece === null ? "tc-unk" : "")),
      ...(own.length > 200 ? ["…"] : []),
    );
    const unknown = own.filter((piece) => piece === null).length;
    const those = unknown === 1 ? "that character" : "those characters";
    say(
      encoded,
      `${count(own.length)} piece${own.length === 1 ? "" : "s"}` +
        (unknown ? `, ${count(unknown)} unknown: the text does not have ${those}` : ""),
    );

    back.setAttribute("aria-disabled", String(done === 0));
    reset.setAttribute("aria-disabled", String(done === 0));
    next.setAttribute("aria-disabled", String(end));
    ten.setAttribute("aria-disabled", String(end));
    say(words, `${count(done)} merge${done === 1 ? "" : "s"} so far. ${explain(learner, pairs)}`);
  }

  return live({ model, el }, root, ["text", "done", "word"], update);
}

export default { render };
