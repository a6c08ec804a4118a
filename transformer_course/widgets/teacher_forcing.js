// @ts-check
// Teacher forcing: what the decoder reads, may see and must say, beside what it writes on its own,
// and what two bugs let through.
import { fixed } from "./numbers.js";
import { MOVES, assign, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, stepBar, still } from "./stage.js";
import {
  CODES,
  SIDES,
  answerAt,
  explain,
  fromWhere,
  mayRead,
  rowsOf,
  shownAs,
  spelled,
} from "./teacher_forcing_rows.js";
/** @import {Context} from "./types.js" */

const GAP = 26; // between what is read and what is said: there the wires run

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const lesson = get("lesson");
  const state = (mode = get("mode")) => ({
    lesson,
    position: get("position"),
    bug: get("bug"),
    mode,
  });
  const most = lesson.target.length; // a model that repeats itself would go on for long
  const here = () => Math.min(get("position"), most - 1);
  const go = (position, mode = get("mode")) => save(model, { mode, position });

  const codes = Object.entries(CODES).map(([bug, name]) => ({
    bug,
    tab: press(name, () => save(model, { bug })),
  }));

  /** One half of the stage: a table with a row for each position. @param {string} mode */
  function half(mode) {
    const training = mode === "training";
    const { title, note, verb, beside } = SIDES[mode];
    const head = press(title, () => save(model, { mode }));
    const lines = Array.from({ length: most }, (_, i) => {
      const cells = Array.from({ length: lesson.target.length }, () => h("i"));
      const pick = press(String(i + 1), () => go(i, mode), {
        focus: () => go(i, mode),
        keydown(event) {
          const move = MOVES[event.key]?.[0];
          const to = { Home: 0, End: most - 1 }[event.key] ?? (move ? i + move : -1);
          if (to < 0 || to >= most) return;
          take(event);
          go(to, mode);
          lines[to].pick.focus();
        },
      });
      const [reads, says] = ["reads", "says"].map((kind) => h("td", { class: `tc-${kind}` }));
      const other = h("td", { "data-label": beside });
      const share = h("td", { class: "tc-share" }, h("span"));
      const see = training ? [h("td", { class: "tc-see", "aria-hidden": true }, ...cells)] : [];
      const [path, tip] = [svg("path"), svg("path", { class: "tc-tip" })];
      const wire = svg("g", {}, path, tip);
      const click = () => {
        if (!lines[i].later) go(i, mode);
      };
      const shown = [...see, reads, says, share, other];
      const node = h("tr", { click }, h("th", { scope: "row" }, pick), ...shown);
      return { node, pick, cells, reads, says, share, other, wire, path, tip, later: false };
    });
    const names = ["", ...(training ? ["may see"] : []), "reads", verb, ""];
    const last = h("th", { scope: "col" }, h("span", { class: "tc-unseen" }, beside));
    const table = h(
      "table",
      {},
      h("caption", { class: "tc-unseen" }, title),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...names.map((name) =>
            name ? h("th", { scope: "col", class: name === verb ? "tc-verb" : "" }, name) : h("td"),
          ),
          last,
        ),
      ),
      h("tbody", {}, ...lines.map((line) => line.node)),
    );
    const wires = svg(
      "svg",
      { class: "tc-wires", "aria-hidden": true },
      ...lines.map(({ wire }) => wire),
    );
    const node = h(
      "div",
      { class: "tc-half", "data-mode": mode },
      h("p", {}, head, " ", h("small", {}, note)),
      h("div", { class: "tc-wired" }, table, wires),
    );

    /** From the word that was said to where it is read: a row on, unless the shift is missing. */
    function lay() {
      const straight = training && get("bug") === "shift";
      lines.forEach((line, i) => {
        const to = lines[straight ? i : i + 1];
        line.wire.toggleAttribute("hidden", !to || to.node.hidden || to.later);
        if (!to) return;
        const middle = ({ node }) => node.offsetTop + node.offsetHeight / 2;
        const [x, y] = [to.reads.offsetLeft + to.reads.offsetWidth, middle(to)];
        const from = `${x + GAP} ${middle(line)}`;
        assign(line.path, { d: `M${from}C${x} ${middle(line)} ${x + GAP} ${y} ${x + 6} ${y}` });
        assign(line.tip, { d: `M${x + 1} ${y}l7 -4v8z` });
        const differs = line.says.classList.contains("tc-other");
        const kind = straight ? "leak" : training ? "teacher" : differs ? "astray" : "own";
        assign(line.wire, { "data-kind": kind });
        line.wire.classList.toggle("tc-on", to === lines[here()]);
      });
    }

    function draw() {
      const rows = rowsOf(state(mode));
      const at = here();
      head.setAttribute("aria-pressed", String(get("mode") === mode));
      node.classList.toggle("tc-chosen", get("mode") === mode);
      lines.forEach((line, i) => {
        const row = rows[i];
        line.node.hidden = !row;
        if (!row) return;
        line.later = !training && i > at;
        line.node.classList.toggle("tc-later", line.later);
        line.node.classList.toggle("tc-row", i === at);
        line.pick.tabIndex = i === at ? 0 : -1;
        const told = line.later ? ", not written yet" : `: reads ${row.reads}, ${verb} ${row.says}`;
        line.pick.setAttribute("aria-label", `position ${i + 1}${told}`);
        line.pick.setAttribute("aria-current", String(i === at));
        const show = (cell, text) => say(cell, line.later ? "" : text);
        show(line.reads, shownAs(row.reads));
        show(line.says, shownAs(row.says));
        show(line.share.firstChild, fixed(row.share, 2));
        line.reads.dataset.from = fromWhere(i, mode, get("bug"));
        line.says.style.setProperty("--t", String(line.later ? 0 : row.share));
        const differs = training ? row.first !== row.says : row.says !== row.wanted;
        show(line.other, training ? shownAs(row.first) : shownAs(row.wanted) || "(ended)");
        line.other.classList.toggle("tc-same", !differs);
        line.says.classList.toggle(
          "tc-read",
          i === at - 1 && !(training && get("bug") === "shift"),
        );
        line.says.classList.toggle("tc-other", !training && differs && !line.later);
        line.other.classList.toggle("tc-other", training && differs);
        line.cells.forEach((cell, j) => {
          const [may, answer] = [mayRead(i, j, get("bug")), j === answerAt(i, get("bug"))];
          cell.dataset.see = answer ? (may ? "leak" : "answer") : may ? "yes" : "no";
        });
      });
      lay();
    }
    return { node, table, lines, draw, lay };
  }
  const [left, right] = [half("training"), half("generating")];

  const bar = stepBar({
    names: Array.from({ length: most }, () => "pass"),
    short: Array.from({ length: most }, (_, i) => String(i + 1)),
    get: here,
    go,
    every: 1300,
  });
  const key = (kind, name) => h("span", {}, h("i", { "data-see": kind }), name);
  const answer = [h("i"), h("span")];
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = frame({
    name: "forcing",
    title: "Teacher forcing",
    controls: codes.map(({ tab }) => tab),
    steps: bar.node,
    told: h(
      "div",
      {},
      words,
      h(
        "p",
        { class: "tc-source" },
        h("span", {}, "English ", h("b", {}, lesson.english)),
        " ",
        h("span", {}, "Reference ", h("b", { lang: "de" }, spelled(lesson.target))),
      ),
    ),
    inputs: [left.node],
    result: [right.node],
    below: [
      h(
        "p",
        { class: "tc-legend" },
        key("yes", "may see"),
        h("span", {}, ...answer),
        key("share", "probability"),
        h("span", { class: "tc-other" }, "unlike the reference"),
      ),
    ],
  });

  let last = Infinity;
  /** What was written goes to where it is read next. @param {number} at */
  function fly(at) {
    const [from, to] = [right.lines[at - 1]?.says, right.lines[at]?.reads];
    if (still() || at !== last + 1 || !from || !to) return;
    const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
    to.animate(
      [
        { transform: `translate(${a.left - b.left}px, ${a.top - b.top}px)`, color: "inherit" },
        { transform: "none" },
      ],
      { duration: 400, easing: "ease-out" },
    );
    right.lines[at].says.animate(
      [{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }],
      600,
    );
  }

  function update() {
    codes.forEach(({ bug, tab }) => tab.setAttribute("aria-pressed", String(bug === get("bug"))));
    answer[0].dataset.see = get("bug") === "none" ? "answer" : "leak";
    say(
      answer[1],
      get("bug") === "none" ? "the word it must say, hidden" : "the word it must say, leaked",
    );
    left.draw();
    right.draw();
    fly(here());
    last = here();
    bar.show(last);
    say(words, explain({ ...state(), position: here() }));
  }

  const watch = new ResizeObserver(() => [left, right].forEach((side) => side.lay()));
  for (const { table } of [left, right]) watch.observe(table);
  const undo = live({ model, el }, root, ["position", "bug", "mode"], update);
  return () => {
    watch.disconnect();
    undo();
  };
}

export default { render };
