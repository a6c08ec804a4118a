// @ts-check
// Teacher forcing: what the decoder reads, may see and must say, and what two bugs let through.
import { fixed } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, take } from "./shared.js";
import { answerAt, explain, mayRead, rowsOf } from "./teacher_forcing_rows.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const lesson = get("lesson");
  const state = () => ({ lesson, position: get("position"), bug: get("bug"), mode: get("mode") });
  const most = Math.max(
    lesson.target.length,
    ...Object.values(lesson.models).map((one) => one.written.length),
  );
  const last = () => rowsOf(state()).length - 1;
  const go = (position) => save(model, { position: Math.max(0, Math.min(last(), position)) });

  const code = choice({
    label: "Code",
    value: get("bug"),
    options: [
      ["none", "as it should be"],
      ["shift", "forgot the shift"],
      ["mask", "no causal mask"],
    ],
    change: (bug) => {
      save(model, { bug });
      go(get("position"));
    },
  });
  const mode = choice({
    label: "Mode",
    value: get("mode"),
    options: [
      ["training", "training"],
      ["generating", "generating"],
    ],
    change: (to) =>
      save(model, {
        mode: to,
        position: to === "generating" ? 0 : Math.min(get("position"), lesson.target.length - 1),
      }),
  });
  const [back, next] = [
    press("← Back", () => go(get("position") - 1)),
    press("Next →", () => go(get("position") + 1)),
  ];

  const lines = Array.from({ length: most }, (_, i) => {
    const cells = Array.from({ length: most }, () => h("i"));
    const pick = h(
      "button",
      {
        type: "button",
        click: () => go(i),
        focus: () => go(i),
        keydown(event) {
          const move = MOVES[event.key]?.[0];
          const to = { Home: 0, End: last() }[event.key] ?? (move ? i + move : -1);
          if (to < 0 || to > last()) return;
          take(event);
          go(to);
          lines[get("position")].pick.focus();
        },
      },
      String(i),
    );
    const [reads, says, share, first] = [h("td"), h("td"), h("td"), h("td")];
    const node = h(
      "tr",
      {
        click: () => {
          if (!lines[i].later) go(i);
        },
      },
      h("th", { scope: "row" }, pick),
      reads,
      h("td", { class: "tc-see", "aria-hidden": true }, ...cells),
      says,
      share,
      first,
    );
    return { node, pick, cells, reads, says, share, first, later: false };
  });
  const heads = ["#", "reads", "may see", "", "p", ""].map((name) =>
    h("th", { scope: "col" }, name),
  );
  const table = h(
    "table",
    {},
    h("caption", {}),
    h("thead", {}, h("tr", {}, ...heads)),
    h("tbody", {}, ...lines.map((line) => line.node)),
  );
  const key = (kind, name) => h("span", {}, h("i", { "data-see": kind }), name);
  const answers = [key("answer", "hidden: the answer"), key("leak", "the answer leaks")];
  const legend = h(
    "p",
    { class: "tc-legend" },
    key("yes", "input it may see"),
    key("no", "hidden"),
    ...answers,
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = h(
    "div",
    { class: "tc tc-forcing", role: "group", "aria-label": "Teacher forcing" },
    h("div", { class: "tc-bar" }, mode.node, code.node, back, next),
    h("p", { class: "tc-source" }, h("b", {}, "Source "), lesson.source.join(" ")),
    h("div", { class: "tc-op" }, table),
    legend,
    words,
  );

  function update() {
    const now = state();
    const rows = rowsOf(now);
    const training = now.mode === "training";
    const at = Math.min(now.position, rows.length - 1);
    code.set(now.bug);
    mode.set(now.mode);
    say(heads[3], training ? "must say" : "writes");
    say(heads[5], training ? "first choice" : "reference");
    for (const one of answers) one.hidden = !training;
    say(table.caption, training ? "Decoder, in training" : "Decoder, on its own");
    lines.forEach((line, i) => {
      const row = rows[i];
      line.node.hidden = !row;
      if (!row) return;
      line.later = !training && i > at;
      line.node.classList.toggle("tc-later", line.later);
      line.node.classList.toggle("tc-row", i === at);
      line.pick.tabIndex = i === at ? 0 : -1;
      const verb = training ? "must say" : "writes";
      const told = line.later ? ", not written yet" : `: reads ${row.reads}, ${verb} ${row.says}`;
      line.pick.setAttribute("aria-label", `position ${i}${told}`);
      if (i === at) line.pick.setAttribute("aria-current", "true");
      else line.pick.removeAttribute("aria-current");
      const show = (node, text) => say(node, line.later ? "" : text);
      show(line.reads, row.reads);
      show(line.says, row.says);
      show(line.share, fixed(row.share, 2));
      show(line.first, training ? row.first : row.wanted || "(ended)");
      line.share.style.setProperty("--t", String(line.later ? 0 : row.share));
      const other = !line.later && (training ? row.first !== row.says : row.says !== row.wanted);
      line.first.classList.toggle("tc-other", other && training);
      line.says.classList.toggle("tc-other", other && !training);
      line.cells.forEach((cell, j) => {
        cell.hidden = j >= rows.length;
        const may = training ? mayRead(i, j, now.bug) : j <= i;
        const answer = training && j === answerAt(i, now.bug);
        cell.dataset.see = line.later
          ? ""
          : answer
            ? may
              ? "leak"
              : "answer"
            : may
              ? "yes"
              : "no";
      });
    });
    back.setAttribute("aria-disabled", String(at === 0));
    next.setAttribute("aria-disabled", String(at === rows.length - 1));
    say(words, explain(now));
  }

  return live({ model, el }, root, ["position", "bug", "mode"], update);
}

export default { render };
