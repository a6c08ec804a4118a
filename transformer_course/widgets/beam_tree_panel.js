// @ts-check
// Below the tree: the reader's own way through it, and the whole sentences that the beam has found.
import { childrenOf, pathTo, shown, text } from "./beam_tree_search.js";
import { chance, nodeInWords } from "./beam_tree_words.js";
import { count, format } from "./numbers.js";
import { h, press, say } from "./shared.js";

const CHOICES = 4;
const UNSEEN = ["tc-part", "tc-unseen", "tc-part", ""]; // columns: on a phone the score alone

/** The reader's own way: a sentence so far, and what may follow, as bars to press.
 * @param {(node: number) => void} pick */
export function ownWay(pick) {
  const [line, words, sum] = [h("span", { class: "tc-line", lang: "de" }), h("p"), h("code")];
  const rows = Array.from({ length: CHOICES }, () => {
    const [name, bar, share] = [h("b", { lang: "de" }), h("i"), h("output")];
    const button = press("", () => pick(Number(button.dataset.node)), { class: "tc-choice" });
    button.append(bar, name, share);
    return { button, name, bar, share };
  });
  const again = press("Start again", () => pick(0), { class: "tc-again" });
  const cost = h("div", { class: "tc-cost", "aria-live": "polite" }, words, sum);
  const node = h(
    "details",
    { class: "tc-own" },
    h("summary", {}, "Go your own way, word by word"),
    h("div", {}, h("p", {}, line, again), ...rows.map(({ button }) => button)),
  );
  const show = (now, picked, alpha) => {
    const { table } = now;
    say(line, picked ? text(table, pathTo(table, picked)) : "First word, and its probability");
    line.lang = picked ? "de" : "en";
    again.setAttribute("aria-disabled", String(!picked));
    // Only ways that come to an end are offered.
    const open = new Set(
      table.piece.flatMap((piece, n) => (piece === table.end ? pathTo(table, n) : [])),
    );
    const follow = childrenOf(table)
      [picked].filter((n) => open.has(n))
      .sort((a, b) => table.log_prob[b] - table.log_prob[a])
      .slice(0, CHOICES);
    rows.forEach(({ button, name, bar, share }, n) => {
      const to = follow[n];
      button.toggleAttribute("inert", to === undefined);
      if (to === undefined) return;
      const p = Math.exp(table.log_prob[to] / 10_000);
      button.dataset.node = String(to);
      say(name, shown(table, to));
      say(share, chance(p));
      bar.style.width = `${100 * p}%`;
    });
    const [told, number] = nodeInWords(now, picked, alpha);
    say(words, told);
    sum.replaceChildren(
      ...number.split(/\^(\S+)/).map((part, n) => (n % 2 ? h("sup", {}, part) : part)),
    );
  };
  return { node, cost, show };
}

/** The whole sentences, best first, and greedy's below them; each row leads to its box.
 * @param {(node: number) => void} pick */
export function foundTable(pick) {
  const [title, body] = [h("th", { scope: "col" }), h("tbody")];
  const heads = [
    title,
    ...["log-probability", "tokens", "÷ penalty", "= score"].map((name, n) =>
      h("th", { scope: "col", class: UNSEEN[n] }, name),
    ),
  ];
  const node = h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body);
  const row = (name, mark, end, { total, length, penalty, score }, kind) =>
    h(
      "tr",
      { class: kind },
      h(
        "th",
        { scope: "row" },
        press("", () => pick(end), { "data-lm-suppress-shortcuts": "true", tabindex: -1 }),
      ),
      ...[format(total), count(length), format(penalty), format(score)].map((x, n) =>
        h("td", { class: UNSEEN[n] }, x),
      ),
    );
  const show = (now) => {
    const { table, finished, greedyPath, greedyScore, cut } = now;
    const many = finished.length;
    say(
      title,
      many
        ? `Whole sentences: the best${many > 1 ? ` ${many}` : ""}`
        : "No sentence is finished yet",
    );
    const made = [
      ...finished.map((each, n) => {
        const name = text(table, pathTo(table, each.node));
        return [row(name, n + 1, each.node, each, n ? "" : "tc-first"), `${n + 1}`, name];
      }),
      [
        row("", "", greedyPath.at(-1), greedyScore, "tc-row"),
        "greedy",
        `${text(table, greedyPath)}${cut ? " … (no room for an end)" : ""}`,
      ],
    ];
    for (const [line, mark, name] of made) {
      const button = line.querySelector("button");
      button.tabIndex = 0;
      button.append(h("b", {}, mark), " ", h("span", {}, name));
    }
    body.replaceChildren(...made.map(([line]) => line));
  };
  return { node, show };
}
