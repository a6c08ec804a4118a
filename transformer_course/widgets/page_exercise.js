// @ts-check
// One exercise, graded where it stands; Python computed its answer when the page was made.
import { count } from "./numbers.js";
import { MOVES, check, choice, h, live, press, save, say, take } from "./shared.js";
import { changeStore, day, loadStore, onStore } from "./store.js";
import { each, numberTable } from "./table.js";

// ---- Grading ----

const refused = (message) => ({ state: "refused", message });
const judge = (marks, message) =>
  marks.length ? { state: "wrong", message, marks } : { state: "right" };

// What a reader enters is right, wrong (with marks on what is wrong), or refused: that costs
// nothing.

/** Reads "2,048", "0,5", "1/8", "25 %", "1e6", "-inf".
 * @returns {{value?: number, error?: string}} */
export function parseNumber(text, unit = "") {
  let typed = String(text).trim().replace(/[−–]/g, "-");
  if (unit && typed.endsWith(unit)) typed = typed.slice(0, -unit.length).trim();
  if (!typed) return { error: "Nothing is entered yet." };
  const sure = typed.replace("∞", "inf").toLowerCase();
  if (/^-?inf$|^nan$/.test(sure)) return { value: exact(sure) };
  typed = /^[+-]?\d{1,3}([, _]\d{3})+(\.\d+)?$/.test(typed)
    ? typed.replace(/[, _]/g, "")
    : typed.replace(",", ".");
  const [, top, below = 1, share] =
    /^([+-]?[\d.]+(?:e[+-]?\d+)?)(?:\s*\/\s*([\d.]+))?\s*(%)?$/i.exec(typed) ?? [];
  const value = Number(top) / Number(below) / (share ? 100 : 1);
  return Number.isFinite(value)
    ? { value }
    : { error: `“${typed.slice(0, 16)}” is not a number like 0.5, 1/8, 2048 or 1e6.` };
}

const exact = (x) => (typeof x === "string" ? ({ inf: Infinity, "-inf": -Infinity }[x] ?? NaN) : x);
const near = (a, b, slack) => Object.is(a, b) || Math.abs(a - b) <= slack;

/** What kind of wrong, where no known mistake leads to the number. */
function kindOfWrong(value, answer, slack) {
  if (near(-value, answer, slack)) return "The right size, with the wrong sign.";
  const power = Math.round(Math.log10(value / answer));
  if (power && near(value / 10 ** power, answer, slack))
    return `Right digits, but off by a factor of ${count(10 ** Math.abs(power))}.`;
  return value < answer ? "Too small." : "Too large.";
}

/** The cells of a grid that differ from another's. */
const differ = (one, other, same) =>
  one.flatMap((row, i) => row.flatMap((x, j) => (same(x, other[i][j], i, j) ? [] : [[i, j]])));

const GRADERS = {
  number({ answer, tolerance, unit, misconceptions }, entry) {
    const { value = NaN, error } = parseNumber(entry, unit);
    if (error) return refused(error);
    // As near to a mistake, in proportion, as one may be to the answer.
    const reach = answer && tolerance / Math.abs(answer);
    const off = (one) => Math.abs(value - one.answer);
    const known = misconceptions
      .toSorted((a, b) => off(a) - off(b))
      .find((one) => off(one) <= Math.max(tolerance, reach * Math.abs(one.answer)));
    return judge(
      near(value, answer, tolerance) ? [] : [0],
      known?.message ?? kindOfWrong(value, answer, tolerance),
    );
  },
  matrix({ answer, tolerance, misconceptions, rows, columns }, entry) {
    const read = entry.map((row) => row.map((text) => parseNumber(text)));
    const [bad] = differ(read, read, (cell) => !cell.error);
    if (bad)
      return refused(
        `Row ${rows[bad[0]]}, column ${columns[bad[1]]}: ${read[bad[0]][bad[1]].error}`,
      );
    const off = (other) =>
      differ(read, other, ({ value }, x, i, j) => near(value, exact(x), tolerance[i][j]));
    const marks = off(answer);
    const known = misconceptions.find((one) => !off(one.answer).length);
    const total = rows.length * columns.length;
    return judge(
      marks,
      known?.message ??
        `${total - marks.length} of ${total} cells are right. Look at row ${rows[marks[0]?.[0]]} ` +
          "first.",
    );
  },
  mask({ answer, misconceptions, rows }, entry) {
    if (!entry.flat().includes(true)) return refused("Nothing is painted yet.");
    const marks = differ(entry, answer, (a, b) => a === b);
    const known = misconceptions.find((one) => String(one.answer) === String(entry));
    const open = marks.filter(([i, j]) => entry[i][j]).length;
    return judge(
      marks,
      known?.message ??
        `${open} cells too many, ${marks.length - open} too few. Look at row ` +
          `${rows[marks[0]?.[0]]} first.`,
    );
  },
  choice({ answer, options }, entry) {
    if (!entry.length) return refused("Choose first.");
    const marks = options.flatMap(({ right }, n) => (right === entry.includes(n) ? [] : [n]));
    return judge(
      marks,
      answer.length > 1
        ? `Of ${options.length} options you judge ${options.length - marks.length} rightly.`
        : "Not that one.",
    );
  },
  order({ answer, start, misconceptions }, entry) {
    if (String(entry) === String(start)) return refused("Nothing is moved yet.");
    const marks = answer.filter((n) => entry[n] !== n);
    const known = misconceptions.find(({ before: [a, b] }) => entry.indexOf(a) < entry.indexOf(b));
    return judge(marks, known?.message ?? `In place from the top: ${marks[0]}.`);
  },
  match({ answer, lefts, misconceptions }, entry) {
    const empty = entry.indexOf(-1);
    if (empty >= 0) return refused(`Choose a partner for ${bare(lefts[empty])}.`);
    const marks = answer.flatMap((to, n) => (entry[n] === to ? [] : [n]));
    const known = misconceptions.find(({ pair: [left, to] }) => entry[left] === to);
    return judge(
      marks,
      `${answer.length - marks.length} of ${answer.length} are right. ${known?.message ?? ""}`,
    );
  },
};

export const grade = (exercise, entry) => GRADERS[exercise.kind](exercise, entry);

/** Full points on the first try, one fewer for each later one, at least one. */
export const worth = (points, tries) => Math.max(1, points - tries + 1);

/** The entry that nobody has touched. */
export function firstEntry({ kind, rows, columns, lefts, start }) {
  const grid = (cell) => rows.map(() => columns.map(() => cell));
  return {
    number: () => "",
    matrix: () => grid(""),
    mask: () => grid(false),
    choice: () => [],
    order: () => start,
    match: () => lefts.map(() => -1),
  }[kind]();
}

/** The entry that is right. */
export const rightEntry = ({ kind, answer, shown, texts, unit }) =>
  kind === "number" ? shown.slice(0, unit ? -unit.length - 1 : undefined) : (texts ?? answer);

// ---- Text: paragraphs, `code`, *words* to stress, and code indented by four spaces ----

const bare = (text) => text.replaceAll("`", "");
const inline = (text) =>
  text
    .split(/(`[^`]*`|\*[^*\s][^*]*\*)/)
    .map((part, n) => (n % 2 ? h(part[0] === "`" ? "code" : "em", {}, part.slice(1, -1)) : part));
const prose = (text) =>
  text
    .split(/\n\s*\n/)
    .map((block) =>
      block.startsWith("    ")
        ? h("pre", {}, h("code", {}, block.replace(/^ {4}/gm, "")))
        : h("p", {}, ...inline(block)),
    );

// ---- The kinds: each makes {node, draw}, and calls change(entry) ----

/** A table of cells that arrow keys go between; one of them is in the tab order. */
function grid({ axes = "", rows, columns }, make) {
  const table = numberTable({ caption: "", hint: axes, rows, columns });
  const cells = rows.map((_, i) =>
    columns.map((_, j) => {
      const cell = make(i, j);
      cell.tabIndex = i || j ? -1 : 0;
      cell.addEventListener("focus", () =>
        each(cells, (other) => {
          other.tabIndex = other === cell ? 0 : -1;
        }),
      );
      cell.addEventListener("keydown", (event) => {
        const [down, right] = MOVES[event.key] ?? [];
        if (
          !MOVES[event.key] ||
          (right && cell.value && cell.selectionEnd !== (right < 0 ? 0 : cell.value.length))
        )
          return;
        take(event);
        cells[i + down]?.[j + right]?.focus();
      });
      table.cells[i][j].replaceWith(cell);
      return cell;
    }),
  );
  const draw = (show, marks) =>
    each(cells, (cell, i, j) =>
      show(
        cell,
        i,
        j,
        marks.some(([a, b]) => a === i && b === j),
      ),
    );
  return { node: table.node, draw };
}
const swap = (rows, i, j, value) => rows.with(i, rows[i].with(j, value));

const VIEWS = {
  number({ asks, unit }, change, submit) {
    const input = h("input", {
      autocomplete: "off",
      size: 12,
      "aria-label": "Your number",
      input: () => change(input.value),
      keydown(event) {
        if (event.key === "Enter") submit(take(event));
      },
    });
    return {
      node: h("p", { class: "tc-line" }, input, unit, h("small", {}, `(${asks})`)),
      draw(entry, { over }) {
        Object.assign(input, { value: entry, readOnly: over });
      },
    };
  },
  matrix(exercise, change) {
    let now = [];
    const { node, draw } = grid(exercise, (i, j) =>
      h("input", {
        autocomplete: "off",
        "aria-label": `${exercise.rows[i]}, ${exercise.columns[j]}`,
        input: (event) => change(swap(now, i, j, event.target.value)),
      }),
    );
    return {
      node,
      draw: (entry, { over, marks }) =>
        draw((input, i, j, off) => {
          now = entry;
          if (input.value !== entry[i][j]) input.value = entry[i][j];
          input.readOnly = over;
          input.setAttribute("aria-invalid", off);
        }, marks),
    };
  },
  mask(exercise, change) {
    let [now, brush, painted, stuck] = [firstEntry(exercise), true, false, false];
    const paint = (i, j, value) => {
      if (!stuck && now[i][j] !== value) change(swap(now, i, j, value));
    };
    const { node, draw } = grid(exercise, (i, j) =>
      press(
        "",
        (event) => {
          // A finger or a key; the mouse has painted.
          if (!painted || !event.detail) paint(i, j, !now[i][j]);
        },
        {
          pointerdown(event) {
            painted = event.pointerType === "mouse";
            brush = !now[i][j];
            if (painted) paint(i, j, brush);
          },
          pointerenter(event) {
            if (painted && event.buttons === 1) paint(i, j, brush);
          },
          "aria-label": `${exercise.rows[i]}, ${exercise.columns[j]}`,
        },
      ),
    );
    return {
      node,
      draw: (entry, { over, marks }) =>
        draw((cell, i, j, off) => {
          [now, stuck] = [entry, over];
          say(cell, `${entry[i][j] ? "✓" : "·"}${off ? "?" : ""}`);
          cell.setAttribute("aria-pressed", entry[i][j]);
          cell.classList.toggle("tc-off", off);
        }, marks),
    };
  },
  choice({ options, answer }, change) {
    const one = answer.length === 1;
    const name = `tc-${Math.random()}`;
    const boxes = options.map((_, n) =>
      check({
        label: "",
        value: false,
        change: () =>
          change(one ? [n] : boxes.flatMap(({ input }, m) => (input.checked ? [m] : []))),
      }),
    );
    const whys = options.map(({ right, why }) =>
      h(
        "p",
        { class: "tc-answer" },
        h("b", {}, right ? "✓ Holds. " : "✗ Does not hold. "),
        ...inline(why),
      ),
    );
    boxes.forEach(({ node, input }, n) => {
      if (one) Object.assign(input, { type: "radio", name });
      input.addEventListener("keydown", (event) => event.stopPropagation());
      node.append(h("span", {}, ...inline(options[n].text)));
    });
    return {
      node: h(
        "div",
        {},
        h("small", {}, one ? "Choose one" : "Choose all that hold"),
        ...boxes.flatMap(({ node }, n) => [node, whys[n]]),
      ),
      draw: (entry, { over, tried }) =>
        boxes.forEach(({ input }, n) => {
          input.checked = entry.includes(n);
          input.disabled = over;
          whys[n].hidden = !over && !tried.flat().includes(n);
        }),
    };
  },
  order({ lines }, change) {
    let [now, stuck] = [[-1], false];
    const move = (n, to, event) => {
      if (stuck || !(to in lines)) return;
      change(now.filter((other) => other !== n).toSpliced(to, 0, n));
      event.target.focus();
    };
    const items = lines.map((line, n) => {
      const by = (event, step) => move(n, now.indexOf(n) + step, event);
      const arrow = (sign, word, step) =>
        press(sign, (event) => by(event, step), {
          tabindex: -1,
          "aria-label": `Move ${word}: ${bare(line)}`,
        });
      const keydown = (event) => {
        const step = MOVES[event.key]?.[0];
        if (step) by(event, step, take(event));
      };
      return h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "tc-grip", keydown },
          h("span"),
          h("span", {}, ...inline(line)),
        ),
        arrow("↑", "up", -1),
        arrow("↓", "down", 1),
      );
    });
    const list = h("ol", { class: "tc-order" }, ...items);
    return {
      node: h("div", {}, list, h("small", {}, "Tab to a line; ↑ and ↓ move it.")),
      draw(entry, { over, marks }) {
        if (String(now) !== String(entry)) list.append(...entry.map((n) => items[n]));
        [now, stuck] = [entry, over];
        entry.forEach((n, place) => {
          say(items[n].firstChild.firstChild, `${place + 1}${marks.includes(place) ? "?" : "."}`);
          items[n].classList.toggle("tc-off", marks.includes(place));
        });
      },
    };
  },
  match({ lefts, rights }, change) {
    let now = [];
    const options = [[-1, "choose…"], ...rights.map((right, m) => [m, bare(right)])];
    const lists = lefts.map((left, n) =>
      choice({ label: "", options, value: -1, change: (to) => change(now.with(n, Number(to))) }),
    );
    lists.forEach(({ node }, n) => node.firstChild.append(...inline(lefts[n])));
    return {
      node: h("div", { class: "tc-pairs" }, ...lists.map(({ node }) => node)),
      draw: (entry, { over, marks }) =>
        lists.forEach(({ input, set }, n) => {
          now = entry;
          set(entry[n]);
          input.disabled = over;
          input.setAttribute("aria-invalid", marks.includes(n));
        }),
    };
  },
};

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const exercise = model.get("exercise");
  const { id, kind, points, hints, shown, title } = exercise;
  const untouched = {
    entry: firstEntry(exercise),
    tries: 0,
    hints: 0,
    tried: [],
    outcome: "",
    message: "",
    marks: [],
    again: false,
  };
  const work = () => ({ ...untouched, ...model.get("work") });
  const put = (changes) => save(model, { work: { ...work(), ...changes } });
  const isOver = () => ["right", "shown"].includes(work().outcome);
  const earns = (tries) =>
    `${worth(points, tries)} of ${points} ${points > 1 ? "points" : "point"}`;

  /** What the browser remembers of this exercise. */
  const recall = () => {
    const { progress, problem } = loadStore();
    const done = progress.done[id];
    say(note, problem);
    if (work().again || !done === !isOver()) return;
    put(
      done
        ? {
            entry: rightEntry(exercise),
            outcome: done.points ? "right" : "shown",
            message:
              `${done.when.slice(0, 10)}: ` + `${done.points} of ${points}, tries: ${done.tries}.`,
          }
        : untouched,
    );
  };
  const finish = (outcome, tries, message) => {
    put({ entry: rightEntry(exercise), outcome, tries, message, marks: [] });
    say(
      note,
      changeStore(({ done }) => {
        done[id] ??= { points: outcome === "right" ? worth(points, tries) : 0, tries, when: day() };
      }),
    );
  };
  const submit = () => {
    const { entry, tried, tries, again } = work();
    if (isOver()) return;
    const { state, message, marks } = grade(exercise, entry);
    const twice = tried.some((one) => String(one) === String(entry));
    if (state === "right")
      finish(
        "right",
        tries + 1,
        again ? "Right." : `Right, on try ${tries + 1}: ${earns(tries + 1)}.`,
      );
    else if (state === "refused" || twice)
      put({ message: twice ? "You tried that already." : message });
    else
      put({
        tries: tries + 1,
        tried: [...tried, entry],
        outcome: "wrong",
        message,
        marks: tries ? marks : [],
      });
  };
  const restart = () => {
    put({ ...untouched, again: true, message: "For practice: your points stay." });
    root.querySelector(".tc-work :is(input, select, button)").focus();
  };

  const note = h("p", { role: "status" });
  const message = h("p", { class: "tc-message", role: "status" });
  const shownHints = h(
    "ul",
    { "aria-live": "polite" },
    ...hints.map((text) => h("li", {}, ...inline(text))),
  );
  const rule = h("small");
  const why = h("div", { class: "tc-why" }, ...prose(exercise.explanation));
  const view = VIEWS[kind](exercise, (entry) => put({ entry, marks: [] }), submit);
  const [go, more, show, again] = [
    press(kind === "number" ? "Lock in" : "Check", submit),
    press("Hint", () => put({ hints: work().hints + 1 })),
    press("Show me (0 points)", () => finish("shown", work().tries, `The answer: ${bare(shown)}`)),
    press("Try again", restart),
  ];
  const root = h(
    "div",
    { class: "tc tc-exercise", role: "group", "aria-label": `Exercise: ${title}` },
    h("p", { class: "tc-title" }, title),
    h(
      "small",
      {},
      `${["easy", "medium", "hard"][exercise.difficulty - 1]} · about ${exercise.minutes} min`,
    ),
    h("div", { class: "tc-prompt" }, ...prose(exercise.prompt)),
    h("div", { class: "tc-work" }, view.node),
    h("div", { class: "tc-bar" }, go, more, show, again),
    rule,
    message,
    shownHints,
    why,
    note,
    h("p", { class: "tc-print" }, `Answer: ${bare(shown)}`),
  );

  const leave = live({ model, el }, root, ["work"], () => {
    const {
      entry,
      tries,
      tried,
      marks,
      outcome,
      message: text,
      hints: seen,
      again: practice,
    } = work();
    const over = isOver();
    view.draw(entry, { over, marks, tried });
    root.dataset.outcome = outcome;
    say(message, bare(text));
    say(more, `Hint ${seen + 1} of ${hints.length}`);
    [go.hidden, more.hidden, show.hidden, again.hidden, why.hidden] = [
      over,
      over || seen >= hints.length,
      over || !tries,
      !over,
      !over,
    ];
    [...shownHints.children].forEach((item, n) => {
      item.hidden = n >= seen;
    });
    const typed =
      kind === "number" && tried.length ? ` Locked in so far: ${tried.join("; ")}.` : "";
    say(
      rule,
      over ? "" : (practice ? "" : `Worth ${earns(tries + 1)} now. Hints are free.`) + typed,
    );
  });
  recall();
  const stop = onStore(recall);
  return () => {
    stop();
    leave();
  };
}

export default { render };
