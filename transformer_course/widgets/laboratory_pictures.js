// @ts-check
// Before a run: what an experiment changes, as a picture of its settings.
import { PAPERS } from "./engine/experiment.js";
import { ENGLISH, STEMS } from "./engine/phrases.js";
import { LONGEST } from "./engine/tasks.js";
import { belief, fans, looking, rates } from "./laboratory_changes.js";
import { box, faint, line, words } from "./laboratory_chart.js";
import { WIDTH, column, lettersOf, open, opens, read, tile, written } from "./laboratory_tiles.js";

/** What a picture shows: names of what is read, wanted and written, how much each that is written
 * looks at each that is read if a run is shown, which place is guessed (-1: none) and whether one
 * may pick another, how alike its tokens are once it has learned, what it holds each token for as
 * the first, by id, and the room for it.
 * @typedef {{learned?: number[], believes?: number[] | null, source: string[], hoped: string[], output: string[], looks: number[][] | null,
 * mine: number, picks: boolean, width: number, height: number, high: number}} Scene */

/** Which letter of the source each wanted one is: of equal ones the first, or the last, in turn.
 * @param {string[]} source @param {string[]} wanted @param {boolean} back */
export function route(source, wanted, back) {
  const rest = [...source];
  return wanted.map((name) => {
    const at = back ? rest.lastIndexOf(name) : rest.indexOf(name);
    rest[at] = "";
    return at;
  });
}

/** Which English word each German one stands for, by the phrasebook; -1 for none.
 * @param {string[]} english @param {string[]} german */
export function pairs(english, german) {
  const stems = english.map((word) => STEMS[ENGLISH.indexOf(word)] ?? word);
  return german.map((word) => {
    const at = stems.findIndex((stem) => stem && word.replace(/^kein/, "nicht").startsWith(stem));
    if (at >= 0) stems[at] = "";
    return at;
  });
}

/** @param {number[][] | null} looks @param {(from: number, to: number) => any} draw */
const threads = (looks, draw) =>
  (looks ?? []).flatMap((all, to) =>
    all.map((weight, from) => faint(draw(from, to), "stroke", weight)),
  );

/** What it reads, what it should make of it, and what it writes. Before a run one sees where its
 * first letter comes from, and what is wrong with what it writes. */
function star(scene, { task }) {
  const { source, hoped, looks, mine, height } = scene;
  const low = height - 63;
  const across = (from, to, kind) => line([column(from), 28], [column(to), low - 14], kind);
  const ways = route(source, hoped, task === "reverse");
  const from = looks ? -1 : ways[0];
  return [
    ...threads(looks, (from, to) => across(from, to, "tc-look")),
    ...ways.map((from, n) => across(from, n, looks ? "tc-route" : n ? "tc-thin" : "tc-strong")),
    mine < 0 ? "" : across(mine, 0, "tc-strong tc-dashed"),
    ...lettersOf("reads", source, 14, (_, n) => (n === from ? "read tc-mine" : "read")),
    ...lettersOf("should", hoped, low, looks ? open : opens),
    ...written(scene, low + 31),
    looks?.length ? words(0, height, "Green: where it looks") : "",
    looks
      ? words(WIDTH, height, mine < 0 ? "Dotted: its place" : "Dashed: your guess", "tc-end")
      : "",
  ];
}

/** Two rows, what is to be made of each, and between them the one bag that both fall into. To sort,
 * it has one answer; in their orders, two. What begins an answer stands free. */
function bag({ source, hoped }, { task }) {
  const sorts = task === "sort";
  const back = [...source].reverse();
  const other = sorts ? hoped : [...hoped].reverse();
  const answers = `${other}` === `${hoped}` ? "one answer" : "two answers";
  const [ways, tiles] = /** @type {any[][]} */ ([[], []]);
  // In the bag they stand by the alphabet, whatever the row.
  route(source, [...source].sort(), false).forEach((n, k) => {
    const [up, down] = [hoped[0], other[0]].map((name) => source[n] === name);
    const x = column(k);
    const far = Math.min(68, Math.max(44, 10 * k - 14)); // its way stays free of its equals
    const y = 172 + (up ? -far : down ? far : 28 * Math.sin(n * 2.4));
    const way = (to) =>
      ways.push(line([x, y], [sorts ? x : column(0), to], sorts ? "tc-thin" : "tc-strong"));
    if (up || sorts) way(58);
    if (down || sorts) way(286);
    tiles.push(tile(source[n], x, y, up || down ? "mine" : "read"));
  });
  return [
    box(1, 84, WIDTH - 2, 176, "tc-bag", 48),
    ...ways,
    ...tiles,
    words(WIDTH, 280, `One bag, ${answers}`, "tc-halo tc-loud tc-end"),
    ...lettersOf("reads", source, 14, read),
    ...lettersOf("should", hoped, 45, opens),
    ...lettersOf("should", other, 299, opens),
    ...lettersOf("reads", back, 330, read),
  ];
}

/** A decoder's input, one place behind what it should predict; and what it has alone, at first:
 * nothing to copy. */
const leak = (scene) => {
  const { hoped, looks } = scene;
  return [
    words(0, 16, "While it learns: copies its input", "tc-red"),
    ...hoped
      .slice(0, LONGEST - 1)
      .map((_, n) => line([column(n + 1), 60], [column(n), 141], "tc-bad")),
    ...lettersOf("sees", ["▸", ...hoped], 46, read),
    ...lettersOf("should", hoped, 155, open),
    words(0, 201, "Alone, at first: nothing to copy"),
    ...lettersOf("sees", ["▸", ...hoped.map(() => "")], 231, (name) => (name ? "read" : "open")),
    ...(looks
      ? written(scene, 306)
      : lettersOf("writes", [..."?".repeat(hoped.length)], 306, open)),
  ];
};

/** English words left, German right. */
function book({ source, hoped, output, looks }) {
  const at = (n) => 12 + n * 22;
  const across = (from, to, kind) => line([104, at(from)], [200, at(to)], kind);
  return [
    ...threads(looks, (from, to) => across(from, to, "tc-look")),
    ...(looks ? [] : pairs(source, hoped)).flatMap((from, n) =>
      from < 0 ? [] : [across(from, n, "tc-strong")],
    ),
    ...[...source, looks ? "■" : ""].map((word, n) => words(96, at(n) + 5, word, "tc-word tc-end")),
    ...(looks ? output : hoped).map((word, n) =>
      words(
        208,
        at(n) + 5,
        word,
        `tc-word tc-${looks ? (word === hoped[n] ? "good" : "wrong") : ""}`,
      ),
    ),
  ];
}

/** The picture of some settings, and its title.
 * @param {any} settings @returns {[string, (row: any, settings: any) => any[]]} */
function pictureOf({ task, mask, positions, layers, rate, warmup, smoothing, heads }, looks) {
  if (task === "phrases") return ["Which word is which", book];
  if (!mask) return ["The answer is in sight", leak];
  if (positions === "none") return ["A bag of letters", bag];
  if (layers > 1) return ["How alike its tokens are", fans];
  if (rate !== PAPERS.rate || warmup !== PAPERS.warmup)
    return ["Ten steps one way move a weight", rates];
  if (smoothing !== PAPERS.smoothing)
    return [looks ? "What it believes, and should" : "What it should believe", belief];
  if (!looks && heads !== PAPERS.heads) return ["One look for each head", looking];
  return ["Each letter to its place", star];
}

/** What came of the row, in one line. @param {string[]} output @param {string[]} hoped
 * @param {string} what its parts are called */
export function verdict(output, hoped, what) {
  const right = hoped.filter((name, n) => name === output[n]).length;
  const more = output.length > hoped.length ? ", then more" : "";
  const sign = right === hoped.length && !more ? "✓" : "✗";
  return `${sign} ${right} of ${hoped.length} ${what} right${more}`;
}

/** After a run the picture stays, with what it writes. Of heads one then sees the looks; where they
 * cross it is low, with room for maps of them.
 * @param {any} node to draw into @param {any} about @param {any} settings
 * @param {Scene} scene @returns {boolean} whether lines cross in it */
export function drawPicture(node, about, settings, scene) {
  const { looks, picks, width, output, hoped } = scene;
  const [name, parts] = pictureOf(settings, looks);
  const low = parts === star && looks && scene.height > 300;
  const height = low ? (scene.high < 300 ? 166 : 194) : parts === book ? 282 : scene.height;
  const more = looks && ![star, book, leak].includes(parts);
  const came =
    looks && hoped.length && !more && parts !== leak
      ? verdict(output, hoped, parts === book ? "words" : "letters")
      : "";
  about.className = { "✓": "tc-good", "✗": "tc-red" }[came[0]] ?? "";
  about.textContent = picks ? "Pick the letter that you expect" : came || name;
  node.setAttribute("viewBox", `0 0 ${width} ${height + (more ? 36 : 0)}`);
  node.replaceChildren(
    ...parts({ ...scene, height }, settings),
    ...(more ? written(scene, height + 18) : []),
  );
  const told = [...node.querySelectorAll("text")].map((text) => text.textContent);
  node.setAttribute("aria-label", [name, ...told].join(" "));
  return parts === star;
}
