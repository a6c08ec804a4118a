// @ts-check
// Two lines of words with threads between them: the words below look at those above.
import { format } from "./numbers.js";
import { MOVES, assign, h, press, say, svg, take } from "./shared.js";
import { scrollEdges } from "./scroll_edges.js";
/** @import {View, Word} from "./translator_words.js" */

const [SMALLEST, LONG] = [11, 14]; // px of the type: where a line fits, where it must scroll
const FAINT = 0.1; // a weight that gets no thread
const REST = 1500; // ms of the last word in sight, before a long line shows its beginning again
const SMALL = 0.05; // a weight that is told to screen readers alone
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches; // no worker knows it

/** @param {{ask: (row: number) => void, tell: (column: number) => void, rivals: HTMLElement}}
 * options what a choice of a word below does, and of one above; what hangs below a word */
export function makeThreads({ ask, tell, rivals }) {
  const web = svg("svg", { class: "tc-web", "aria-hidden": "true" });
  const line = (name) => h("div", { class: "tc-line", role: "group", "aria-label": name });
  const [above, below] = ["Words that are looked at", "Words that look"].map(line);
  const node = h("div", { class: "tc-threads" }, web, above, below, rivals);
  const edges = scrollEdges(node);
  /** @type {View} */
  let view = { top: [], bottom: [], cells: [] };
  /** @type {{path: any, row: number, column: number}[]} */
  let threads = [];
  let chosen = { row: -1, column: -1 };
  const none = chosen;
  let pointed = none;
  let least = -1; // the word below that has the rivals
  let shown = Infinity; // words below that are there already
  let timer = 0;

  const buttons = (side) => /** @type {HTMLElement[]} */ ([...side.querySelectorAll("button")]);

  /** @param {HTMLElement} side @param {Word[]} words */
  function fill(side, words) {
    const old = buttons(side).map((button) => button.firstChild?.textContent);
    if (old.length === words.length && words.every(({ text }, n) => text === old[n])) return;
    const made = words.map(({ text, lead }, n) => {
      const is = side === above ? { row: -1, column: n } : { row: n, column: -1 };
      const away = () => point(none);
      const button = press("", () => (side === below ? ask(n) : look(n)), {
        class: `tc-word${lead ? " tc-lead" : ""}${/^(start|end)$/.test(text) ? " tc-mark" : ""}`,
        pointerenter: () => point(is),
        pointerleave: away,
        focus: () => point(is),
        blur: away,
        keydown: (event) => move(event, side, n),
      });
      button.replaceChildren(h("span", {}, text), h("small"));
      return button;
    });
    side.replaceChildren(...made);
  }
  function move(event, side, n) {
    const [rows, columns] = MOVES[event.key] ?? [0, 0];
    if (!rows && !columns) return;
    take(event);
    const to = rows ? buttons(rows > 0 ? below : above)[n] : buttons(side)[n + columns];
    to?.focus();
  }
  function look(column) {
    tell(column);
    chosen = { row: -1, column };
    mark();
  }
  function point(to) {
    pointed = to;
    mark();
  }

  /** Each line in one, so that threads cross no word: in type as large as there is room for, and
   * where the smallest is too large, it scrolls. */
  function fit() {
    const most = node.clientWidth / 20;
    let size = most;
    const set = (px) => node.style.setProperty("--size", `${px}px`);
    // More than once: what is small already shrinks less than the rest.
    for (let n = 0; n < 6; n += 1) {
      set(size);
      const share = node.clientWidth / Math.max(above.offsetWidth, below.offsetWidth);
      size = Math.max(SMALLEST, Math.min(most, size * share));
    }
    if (node.scrollWidth > node.clientWidth + 2) set(LONG);
  }
  /** Draw the curves where the words now stand. */
  function weave() {
    web.replaceChildren();
    fit();
    edges();
    const box = node.getBoundingClientRect();
    const at = (button) => {
      const { left, width, top, bottom } = button.firstChild.getBoundingClientRect();
      const x = left + width / 2 - box.left + node.scrollLeft;
      return { x, top: top - box.top, bottom: bottom - box.top };
    };
    const [from, to] = [buttons(above).map(at), buttons(below).map(at)];
    const thread = (one, other, weight, kind = "") => {
      const [a, b] = [one.bottom + 2, other.top - 2];
      const half = (a + b) / 2;
      const d = `M${one.x} ${a}C${one.x} ${half} ${other.x} ${half} ${other.x} ${b}`;
      const style = `--t: ${weight}`;
      return svg("path", { class: kind, d, pathLength: 1, "stroke-width": 1 + 6 * weight, style });
    };
    threads = view.cells.flatMap((row, i) =>
      row.flatMap((weight, j) => {
        if (weight === null || weight < FAINT || !from[j] || !to[i]) return [];
        return [{ path: thread(from[j], to[i], weight), row: i, column: j }];
      }),
    );
    const word = to[least];
    if (word) {
      const most = Math.max(node.clientWidth, word.x + 40) - rivals.offsetWidth;
      const left = Math.min(most, word.x - rivals.offsetWidth / 2);
      rivals.style.marginLeft = `${Math.max(0, left)}px`;
    }
    const fan = buttons(word ? rivals : web).map((button) =>
      thread(word, at(button), button.style.getPropertyValue("--t"), "tc-fan"),
    );
    web.replaceChildren(...fan, ...threads.map(({ path }) => path));
    mark();
  }

  /** Which words and threads stand out, and the numbers of the word that was chosen. */
  function mark() {
    const { row, column } = pointed === none ? chosen : pointed;
    const some = row >= 0 || column >= 0;
    const lit = some ? row : least < shown ? least : -1;
    const others = some ? "tc-off" : least < 0 ? "tc-on" : "";
    node.classList.toggle("tc-bare", column >= 0 || least < 0 || least >= shown);
    for (const { path, row: i, column: j } of threads) {
      const on = i === lit || j === column;
      // A full stop and the end are no words: at rest their threads are pale.
      const rest = /^(\W|end)$/.test(view.bottom[i].text) ? "tc-off" : others;
      path.setAttribute("class", i >= shown ? "tc-hidden" : on ? "tc-on" : rest);
    }
    number(below, chosen.row, (i) => view.cells[i]?.[column]);
    buttons(below).forEach(({ classList }, i) => {
      classList.toggle("tc-hidden", i >= shown);
      classList.toggle("tc-least", i === least);
    });
    number(above, chosen.column, (j) => view.cells[lit]?.[j], some);
  }
  /** The numbers of a line. @param {HTMLElement} side @param {number} on the word that is chosen
   * @param {(n: number) => number | null | undefined} weigh */
  function number(side, on, weigh, told = true) {
    buttons(side).forEach((button, n) => {
      const weight = weigh(n);
      const word = button.firstChild?.textContent;
      const text = !told || weight === undefined ? "" : weight === null ? "✕" : format(weight);
      say(button.lastChild, (weight ?? 1) < SMALL ? "" : text);
      assign(button, {
        "aria-label": text ? `${word}, ${text}` : word,
        "aria-pressed": n === on,
        style: `--t: ${weight ?? 0}`,
        tabindex: n === Math.max(on, 0) ? 0 : -1,
      });
    });
  }

  /** All words at once. */
  function stop() {
    clearTimeout(timer);
    shown = Infinity;
    mark();
  }

  const observer = new ResizeObserver(weave);
  observer.observe(node);
  document.fonts.addEventListener("loadingdone", weave);

  return {
    node,
    /** @param {View} next @param {[string, string]} languages of the lines
     * @param {Word | false} [word] the one that the rivals hang below */
    show(next, languages, row = -1, word = false) {
      view = next;
      least = word ? next.bottom.indexOf(word) : -1;
      chosen = { row, column: -1 };
      [above, below].forEach((side, n) => side.setAttribute("lang", languages[n]));
      fill(above, next.top);
      fill(below, next.bottom);
      weave();
    },
    /** Show the words below one after another. @param {number} ms for each */
    play(ms) {
      const step = () => {
        shown += 1;
        mark();
        // Keep the newest word in sight.
        const newest = buttons(below)[Math.min(shown, view.bottom.length) - 1];
        if (newest)
          node.scrollLeft = newest.offsetLeft + newest.offsetWidth - node.clientWidth * 0.7;
        if (shown < view.bottom.length) timer = window.setTimeout(step, ms);
        else {
          shown = Infinity;
          timer = window.setTimeout(() => node.scrollTo({ left: 0, behavior: "smooth" }), REST);
        }
      };
      stop();
      node.scrollLeft = 0;
      if (still()) return;
      shown = -1;
      step();
    },
    stop,
    close() {
      clearTimeout(timer);
      document.fonts.removeEventListener("loadingdone", weave);
      observer.disconnect();
    },
  };
}
