// @ts-check
// Before a run: what an experiment changes, as a picture of its settings.
import { learningRate } from "./engine/adam.js";
import { PAPERS, SIZES, teachingOf } from "./engine/experiment.js";
import { ENGLISH, STEMS } from "./engine/phrases.js";
import { LONGEST, TASKS, namesOf, vocabulary } from "./engine/tasks.js";
import { line, words } from "./laboratory_chart.js";
import { svg } from "./shared.js";

/** How wide and high a picture is, before a run and while it shows one. */
const [WIDTH, HEIGHT, LOW] = [312, 344, 160];

/** What a picture shows: names of what is read, wanted and written, how much each that is written
 * looks at each that is read if a run is shown, and the room for it.
 * @typedef {{source: string[], hoped: string[], output: string[], looks: number[][] | null,
 * width: number, height: number}} Scene */

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

/** A letter in its tile, around a point. */
const tile = (name, x, y, kind, turn = 0) =>
  svg(
    "g",
    { class: `tc-tile tc-${kind}`, transform: `translate(${x} ${y}) rotate(${turn})` },
    svg("rect", { x: -10.5, y: -13, width: 21, height: 26, rx: 4 }),
    words(0, 5.5, name),
  );
const SIDE = 46; // the names of rows, left of their letters
const column = (n, width = WIDTH) => SIDE + ((n + 0.5) * (width - SIDE)) / LONGEST;
/** A row of letters, and what it is. @param {(name: string, n: number) => string} kind */
const lettersOf = (title, names, y, kind, width = WIDTH) => [
  words(0, y + 5, title),
  ...names.slice(0, LONGEST).map((name, n) => tile(name, column(n, width), y, kind(name, n))),
];
const [read, open] = [() => "read", () => "open"];

/** @param {number[][] | null} looks @param {(from: number, to: number) => any} draw */
const threads = (looks, draw) =>
  (looks ?? []).flatMap((all, to) =>
    all.map((weight, from) => {
      const one = draw(from, to);
      one.setAttribute("stroke-opacity", weight.toFixed(2));
      return one;
    }),
  );

/** What it reads, what it should make of it, and, in a run, what it writes. */
function star({ source, hoped, output, looks, width, height }, { task }) {
  const low = height - (looks ? 45 : 14);
  const across = (from, to, kind) =>
    line([column(from, width), 28], [column(to, width), low - 14], kind);
  const mark = (name, n) => (name === hoped[n] ? "good" : "wrong");
  return [
    ...threads(looks, (from, to) => across(from, to, "tc-look")),
    ...route(source, hoped, task === "reverse").map((from, n) =>
      across(from, n, looks ? "tc-route" : "tc-strong"),
    ),
    ...lettersOf("reads", source, 14, read, width),
    ...lettersOf("should", hoped, low, open, width),
    ...(looks ? lettersOf("writes", output, low + 31, mark, width) : []),
  ];
}

/** Letters without an order; to sort them needs none. */
function bag({ source, hoped }, { task }) {
  const places = source.map((_, n) => {
    const [angle, far] = [n * 2.4 + 1, Math.sqrt((n + 0.5) / source.length)];
    return [WIDTH / 2 + 118 * far * Math.cos(angle), 108 + 72 * far * Math.sin(angle)];
  });
  const sorted = route(source, hoped, false).map((from, n) =>
    line(places[from], [column(n), 302], "tc-strong"),
  );
  return [
    svg("rect", { class: "tc-bag", x: 1, y: 6, width: WIDTH - 2, height: 204, rx: 100 }),
    ...(task === "sort"
      ? sorted
      : [words(WIDTH / 2, 262, "Which one comes first?", "tc-loud tc-mid")]),
    ...source.map((name, n) =>
      tile(name, places[n][0], places[n][1], "read", ((n * 67) % 50) - 25),
    ),
    ...lettersOf("should", hoped, 316, open),
  ];
}

/** A decoder's input, one place behind what it should predict. */
const leak = ({ hoped }) => [
  ...hoped
    .slice(0, LONGEST - 1)
    .map((_, n) => line([column(n + 1), 74], [column(n), 276], "tc-strong")),
  ...lettersOf("sees", ["▸", ...hoped], 60, read),
  ...lettersOf("should", hoped, 290, open),
];

/** The sub-layers of both stacks, each beside the way up: is its norm on that way? */
const tower = (_, { layers, norm }) =>
  [2, 3].flatMap((sublayers, side) => {
    const [x, count] = [42 + 156 * side, layers * sublayers];
    const step = 292 / count;
    const bar = (y, from, to) => line([from, y], [to, y], "tc-norm");
    return [
      line([x, 310], [x, 4]),
      ...Array.from({ length: count }, (__, n) => {
        const y = 304 - n * step;
        const path = `M${x} ${y}h34v${-0.6 * step}H${x}`;
        return [
          svg("path", { d: path }),
          norm === "post"
            ? bar(y - 0.8 * step, x - 12, x + 12)
            : bar(y - 0.3 * step, x + 24, x + 44),
        ];
      }).flat(),
      ...(norm === "post" ? [] : [bar(8, x - 12, x + 12)]),
      words(x, 332, `${layers} × ${["encoder", "decoder"][side]}`, "tc-mid"),
    ];
  });

/** The rate by step, beside that of the first experiment. */
function rates(_, settings) {
  const usual = { ...PAPERS, steps: settings.steps };
  const [mine, first] = [settings, usual].map((of) =>
    Array.from({ length: 121 }, (__, n) =>
      learningRate(1 + ((of.steps - 1) * n) / 120, SIZES.d_model, teachingOf(of)),
    ),
  );
  const top = Math.max(...mine, ...first);
  const at = (rate, n) => [2 + n * 2.55, 300 - (262 * rate) / top];
  const curve = (all, kind) => svg("path", { class: kind, d: `M${all.map(at).join("L")}` });
  const [x, y] = at(mine[12], 12);
  return [
    line([2, 300], [308, 300]),
    words(2, 320, `step 1 to ${settings.steps}`),
    curve(first, "tc-dashed"),
    curve(mine, "tc-strong"),
    words(x + 10, y, "this experiment", "tc-loud"),
    words(32, 264, "the first experiment"),
  ];
}

/** Something whole in parts, with the first experiment's settings and with these.
 * @param {(of: any) => any[][]} parts how large each is, and what it is */
const compared = (parts) => (_, settings) =>
  [PAPERS, settings].flatMap((of, n) => {
    const y = 60 + 150 * n;
    let x = 0;
    return [
      words(0, y - 12, n ? "this experiment" : "the first experiment", n ? "tc-loud" : ""),
      ...parts(of).flatMap(([size, text]) => {
        const [from, width] = [x, size * WIDTH];
        x += width;
        const inside = width > 50;
        return [
          svg("rect", { class: n ? "tc-own" : "tc-part", x: from, y, width, height: 64, rx: 6 }),
          words(
            inside ? from + 12 : WIDTH,
            y + (inside ? 38 : 84),
            text,
            inside ? (n ? "tc-on" : "") : "tc-end",
          ),
        ];
      }),
    ];
  });

const widths = ({ heads }) =>
  Array(heads)
    .fill(SIZES.d_model / heads)
    .map((width) => [width / SIZES.d_model, `${width} wide`]);
/** What a target says of the right token, and of all others. */
const belief = ({ smoothing, task }) => {
  const tokens = vocabulary(TASKS[task]);
  const rest = smoothing * (1 - 1 / tokens);
  return [
    [1 - rest, "the right one"],
    [rest, "all others"],
  ]
    .filter(([part]) => part)
    .map(([part, of]) => [part, `${Math.round(1000 * Number(part)) / 10} % ${of}`]);
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
function pictureOf({ task, mask, positions, layers, norm, rate, warmup, smoothing, heads }) {
  if (task === "phrases") return ["Which word is which", book];
  if (!mask) return ["The answer is in sight", leak];
  if (positions === "none") return ["A bag of letters", bag];
  if (layers > 1) return [`Norms (bars) ${norm === "post" ? "on" : "beside"} the way up`, tower];
  if (rate !== PAPERS.rate || warmup !== PAPERS.warmup) return ["The learning rate", rates];
  if (smoothing !== PAPERS.smoothing) return ["What it should believe", compared(belief)];
  if (heads !== PAPERS.heads) return ["The width of its heads", compared(widths)];
  return ["Each letter to its place", star];
}

/** @param {any} node to draw into @param {any} title @param {any} settings
 * @param {Omit<Scene, "width" | "height">} seen @param {boolean} wide whether there is room */
export function drawPicture(node, title, settings, seen, wide) {
  const inRows = settings.task !== "phrases";
  const [name, parts] = seen.looks ? ["", inRows ? star : book] : pictureOf(settings);
  const [width, height] = seen.looks
    ? [WIDTH, inRows ? LOW : 330]
    : wide
      ? [2 * WIDTH, 178]
      : [WIDTH, HEIGHT];
  title.textContent = name;
  node.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const [read, hoped] = [seen.source, seen.hoped].map((names) => names.join(" "));
  node.setAttribute("aria-label", `${name}: ${read}, should become: ${hoped}`);
  node.replaceChildren(...parts({ ...seen, width, height }, settings));
}
