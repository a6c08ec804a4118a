// @ts-check
// Below the tree: the reader's own way through it, and the whole sentences that the beam has found.
import { childrenOf, pathTo, shown, text } from "./beam_tree_search.js";
import { chance, lastWords, nodeInWords } from "./beam_tree_words.js";
import { count, format } from "./numbers.js";
import { h, press, say } from "./shared.js";

const [CHOICES, ROWS] = [4, 6];
const part = (n) => ({ class: n < 3 ? "tc-part" : "" }); // on a phone the score alone

/** The reader's own way: a sentence so far, and what may follow, as bars to press.
 * @param {(node: number) => void} pick */
export function ownWay(pick) {
  const [line, words, sum] = [h("span", { class: "tc-line", lang: "de" }), h("p"), h("code")];
  const rows = Array.from({ length: CHOICES }, () => {
    const [name, share] = [h("b", { lang: "de" }), h("data")];
    const button = press("", () => pick(Number(button.dataset.node)), { class: "tc-choice" });
    button.append(name, share);
    return { button, name, share };
  });
  const again = press("Start again", () => pick(0));
  const cost = h("div", { class: "tc-cost", "aria-live": "polite" }, words, sum);
  const node = h(
    "details",
    { class: "tc-own" },
    h("summary", {}, "Go your own way, word by word"),
    h(
      "div",
      {},
      h("p", {}, line, again),
      ...rows.map(({ button }) => button),
      h("p", {}, "“…”: dropped in the end."),
    ),
  );
  const show = (now, picked, alpha) => {
    const { table } = now;
    line.lang = picked ? "de" : "en";
    again.setAttribute("aria-disabled", String(!picked));
    // Ways that come to an end stand first.
    const open = new Set(
      table.piece.flatMap((piece, n) => (piece === table.end ? pathTo(table, n) : [])),
    );
    const lost = (n) => (open.has(n) ? "" : " …");
    const follow = childrenOf(table)
      [picked].sort(
        (a, b) => lost(a).length - lost(b).length || table.log_prob[b] - table.log_prob[a],
      )
      .slice(0, CHOICES);
    say(
      line,
      picked
        ? text(table, pathTo(table, picked)) + lost(picked)
        : "First word, and its probability",
    );
    rows.forEach(({ button, name, share }, n) => {
      const to = follow[n];
      button.toggleAttribute("inert", to === undefined);
      if (to === undefined) return;
      const p = Math.exp(table.log_prob[to] / 10_000);
      button.dataset.node = String(to);
      say(name, shown(table, to) + lost(to));
      say(share, chance(p));
      button.style.backgroundSize = `${100 * p}%`;
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
    ...["log p", "tokens", "÷ penalty", "= score"].map((name, n) =>
      h("th", { scope: "col", ...part(n) }, name),
    ),
  ];
  const node = h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body);
  /** @param {string} mark @param {string} name @param {number} end @param {any} numbers */
  const row = (mark, name, end, { total, length, penalty, score }, kind = "") => {
    const button = press("", () => pick(end));
    button.append(h("b", {}, mark), " ", h("span", {}, name));
    const numbers = [total, length, penalty, score].map((x, n) =>
      h("td", part(n), x === undefined ? "" : n === 1 ? count(x) : format(x)),
    );
    return h("tr", { class: kind }, h("th", { scope: "row" }, button), ...numbers);
  };
  const show = (now) => {
    const { table, finished, greedyPath, greedyScore, step, ended, kept } = now;
    const many = finished.length;
    say(title, many ? `Whole sentences: the best${many > 1 ? ` ${many}` : ""}` : "Beginnings kept");
    node.classList.toggle("tc-begun", !many);
    const made = finished.map((each, n) =>
      row(`${n + 1}`, text(table, pathTo(table, each.node)), each.node, each, n ? "" : "tc-first"),
    );
    if (ended || step >= greedyPath.length) {
      const end = greedyPath.at(-1);
      const name = text(table, greedyPath) + (table.piece[end] === table.end ? "" : " …");
      made.push(row("greedy", name, end, greedyScore, "tc-row"));
    }
    for (const { node, total } of kept.slice(0, ROWS - made.length)) {
      const name = `${lastWords(table, pathTo(table, node), 6)} …`;
      made.push(row("kept", name, node, { total }, "tc-alive"));
    }
    body.replaceChildren(...made);
  };
  return { node, show };
}
