// @ts-check
// What a feed-forward network does at a word, in words.
import { chance, firing } from "./expand_contract_numbers.js";

export const quoted = (text) => (/\w/.test(text) ? text : `“${text}”`);

/** A German word with its English. @param {string} text @param {any} means */
export const glossed = (text, means) => (means[text] ? `${text} (${means[text]})` : quoted(text));

/** A list as one says it: "1", "1 and 2", "1, 2 and 3". @param {any[]} list */
export const listed = (list) =>
  list.length < 2 ? `${list}` : `${list.slice(0, -1).join(", ")} and ${list[list.length - 1]}`;

/** What is to be seen now. `shown` are the strongest units, `off` those that are switched off;
 * `back`: some were, and are not, as the ReLU has been taken away. @param {any} state */
export function sentence({ place, step, on, shown, off, means, back }) {
  const said = (word) => glossed(word, means);
  const all = place.z.length;
  const fires = firing(place.z).length;
  const next = said(place.next);
  const [whole, left] = [place.sure.next, chance(place, shown, off)];
  if (off.size && step !== 1) {
    const gone = shown.filter((unit) => off.has(unit));
    const change = `${left < whole ? "falls" : "rises"} from ${whole} % to ${left} %`;
    return (
      `Without unit${gone.length > 1 ? "s" : ""} ${listed(gone)}, ${next} ` +
      `${left === whole ? `stays at ${left} %` : change}.`
    );
  }
  const silenced = off.size ? `, ${off.size} of them switched off` : "";
  const instead = place.linear === place.next ? "as with it" : `not ${next}`;
  if (!on) {
    const told = [
      `Without the ReLU ${all} units go on: ${said(place.linear)} comes next, ${instead}.`,
      `Expand: ${all} units compare the vector with their keys; ${fires} come out above zero.`,
      `Without the ReLU all ${all} units go on, the negative ones too.`,
      `Contract: all ${all} values are added up, and ${said(place.linear)} comes next.`,
    ][step];
    return told + (back ? " Units switched off are on again." : "");
  }
  return [
    `The translator has written ${said(place.word)}: ${fires} of ${all} units fire. Switch some off: does ${quoted(place.next)} stay?`,
    `Expand: ${all} units compare the vector with their keys; ${fires} come out above zero${silenced}.`,
    `ReLU: ${all - fires} units fall silent, and ${fires} of ${all} fire.`,
    `Contract: the ${fires} values are added up, and ${next} has ${whole} %.`,
  ][step];
}
