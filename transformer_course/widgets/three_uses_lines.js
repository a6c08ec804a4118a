// @ts-check
// The lines of ThreeUses, from words to words: as thick as the weight, and moving to a new one.
import { svg } from "./shared.js";
import { between, tween } from "./stage.js";

export const ROW = 27;

/** By name, each line's start and end, in pixels from the top, and its width. The chosen word's
 * lines are named by where they end, so that they move with the choice; they come last, on top.
 * @param {number[][]} weights @param {number} word @returns {Record<string, number[]>} */
export function linksOf(weights, word) {
  const links = /** @type {Record<string, number[]>} */ ({});
  const put = (name, i, j, width) => {
    links[name] = [(i + 0.5) * ROW, (j + 0.5) * ROW, width * weights[i][j]];
  };
  weights.forEach((row, i) =>
    row.forEach((x, j) => {
      if (x >= 0.05 && i !== word) put(`from ${i} to ${j}`, i, j, 4);
    }),
  );
  weights[word].forEach((x, j) => {
    if (x >= 0.005) put(`to ${j}`, word, j, 14);
  });
  return links;
}

/** Part of the way from some lines to others: what is new grows, what is gone thins out.
 * @param {Record<string, number[]>} from @param {Record<string, number[]>} to @param {number} t */
export function morph(from, to, t) {
  if (t === 1) return to;
  const thin = (line) => line.with(2, 0);
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names.map((name) => {
      const [a, b] = [from[name] ?? thin(to[name]), to[name] ?? thin(from[name])];
      return [name, between(a, b, t)];
    }),
  );
}

/** Draws lines into a picture, at once the first time, then moving. Gives a way to stop.
 * @param {any} picture */
export function movingLines(picture) {
  let now = /** @type {Record<string, number[]> | null} */ (null);
  let stop = () => {};
  const draw = (links) => {
    now = links;
    const drawn = Object.entries(links).map(([name, [start, end, width]]) =>
      svg("path", {
        class: name.startsWith("to") ? "tc-chosen" : "",
        d: `M0 ${start}C50 ${start} 50 ${end} 100 ${end}`,
        "stroke-width": width,
      }),
    );
    const chosen = (path) => path.classList.contains("tc-chosen");
    picture.replaceChildren(
      ...drawn.filter((path) => !chosen(path)),
      ...drawn.filter((path) => chosen(path)),
    );
  };
  const move = (links) => {
    stop();
    const from = now;
    if (from) stop = tween(300, (t) => draw(morph(from, links, t)));
    else draw(links);
  };
  return { move, stop: () => stop() };
}

/** A use in small: who asks on the left, who answers on the right, and its strong lines; what no
 * word may see is a ring.
 * @param {number[][]} weights @param {boolean[][]} allowed */
export function miniature(weights, allowed) {
  const [wide, high] = [140, 68];
  const y = (n, count) => (high * (n + 0.5)) / count;
  const dot = (x, n, count, name) => svg("circle", { cx: x, cy: y(n, count), r: 2.5, class: name });
  const keys = allowed[0].map((_, j) =>
    dot(wide - 4, j, allowed[0].length, allowed.some((row) => row[j]) ? "" : "tc-never"),
  );
  const lines = weights.flatMap((row, i) =>
    row.map((x, j) => {
      const [a, b] = [y(i, weights.length), y(j, row.length)];
      const d = `M6 ${a}C${wide / 2} ${a} ${wide / 2} ${b} ${wide - 6} ${b}`;
      return x < 0.1 ? "" : svg("path", { d, "stroke-width": 2.5 * x });
    }),
  );
  const box = { class: "tc-mini", viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" };
  const asks = weights.map((_, i) => dot(4, i, weights.length, "tc-asks"));
  return svg("svg", box, ...lines, ...asks, ...keys);
}
