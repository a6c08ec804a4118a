// @ts-check
// Pictures of what an experiment changes: norms, the learning rate, heads, the target.
import { learningRate } from "./engine/adam.js";
import { PAPERS, SIZES, teachingOf } from "./engine/experiment.js";
import { TASKS, vocabulary } from "./engine/tasks.js";
import { line, words } from "./laboratory_chart.js";
import { READS, SIDE, WIDTH, column, lettersOf, open, tile } from "./laboratory_tiles.js";
import { count } from "./numbers.js";
import { svg } from "./shared.js";

/** How high a whole target is, and how many times larger its small parts are. */
const [HIGH, LENS] = [134, 20];
const percent = (share) => `${Math.round(1000 * share) / 10} %`;

/** What norms leave of a gradient on the direct way down an encoder, around sub-layers that add as
 * much as they get: after the sum each divides by the root of 2, before it one, at the top. */
export function tower(_, settings) {
  return [PAPERS, settings]
    .flatMap(({ layers, norm }, n) => {
      const [x, sums, post] = [n ? 250 : 38, 2 * layers, norm === "post"];
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
            n && post && k && k % 2 === 0 ? words(x - 36, y + 5, percent(left(k)), "tc-end") : "",
          ];
        }).flat(),
        post ? "" : bar(8, x, 30),
        words(x, 304, `${percent(left(sums))} arrives`, `tc-mid${n ? " tc-loud" : ""}`),
        words(x, 320, layers > 1 ? `${layers} layers` : "one layer", "tc-mid"),
      ];
    })
    .concat(
      words(72, 151, "norm"),
      words(95, 88, "sub-layer"),
      words(214, 13, "at the loss: 100 %", "tc-end"),
      words(0, 341, "if each sub-layer’s output is as large as its input"),
    );
}

/** The rate by step, and the usual one of the first experiment; red is what it is above that. */
export function rates(_, settings) {
  const { steps, warmup, rate } = settings;
  const all = [settings, { ...PAPERS, steps }].map((of) =>
    Array.from({ length: 241 }, (__, n) =>
      learningRate(1 + ((steps - 1) * n) / 240, SIZES.d_model, teachingOf(of)),
    ),
  );
  const peaks = new Set(all.map((each) => Number(Math.max(...each).toPrecision(2))));
  const high = (of) => 312 - (276 * of) / Math.max(...peaks);
  const at = (of, n) => [SIDE + (n * (WIDTH - SIDE)) / 240, high(of)];
  const [own, usual] = all.map((each) => each.map(at));
  const curve = (places, kind) => svg("path", { class: kind, d: `M${places.join("L")}` });
  const above = own.map(([x, y], n) => [x, Math.min(y, usual[n][1])]);
  const times = warmup === PAPERS.warmup && rate > 1 ? [`${rate} times`, "the usual"] : [];
  const more = warmup ? times : ["the climb", "left out"];
  return [
    curve([...above, ...[...usual].reverse()], "tc-more"),
    line([SIDE, 312], [WIDTH, 312]),
    ...[0, ...peaks].map((of) => words(SIDE - 6, high(of) + 5, `${of}`, "tc-end")),
    words(SIDE, 331, "0"),
    words(WIDTH, 331, `${count(steps)} steps`, "tc-end"),
    curve(usual, "tc-dashed"),
    curve(own, "tc-strong"),
    ...more.map((text, n) => words(SIDE + 28, 150 + 17 * n, text, "tc-red")),
    words(own[150][0] - 14, own[150][1] + 4, "this rate", "tc-loud tc-end"),
    words(usual[80][0] + 12, usual[80][1] - 6, "the usual rate"),
  ];
}

/** A pill for each head, as wide as the head, its look at every letter, and what it writes first.
 * Which letter the reader expects it to look at is `mine`, where one may pick. */
export function looking({ source, mine, width, height, picks }, { heads }) {
  const [y, low, wide] = [height / 2 + 8, height - 30, SIZES.d_model / heads];
  const each = Math.floor(width / WIDTH) * 2; // pixels
  const middle = SIDE + (width - SIDE) / 2;
  const pill = (x, size, kind, text) => [
    svg("rect", {
      class: kind,
      x: x - (each * size) / 2,
      y: y - 13,
      width: each * size,
      height: 26,
      rx: 13,
    }),
    words(x, y + 5, text, kind ? "tc-mid tc-on" : "tc-mid"),
  ];
  const kind = (__, n) => (n === mine ? "mine" : picks ? "pick" : "read");
  const end = column(source.length, width);
  const all = [...source, "■"];
  return [
    ...Array.from({ length: heads }, (_, head) => {
      const x = SIDE + ((head + 0.5) * (width - SIDE)) / heads;
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
        ...pill(x, wide, "tc-own", heads > 1 ? "" : `${wide} wide`),
      ];
    }).flat(),
    ...(heads > 1 ? [] : [24 * each + 20, 40 * each + 26]).map((right) =>
      svg("g", { class: "tc-open" }, ...pill(middle + right, 16, "", "16")),
    ),
    heads > 1 ? "" : words(middle + 32 * each + 23, y + 34, "in place of two", "tc-mid"),
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

/** What targets say of each token, the usual one and this: a column on the right letter, and what
 * smoothing deals out, which is drawn larger. */
export function belief({ hoped: [first = "a"] }, { smoothing, task }) {
  const { names } = TASKS[task];
  const tokens = vocabulary(TASKS[task]);
  const own = names.indexOf(first);
  const at = (n) => ((n + 0.5) * WIDTH) / tokens;
  const right = own < 11;
  const target = (smooth, base, kind) => {
    const even = smooth / tokens;
    const sure = 1 - smooth + even;
    const told = [
      smooth ? `smoothing ${smooth}:` : "no smoothing:",
      `${percent(sure)} on ${first}`,
      "",
      "",
      `${percent(even)} on each other`,
      smooth ? `drawn × ${LENS}` : "",
    ];
    return [
      line([0, base], [WIDTH, base]),
      ...Array.from({ length: tokens }, (_, n) => {
        const height = HIGH * (n === own ? sure : LENS * even);
        return svg("rect", { class: kind, x: at(n) - 4.5, y: base - height, width: 9, height });
      }),
      ...told.map((text, n) =>
        words(
          at(own) + (right ? 11 : -11),
          base - HIGH + 12 + 18 * n,
          text,
          (n > 1 ? "" : "tc-word") + (right ? "" : " tc-end"),
        ),
      ),
    ];
  };
  return [
    ...target(PAPERS.smoothing, 146, "tc-part"),
    ...target(smoothing, 318, "tc-own"),
    ...[...names, "", "", "marks"].map((name, n) =>
      words(at(n), 336, name, n === own ? "tc-loud tc-mid" : "tc-mid"),
    ),
  ];
}
