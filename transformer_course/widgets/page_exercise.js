// @ts-check
// One exercise, graded where it stands; Python computed its answer when the page was made.
import { firstEntry, grade, rightEntry, worth } from "./grading.js";
import { animate } from "./moving.js";
import { VIEWS, line } from "./page_exercise_views.js";
import { bare, inline, prose } from "./prose.js";
import { h, live, press, save, say, svg } from "./shared.js";
import { changeStore, day, loadStore, onStore } from "./store.js";
/** @import {Context} from "./types.js" */

/** The picture that its Python drew: [tag, attributes, what is inside ...]. */
const sketch = ([tag, attributes, ...inside]) =>
  svg(tag, attributes, ...inside.map((one) => (one.trim ? one : sketch(one))));

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const exercise = model.get("exercise");
  // A question of a notebook is graded as its panel does: every try can earn all points, and
  // nothing shows the answer to who has not found it.
  const { id, kind, points, hints, shown, title, panel } = exercise;
  const untouched = {
    entry: firstEntry(exercise),
    tries: 0,
    hints: 0,
    tried: [],
    outcome: "",
    message:
      ({
        number: "Enter a number.",
        matrix: "Fill each cell.",
        mask: "Press a cell to paint it, or drag.",
        order: "Drag a line, or Tab to it: ↑ and ↓ move it.",
        match: "Press two cards to join them, one again to part them.",
      }[kind] ?? `Choose ${exercise.answer[1] ? "all that hold" : "one"}.`) +
      (hints[0] ? " Hints are free." : ""),
    marks: [],
    again: false,
  };
  const work = () => ({ ...untouched, ...model.get("work") });
  const put = (changes) => save(model, { work: { ...work(), ...changes } });
  const isOver = () => ["right", "shown"].includes(work().outcome);
  const earned = (tries) => (panel ? points : worth(points, tries));
  const earns = (tries) => `${earned(tries)} of ${points} point${points > 1 ? "s" : ""}`;

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
            message: `${done.when}: ${done.points} of ${points}, tries: ${done.tries}.`,
          }
        : untouched,
    );
  };
  /** A calm moment of success: the points won swell one by one, the words rise into their place. */
  const celebrate = () => {
    each.forEach(
      (mark, n) => mark.className || animate(mark, [{}, { scale: 2 }, {}], 300 * n + 300),
    );
    for (const node of [message, why, ...(picture ? [layers[1]] : [])])
      animate(node, [{ opacity: 0, translate: "0 6px" }, {}], 300);
  };
  const finish = (outcome, tries, text) => {
    put({ entry: rightEntry(exercise), outcome, tries, message: text, marks: [] });
    if (outcome === "right") celebrate();
    say(
      note,
      changeStore(({ done }) => {
        done[id] ??= { points: outcome === "right" ? earned(tries) : 0, tries, when: day() };
      }),
    );
  };
  const submit = () => {
    const { entry, tried, tries, again } = work();
    if (isOver()) return;
    const { state, message, marks } = grade(exercise, entry);
    const twice = tried.map(String).includes(String(entry));
    if (state === "right")
      finish(
        state,
        tries + 1,
        again ? "Right." : `Right, on try ${tries + 1}: ${earns(tries + 1)}.`,
      );
    else if (state === "refused" || twice)
      put({ message: twice ? "You tried that already." : message });
    else {
      // First the one that is spoken of: of a grid its row. Then all that is wrong.
      const [one] = marks;
      const first = exercise.rows?.[1] ? [one[0]] : one;
      put({
        tries: tries + 1,
        tried: [...tried, entry],
        outcome: state,
        message,
        marks: tries ? marks : [first],
      });
    }
  };
  const restart = () => {
    put({ ...untouched, again: true, message: "For practice: your points stay." });
    view.node.querySelector("input, select, button")?.focus();
  };

  let told = "";
  const note = h("p", { role: "status" });
  // It holds the place of the longest that may be said, and of what is said first.
  const all = (exercise.options ?? exercise.misconceptions).map((one) => one.why ?? one.message);
  const score = exercise.options || exercise.lefts ? "0 of 0 are right. 0 does not hold. " : "";
  const [longest] = [untouched.message, ...all.map(bare)].sort((a, b) => b.length - a.length);
  const said = h("span");
  const message = h(
    "p",
    { class: "tc-message", role: "status", "data-longest": score + longest },
    said,
  );
  const hintItems = hints.map((text) => h("li", {}, ...inline(text)));
  const shownHints = h("ul", { "aria-live": "polite" }, ...hintItems);
  const [rule, typed] = [h("span"), h("p", { class: "tc-tries" })];
  typed.hidden = kind !== "number";
  const picture = exercise.picture && sketch(JSON.parse(exercise.picture));
  const layers = picture && [...picture.children].slice(-2);
  const why = h("div", { class: "tc-why" }, ...prose(exercise.explanation));
  const view = VIEWS[kind](exercise, (entry) => put({ entry, marks: [] }), submit);
  const [go, more, show, again] = [
    press(kind === "number" && !panel ? "Lock in" : "Check", submit),
    press("Hint", () => put({ hints: work().hints + 1 })),
    press("Show me (0 points)", () => finish("shown", work().tries, "The answer is shown.")),
    press("Try again", restart),
  ];
  const level = panel
    ? `difficulty ${exercise.difficulty} of 5`
    : ["easy", "medium", "hard"][exercise.difficulty - 1];
  // One mark for each point: lost ones are hollow, earned ones green.
  const each = Array.from({ length: points }, () => h("i"));
  const root = h(
    "div",
    { class: "tc tc-exercise", role: "group", "aria-label": `Exercise: ${title}` },
    h(
      "p",
      { class: "tc-kicker" },
      h("b", {}, "Exercise"),
      ` ${level} · about ${exercise.minutes} min`,
      h("span", {}, rule, ...each),
    ),
    h("p", { class: "tc-title" }, title),
    h(
      "div",
      picture && kind !== "match" ? { class: "tc-beside" } : {},
      ...(exercise.prompt ? [h("div", { class: "tc-prompt" }, ...prose(exercise.prompt))] : []),
      ...(picture ? [picture] : []),
      h(
        "div",
        { class: `tc-act tc-of-${kind}` },
        h("div", { class: "tc-work" }, view.node),
        h(
          "div",
          {},
          h("div", { class: "tc-bar" }, go, more, show, again, typed, message),
          shownHints,
        ),
      ),
      why,
    ),
    note,
    ...(panel ? [] : [h("p", { class: "tc-print" }, ...inline(`Answer: ${shown}`))]),
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
    view.draw(entry, { over, marks });
    if (picture) {
      layers[+!over].remove();
      picture.append(layers[+over]);
    }
    root.dataset.outcome = outcome;
    root.classList.toggle("tc-done", over);
    const got =
      loadStore().progress.done[id]?.points ??
      (outcome === "shown" ? 0 : earned(over ? tries : tries + 1));
    each.forEach((mark, n) => mark.classList.toggle("tc-lost", n >= got));
    if (told !== text) said.replaceChildren(...inline((told = text)));
    say(more, `Hint ${seen + 1} of ${hints.length}`);
    const at = /** @type {any} */ (document.activeElement);
    [go.hidden, more.hidden, show.hidden, again.hidden, why.hidden] = [
      over,
      over || seen >= hints.length,
      over || panel,
      !over,
      !over || !exercise.explanation,
    ];
    show.style.visibility = tries ? "" : "hidden";
    if (at?.hidden && root.contains(at)) (over ? again : go).focus();
    hintItems.forEach((item, n) => {
      item.hidden = n >= seen;
    });
    typed.replaceChildren(...line(exercise, tried, over ? shown : "?"));
    say(
      rule,
      over || practice ? "" : `Worth ${earns(tries + 1)}${panel ? ", on any try" : " now"}.`,
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
