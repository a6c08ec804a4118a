// @ts-check
// Speculative decoding, call by call: guesses, what the translator keeps, and what it writes itself.
import { choice, h, live, save, say, slider } from "./shared.js";
import { line, roundInWords, rounds, score, shown } from "./speculation_rounds.js";
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
    label: "Guesses a call",
    min: 0,
    max: 8,
    value: 4,
    change: (n) => save(model, { most: n, step: 0 }),
  });
  const names = Array.from({ length: longest }, (_, n) => `call ${n + 1}`);
  const bar = stepBar({ names, short: names.map((_, n) => String(n + 1)), get, go, every: 1600 });
  const place = bar.node.querySelector(".tc-place");

  const track = h("div", { class: "tc-track", role: "img" });
  const guessed = h("div", { class: "tc-guess", role: "img" });
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const sum = h("p", { class: "tc-sum" });
  const written = h("p", { class: "tc-line" });
  const strip = h("div", { class: "tc-strip", "aria-hidden": "true" });
  const legend = [
    ["draft", "guessed and kept"],
    ["own", "written by the translator"],
    ["wrong", "guessed and refused"],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name));
  const root = frame({
    name: "speculation",
    title: "Guess, check, keep",
    controls: [which.node, most.node],
    steps: bar.node,
    inputs: [h("p", {}, h("b", {}, "The translation so far")), track, written, sum],
    result: [h("p", {}, h("b", {}, "In this call")), guessed, told],
    below: [
      h("p", { class: "tc-calls" }, "Each bar is one call, as high as the tokens that it gave."),
      strip,
      h("p", { class: "tc-legend" }, ...legend),
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

    const before = all
      .slice(0, step)
      .flatMap(({ at, right, own }) =>
        text.written
          .slice(at, at + right + (own === null ? 0 : 1))
          .map((n, m) => token(text, n, m < right ? "draft" : "own")),
      );
    const kept = round.guess.slice(0, round.right).map((n) => token(text, n, "draft"));
    const refused = round.guess.slice(round.right).map((n) => token(text, n, "wrong"));
    const own = round.own === null ? [] : [token(text, round.own, "own")];
    const fresh = [...kept, ...own].map((node) => node.cloneNode(true));
    fresh.forEach((node) => /** @type {any} */ (node).classList.add("tc-fresh"));
    track.replaceChildren(...before, ...fresh);
    const length = Math.min(text.written.length, round.at + round.right + own.length);
    track.setAttribute("aria-label", `Written so far: ${line(text, length)}`);
    guessed.replaceChildren(
      ...(round.guess.length ? [...kept, ...refused] : [h("small", {}, "no guesses")]),
      h("small", {}, "→"),
      ...(own.length ? own : [h("small", {}, "done")]),
    );
    guessed.setAttribute("aria-label", `${kept.length} guesses kept, ${refused.length} refused`);
    say(written, line(text, length));
    say(told, roundInWords(text, round));
    say(sum, score(all, step, text));
    strip.replaceChildren(
      ...all.map(({ right, own: one }, n) =>
        h(
          "span",
          { class: n > step ? "tc-later" : "" },
          ...Array.from({ length: right }, () => h("i", { "data-kind": "draft" })),
          ...(one === null ? [] : [h("i", { "data-kind": "own" })]),
        ),
      ),
    );
  }

  return live({ model, el }, root, ["sentence", "most", "step"], update);
}

export default { render };
