// @ts-check
// Who hears the changed token: its lines go to every row; an arrow enters one that it must not
// reach, a bar stops the line where a mask holds.
import { MOVES, h, press, say, svg, take } from "./shared.js";

const ROW = 34;
const middle = (n) => (n + 0.5) * ROW;

/** The tokens to press, and the lines that leave them. `draw` gets the weights, the mask, the rows
 * each leak reaches, and the words.
 * @param {number} length @param {(token: number) => void} choose
 * @returns {{keys: any, node: any, draw: (found: any) => void}} */
export function flowPicture(length, choose) {
  const places = Array.from({ length }, (_, n) => n);
  const buttons = places.map((n) =>
    press("", () => choose(n), {
      keydown(event) {
        const [down, across] = MOVES[event.key] ?? [0, 0];
        const to = buttons[n + down + across];
        if (!(event.key in MOVES)) return;
        take(event);
        if (!to) return;
        choose(n + down + across);
        to.focus();
      },
    }),
  );
  const keys = h("div", { class: "tc-keys", role: "group", "aria-label": "Change token" });
  keys.append(h("small", {}, "Token"), ...buttons);
  const lines = places.map(() => places.map(() => svg("path")));
  const ends = places.map(() => h("i"));
  const picture = svg("svg", {
    viewBox: `0 0 100 ${length * ROW}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const named = h("b", {}, "leak");
  const node = h("div", { class: "tc-flow", role: "img" }, picture, h("div", {}, ...ends), named);

  function draw({ weights, may, leaks, token, words, names }) {
    const leaky = new Set(leaks.flat());
    for (const i of places) {
      for (const j of places) {
        const own = j === token;
        const kind = !own ? "other" : leaky.has(i) ? "leak" : may[i][j] ? "heard" : "held";
        const weight = Number.isFinite(weights[i][j]) ? weights[i][j] : 0;
        const width = { held: 1.5, leak: 2.5, heard: 12 * weight, other: 3 * weight }[kind];
        const [from, to] = [middle(j), middle(i)];
        lines[i][j].setAttribute("class", `tc-${kind}`);
        lines[i][j].setAttribute("d", `M0 ${from}C50 ${from} 50 ${to} 100 ${to}`);
        lines[i][j].style.strokeWidth = String(width);
        if (own) ends[i].dataset.kind = kind;
      }
    }
    const of = (own) =>
      places.flatMap((i) => places.flatMap((j) => ((j === token) === own ? [lines[i][j]] : [])));
    picture.replaceChildren(...of(false), ...of(true));
    for (const n of places) {
      say(buttons[n], words[n]);
      buttons[n].ariaLabel = names[n];
      buttons[n].setAttribute("aria-pressed", String(n === token));
      buttons[n].tabIndex = n === token ? 0 : -1;
    }
    const rows = places.filter((i) => leaky.has(i));
    const reached = rows.map((i) => names[i]);
    named.hidden = !rows.length;
    // At half of the way, where the lines are: in the middle of those.
    const mean = rows.reduce((sum, i) => sum + i, 0) / rows.length;
    if (rows.length) named.style.top = `${middle((token + mean) / 2)}px`;
    node.setAttribute(
      "aria-label",
      `From “${names[token]}”: ` +
        (reached.length
          ? `a leak to the output of ${reached.join(", ")}.`
          : "no leak; the mask holds."),
    );
  }
  return { keys, node, draw };
}
