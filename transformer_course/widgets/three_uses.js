// @ts-check
// Encoder self-attention, masked decoder self-attention, cross-attention: one trained model, three
// uses.
import { fixed } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { ROW, linksOf, miniature, movingLines } from "./three_uses_lines.js";
import { frame } from "./stage.js";
import { legend, matrix } from "./three_uses_matrix.js";
import { LANGUAGES, USES, shapes, tell, weightsOf } from "./three_uses_words.js";
/** @import {Data} from "./three_uses_words.js" */
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["use", "layer", "head", "word"];
  /** @type {Data} */
  const data = model.get("data");
  const state = () =>
    /** @type {any} */ (Object.fromEntries(names.map((name) => [name, model.get(name)])));
  const most = Math.max(...Object.values(data.pieces).map((pieces) => pieces.length));
  let built = "";
  let queries = /** @type {any[]} */ ([]);
  let keys = /** @type {any[]} */ ([]);

  // A card for each use, with the head that it shows: the one chosen, or one that shows it well.
  const uses = Object.entries(USES).map(([use, { name, start, query, key }]) => {
    const button = press("", () => save(model, { use, ...start }), { "data-use": use });
    const [place, small, boxes] = [h("small"), h("div"), h("span", { class: "tc-boxes" })];
    for (const [of, side] of Object.entries({ Q: query, "K, V": key }))
      boxes.append(h("span", { "data-of": of }, h("i", {}, of), ` ${LANGUAGES[side]}`));
    button.append(h("b", {}, name), boxes, small, place);
    const show = (now) => {
      const chosen = now.use === use;
      const at = chosen ? now : { use, ...start };
      button.setAttribute("aria-pressed", String(chosen));
      say(place, `layer ${at.layer}, head ${at.head}`);
      small.replaceChildren(miniature(weightsOf(data, at), data.masks[use]));
    };
    return { button, show };
  });
  const numbered = (label, trait, n) =>
    choice({
      label,
      options: Array.from({ length: n }, (_, i) => [i + 1, i + 1]),
      value: model.get(trait),
      change: (text) => save(model, { [trait]: Number(text) }),
    });
  const layers = numbered("Layer", "layer", data.weights.cross.length);
  const heads = numbered("Head", "head", data.weights.cross[0].length);
  const told = h("span", { "aria-live": "polite" });
  const [left, right] = [
    h("div", { class: "tc-words", role: "group", "aria-label": "Words that look" }),
    h("div", { class: "tc-words" }),
  ];
  // On a phone one part at a time: the lines, or the weights.
  const parts = ["Lines", "Weights"].map((name) => press(name, () => part(name)));
  const part = (name) => {
    root.dataset.part = name;
    parts.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.textContent === name)),
    );
  };
  const stretched = { preserveAspectRatio: "none", "aria-hidden": "true" };
  const lines = svg("svg", { class: "tc-links", ...stretched });
  const links = movingLines(lines);
  const [asks, from, answers, memory] = [h("b"), h("small"), h("b"), h("small")];
  const [masks, asked] = [h("div", { class: "tc-masks" }), h("small", { class: "tc-keys" })];
  const titles = ["", "from", "shape"].map((name) =>
    name ? h("th", { scope: "col" }, name) : h("td"),
  );
  const body = h("tbody");
  const root = frame({
    name: "three",
    title: "One attention, three uses",
    controls: [h("div", { class: "tc-bar" }, layers.node, heads.node, ...parts)],
    steps: h("div", { class: "tc-uses" }, ...uses.map(({ button }) => button)),
    told: h("p", { class: "tc-why" }, told, " Press another word, or another use."),
    below: [
      h(
        "div",
        { class: "tc-pairs", style: `--rows: ${most}` },
        h("p", {}, asks, from),
        h("span"),
        h("p", {}, answers, memory),
        h("p", {}, h("b", {}, "Weights"), asked),
        left,
        lines,
        right,
        masks,
      ),
      h(
        "details",
        {},
        h("summary", {}, "The shapes"),
        h("div", { class: "tc-op" }, h("table", {}, h("thead", {}, h("tr", {}, ...titles)), body)),
        h(
          "p",
          { class: "tc-legend" },
          "The course's small translator, trained on Multi30k; one sentence of a batch, padded. " +
            "Padding asks too, but nobody reads what it finds: it has no lines here.",
        ),
      ),
    ],
  });

  part("Lines");

  /** The two columns of words. */
  function build(use) {
    const { query, key } = USES[use];
    const count = data.masks[use].length;
    queries = data.pieces[query].slice(0, count).map((piece, i) =>
      h(
        "button",
        {
          type: "button",
          lang: query === "tgt" ? "de" : "en",
          "data-lm-suppress-shortcuts": "true",
          click: () => save(model, { word: i }),
          keydown(event) {
            const [down, across] = MOVES[event.key] ?? [0, 0];
            if (!down && !across) return;
            take(event);
            const to = queries[i + down + across];
            if (!to) return;
            save(model, { word: i + down + across });
            to.focus();
          },
        },
        piece,
      ),
    );
    keys = data.pieces[key].map((piece) => ({
      node: h("span", {}, h("b", { lang: key === "tgt" ? "de" : "en" }, piece), h("data")),
    }));
    const idle = data.pieces[query].slice(count).map((piece) => h("i", {}, piece));
    left.replaceChildren(...queries, ...idle);
    right.replaceChildren(...keys.map(({ node }) => node));
    const tall = Math.max(data.pieces[query].length, keys.length) * ROW;
    lines.setAttribute("viewBox", `0 0 100 ${tall}`);
    lines.style.height = `${tall}px`;
  }

  function update() {
    const now = state();
    if (now.use !== built) {
      build(now.use);
      built = now.use;
    }
    const word = Math.min(now.word, queries.length - 1);
    const at = { ...now, word };
    const weights = weightsOf(data, at);
    const allowed = data.masks[now.use];
    uses.forEach(({ show }) => show(now));
    layers.set(now.layer);
    heads.set(now.head);
    queries.forEach((button, i) => {
      button.setAttribute("aria-pressed", i === word);
      button.tabIndex = i === word ? 0 : -1;
    });
    keys.forEach(({ node }, j) => {
      const hidden = !allowed[word][j];
      node.classList.toggle("tc-masked", hidden);
      node.classList.toggle("tc-low", !hidden && weights[word][j] < 0.005);
      node.style.setProperty("--t", weights[word][j]);
      say(node.lastChild, hidden ? "hidden" : fixed(weights[word][j], 2));
    });
    links.move(linksOf(weights, word));
    const { query, key, from: whose, memory: other } = USES[now.use];
    say(told, tell(data, at));
    [whose, other].forEach((text, n) => {
      say([asks, answers][n], text.match(/English|German/)[0]);
      say([from, memory][n], `${text.match(/..coder/)[0]} → ${["queries", "keys, values"][n]}`);
    });
    say(asked, `${LANGUAGES[key]} is asked →`);
    const pick = (i) => save(model, { word: i });
    masks.replaceChildren(matrix(data, now.use, weights, word, pick), legend(data, now.use));
    body.replaceChildren(
      ...shapes(data, now.use).map(([what, where, shape]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, what),
          h("td", {}, where),
          h("td", {}, h("code", {}, shape)),
        ),
      ),
    );
  }

  const leave = live({ model, el }, root, names, update);
  return () => {
    links.stop();
    leave();
  };
}

export default { render };
