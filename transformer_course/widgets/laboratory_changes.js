// @ts-check
// Pictures of what an experiment changes: norms, the learning rate, heads, the target.
import { learningRate } from "./engine/adam.js";
import { PAPERS, SIZES, teachingOf } from "./engine/experiment.js";
import { TASKS } from "./engine/tasks.js";
import { box, line, path, words } from "./laboratory_chart.js";
import { READS, SIDE, WIDTH, column, lettersOf, open, tile } from "./laboratory_tiles.js";
import { count, fixed } from "./numbers.js";
import { svg } from "./shared.js";

const percent = (share) => `${Math.round(1000 * share) / 10} %`;

/** What norms leave of a gradient on the direct way down an encoder, around sub-layers that add
 * as much as they get: after the sum each divides by the root of 2, before it one, at the top. The
 * usual encoder and this in one scale; and why a norm costs, with what is added as a triangle. */
export function tower(_, settings) {
  const bar = (x, y, half) => line([x - half, y], [x + half, y], "tc-norm");
  const roots = ({ norm, layers }) => (norm === "post" ? 2 : 1 + 2 * layers);
  const root = roots(settings);
  const side = 84 / (root - 1) ** 0.5; // of what comes in, where what is added is 84
  return [
    ...[PAPERS, settings].flatMap((of, n) => {
      const [x, sums, by] = [n ? 244 : 76, 2 * of.layers, roots(of)];
      const [post, end] = [by === 2, 38 + 22 * sums];
      const left = (norms) => by ** (post ? -norms / 2 : -0.5);
      const flow = (y, part) => box(x - 24 * part, y, 48 * part, 22, n ? "tc-own" : "tc-part");
      return [
        words(x, 12, "100 %", "tc-mid"),
        flow(16, 1),
        ...Array.from({ length: sums }, (__, k) => {
          const y = 38 + k * 22;
          return [
            path(`M${x} ${y + 19}h52v-15H${x}`, "tc-thin"),
            flow(y, left(k + 1)),
            post ? bar(x, y, 30) : bar(x + 52, y + 11, 9),
          ];
        }).flat(),
        post ? "" : bar(x, 38, 30),
        words(x, end + 17, `${percent(left(sums))} arrives`, `tc-mid${n ? " tc-loud" : ""}`),
        words(x, end + 33, n ? `${of.layers} layers` : "one layer", "tc-mid"),
      ];
    }),
    words(40, 65, "norm", "tc-end"),
    words(134, 54, "sub-layer"),
    path(`M24 262h${side}v-84z`),
    words(24, 279, "1 comes in"),
    words(side + 30, 226, `${root > 2 ? `√${root - 1}` : 1} added`),
    words(side / 2 + 18, 216, `√${root}`, "tc-word tc-end"),
    words(0, 313, `${root > 2 ? "The last" : "Each"} norm divides by √${root}:`, "tc-own"),
    words(0, 331, `${percent(root ** -0.5)} is left`, "tc-own"),
  ];
}

/** The rate by step, and the usual one of the first experiment; red is what it is above that. Under
 * it how far their first ten steps move a weight if its gradient stays, beside a weight's size. */
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
  const high = (of) => 204 - (184 * of) / peak;
  const at = (of, n) => [SIDE + (n * (WIDTH - SIDE)) / 240, high(of)];
  const [own, usual] = all.map((each) => each.map(at));
  const curve = (places, kind) => path(`M${places.join("L")}`, kind);
  const above = own.map(([x, y], n) => [x, Math.min(y, usual[n][1])]);
  return [
    curve([...above, ...[...usual].reverse()], "tc-more"),
    line([SIDE, 204], [WIDTH, 204]),
    words(SIDE - 6, 25, peak.toPrecision(2), "tc-end"),
    words(SIDE - 6, 209, "0", "tc-end"),
    words(WIDTH, 222, `${count(steps)} steps`, "tc-end"),
    curve(usual, "tc-dashed"),
    curve(own, "tc-strong"),
    warmup ? "" : words(SIDE + 20, 134, "the climb left out", "tc-red"),
    words(own[180][0] - 14, own[180][1] + 4, "this rate", "tc-loud tc-end"),
    words(usual[80][0] + 12, usual[80][1] - 6, "the usual rate"),
    words(0, 260, "Ten steps one way move a weight", "tc-word"),
    ...["this rate", "the usual rate", "typical weight"].flatMap((text, n) => {
      const [y, width] = [282 + 23 * n, (160 * far[n]) / Math.max(...far)];
      return [
        words(96, y + 5, text, `tc-end${n ? "" : " tc-loud"}`),
        box(104, y - 7, width, 14, n ? "tc-part" : "tc-own"),
        words(112 + width, y + 5, fixed(far[n], 2)),
      ];
    }),
  ];
}

/** A pill for each head, as wide as the head, its look at every letter, and what it writes first;
 * beside one head the usual two, which are gone. Which letter the reader expects it to look at is
 * `mine`, where one may pick. */
export function looking({ source, mine, width, height, picks }, { heads }) {
  const [y, low] = [height / 2 + 8, height - 30];
  const kind = (__, n) => (n === mine ? "mine" : picks ? "pick" : "read");
  const end = column(source.length, width);
  const all = [...source, "■"];
  const fans = (many, gone) =>
    Array.from({ length: many }, (_, head) => {
      const x = SIDE + ((head + 0.5) * (width - SIDE)) / many;
      const size = SIZES.d_model / many;
      const wide = size * Math.floor(width / WIDTH) * 2; // pixels
      const thread = (n, far, on) => {
        const [to, half] = [column(n, width), (far + y) / 2];
        const kind = on ? "tc-strong" : "tc-thin";
        return path(`M${to} ${far}C${to} ${half} ${x} ${half} ${x} ${y}`, kind);
      };
      return svg(
        "g",
        { class: gone ? "tc-open" : "" },
        ...(gone
          ? [words(x, y + 32, "gone", "tc-mid")]
          : [
              ...all.map((__, n) => thread(n, READS + 14, n === mine)),
              thread(0, low - 14, mine >= 0),
            ]),
        box(x - wide / 2, y - 13, wide, 26, gone ? "" : "tc-own", 13),
        words(x, y + 5, `${size}${many > 1 ? "" : " wide"}`, gone ? "tc-mid" : "tc-mid tc-on"),
      );
    });
  return [
    ...(heads > 1 ? [] : fans(PAPERS.heads, true)),
    ...fans(heads, false),
    words(0, y + 5, "looks"),
    ...lettersOf("reads", source, READS, kind, width),
    tile("■", end, READS, kind("", source.length)),
    words(end, READS - 22, "end", "tc-mid"),
    ...lettersOf("writes", ["?", ...source.map(() => "")], low, open, width),
  ];
}

/** What targets say of each token, on one axis: the usual one wide, and before it this one. */
export function belief({ hoped: [first = "a"] }, { smoothing, task }) {
  const { names } = TASKS[task];
  const all = [...names, "", "", "marks", ""];
  const own = names.indexOf(first);
  const at = (n) => ((n + 0.5) * WIDTH) / all.length;
  const [side, end] = own < 11 ? [1, ""] : [-1, "tc-end"];
  const high = (smooth, n) => 276 * (smooth / all.length + (n === own ? 1 - smooth : 0));
  const told = (smooth, n, y, kind) =>
    words(
      at(own) + side * (n < 0 ? 44 : 11),
      y,
      percent(high(smooth, n) / 276) +
        (n < 0 ? " on each other" : ` on ${first}, smoothing ${smooth}`),
      kind + end,
    );
  const target = (smooth, wide, kind) =>
    all.map((_, n) => box(at(n) - wide / 2, 316 - high(smooth, n), wide, high(smooth, n), kind));
  const top = 316 - high(PAPERS.smoothing, own);
  return [
    line([0, 317], [WIDTH, 317]),
    ...target(PAPERS.smoothing, 11, "tc-part"),
    ...target(smoothing, 4, "tc-own"),
    told(smoothing, own, 34, "tc-loud "),
    told(PAPERS.smoothing, own, top - 5, ""),
    told(PAPERS.smoothing, -1, 304, ""),
    ...all.map((name, n) => words(at(n), 336, name, n === own ? "tc-loud tc-mid" : "tc-mid")),
  ];
}
