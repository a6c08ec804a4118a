// @ts-check
// Byte-pair encoding: the algorithm of transformer_course/tokenizer.py, forth and back.
import { count } from "./numbers.js";

/** @typedef {{count: number, ids: number[]}} Word a part of the text, and how often it stands
 * there */
/** @typedef {{left: number, right: number, count: number}} Pair */
/** @typedef {{id: number, piece: string | null, n?: number, parts?: Placed[]}} Placed with the
 * number of the merge that made it, and of what */

export const LONGEST = 20000;
const START = "▁";
const SPACE = /[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000▁]+/gu;
const MARK = /([\p{P}$+<=>^`|~])/u;
const PAIR = 2 ** 20; // more than there can be pieces

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

  /** How often a pair occurs in each word that has it, all of its places counted.
   * @param {Pair} pair @returns {number[]} */
  const occurs = ({ left, right }) =>
    words
      .map(
        ({ count: amount, ids }) =>
          amount * ids.filter((id, n) => id === left && ids[n + 1] === right).length,
      )
      .filter(Boolean);

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

  /** What the parts of any text become, the earliest merge first.
   * @param {string} other @returns {Placed[][]} */
  const place = (other) => {
    const rank = new Map(
      merges.map(({ left, right, made }, n) => [left * PAIR + right, { n, made }]),
    );
    return partsOf(other).map((part) => {
      /** @type {Placed[]} */
      const placed = [...part].map((character) => {
        const id = known.get(character) ?? -1;
        return { id, piece: id < 0 ? null : character };
      });
      for (;;) {
        let [best, at] = [{ n: Infinity, made: 0 }, -1];
        for (let i = 0; i + 1 < placed.length; i += 1) {
          const [a, b] = [placed[i].id, placed[i + 1].id];
          const one = a < 0 || b < 0 ? undefined : rank.get(a * PAIR + b);
          if (one && one.n < best.n) [best, at] = [one, i];
        }
        if (at < 0) return placed;
        const parts = placed.slice(at, at + 2);
        placed.splice(at, 2, { id: best.made, piece: pieces[best.made], n: best.n + 1, parts });
      }
    });
  };

  /** The pieces of any text; null stands for a character never seen.
   * @param {string} other @returns {(string | null)[]} */
  const encode = (other) => place(other).flatMap((part) => part.map(({ piece }) => piece));

  const size = () => words.reduce((sum, { count: amount, ids }) => sum + amount * ids.length, 0);
  const letters = () =>
    words.reduce(
      (sum, one) => sum + one.count * one.ids.reduce((n, id) => n + [...pieces[id]].length, 0),
      0,
    );
  return {
    pieces,
    characters: characters.length,
    words,
    merges,
    pairs,
    occurs,
    merge,
    back,
    place,
    encode,
    size,
    letters,
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
export function explain({ pieces, merges, size, letters }, pairs) {
  const [best] = pairs;
  if (!pieces.length) return "There is no text yet. Write some below.";
  const done = `${count(merges.length)} merge${merges.length === 1 ? "" : "s"}`;
  if (!best || best.count < 2)
    return (
      `${done} so far, and no pair occurs twice any more: ${count(letters())} characters are ` +
      `${count(size())} pieces.`
    );
  const others = pairs.filter((pair) => pair.count === best.count).length - 1;
  const [left, right] = [visible(pieces[best.left]), visible(pieces[best.right])];
  const why = others
    ? `, as do${others > 1 ? "" : "es"} ${count(others)} other${others > 1 ? "s" : ""}; ` +
      "the pair of oldest pieces merges next."
    : `${pairs.length > 1 ? ", more than any other pair" : ""}: they merge next.`;
  return `${done} so far. “${left}” before “${right}” occurs ${count(best.count)} times${why}`;
}
