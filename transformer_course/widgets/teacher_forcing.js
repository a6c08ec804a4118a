// @ts-check
// Teacher forcing: which word goes in at the next position, in training and on its own; what each
// position may see; and what two bugs let through.
import { fixed } from "./numbers.js";
import { MOVES, assign, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, stepBar, still } from "./stage.js";
import {
  CODES,
  SIDES,
  answerAt,
  explain,
  fromWhere,
  goesIn,
  mayRead,
  rowsOf,
  shownAs,
  spelled,
} from "./teacher_forcing_rows.js";
/** @import {Context} from "./types.js" */

const GAP = 40; // between what is read and what is said: there the arrow runs
const SLOW = 700; // ms, for a word to go in

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
    const { title, verb, beside } = SIDES[mode];
    const head = press(title, () => save(model, { mode }));
    const note = h("small");
    const lines = Array.from({ length: most }, (_, i) => {
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
      const other = h("td");
      const share = h("td", { class: "tc-share" }, h("span"));
      const click = () => {
        if (!lines[i].later) go(i, mode);
      };
      const node = h("tr", { click }, h("th", { scope: "row" }, pick), reads, says, share, other);
      const [path, tip] = [svg("path", { pathLength: 1 }), svg("path", { class: "tc-tip" })];
      return { node, pick, reads, says, share, other, path, tip, later: false };
    });
    const names = [training ? "" : "pass", "reads", verb, "p", beside];
    const classes = { [verb]: "tc-verb", p: "tc-share" };
    const heads = names.map((name) => {
      const about = { class: classes[name], scope: name ? "col" : null };
      return h(name ? "th" : "td", about, name ? h("span", {}, name) : "");
    });
    const table = h(
      "table",
      {},
      h("caption", { class: "tc-unseen" }, title),
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...lines.map((line) => line.node)),
    );
    const parts = lines.flatMap(({ path, tip }) => [path, tip]);
    const arrow = svg("svg", { class: "tc-arrow", "aria-hidden": true }, ...parts);
    const once = training ? [h("span", { class: "tc-once" }, "one pass")] : [];
    const node = h(
      "div",
      { class: "tc-half", "data-mode": mode },
      h("p", {}, head, note),
      h("div", { class: "tc-wired" }, table, arrow, ...once),
    );
    const straight = () => training && get("bug") === "shift";
    /** The row whose word is read at one: the one before, unless the shift is missing. */
    const giver = (at) => lines[at - Number(!straight())];

    /** The arrows from the words that go in to where they are read; the one of now is thick. */
    function lay() {
      arrow.classList.toggle("tc-leak", straight());
      const middle = ({ node }) => node.offsetTop + node.offsetHeight / 2;
      lines.forEach((to, i) => {
        const { path, tip } = to;
        const from = giver(i);
        const now = i === here();
        path.classList.toggle("tc-here", now);
        if (to.later || !to.node.offsetHeight || !from?.node.offsetHeight)
          for (const part of [path, tip]) part.removeAttribute("d");
        else {
          const [x, y, start] = [
            to.reads.offsetLeft + to.reads.offsetWidth,
            middle(to),
            middle(from),
          ];
          const [right, long] = [x + GAP - 3, now ? 14 : 8];
          const end = x + long - 1;
          assign(path, { d: `M${right} ${start}C${x - 4} ${start} ${right + 4} ${y} ${end} ${y}` });
          assign(tip, { d: `M${x + 1} ${y}l${long} ${-0.6 * long}v${1.2 * long}z` });
        }
      });
    }

    /** The word goes in, where the model writes on its own: in training all have gone in at once. */
    function fly() {
      const [from, to] = [giver(here()), lines[here()]];
      if (!from) return;
      const [a, b] = [from.says, to.reads].map((cell) => cell.getBoundingClientRect());
      const moved = `translate(${a.right - b.right}px, ${a.top - b.top}px)`;
      const way = [{ transform: moved }, { transform: "none" }];
      to.reads.animate(way, { duration: SLOW, easing: "ease-in-out" });
      to.path.animate([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], SLOW);
      const last = [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }];
      to.tip.animate(last, SLOW);
      for (const cell of [to.says, to.share]) cell.animate(last, 1.5 * SLOW);
    }

    function draw() {
      const rows = rowsOf(state(mode));
      const at = here();
      head.setAttribute("aria-pressed", String(get("mode") === mode));
      node.classList.toggle("tc-chosen", get("mode") === mode);
      say(note, goesIn(lesson, mode, get("bug")));
      lines.forEach((line, i) => {
        const row = rows[i];
        line.node.hidden = !row;
        if (!row) return;
        line.later = !training && i > at;
        line.node.classList.toggle("tc-later", line.later);
        line.node.classList.toggle("tc-row", i === at);
        line.node.classList.toggle("tc-from", i === at - 1);
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
        line.says.classList.toggle("tc-read", line === giver(at) && !straight());
        line.says.classList.toggle("tc-other", !training && differs && !line.later);
        line.other.classList.toggle("tc-other", training && differs);
        if (!training || line.later) return;
        const [may, answer] = [mayRead(at, i, get("bug")), i === answerAt(at, get("bug"))];
        line.reads.dataset.see = answer ? (may ? "leak" : "answer") : may ? "yes" : "no";
      });
      lay();
    }
    return { node, table, draw, lay, fly };
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
  const unseen = key("no", "hidden");
  const answer = [h("i"), h("span")];
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const all = Object.keys(CODES).flatMap((bug) =>
    Object.keys(SIDES).flatMap((mode) =>
      lesson.target.map((_, position) => explain({ lesson, bug, mode, position })),
    ),
  );
  words.dataset.room = all.reduce((a, b) => (a.length > b.length ? a : b));
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
        unseen,
        h("span", {}, ...answer),
        key("share", "probability p"),
        h("span", { class: "tc-other" }, "unlike the reference"),
      ),
    ],
  });

  let last = Infinity;
  function update() {
    codes.forEach(({ bug, tab }) => tab.setAttribute("aria-pressed", String(bug === get("bug"))));
    answer[0].dataset.see = get("bug") === "none" ? "answer" : "leak";
    say(answer[1], `its answer${get("bug") === "none" ? "" : ", leaked"}`);
    unseen.hidden = get("bug") === "mask";
    left.draw();
    right.draw();
    if (here() === last + 1 && !still()) right.fly();
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
