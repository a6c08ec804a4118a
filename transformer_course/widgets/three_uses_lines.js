// @ts-check
// The lines of ThreeUses, from words to words: as thick as the weight, and moving to a new one.
import { svg } from "./shared.js";
import { between, tween } from "./stage.js";

export const ROW = 27;
// Where lines start and end, in percent of the lane: English stands left of it, German right.
const ENDS = { encoder: [0, 0], decoder: [100, 100], cross: [100, 0] };

/** By name, each line's start and end, in pixels from the top, its width, and its way across.
 * Within one sentence it is a bow, the wider the farther. The chosen word's lines are named by where
 * they end, so that they move with the choice; they come last, on top.
 * @param {number[][]} weights @param {number} word @param {string} use
 * @returns {Record<string, number[]>} */
export function linksOf(weights, word, use) {
  const links = /** @type {Record<string, number[]>} */ ({});
  const [x, z] = ENDS[use];
  const port = x === z ? 5 : 0; // leaves above, arrives below
  const put = (name, i, j, width) => {
    const bow = 14 + (76 * Math.abs(i - j)) / weights.length;
    const bend = x !== z ? 50 : x ? x - bow : bow;
    const [start, end] = [(i + 0.5) * ROW - port, (j + 0.5) * ROW + port];
    links[name] = [start, end, width * weights[i][j], 0, x, bend, z];
  };
  weights.forEach((row, i) =>
    row.forEach((x, j) => {
      if (x >= 0.05 && i !== word) put(`from ${i} to ${j}`, i, j, 4);
    }),
  );
  weights[word].forEach((x, j) => {
    if (x >= 0.005) put(`to ${j}`, word, j, 10);
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
    const drawn = Object.entries(links).map(
      ([name, [start, end, width, passed, x = 0, bend = 50, z = 100]]) =>
        svg("path", {
          class: name.startsWith("to") ? "tc-chosen" : passed ? "tc-passed" : "",
          d: `M${x} ${start}C${bend} ${start} ${bend} ${end} ${z} ${end}`,
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
