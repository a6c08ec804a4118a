// @ts-check
// Which hidden units fire at a word, and what is seen of its numbers at each step.

/** @typedef {{x: number[], z: number[], y: number[], straight: number[], left: number[]}} Place */

/** What the ReLU lets through. @param {number[]} row */
export const relu = (row) => row.map((x) => Math.max(0, x));

/** The units above zero, the strongest first. @param {number[]} z @returns {number[]} */
export const firing = (z) =>
  [...z.keys()].filter((unit) => z[unit] > 0).sort((a, b) => z[b] - z[a]);

/** As many of the words as have room, one at least. @param {string[]} words @param {number} most */
export const fitting = (words, most = 27) => {
  const joined = words.map((_, n) => words.slice(0, n + 1).join(" · "));
  return joined.findLast((text) => text.length <= most) ?? words[0];
};

/** The next word's chance, in percent, with some of the strongest units switched off.
 * @param {Place} place @param {number[]} strong @param {Set<number>} off */
export const chance = ({ left }, strong, off) =>
  left[strong.reduce((bits, unit, n) => bits + (off.has(unit) ? 2 ** n : 0), 0)];

/** A row from −1 to 1, by its largest number. @param {number[]} row @param {number} most */
const scaled = (row, most) => row.map((x) => x / most);

/** How strongly each cell is colored: nothing where the numbers have not come yet, or from a unit
 * that is switched off.
 * @param {Place} place @param {number} step @param {boolean} on whether there is a ReLU
 * @param {Set<number>} off @param {any} units with their values, in hundredths */
export function cells(place, step, on, off = new Set(), units = {}) {
  const most = (row) => Math.max(...row.map(Math.abs));
  const none = (row) => row.map(() => 0);
  const all = step >= 2 && on ? relu(place.z) : place.z;
  const hidden = all.map((z, unit) => (off.has(unit) ? 0 : z));
  const whole = on ? place.y : place.straight;
  const removed = (y, d) =>
    [...off].reduce((sum, unit) => sum - (place.z[unit] * units[unit].value[d]) / 100, y);
  return {
    into: scaled(place.x, most(place.x)),
    hidden: step ? scaled(hidden, most(place.z)) : none(hidden),
    out: step >= 3 ? scaled(whole.map(removed), most(whole)) : none(whole),
  };
}
