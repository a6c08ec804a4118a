// @ts-check
// A picture for each topic of the cards; that of attention names its parts.
import { matmul, normal, random, softmax, transpose, wave } from "./numbers.js";
import { h, svg } from "./shared.js";

const CELL = 18;
const line = (n, make) => Array.from({ length: n }, (_, at) => make(at));
const path = (kind, d) => svg("path", { class: `tc-${kind}`, d });
const dots = (kind, places) =>
  path(kind, places.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join(""));
const block = (kind, x, y, width, height = width) =>
  svg("rect", { class: `tc-${kind}`, x, y, width, height, rx: 3 });
const arc = (x, to, y, rise) => `M${x} ${y}Q${(x + to) / 2} ${y - rise} ${to} ${y}`;
const draw = (...parts) => svg("svg", { class: "tc-scene", viewBox: "0 0 360 120" }, ...parts);

// ---- Attention: five tokens of width three, computed ----

const next = random(2788);
const [q, k, v] = line(3, () => line(5, () => line(3, () => Math.max(0, 1.6 * normal(next)))));
const scores = matmul(q, transpose(k)).map((row) => row.map((x) => x / Math.sqrt(3)));
const weights = scores.map(softmax);
/** What each matrix holds, in the order of the formula, and what is done before it. */
const PARTS = /** @type {[string, string, number[][], string, string][]} */ ([
  ["q", "Q", q, "", ""],
  ["k", "Kᵀ", transpose(k), "×", "score"],
  ["scores", "scores", scores, "=", ""],
  ["weights", "weights", weights, "→", "scale, softmax"],
  ["v", "V", v, "×", "mix"],
  ["output", "output", matmul(weights, v), "=", ""],
]);
/** Which of them a card is about, where not all. @type {Record<string, string>} */
const ABOUT = {
  "why-the-root": "scores",
  "spread-at-64": "scores",
  roles: "q k v",
  "shape-of-weights": "weights",
  jacobian: "scores weights",
  convex: "v output",
};

/** A matrix as heat. @param {number[][]} rows */
function heat(rows) {
  const most = Math.max(...rows.flat());
  const top = ((5 - rows.length) / 2) * CELL;
  const cells = rows.flatMap((row, i) =>
    row.map((x, j) => {
      const place = { x: j * CELL, y: top + i * CELL, width: CELL - 2, height: CELL - 2, rx: 2 };
      return svg("rect", { ...place, "fill-opacity": (0.1 + (0.9 * x) / most).toFixed(2) });
    }),
  );
  return svg("svg", { viewBox: `0 0 ${rows[0].length * CELL - 2} ${5 * CELL - 2}` }, ...cells);
}

/** @param {string} id of the card */
function attention(id) {
  const about = ABOUT[id]?.split(" ");
  const parts = PARTS.map(([role, name, rows, sign, done]) => {
    const before =
      sign &&
      h("span", { class: `tc-sign ${done && "tc-does"}` }, h("b", {}, sign), h("small", {}, done));
    const kind = about && !about.includes(role) ? "tc-dim" : "";
    const matrix = h("span", { class: kind, "data-role": role }, heat(rows), h("small", {}, name));
    return [...(sign ? [before] : []), matrix];
  });
  const half = (from) => h("span", {}, ...parts.slice(from, from + 3).flat());
  return h("div", { class: "tc-matrices" }, half(0), half(3));
}

// ---- The other topics ----

/** @type {Record<string, (id: string) => Element>} */
const SCENES = {
  Attention: attention,
  Masks: () =>
    draw(
      ...line(36, (n) => {
        const [i, j] = [Math.floor(n / 6), n % 6];
        return block(j > i ? "pale" : j === i ? "full" : "half", 121 + 20 * j, 2 + 20 * i, 17);
      }),
    ),
  "The model": () =>
    draw(
      path("thin", "M100 118V10C100 2 180 2 180 30S180 60 222 60M260 118V2"),
      path("line", "M100 110H146V72H100M100 64H146V26H100"),
      path("line", "M260 116H306V82H260M260 78H306V44H260M260 40H306V6H260"),
      ...[36, 82].map((y, n) => block(n ? "full" : "half", 62, y, 76, 18)),
      ...[14, 52, 90].map((y, n) => block(n ? "full" : "half", 222, y, 76, 16)),
    ),
  Positions: () =>
    draw(
      ...line(4, (n) => {
        const height = (x) => 16 + 29 * n - 11 * wave(x / 10, 2 * n, 8, 60);
        const points = line(121, (at) => `${3 * at} ${height(3 * at).toFixed(1)}`);
        return svg("g", { opacity: 1 - 0.2 * n }, path("blue", `M${points.join("L")}`));
      }),
      path("thin", "M150 0V120"),
      dots(
        "spot",
        line(4, (n) => [150, 16 + 29 * n - 11 * wave(15, 2 * n, 8, 60)]),
      ),
    ),
  "Why self-attention": () => {
    const place = (n, from) => from + 22 * n;
    return draw(
      path("thin", line(6, (n) => arc(place(n, 8), place(n + 1, 8), 96, 22)).join("")),
      path("line", line(6, (n) => arc(place(n, 220), 352, 96, 34 * (6 - n) ** 0.9)).join("")),
      dots("dots", [...line(7, (n) => [place(n, 8), 96]), ...line(7, (n) => [place(n, 220), 96])]),
    );
  },
  Training: () => {
    const rate = (t) => 112 - 100 * Math.min(t ** -0.5, t);
    const points = line(121, (n) => `${20 + 2.7 * n} ${rate(Math.max(0.001, n / 22)).toFixed(1)}`);
    return draw(path("thin", "M20 4V112H344"), path("warm", `M${points.join("L")}`));
  },
  Results: () => {
    const fork = (x, y, by) =>
      [-1, 0, 1].map(
        (n) => `M${x} ${y}C${x + 50} ${y} ${x + 50} ${y + n * by} ${x + 100} ${y + n * by}`,
      );
    const thin = [...fork(30, 60, 42), ...fork(130, 18, 14), ...fork(130, 60, 14)];
    return draw(
      path("thin", [...thin, ...fork(230, 32, 14), ...fork(230, 60, 14)].join("")),
      path("line", "M30 60C80 60 80 18 130 18C180 18 180 32 230 32C280 32 280 46 330 46"),
      dots("dots", [
        [30, 60],
        [130, 18],
        [230, 32],
        [330, 46],
      ]),
    );
  },
  "After the paper": () => {
    const asks = line(16, (n) => [30 + 20 * n, 14]);
    const held = (n) => 60 + 80 * Math.floor(n / 4);
    return draw(
      path("thin", asks.map(([x, y], n) => `M${x} ${y}L${held(n)} 92`).join("")),
      dots("asks", asks),
      ...line(4, (n) => block("key", 48 + 80 * n, 86, 24)),
    );
  },
};

/** The picture of a card; none for a topic of another course.
 * @param {{id: string, topic: string}} card */
export const sketchOf = ({ id, topic }) => SCENES[topic]?.(id) ?? "";
