// @ts-check
// Speculative decoding, call by call: guesses, what the translator keeps, and what it writes itself.
import { choice, h, live, save, say, slider } from "./shared.js";
import { brings, follows, line, roundInWords, rounds, shown } from "./speculation_rounds.js";
import { frame, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */
/** @import {Text} from "./speculation_rounds.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  /** @type {Text[]} */
  const texts = model.get("texts");
  const longest = Math.max(...texts.map(({ written }) => written.length));
  const now = () => {
    const text = texts[model.get("sentence")];
    const all = rounds(text, model.get("most"));
    return { text, all, step: Math.min(model.get("step"), all.length - 1) };
  };
  // The bar has room for the most calls there can be. The last call of a text is its last step.
  const last = longest - 1;
  const get = () => {
    const { all, step } = now();
    return step === all.length - 1 ? last : step;
  };
  const go = (n) => {
    const { all, step } = now();
    const end = all.length - 1;
    const back = n === last - 1 && step === end && end < last;
    save(model, { step: Math.max(0, back ? end - 1 : Math.min(n, end)) });
  };

  const which = choice({
    label: "Sentence",
    options: texts.map(({ source }, n) => [n, source]),
    value: 0,
    change: (n) => save(model, { sentence: Number(n), step: 0 }),
  });
  const most = slider({
    label: "Most guesses a call",
    min: 0,
    max: 8,
    value: 4,
    change: (n) => save(model, { most: n, step: 0 }),
  });
  const names = Array.from({ length: longest }, (_, n) => `call ${n + 1}`);
  const bar = stepBar({ names, short: names.map((_, n) => String(n + 1)), get, go, every: 1600 });
  const place = bar.node.querySelector(".tc-place");

  const pairs = h("div", { class: "tc-pairs", role: "img" });
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const [strip, alone] = ["tc-strip", "tc-alone"].map((kind) =>
    h("div", { class: kind, "aria-hidden": "true" }),
  );
  const numbers = [h("data"), h("data")];
  const versus = h(
    "div",
    { class: "tc-versus" },
    h("b", {}, "With guesses"),
    strip,
    numbers[0],
    h("span", {}, "One by one"),
    alone,
    numbers[1],
  );
  const written = h("p", { class: "tc-line", lang: "de" });
  const joins = h("span", {}, "+ joins the word before");
  const legend = [
    ["draft", "guessed and kept"],
    ["wrong", "guessed and refused"],
    ["own", "written by the translator"],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name));
  const root = frame({
    name: "speculation",
    title: "Guess, check, keep",
    controls: [which.node],
    steps: bar.node,
    told,
    below: [
      pairs,
      h("div", { class: "tc-so" }, h("b", {}, "So far"), written),
      h("p", { class: "tc-legend" }, ...legend, joins),
      h("p", { class: "tc-calls" }, h("b", {}, "Calls of the translator"), ", a box each"),
      versus,
      h("div", { class: "tc-bar" }, most.node),
    ],
  });

  const token = (text, n, kind) =>
    h("span", { class: "tc-token", "data-kind": kind }, shown(text.pieces[n]));

  function update() {
    const { text, all, step } = now();
    const round = all[step];
    which.set(model.get("sentence"));
    most.set(model.get("most"));
    bar.tabs.forEach((tab, n) => {
      tab.parentElement.hidden = n >= all.length;
    });
    bar.show(get());
    bar.tabs.forEach((tab, n) => {
      tab.classList.toggle("tc-done", n < step);
      tab.setAttribute("aria-current", n === step ? "step" : "false");
    });
    say(place, `${step + 1} of ${all.length}`);

    const { at, guess, right, own } = round;
    const made = at + brings(round);
    const empty = () => h("span", { class: "tc-none" });
    // The one call goes over all places at once: each has its piece of it.
    const after = follows(text, round);
    const pair = (above, below, place = -1) => {
      const [into, out] = [above, below].map((node) => node.matches(".tc-token"));
      const call = h("i", { class: `${into ? "tc-into " : ""}${out ? "tc-out" : ""}` });
      const known = place < 0 ? [] : ["after ", h("b", { lang: "de" }, after[place])];
      return h("div", {}, h("small", {}, ...known), above, call, below);
    };
    const names = ["A table guesses", "One call checks", "It would write"];
    pairs.replaceChildren(
      h(
        "div",
        {},
        h("small", {}, guess.length ? "what most often follows" : ""),
        ...names.map((name) => h("b", {}, name)),
      ),
      ...guess.map((n, place) => {
        if (place < right) return pair(token(text, n, "draft"), token(text, n, "draft"), place);
        const check = place === right && own !== null ? token(text, own, "own") : empty();
        return pair(token(text, n, "wrong"), check, place);
      }),
      ...(right === guess.length && own !== null ? [pair(empty(), token(text, own, "own"))] : []),
    );
    pairs.setAttribute("aria-label", `${right} guesses kept, ${guess.length - right} refused`);
    joins.hidden = !text.pieces.some((piece) => shown(piece)[0] === "+");
    const before = line(text, at);
    const whole = line(text, made);
    written.replaceChildren(before, h("b", {}, whole.slice(before.length)));
    say(told, roundInWords(text, round, model.get("most")));
    strip.replaceChildren(
      ...all.map((call, n) =>
        h("span", { class: n > step ? "" : n === step ? "tc-made tc-fresh" : "tc-made" }),
      ),
    );
    alone.replaceChildren(
      ...text.written.map((_, n) => h("i", { class: n < made ? "tc-made" : "" })),
    );
    [step + 1, made].forEach((calls, n) => say(numbers[n], `${calls} call${calls > 1 ? "s" : ""}`));
  }

  return live({ model, el }, root, ["sentence", "most", "step"], update);
}

export default { render };
