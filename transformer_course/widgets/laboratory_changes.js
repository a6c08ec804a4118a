// @ts-check
// Pictures of what an experiment changes: tokens in a stack, the learning rate, heads, the target.
import { learningRate } from "./engine/adam.js";
import { Experiment, PAPERS, SIZES, teachingOf } from "./engine/experiment.js";
import { Memory } from "./engine/memory.js";
import { TASKS } from "./engine/tasks.js";
import { EOS_ID } from "./engine/tokens.js";
import { box, line, path, words } from "./laboratory_chart.js";
import { READS, SIDE, WIDTH, column, lettersOf, open, tile } from "./laboratory_tiles.js";
import { count, fixed } from "./numbers.js";

const percent = (share) => `${Math.round(1000 * share) / 10} %`;

let /** @type {Memory | undefined} */ memory;
let [shown, cosines] = ["", /** @type {number[][]} */ ([])]; // of one row and its settings

/** The mean cosine of two tokens of a row in an encoder that has not learned.
 * @param {any} settings @param {number[]} row @returns {number[]} */
export const alike = (settings, row) =>
  new Experiment(settings, (memory = memory?.reset() ?? new Memory(8))).alike(row);

/** How alike the tokens of the row grow from layer to layer while nothing is learned: the mean angle
 * between two as an open fan, with the norm after the sum and before the sub-layer. Of a run, how
 * alike they were and are with its own norm. */
export function fans({ source, learned }, settings) {
  const { layers, task, heads, positions, seed } = settings;
  const now = `${[source, task, heads, positions, seed]}`;
  const norms = ["post", "pre"];
  if (now !== shown) {
    // Layers draw their weights in turn: the first ones of the deepest stack are a lower stack's.
    const row = [...TASKS[task].read(source.join("")), EOS_ID];
    [shown, cosines] = [now, norms.map((norm) => alike({ ...settings, layers: 6, norm }, row))];
  }
  const high = 262 / (layers + 1);
  const far = 0.78 * high;
  const own = norms.indexOf(settings.norm);
  const untrained = cosines.map((all) => all.slice(0, layers + 1));
  const sides = learned ? [untrained[own], learned] : untrained;
  const names = learned ? ["untrained", "trained"] : ["norm after", "norm before"];
  return [
    ...sides.flatMap((side, n) => {
      const kind = n === (learned ? 1 : own) ? "tc-loud" : "";
      const x = n ? 204 : 80;
      return [
        words(x, 18, names[n], kind),
        ...side.flatMap((cosine, k) => {
          const y = 292 - (k + 0.5) * high;
          const half = Math.acos(cosine) / 2 || 0;
          const [wide, up] = [far * Math.cos(half), far * Math.sin(half)];
          return [
            path(`M${x + wide} ${y - up}l${-wide} ${up} ${wide} ${up}`, kind && "tc-strong"),
            words(x + far + 8, y + 5, fixed(cosine, 2), kind),
            n ? "" : words(0, y + 5, k ? `layer ${k}` : "input"),
          ];
        }),
      ];
    }),
    words(0, 320, `Mean cosine of two tokens${learned ? "" : ", untrained"}`),
  ];
}

/** How far the first ten steps move a weight if its gradient stays, at this rate and the usual one of
 * the first experiment, beside a weight's size. Under it both rates by step; red is what this one is
 * above the usual. */
export function rates(_, settings) {
  const { steps, warmup } = settings;
  const by = [settings, { ...PAPERS, steps }].map(
    (of) => (step) => learningRate(step, SIZES.d_model, teachingOf(of)),
  );
  const all = by.map((of) =>
    Array.from({ length: 241 }, (__, n) => of(1 + ((steps - 1) * n) / 240)),
  );
  // Of ten rates in a straight line the mean is the one in the middle.
  const far = [...by.map((of) => 10 * of(5.5)), SIZES.d_model ** -0.5];
  const peak = Math.max(...all.flat());
  const high = (of) => 310 - (184 * of) / peak;
  const at = (of, n) => [SIDE + (n * (WIDTH - SIDE)) / 240, high(of)];
  const [own, usual] = all.map((each) => each.map(at));
  const curve = (places, kind) => path(`M${places.join("L")}`, kind);
  const above = own.map(([x, y], n) => [x, Math.min(y, usual[n][1])]);
  return [
    curve([...above, ...[...usual].reverse()], "tc-more"),
    line([SIDE, 310], [WIDTH, 310]),
    words(SIDE - 6, 131, peak.toPrecision(2), "tc-end"),
    words(SIDE - 6, 315, "0", "tc-end"),
    words(WIDTH, 328, `${count(steps)} steps`, "tc-end"),
    curve(usual, "tc-dashed"),
    curve(own, "tc-strong"),
    warmup ? "" : words(SIDE + 20, 251, "the climb left out", "tc-red"),
    words(own[180][0] - 14, own[180][1] + 4, "this rate", "tc-loud tc-end"),
    words(usual[80][0] + 12, usual[80][1] - 6, "the usual rate"),
    ...["this rate", "the usual rate", "typical weight"].flatMap((text, n) => {
      const [y, width] = [14 + 25 * n, (160 * far[n]) / Math.max(...far)];
      return [
        words(96, y + 5, text, `tc-end${n ? "" : " tc-loud"}`),
        box(104, y - 7, width, 14, n ? "tc-part" : "tc-own"),
        words(112 + width, y + 5, fixed(far[n], 2)),
      ];
    }),
  ];
}

/** A pill for each head, as wide as the head, its look at every letter, and what it writes first.
 * Which letter the reader expects it to look at is `mine`, where one may pick. */
export function looking({ source, mine, width, height, picks }, { heads }) {
  const [y, low] = [height / 2 + 8, height - 30];
  const kind = (__, n) => (n === mine ? "mine" : picks ? "pick" : "read");
  const end = column(source.length, width);
  const all = [...source, "■"];
  const wide = (SIZES.d_model / heads) * Math.floor(width / WIDTH) * 2; // pixels
  const pills = Array.from({ length: heads }, (_, head) => {
    const x = SIDE + ((head + 0.5) * (width - SIDE)) / heads;
    const thread = (n, far, on) => {
      const [to, half] = [column(n, width), (far + y) / 2];
      const kind = on ? "tc-strong" : "tc-thin";
      return path(`M${to} ${far}C${to} ${half} ${x} ${half} ${x} ${y}`, kind);
    };
    return [
      ...all.map((__, n) => thread(n, READS + 14, n === mine)),
      thread(0, low - 14, mine >= 0),
      box(x - wide / 2, y - 13, wide, 26, "tc-own", 13),
      words(x, y + 5, `${SIZES.d_model / heads} wide`, "tc-mid tc-on"),
    ];
  });
  return [
    ...pills.flat(),
    words(0, y + 5, "looks"),
    ...lettersOf("reads", source, READS, kind, width),
    tile("■", end, READS, kind("", source.length)),
    words(end, READS - 22, "end", "tc-mid"),
    ...lettersOf("writes", ["?", ...source.map(() => "")], low, open, width),
  ];
}

/** What targets say of each token, on one axis: the usual one wide, and before it this one; once it
 * learns, this one wide, and before it what the model believes. */
export function belief({ hoped: [first = "a"], believes }, { smoothing, task }) {
  const { names } = TASKS[task];
  const all = [...names, "", "", "marks", ""];
  const own = names.indexOf(first);
  const at = (n) => ((n + 0.5) * WIDTH) / all.length;
  const side = own < 11 ? 1 : -1;
  const asked = (smooth) => all.map((_, n) => smooth / all.length + (n === own ? 1 - smooth : 0));
  const usual = asked(believes ? smoothing : PAPERS.smoothing);
  // By id the marks come first.
  const mine = believes ? all.map((_, n) => believes[(n + 4) % all.length]) : asked(smoothing);
  const told = (text, y, kind, off = 11) =>
    words(at(own) + side * off, y, text, kind + (side < 0 ? " tc-end" : ""));
  const bars = (shares, wide, kind) =>
    shares.map((share, n) => box(at(n) - wide / 2, 316 - 276 * share, wide, 276 * share, kind));
  const rest = believes ? "on all others" : "on each other";
  const name = (by, smooth) => `on ${first}${believes ? `: ${by}` : `, smoothing ${smooth}`}`;
  return [
    line([0, 317], [WIDTH, 317]),
    ...bars(usual, 11, "tc-part"),
    ...bars(mine, 5, "tc-own"),
    told(`${percent(mine[own])} ${name("it believes", smoothing)}`, 34, "tc-loud"),
    told(`${percent(usual[own])} ${name("its target", PAPERS.smoothing)}`, 54, ""),
    told(`${percent(believes ? 1 - mine[own] : usual[23])} ${rest}`, 304, "", 44),
    ...all.map((name, n) => words(at(n), 336, name, n === own ? "tc-loud tc-mid" : "tc-mid")),
  ];
}
