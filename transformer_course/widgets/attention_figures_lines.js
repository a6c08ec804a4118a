// @ts-check
// The lines of AttentionFigures, and the words for them.

/** One head's rows of percents.
 * @param {any} one a sentence @param {number} layer from 1 @param {number} head from 1
 * @returns {number[][]} */
export function rowsOf(one, layer, head) {
  const flat = one.weights[layer - 1][head - 1].split(" ").map(Number);
  const n = one.words.length;
  return one.words.map((_, i) => flat.slice(i * n, (i + 1) * n));
}

/** Every line to draw: from word i to word j, by a head, as strong as the weight (0 to 1). Of one
 * word all that is seen, of all words what is more than a tenth.
 * @param {any} one @param {number} layer @param {number[]} heads @param {number} word -1 is all
 * @returns {{i: number, j: number, head: number, weight: number}[]} */
export function linesOf(one, layer, heads, word) {
  const least = word < 0 ? 10 : 2;
  return heads
    .flatMap((head) =>
      rowsOf(one, layer, head).flatMap((row, i) =>
        row.map((x, j) => ({ i, j, head, weight: x / 100 })),
      ),
    )
    .filter(({ i, weight }) => (word < 0 || i === word) && 100 * weight >= least)
    .sort((a, b) => a.weight - b.weight);
}

/** What is true of a word: the places that it depends on, with the name of each relation.
 * @param {any} one @param {number} word @returns {[number, string][]} */
export const truthOf = (one, word) =>
  one.truth.filter(([asks]) => asks === word).map(([, answer, name]) => [answer, name]);

/** Where each head looks most from a word, in words.
 * @param {any} one @param {number} layer @param {number[]} heads @param {number} word */
export function told(one, layer, heads, word) {
  if (word < 0) return "All words at once. Point at a word, or press one, for its lines alone.";
  if (!heads.length) return `“${one.words[word]}”: no head is switched on.`;
  const looks = heads.map((head) => {
    const row = rowsOf(one, layer, head)[word];
    const most = Math.max(...row);
    return `head ${head}: ${most} % to “${one.words[row.indexOf(most)]}”`;
  });
  return `“${one.words[word]}” in layer ${layer}. ${capital(looks.join("; "))}.`;
}

/** What is true of a word, in words. @param {any} one @param {number} word */
export function known(one, word) {
  if (word < 0) return "";
  const found = truthOf(one, word).map(([n, name]) => `${name} “${one.words[n]}”`);
  return found.length ? `The grammar knows: ${found.join(", ")}.` : "";
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
