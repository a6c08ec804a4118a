// @ts-check
// The lines of AttentionFigures as a picture: from word to word, with what each is true of.
import {
  FAINTEST,
  hue,
  isRight,
  labelsOf,
  linesOf,
  rowsOf,
  truthOf,
} from "./attention_figures_lines.js";
import { arcOf } from "./attention_figures_arcs.js";
import { h, say, svg } from "./shared.js";

/** As many paths as there are lines; those that were there glide, the last, and strongest, to the
 * last. @param {any} layer @param {any[]} list their attributes */
function keep(layer, list) {
  while (layer.childElementCount > list.length) layer.firstChild.remove();
  while (layer.childElementCount < list.length) layer.prepend(svg("path", {}));
  list.forEach((line, n) => {
    for (const name of Object.keys(line)) layer.children[n].setAttribute(name, line[name]);
  });
}

/** @param {number[]} heads all of a layer; behind them stands the rule */
function linesPicture(heads) {
  const rule = heads.length + 1;
  const layered = ["truths", "drawn"].map((name) => svg("g", { class: `tc-${name}` }));
  const [truths, drawn] = layered;
  const lines = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, ...layered);
  const tags = h("div", { class: "tc-tags", "aria-hidden": "true" });

  /** Lines run down, or from left to right where it is narrow; or they are arcs over the words.
   * @param {any} one a sentence @param {{layer: number, on: number[], word: number, marked: boolean,
   * narrow: boolean, arcs: boolean, ruled: boolean, middle: (n: number) => number,
   * found: (i: number, j: number) => boolean, rows: number[][][]}} how the middle of a word is its
   * place in its row */
  function draw(one, { layer, on, word, marked, narrow, arcs, ruled, middle, found, rows }) {
    const total = middle(one.words.length);
    const { width, height } = lines.getBoundingClientRect();
    const [wide, long] = narrow ? [height, width] : [width, height];
    const place = (n) => (middle(n) / total) * wide;
    lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const arc = (i, j) => arcOf(one, i, j, { narrow, place, deep: long });
    const curve = (i, j, shift = 0) => {
      const [from, to] = [place(i) + shift, place(j) + shift];
      return narrow
        ? `M0 ${from}C${0.45 * long} ${from} ${0.55 * long} ${to} ${long} ${to}`
        : `M${from} 0C${from} ${0.45 * long} ${to} ${0.55 * long} ${to} ${long}`;
    };
    const apart = (head) => (on.indexOf(head) - (on.length - 1) / 2) * (narrow ? 2.8 : 5.5);
    keep(
      drawn,
      linesOf(one, layer, on, word).flatMap((line) => {
        const { i, j, head, weight } = line;
        const hit = marked && isRight(one, line, rows[head - 1][i]);
        // A word that looks at itself joins no pair; of the others a cell of the row tells.
        if (word < 0 && (arcs ? !hit && head !== rule : marked && i === j)) return [];
        const { d, tip } = arcs ? arc(i, j) : { d: curve(i, j, apart(head)), tip: "" };
        return {
          class: hue(head, rule) + (hit ? " tc-hit" : ""),
          d: d + tip,
          "stroke-opacity": FAINTEST + (1 - FAINTEST) * weight,
          "stroke-width": 1 + 6 * weight,
        };
      }),
    );
    const pairs = marked ? one.truth.filter(([asks]) => arcs || word < 0 || asks === word) : [];
    const state = (i, right) =>
      (right ? "tc-found" : "") + (word >= 0 && word !== i ? " tc-faint" : "");
    keep(
      truths,
      pairs.map(([i, j]) => {
        const right = found(i, j) && (word < 0 || i === word);
        const { d, tip } = arcs ? arc(i, j) : { d: curve(i, j), tip: "" };
        return { class: state(i, right), d: right ? d : d + tip };
      }),
    );
    const labels = arcs
      ? pairs.map(([i, j, name]) => ({
          ...arc(i, j).label,
          text: name.replace(" of", ""),
          kind: state(i, found(i, j)),
        }))
      : labelsOf(ruled ? [] : pairs, word, found, place, narrow, long);
    tags.replaceChildren(
      ...labels.map(({ text, kind, x, y }) =>
        h("span", { class: kind, style: `left: ${x}px; top: ${y}px` }, text),
      ),
    );
  }
  return { lines, tags, draw };
}

/** The words that are looked at, and the lines to them.
 * @param {any[]} many as many as words of the longest sentence
 * @param {number[]} heads all of a layer */
export function lookedAt(many, heads) {
  const ends = many.map(() => {
    const [name, share] = [h("span"), h("data")];
    return { name, share, item: h("li", {}, share, name) };
  });
  const list = h("ol", {}, ...ends.map(({ item }) => item));
  const { lines, tags, draw } = linesPicture(heads);
  const nodes = [list, lines, tags];

  /** Show a sentence; tells whether a word's truth is lost, and which words stand in the back.
   * @param {any} one @param {any} how */
  function show(one, { layer, on, chosen, word, marked, narrow, widths, differs, arcs, ruled }) {
    const answers = marked && word >= 0 ? truthOf(one, word).map(([n]) => n) : [];
    const rows = [...heads, heads.length + 1].map((head) => rowsOf(one, layer, head));
    const seen = linesOf(one, layer, on, word).filter((line) =>
      word < 0 ? marked && isRight(one, line, rows[line.head - 1][line.i]) : line.weight >= 0.1,
    );
    const quiet = (end, n) => (word >= 0 || marked) && !seen.some((line) => line[end] === n);
    const looksAt = (head, i, j) => isRight(one, { i, j, weight: 1 }, rows[head - 1][i]);
    const found = (i, j) => on.some((head) => looksAt(head, i, j));
    const lost =
      answers.length > 0 && !answers.some((j) => chosen.some((n) => looksAt(n, word, j)));
    const middle = (n) =>
      widths.slice(0, n).reduce((sum, wide) => sum + wide, (widths[n] ?? 0) / 2);
    list.ariaLabel = "Where it looks";
    ends.forEach(({ name, share, item }, j) => {
      item.hidden = j >= one.words.length;
      item.style.flexGrow = String(widths[j] ?? 0);
      say(name, one.words[j] ?? "");
      name.classList.toggle("tc-true", answers.includes(j));
      name.classList.toggle("tc-differs", j === differs);
      name.classList.toggle("tc-quiet", !answers.includes(j) && quiet("j", j));
      name.classList.toggle("tc-found", answers.includes(j) && found(word, j));
      const shares = rows.map((all, n) =>
        word >= 0 && !item.hidden && chosen.includes(n + 1) ? all[word][j] : 0,
      );
      const most = Math.max(...shares);
      const missed = lost && answers.includes(j);
      const told = most >= 10 ? [String(most), h("i", {}, " %")] : missed ? ["missed"] : [];
      share.replaceChildren(...told);
      share.className = most >= 10 ? `tc-hue${shares.indexOf(most) + 1}` : "tc-missed";
    });
    lines.classList.toggle("tc-every", word < 0 && marked);
    draw(one, { layer, on, word, marked, narrow, arcs, ruled, middle, found, rows });
    return { lost, quiet };
  }
  return { nodes, show };
}
