// @ts-check
// What each step of the table says, in one sentence.
import { count, fixed } from "./numbers.js";

export const NAMES = ["Word", "Query", "Keys", "Scores", "Shares", "Values"];
export const percent = (share) => `${(100 * share).toFixed(0)} %`;
const LARGEST = 1000; // times, told as a number

/** @param {number} step @param {number} i the word that asks @param {string[]} words
 * @param {{scores: number[][], weights: number[][]}} r @param {string} german the translation
 * @param {[number, number[]]} beside another head, and what it gives each word */
export function told(step, i, words, { scores, weights }, german, [head, given]) {
  const word = words[i];
  const order = words.map((_, n) => n).sort((a, b) => scores[i][b] - scores[i][a]);
  const [top, next] = order;
  const name = (n) => (n === i ? "itself" : `“${words[n]}”`);
  const times = weights[i][top] / weights[i][next];
  const lead = scores[i][top] - scores[i][next];
  const read = given.indexOf(Math.max(...given));
  const noun = word === "bank" ? german.match(/Bank|Ufer/)?.[0] : "";
  return [
    word === "bank"
      ? "A bank may be a house for money, or the side of a river. The other words tell which."
      : `“${word}” alone is one row of numbers. What is around it?`,
    `“${word}” asks: a learned matrix turns its row into a query, 16 numbers.`,
    "Every word offers a key, 16 numbers too: what it can be found by.",
    `Query times key, number by number: 16 products, added up. ` +
      `“${words[top]}”${top === i ? " itself" : ""} scores most, ${fixed(scores[i][top], 0)}.`,
    `“${words[top]}” leads “${words[next]}” by ${fixed(lead, 1)}, ÷ √16 by ${fixed(lead / 4, 1)}: ` +
      `softmax makes that ${times > LARGEST ? `over ${count(LARGEST)}` : count(times)} times its share.`,
    top === i
      ? `This head finds “${word}” no better match than itself` +
        (read === i
          ? ": its own value goes on."
          : `. Head ${head} reads “${words[read]}”${noun ? `: ${noun}` : ""}.`)
      : `Each word hands over its value, by its share. “${word}” has read ${name(top)}${noun ? `: ${noun}` : ""}.`,
  ][step];
}

/** What a word's button is called. @param {number} step @param {string} word
 * @param {number} score @param {number} share */
export const heard = (step, word, score, share) =>
  [word, step > 2 && `score ${fixed(score, 0)}`, step > 3 && `share ${percent(share)}`]
    .filter(Boolean)
    .join(", ");
