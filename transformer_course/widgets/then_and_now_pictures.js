// @ts-check
// A small picture of each part, in the paper and in a later model, of numbers computed here.
import { normal, random, softmax, wave } from "./numbers.js";
import { svg } from "./shared.js";

const [WIDE, HIGH, BASE] = [220, 72, 28]; // the picture, and the line on which bars stand
const line = (n, make) => Array.from({ length: n }, (_, at) => make(at));
const path = (kind, d) => svg("path", { class: `tc-${kind}`, d });
const word = (x, y, text) => svg("text", { x, y, "text-anchor": "middle" }, text);
const dots = (kind, places) =>
  path(`${kind} tc-dots`, places.map(([x, y]) => `M${x} ${y}h0`).join(""));
const box = (x, y, wide, high) => `M${x} ${y}h${wide}v${high}h${-wide}z`;

const next = random(2017);
const WORD = line(8, () => 0.6 * normal(next));
const LEARNED = line(8, () => 0.6 * normal(next));
const mean = (x) => x.reduce((sum, each) => sum + each, 0) / x.length;
const IN = WORD.map((x) => 0.6 * (x - mean(WORD) + 0.6));

/** What a norm makes of a vector, without gain and bias. @param {string} kind @param {number[]} x */
export function normed(kind, x) {
  if (kind !== "layer" && kind !== "rms") return x;
  const middle = kind === "layer" ? mean(x) : 0;
  const root = Math.sqrt(mean(x.map((each) => (each - middle) ** 2)));
  return x.map((each) => (each - middle) / root);
}

/** Whether query i sees key j; a window is drawn three wide.
 * @param {string} kind @param {number} i @param {number} j */
export const seen = (kind, i, j) => kind === "both" || (j <= i && (kind !== "window" || j > i - 3));

/** The error function, to seven digits (Abramowitz and Stegun 7.1.26). @param {number} x */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const by = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  return Math.sign(x) * (1 - by.reduce((sum, c) => (sum + c) * t, 0) * Math.exp(-x * x));
}

/** What the feed-forward network does to one number; a gate's second number is `other`.
 * @param {string} kind @param {number} x @param {number} other */
export function bend(kind, x, other = 1) {
  if (kind.startsWith("swiglu")) return (x / (1 + Math.exp(-x))) * other;
  return kind === "gelu" ? (x * (1 + erf(x / Math.SQRT2))) / 2 : Math.max(0, x);
}

/** The angle of an arrow that stands at a place; a rotation adds the place to it.
 * @param {string} kind @param {number} own @param {number} place */
export const angle = (kind, own, place) => own + (kind === "rotary" ? 0.6 * place : 0);

const bars = (kind, from, x) =>
  path(kind, x.map((t, n) => `M${from + 7 * n} ${BASE}V${(BASE - 13 * t).toFixed(1)}`).join(""));

/** @type {Record<string, (kind: string) => any[]>} */
const PICTURES = {
  positions(kind) {
    if (kind === "rotary") return [bars("plain", 85, WORD), word(110, 68, "the word alone")];
    const code = kind === "learned" ? LEARNED : line(8, (d) => wave(3, d, 8));
    return [
      bars("plain", 2, WORD),
      bars("hot", 84, code),
      bars(
        "dark",
        166,
        WORD.map((x, n) => x + code[n]),
      ),
      word(68, 33, "+"),
      word(150, 33, "="),
      word(26, 68, "word"),
      word(108, 68, kind === "learned" ? "learned" : "wave"),
      word(190, 68, "sum"),
    ];
  },
  "norm before"(kind) {
    const out = normed(kind, IN);
    const name = { layer: "LayerNorm", rms: "RMSNorm" }[kind] ?? "";
    return [
      ...[IN, out].flatMap((x, side) => [
        bars(side && name ? "hot" : "plain", 2 + 164 * side, x),
        path("mean", `M${164 * side - 2} ${(BASE - 13 * mean(x)).toFixed(1)}h58`),
        word(side ? 190 : 26, 68, `mean ${Math.abs(mean(x)).toFixed(1)}`),
      ]),
      path("flow", `M66 ${BASE}h86m-6-4l6 4-6 4`),
      ...(name ? [word(109, 20, name)] : []),
    ];
  },
  projections(kind) {
    const share = kind === "grouped" ? 4 : 1;
    const [q, kv] = [(n) => 50 + 20 * n, (n) => 50 + 20 * (share * n + (share - 1) / 2)];
    return [
      path("flow", line(8, (n) => `M${q(n)} 14L${kv(Math.floor(n / share))} 58`).join("")),
      dots(
        "plain",
        line(8, (n) => [q(n), 14]),
      ),
      dots(
        "hot",
        line(8 / share, (n) => [kv(n), 58]),
      ),
      word(20, 18, "Q"),
      word(20, 62, "K, V"),
    ];
  },
  rotation(kind) {
    const end = (x, turned, far) =>
      [x + far * Math.cos(turned), BASE - far * Math.sin(turned)]
        .map((t) => t.toFixed(1))
        .join(" ");
    const arrow = (name, x, own, place) => {
      const turned = angle(kind, own, place);
      return path(name, `M${x} ${BASE}L${end(x, turned, 24)}`);
    };
    return [1, 4].flatMap((place, n) => {
      const x = 55 + 110 * n;
      const [from, to] = [angle(kind, 0.3, place), angle(kind, 1.4, place + 1)];
      const wedge = `M${x} ${BASE}L${end(x, from, 18)}A18 18 0 0 0 ${end(x, to, 18)}z`;
      return [
        svg("circle", { cx: x, cy: BASE, r: 26 }),
        path("wedge", wedge),
        arrow("dark", x, 0.3, place),
        arrow("hot", x, 1.4, place + 1),
        word(x, 69, `places ${place}, ${place + 1}`),
      ];
    });
  },
  mask(kind) {
    const cells = (wanted) =>
      line(36, (n) => [Math.floor(n / 6), n % 6])
        .filter(([i, j]) => seen(kind, i, j) === wanted)
        .map(([i, j]) => box(74 + 12 * j, 1 + 12 * i, 10, 10));
    return [path("pale", cells(false).join("")), path("full", cells(true).join(""))];
  },
  attention() {
    const scores = [0.4, 1.6, 1, -0.6, 0.2, 1.2, -1, 0.6];
    return [
      bars("plain", 2, scores),
      path("flow", `M66 ${BASE}h86m-6-4l6 4-6 4`),
      bars(
        "hot",
        166,
        softmax(scores).map((x) => 4 * x),
      ),
      word(109, 20, "softmax"),
      word(26, 68, "scores"),
      word(190, 68, "weights"),
    ];
  },
  sum: () => wired(false, false),
  "norm after": (kind) => wired(kind === "pre", true),
  "cross-attention"(kind) {
    if (kind === "then") {
      const [above, below] = [12, 60].map((y) => line(6, (n) => [60 + 20 * n, y]));
      return [
        path("hotline", above.map(([x, y]) => `M140 60L${x} ${y}`).join("")),
        dots("hot", above),
        dots("plain", below),
        word(22, 16, "source"),
        word(22, 64, "target"),
      ];
    }
    const row = line(9, (n) => [30 + 20 * n, 48]);
    const asks = kind === "gone" ? 8 : 4; // an encoder's word looks to both sides
    const arcs = row.filter((_, n) => n !== asks);
    const to = row[asks][0];
    const rise = ([x, y]) => `M${x} ${y}Q${(x + to) / 2} ${y - 0.5 * Math.abs(x - to)} ${to} ${y}`;
    return [
      path("flow", arcs.map(rise).join("")),
      dots("plain", row),
      dots("dark", [row[asks]]),
      word(110, 69, kind === "gone" ? "source, then target" : "its own text"),
    ];
  },
  "feed-forward"(kind) {
    const gate = kind.startsWith("swiglu");
    const at = (x, b) => `${110 + 20 * x} ${(40 - 12 * bend(kind, x, b)).toFixed(1)}`;
    const curve = (b) => `M${line(61, (n) => at((n - 30) / 10, b)).join("L")}`;
    const names = gate ? [1, 0.5, -0.5] : [1];
    return [
      path("mean", "M20 40H200M110 2V70"),
      path("hotline", names.map(curve).join("")),
      ...(gate
        ? names.map((b) => word(206, 44 - 12 * bend(kind, 3, b), `× ${b}`.replace("-", "−")))
        : []),
    ];
  },
};

/** A sub-layer with what goes past it; the norm, dark, in the branch or after the sum.
 * @param {boolean} inside @param {boolean} norm */
function wired(inside, norm) {
  const dark = norm ? [inside ? box(44, 6, 34, 22) : box(166, 39, 34, 22)] : [];
  return [
    path("flow", "M4 50H214m-6-4l6 4-6 4M28 50V17H146V42"),
    path("plainbox", box(86, 6, 46, 22)),
    svg("circle", { cx: 146, cy: 50, r: 8 }),
    path("flow", "M141 50h10M146 45v10"),
    ...dark.map((d) => path("norm", d)),
    word(109, 21, "layer"),
    ...(norm
      ? [
          svg(
            "text",
            {
              x: inside ? 61 : 183,
              y: inside ? 21 : 54,
              class: "tc-on-dark",
              "text-anchor": "middle",
            },
            "norm",
          ),
        ]
      : []),
  ];
}

/** @param {string} part @param {string} kind what is chosen for it: "then" is the paper's */
export const pictureOf = (part, kind) =>
  svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" }, ...PICTURES[part](kind));
