// @ts-check
// Pictures of what an experiment changes: norms, the learning rate, heads, the target.
import { learningRate } from "./engine/adam.js";
import { PAPERS, SIZES, teachingOf } from "./engine/experiment.js";
import { TASKS, vocabulary } from "./engine/tasks.js";
import { line, words } from "./laboratory_chart.js";
import { READS, SIDE, WIDTH, column, lettersOf, open, tile } from "./laboratory_tiles.js";
import { count } from "./numbers.js";
import { svg } from "./shared.js";

const percent = (share) => `${Math.round(1000 * share) / 10} %`;

/** What norms leave of a gradient on the direct way down an encoder, around sub-layers that add as
 * much as they get: after the sum each divides by the root of 2, before it one, at the top. */
export function tower(_, settings) {
  return [PAPERS, settings]
    .flatMap(({ layers, norm }, n) => {
      const [x, sums, post] = [60 + 166 * n, 2 * layers, norm === "post"];
      const step = 276 / sums;
      const bar = (y, middle, half) => line([middle - half, y], [middle + half, y], "tc-norm");
      const flow = (y, part, height) =>
        svg("rect", {
          class: n ? "tc-own" : "tc-part",
          x: x - 24 * part,
          y,
          width: 48 * part,
          height,
        });
      const left = (norms) => (post ? 0.5 ** (norms / 2) : (1 + sums) ** -0.5);
      return [
        flow(0, 1, 8),
        ...Array.from({ length: sums }, (__, k) => {
          const y = 8 + k * step;
          const path = `M${x} ${y + 0.9 * step}h52v${-0.7 * step}H${x}`;
          return [
            svg("path", { class: "tc-thin", d: path }),
            flow(y, left(k + 1), step),
            post ? bar(y, x, 30) : bar(y + 0.55 * step, x + 52, 9),
          ];
        }).flat(),
        post ? "" : bar(8, x, 30),
        words(x, 304, `${percent(left(sums))} arrives`, `tc-mid${n ? " tc-loud" : ""}`),
        words(x, 320, layers > 1 ? `${layers} layers` : "one layer", "tc-mid"),
      ];
    })
    .concat(
      words(94, 151, "norm"),
      words(117, 88, "sub-layer"),
      words(0, 339, "where each sub-layer adds as much as it gets"),
    );
}

/** The rate by step, and the usual one of the first experiment. Where the climb differs, only the
 * first steps. */
export function rates(_, settings) {
  const { steps, warmup } = settings;
  const end = warmup === PAPERS.warmup ? steps : Math.min(steps, 2 * warmup + 300);
  const [mine, first] = [settings, { ...PAPERS, steps }].map((of) =>
    Array.from({ length: 121 }, (__, n) =>
      learningRate(1 + ((end - 1) * n) / 120, SIZES.d_model, teachingOf(of)),
    ),
  );
  const top = Math.max(...mine, ...first);
  const at = (rate, n) => [2 + n * 2.55, 312 - (276 * rate) / top];
  const curve = (all, kind) => svg("path", { class: kind, d: `M${all.join("L")}` });
  const [own, usual] = [mine.map(at), first.map(at)];
  return [
    line([2, 312], [308, 312]),
    words(2, 332, `step 1 to ${count(end)}`),
    curve(usual, "tc-dashed"),
    curve(own, "tc-strong"),
    words(150, own[60][1] + 36, "this rate", "tc-loud tc-end"),
    words(usual[20][0] + 14, usual[20][1] - 8, "the usual rate"),
  ];
}

/** A pill for each head, as wide as the head, its look at every letter, and what it writes first.
 * Which letter the reader expects it to look at is `mine`, where one may pick. */
export function looking({ source, mine, width, height, picks }, { heads }) {
  const [y, low, wide] = [height / 2 + 8, height - 30, SIZES.d_model / heads];
  const kind = (__, n) => (n === mine ? "mine" : picks ? "pick" : "read");
  const end = column(source.length, width);
  const all = [...source, "■"];
  return [
    ...Array.from({ length: heads }, (_, head) => {
      const x = SIDE + ((head + 0.5) * (width - SIDE)) / heads;
      const rect = { x: x - 1.5 * wide, y: y - 13, width: 3 * wide, height: 26, rx: 13 };
      const thread = (to, far, kind) =>
        svg("path", {
          class: kind,
          d: `M${to} ${far}C${to} ${(far + y) / 2} ${x} ${(far + y) / 2} ${x} ${y}`,
        });
      return [
        ...all.map((__, n) =>
          thread(column(n, width), READS + 14, n === mine ? "tc-strong" : "tc-thin"),
        ),
        thread(column(0, width), low - 14, mine >= 0 ? "tc-strong" : "tc-thin"),
        svg("rect", { class: "tc-own", ...rect }),
        words(x, y + 5, heads > 1 ? "" : `${wide} wide`, "tc-mid tc-on"),
      ];
    }).flat(),
    words(0, y + 5, "looks"),
    ...lettersOf("reads", source, READS, kind, width),
    tile("■", end, READS, kind("", source.length)),
    words(end, READS - 22, "end", "tc-mid"),
    ...lettersOf(
      "writes",
      all.map((__, n) => (n ? "" : "?")),
      low,
      open,
      width,
    ),
  ];
}

/** What a target says of each token: a column, and its top, which smoothing deals out. */
export function belief({ hoped: [first = "a"] }, { smoothing, task }) {
  const { names } = TASKS[task];
  const tokens = vocabulary(TASKS[task]);
  const part = ((smoothing || PAPERS.smoothing) * (tokens - 1)) / tokens;
  const at = (n) => ((n + 0.5) * WIDTH) / tokens;
  const own = names.indexOf(first);
  const [x, cap, side] = [at(own), 24 + 290 * part, own > 9 ? -1 : 1];
  const tell = (y, share, of, kind) =>
    words(x + 12 * side, y, `${percent(share)} ${of}`, side < 0 ? `tc-end ${kind}` : kind);
  const bar = (y, end, kind) =>
    svg("rect", { class: kind, x: x - 5, y, width: 10, height: end - y });
  return [
    ...Array.from({ length: tokens }, (_, n) => [
      n === own || !smoothing ? "" : line([x, cap], [at(n), 322], "tc-thin"),
      words(at(n), 338, names[n] ?? "·", n === own ? "tc-loud tc-mid" : "tc-mid"),
    ]).flat(),
    bar(24, cap, smoothing ? "tc-part" : "tc-cap"),
    bar(cap, 314, "tc-own"),
    tell(22, smoothing ? 1 - part : 1, `on ${first}`, "tc-loud"),
    tell(42, part, smoothing ? "dealt out" : "not dealt out", ""),
  ];
}
