// @ts-check
// Before a run: what an experiment changes, as a picture of its settings.
import { PAPERS } from "./engine/experiment.js";
import { ENGLISH, STEMS } from "./engine/phrases.js";
import { LONGEST } from "./engine/tasks.js";
import { belief, looking, rates, tower } from "./laboratory_changes.js";
import { line, words } from "./laboratory_chart.js";
import { WIDTH, column, lettersOf, open, read, tile } from "./laboratory_tiles.js";
import { svg } from "./shared.js";

/** How high a picture is, before a run and while it shows one. */
const [HEIGHT, LOW] = [344, 150];

/** What a picture shows: names of what is read, wanted and written, how much each that is written
 * looks at each that is read if a run is shown, which place is guessed (-1: none) and whether one
 * may pick another, and the room for it.
 * @typedef {{source: string[], hoped: string[], output: string[], looks: number[][] | null,
 * mine: number, picks: boolean, width: number, height: number}} Scene */

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
    all.map((weight, from) => {
      const one = draw(from, to);
      one.setAttribute("stroke-opacity", weight.toFixed(2));
      return one;
    }),
  );

/** What it reads, what it should make of it, and what it writes. */
function star({ source, hoped, output, looks, mine, width, height }, { task }) {
  const low = height - 45;
  const across = (from, to, kind) =>
    line([column(from, width), 28], [column(to, width), low - 14], kind);
  const mark = (name, n) => (name === hoped[n] ? "good" : "wrong");
  return [
    ...threads(looks, (from, to) => across(from, to, "tc-look")),
    ...route(source, hoped, task === "reverse").map((from, n) =>
      across(from, n, looks ? "tc-route" : from ? "tc-thin" : "tc-strong"),
    ),
    mine < 0 ? "" : across(mine, 0, "tc-strong tc-dashed"),
    ...lettersOf("reads", source, 14, read, width),
    ...lettersOf("should", hoped, low, open, width),
    ...lettersOf("writes", output, low + 31, mark, width),
  ];
}

/** Two rows and the one bag they fall into. To sort, it has one answer; in their orders, two. */
function bag({ source, hoped }, { task }) {
  const places = source.map((_, n) => {
    const [angle, far] = [n * 2.4 + 1, Math.sqrt((n + 0.5) / source.length)];
    return [WIDTH / 2 + 118 * far * Math.cos(angle), 150 + 58 * far * Math.sin(angle)];
  });
  const sorts = task === "sort";
  const back = [...source].reverse();
  const two = !sorts && `${back}` !== `${source}`;
  const ways = sorts
    ? route(source, hoped, false)
    : source.map((name, n) => (name === hoped[0] ? n : -1)).filter((n) => n >= 0);
  return [
    svg("rect", { class: "tc-bag", x: 1, y: 66, width: WIDTH - 2, height: 168, rx: 84 }),
    ...ways.map((of, n) =>
      line(places[of], [column(sorts ? n : 0), 288], sorts ? "tc-strong" : "tc-thin tc-dashed"),
    ),
    ...source.map((name, n) =>
      tile(name, places[n][0], places[n][1], "read", ((n * 67) % 50) - 25),
    ),
    ...lettersOf("reads", source, 14, read),
    ...lettersOf("or", back, 44, read),
    words(
      WIDTH,
      sorts ? 334 : 258,
      `One bag, ${two ? "two answers" : "one answer"}`,
      "tc-loud tc-end",
    ),
    ...lettersOf("should", hoped, 300, open),
    ...(sorts ? [] : lettersOf("or", [...hoped].reverse(), 330, open)),
  ];
}

/** A decoder's input, one place behind what it should predict; and what it has, alone, at first: the
 * same threads, from nothing. */
const leak = ({ hoped }) => {
  const threads = (from, to, kind) =>
    hoped.slice(0, LONGEST - 1).map((_, n) => line([column(n + 1), from], [column(n), to], kind));
  return [
    words(0, 16, "While it learns", "tc-word"),
    words(WIDTH, 16, "copies its input", "tc-red tc-end"),
    ...threads(60, 141, "tc-bad"),
    ...lettersOf("sees", ["▸", ...hoped], 46, read),
    words(column(0), 75, "start", "tc-mid"),
    ...lettersOf("should", hoped, 155, open),
    words(0, 201, "Alone, at first", "tc-word"),
    ...threads(245, 302, "tc-thin tc-dashed"),
    ...lettersOf("sees", ["▸", ...hoped.map(() => "")], 231, (name) => (name ? "read" : "open")),
    ...lettersOf(
      "writes",
      hoped.map(() => "?"),
      316,
      open,
    ),
  ];
};

/** English words left, German right. */
function book({ source, hoped, output, looks }) {
  const at = (n) => 16 + n * 27;
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
function pictureOf({ task, mask, positions, layers, rate, warmup, smoothing, heads }) {
  if (task === "phrases") return ["Which word is which", book];
  if (!mask) return ["The answer is in sight", leak];
  if (positions === "none") return ["A bag of letters", bag];
  if (layers > 1) return ["A gradient’s direct way down", tower];
  if (rate !== PAPERS.rate || warmup !== PAPERS.warmup) return ["The learning rate", rates];
  if (smoothing !== PAPERS.smoothing) return ["What it should believe", belief];
  if (heads !== PAPERS.heads) return ["One look for each head", looking];
  return ["Each letter to its place", star];
}

/** @param {any} node to draw into @param {any} title @param {any} settings
 * @param {Omit<Scene, "width" | "height">} seen @param {number} wide its height where there is room */
export function drawPicture(node, title, settings, seen, wide) {
  const inRows = settings.task !== "phrases";
  const [name, parts] = seen.looks ? ["", inRows ? star : book] : pictureOf(settings);
  const [width, height] = seen.looks
    ? [WIDTH, inRows ? LOW : 330]
    : wide
      ? [2 * WIDTH, wide]
      : [WIDTH, HEIGHT];
  title.textContent = seen.picks ? "Pick the letter that you expect" : name;
  node.setAttribute("viewBox", `0 0 ${width} ${height}`);
  node.replaceChildren(...parts({ ...seen, width, height }, settings));
  const told = [...node.querySelectorAll("text")].map((text) => text.textContent);
  node.setAttribute("aria-label", [name, ...told].join(" "));
}
