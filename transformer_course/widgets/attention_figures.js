// @ts-check
// Figures 3 to 5: lines from words to words, as strong as the weights, a color for each head.
import { MOVES, check, h, live, press, save, say, take } from "./shared.js";
import { frame } from "./stage.js";
import {
  hasRule,
  headlineOf,
  hue,
  known,
  moved,
  shareOf,
  told,
  truthOf,
  twinsOf,
} from "./attention_figures_lines.js";
import { headRows, widthsOf } from "./attention_figures_arcs.js";
import { lookedAt } from "./attention_figures_picture.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["sentence", "layer", "heads", "word", "truth"];
  const data = model.get("data");
  const [numLayers, numHeads] = model.get("shape");
  const everyHead = Array.from({ length: numHeads }, (_, n) => n + 1);
  const many = Array.from({
    length: Math.max(...Object.values(data).map(({ words }) => words.length)),
  });
  const rule = numHeads + 1;
  // Where every word has its truth: arcs over one line of words, and below it what each head finds.
  const ruled = Object.values(data).every(hasRule);
  let [byRule, narrow, paper, peek] = [false, false, false, 0];

  const picks = Object.entries(data).map(([name, one]) => {
    const [first, second] = twinsOf(data, name);
    const begins = second && first === one ? "tc-first" : ""; // a pair, set apart
    const choose = () => save(model, { sentence: name, word: one.asks });
    return press(name, choose, { title: one.text, class: begins });
  });
  const layers = Array.from({ length: numLayers }, (_, n) =>
    press(String(n + 1), () => save(model, { layer: n + 1 }), { "aria-label": `Layer ${n + 1}` }),
  );
  const toggle = (head) => {
    const on = model.get("heads");
    const next = on.includes(head) ? on.filter((each) => each !== head) : [...on, head];
    save(model, { heads: next.sort((a, b) => a - b) });
  };
  const heads = everyHead.map((head) => press("", () => toggle(head), { class: `tc-hue${head}` }));
  const partner = h("small");
  const truth = check({
    label: "Mark what is true",
    value: true,
    change: (on) => save(model, { truth: on }),
  });

  const choose = (word) => save(model, { word });
  const count = () => data[model.get("sentence")].words.length;
  const left = many.map((_, i) =>
    press("", () => choose(model.get("word") === i ? -1 : i), {
      keydown: (event) => {
        if (event.key === "Escape") {
          take(event);
          choose(-1);
        }
        const [down, right] = MOVES[event.key] ?? [0, 0];
        const to = i + down + right;
        if (to === i || to < 0 || to >= count()) return;
        take(event);
        choose(to);
        left[to].focus();
      },
    }),
  );
  const main = lookedAt(many, everyHead);
  const small = (text) => h("small", { "aria-hidden": "true" }, text);
  const [over, under] = [small(""), small("")];
  const words = h(
    "div",
    { class: "tc-columns" },
    over,
    h("div", { role: "group", "aria-label": "The word that looks; arrow keys move" }, ...left),
    ...main.nodes,
    under,
  );
  const [headline, said] = [h("b"), h("p")];
  const looks = [...everyHead, rule].map((head) => {
    const [mark, text] = [h("b"), h("span")];
    const node = h("span", {}, h("i", { class: hue(head, rule) }), text, mark);
    return { mark, text, node };
  });
  const list = h("div", { class: "tc-looks" }, ...looks.map(({ node }) => node));
  const why = h(
    "div",
    { class: "tc-why", "aria-live": "polite" },
    h("div", {}, headline, said),
    list,
  );
  const [lead, german] = [h("span"), h("span", { lang: "de" })];
  const translation = h("p", { class: "tc-german" }, lead, " ", german);
  const pick = (head) => {
    byRule = head === rule;
    if (byRule) update();
    else save(model, { heads: [head] });
  };
  const rows = headRows(many, everyHead, pick, (head) => {
    peek = head;
    update();
  });
  const as = press("As in the paper", () => {
    paper = !paper;
    update();
  });
  const every = press("All words", () =>
    choose(model.get("word") < 0 ? Math.max(0, data[model.get("sentence")].asks) : -1),
  );
  const group = (name, list) => h("div", { role: "group", "aria-label": name }, ...list);
  const root = frame({
    name: "figures",
    title: model.get("title"),
    controls: [group("Sentence", picks)],
    told: why,
    below: [
      h("div", { class: ruled ? "tc-board" : "" }, words, ...(ruled ? [rows.node] : [])),
      h(
        "div",
        { class: "tc-bar" },
        group("Layer", [h("small", {}, "Layer"), ...layers]),
        ruled ? as : group("Heads", [partner, ...heads]),
        every,
      ),
      h("div", { class: "tc-foot" }, translation, ...(ruled ? [] : [truth.node])),
    ],
  });

  function update() {
    const [sentence, layer, heard, pressed, truly] = names.map((name) => model.get(name));
    const one = data[sentence];
    const [marked, arcs] = [ruled || truly, ruled && !paper];
    const kept = byRule ? [rule] : heard;
    const on = peek ? [peek] : kept;
    const chosen = on[0] === rule ? everyHead : on;
    const last = one.words.length - 1;
    const word = Math.min(pressed, last);
    picks.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.textContent === sentence)),
    );
    truth.set(marked);
    layers.forEach((button, n) => button.setAttribute("aria-pressed", String(n + 1 === layer)));
    const chance = 100 / one.words.length; // each word alike
    heads.forEach((button, n) => {
      const found = shareOf(one, layer, n + 1, word, marked);
      const text = found ? `${found.share} %` : "";
      const style = `--share: ${found?.share ?? 0}%; --chance: ${chance}%`;
      button.replaceChildren(
        h("i", {}, String(n + 1)),
        h("b", { class: found?.right ? "tc-right" : "" }, text + (found?.right ? " ✓" : "")),
        h("span", { class: found ? "tc-share" : "", style }),
      );
      button.ariaLabel = found ? `Head ${n + 1}: ${text} to “${found.to}”` : `Head ${n + 1}`;
      say(
        partner,
        found ? `weight on “${found.to}”\n¦ by chance: ${Math.round(chance)} %` : "Heads",
      );
      button.setAttribute("aria-pressed", String(on.includes(n + 1)));
    });
    as.setAttribute("aria-pressed", String(paper));
    every.setAttribute("aria-pressed", String(pressed < 0));
    const pair = twinsOf(data, sentence);
    const twins = pair.length > 1;
    why.classList.toggle("tc-two", twins);
    const differs = one.words.findIndex(
      (each, n) => twins && pair.some((p) => p.words[n] !== each),
    );
    const widths = narrow
      ? one.words.map(() => 1)
      : widthsOf(one, getComputedStyle(words).fontFamily, ruled ? 8 : 26);
    const counted = word < 0 && ruled;
    words.classList.toggle("tc-all", word < 0);
    words.classList.toggle("tc-arcs", arcs);
    for (const node of [words, why]) node.classList.toggle("tc-ruled", ruled);
    if (ruled) rows.show(one, { layer, on: kept, word, widths });
    const how = { layer, on, chosen, word, marked, narrow, widths, differs, arcs, ruled };
    const { lost, quiet } = main.show(one, how);
    left.forEach((button, i) => {
      button.classList.toggle("tc-quiet", i !== word && quiet("i", i));
      button.hidden = i > last;
      say(button, one.words[i] ?? "");
      button.classList.toggle("tc-differs", i === differs);
      button.style.flexGrow = String(widths[i] ?? 0);
      button.setAttribute("aria-pressed", String(i === word));
      button.tabIndex = i === Math.max(word, 0) ? 0 : -1;
    });
    const seen = counted ? [] : on;
    list.hidden = counted;
    const all = told(one, layer, seen, word, marked);
    looks.forEach(({ mark, text, node }, n) => {
      const look = all.find(({ head }) => head === n + 1);
      node.hidden = !look;
      say(text, look?.text ?? "");
      const [at] = truthOf(one, word)[0] ?? [0];
      const missed = all[1] ? "✗" : `✗ not “${one.words[at]}”`;
      say(mark, typeof look?.right !== "boolean" ? "" : look.right ? "✓" : missed);
      mark.className = look?.right ? "tc-right" : "tc-no";
    });
    const looking = ruled && narrow ? "From left to right" : "The word that looks";
    const rest = narrow ? "" : ": an arc leads from a word to the one it hangs on";
    say(over, arcs ? `What is true${rest}` : looking);
    say(under, ruled ? "Head" : "Where it looks");
    say(
      headline,
      counted ? headlineOf(one, layer) : twins ? moved(pair, layer, chosen, word, marked) : "",
    );
    say(said, known(one, layer, chosen, word, marked));
    translation.classList.toggle("tc-yet", lost);
    say(lead, lost ? "And yet the German is right:" : "It writes:");
    say(german, one.translation);
  }

  // Where it is narrow, words stand below each other, and lines run from left to right.
  const watch = new ResizeObserver(() => {
    narrow = getComputedStyle(words).getPropertyValue("--tall") === "1";
    update();
  });
  watch.observe(words);
  const stop = live({ model, el }, root, names, update);
  return () => {
    watch.disconnect();
    stop();
  };
}

export default { render };
