// @ts-check
// Where the words of a chart's marks stand, so that no line strikes them.

export const LETTER = 7; // pixels of a letter at 12 px, rather too many

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** Whether a line from a to b touches a box.
 * @param {Box} box @param {number[]} a @param {number[]} b */
export function touches({ left, right, top, bottom }, a, b) {
  let [from, to] = [0, 1];
  for (const [start, way, low, high] of [
    [a[0], b[0] - a[0], left, right],
    [a[1], b[1] - a[1], top, bottom],
  ]) {
    if (!way && (start < low || start > high)) return false;
    if (!way) continue;
    const ends = [(low - start) / way, (high - start) / way];
    from = Math.max(from, Math.min(...ends));
    to = Math.min(to, Math.max(...ends));
  }
  return from <= to;
}

/** Where the words of a mark may stand, the nearest places first: beside it, above and below, then
 * further off.
 * @param {number} x @param {number} y @param {number} width of the words
 * @returns {{x: number, y: number, anchor: string, box: Box}[]} */
function around(x, y, width) {
  const levels = [-8, 17, -22, 31, -36, 45, -50, 59];
  return levels.flatMap((down) =>
    [
      [9, "start", 0],
      [-9, "end", -width],
      [0, "middle", -width / 2],
    ].map(([aside, anchor, start]) => {
      const left = x + Number(aside) + Number(start);
      return {
        x: x + Number(aside),
        y: y + down,
        anchor: String(anchor),
        box: { left, right: left + width, top: y + down - 11, bottom: y + down + 3 },
      };
    }),
  );
}

/** The first place for a mark's words that no line strikes and no other mark covers, within the
 * frame; failing that, the one with the least in its way.
 * @param {number[]} at @param {string} text @param {Box} frame
 * @param {number[][][]} lines in pixels @param {Box[]} taken */
export function freePlace([x, y], text, frame, lines, taken) {
  const counted = around(x, y, text.length * LETTER).map((place) => {
    const { box } = place;
    const outside =
      box.left < frame.left ||
      box.right > frame.right ||
      box.top < frame.top ||
      box.bottom > frame.bottom;
    const struck = lines.filter((points) =>
      points.some((point, n) => n && touches(box, points[n - 1], point)),
    ).length;
    const covered = taken.filter(
      (other) =>
        box.left < other.right &&
        other.left < box.right &&
        box.top < other.bottom &&
        other.top < box.bottom,
    ).length;
    return { place, faults: 100 * Number(outside) + struck + 2 * covered };
  });
  return counted.reduce((best, each) => (each.faults < best.faults ? each : best)).place;
}
