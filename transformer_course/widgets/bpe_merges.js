// @ts-check
// Byte-pair encoding on any text, one merge at a time: the algorithm of
// transformer_course/tokenizer.py.
import { count, plain } from "./numbers.js";
import { h, live, press, save, say } from "./shared.js";

/** @typedef {{count: number, ids: number[]}} Word a part of the text, and how often it stands
 * there */
/** @typedef {{left: number, right: number, count: number}} Pair */

export const LONGEST = 20000;
const START = "▁";
const SPACE = /[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000▁]+/gu;
const MARK = /([\p{P}$+<=>^`|~])/u;
const PAIR = 2 ** 20; // more than there can be pieces

// ---- The algorithm ----

/** NFC, single spaces, "▁" before each word, punctuation alone.
 * @param {string} text @returns {string[]} */
export function partsOf(text) {
  const clean = text.normalize("NFC").replace(SPACE, " ").replace(/^ | $/g, "");
  return clean
    ? clean.split(" ").flatMap((word) => (START + word).split(MARK).filter(Boolean))
    : [];
}

/** Replace a pair of neighbors, the leftmost first.
 * @param {number[]} ids @param {number} left @param {number} right @param {number} made */
export function join(ids, left, right, made) {
  const joined = [];
  for (let i = 0; i < ids.length; i += 1) {
    const fits = ids[i] === left && ids[i + 1] === right;
    joined.push(fits ? made : ids[i]);
    if (fits) i += 1;
  }
  return joined;
}

/** Learns from a text: `merge` and `back` go one merge on or back, `pairs` counts, `encode`
 * applies.
 * @param {string} text */
export function learn(text) {
  const parts = partsOf(text);
  const amounts = new Map();
  for (const part of parts) amounts.set(part, (amounts.get(part) ?? 0) + 1);
  const characters = [...new Set([...amounts.keys()].flatMap((part) => [...part]))].sort(
    (a, b) => Number(a.codePointAt(0)) - Number(b.codePointAt(0)),
  );
  const pieces = [...characters];
  const known = new Map(pieces.map((piece, id) => [piece, id]));
  /** @type {Word[]} */
  const words = [...amounts].map(([part, amount]) => ({
    count: amount,
    ids: [...part].map((character) => Number(known.get(character))),
  }));
  const places = new Map([...amounts.keys()].map((part, n) => [part, n]));
  /** @type {{left: number, right: number, made: number, fresh: boolean, before: [Word,
   * number[]][]}[]} */
  const merges = [];

  /** All pairs of neighbors, the next one to merge first. @returns {Pair[]} */
  const pairs = () => {
    const found = new Map();
    for (const { count: amount, ids } of words) {
      for (let i = 0; i + 1 < ids.length; i += 1) {
        const key = ids[i] * PAIR + ids[i + 1];
        found.set(key, (found.get(key) ?? 0) + amount);
      }
    }
    return [...found]
      .sort(([a, n], [b, m]) => m - n || a - b)
      .map(([key, amount]) => ({ left: Math.floor(key / PAIR), right: key % PAIR, count: amount }));
  };

  /** Merge the most frequent pair, if one occurs twice. @returns {boolean} whether there was one */
  const merge = () => {
    const [best] = pairs();
    if (!best || best.count < 2) return false;
    const { left, right } = best;
    const piece = pieces[left] + pieces[right];
    const fresh = !known.has(piece);
    const made = known.get(piece) ?? pieces.length;
    if (fresh) known.set(piece, pieces.push(piece) - 1);
    /** @type {[Word, number[]][]} */
    const before = [];
    for (const word of words) {
      const ids = join(word.ids, left, right, made);
      if (ids.length === word.ids.length) continue;
      before.push([word, word.ids]);
      word.ids = ids;
    }
    merges.push({ left, right, made, fresh, before });
    return true;
  };

  const back = () => {
    const last = merges.pop();
    if (!last) return;
    for (const [word, ids] of last.before) word.ids = ids;
    if (last.fresh) known.delete(String(pieces.pop()));
  };

  /** The pieces of any text, the earliest merge first; null stands for a character never seen.
   * @param {string} other @returns {(string | null)[]} */
  const encode = (other) => {
    const rank = new Map(
      merges.map(({ left, right, made }, n) => [left * PAIR + right, { n, made }]),
    );
    return partsOf(other).flatMap((part) => {
      const ids = [...part].map((character) => known.get(character) ?? -1);
      for (;;) {
        let [best, at] = [{ n: Infinity, made: 0 }, -1];
        for (let i = 0; i + 1 < ids.length; i += 1) {
          const one =
            ids[i] < 0 || ids[i + 1] < 0 ? undefined : rank.get(ids[i] * PAIR + ids[i + 1]);
          if (one && one.n < best.n) [best, at] = [one, i];
        }
        if (at < 0) return ids.map((id) => (id < 0 ? null : pieces[id]));
        ids.splice(at, 2, best.made);
      }
    });
  };

  /** The first pieces of the text itself. @param {number} most */
  const start = (most) => {
    const found = [];
    for (const part of parts) {
      if (found.length >= most) break;
      found.push(...words[Number(places.get(part))].ids.map((id) => pieces[id]));
    }
    return found.slice(0, most);
  };

  const size = () => words.reduce((sum, { count: amount, ids }) => sum + amount * ids.length, 0);
  return {
    pieces,
    characters: characters.length,
    words,
    merges,
    pairs,
    merge,
    back,
    encode,
    start,
    size,
  };
}

/** A piece that can be seen: what shows as nothing gets its number. @param {string} piece */
export const visible = (piece) =>
  piece.replace(
    /[\p{Cc}\p{Cf}\p{Zs}\p{Cs}\p{Co}\p{Cn}\ufe0f]/gu,
    (character) =>
      `U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}`,
  );

/** What comes next, and why. @param {ReturnType<typeof learn>} learner @param {Pair[]} pairs */
export function explain({ pieces, merges }, pairs) {
  const [best] = pairs;
  if (!pieces.length)
    return (
      "There is no text yet. Write some above: words that share beginnings or ends show the " +
      "most."
    );
  if (!best || best.count < 2)
    return (
      "No pair occurs twice any more: " +
      (merges.length
        ? `all ${count(merges.length)} merges are learned.`
        : "there is nothing to merge.")
    );
  const equal = pairs.filter((pair) => pair.count === best.count).length;
  const [left, right] = [visible(pieces[best.left]), visible(pieces[best.right])];
  const tie =
    equal > 1
      ? ` So ${equal > 2 ? `do ${count(equal - 1)} others` : "does 1 other"}; the pair whose ` +
        "pieces came first into the vocabulary wins."
      : " No other pair is as frequent.";
  return (
    `Next: “${left}” before “${right}” occurs ${count(best.count)} times.${tie} The two ` +
    `become one piece, “${left}${right}”.`
  );
}

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
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

    back.setAttribute("aria-disabled", done === 0);
    reset.setAttribute("aria-disabled", done === 0);
    next.setAttribute("aria-disabled", end);
    ten.setAttribute("aria-disabled", end);
    say(words, `${count(done)} merge${done === 1 ? "" : "s"} so far. ${explain(learner, pairs)}`);
  }

  return live({ model, el }, root, ["text", "done", "word"], update);
}

export default { render };
