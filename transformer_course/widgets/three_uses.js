// @ts-check
// Encoder self-attention, masked decoder self-attention, cross-attention: one trained model, three
// uses.
import { fixed } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { ROW, linksOf, movingLines } from "./three_uses_lines.js";
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
  const uses = Object.entries(USES).map(([use, { name, start }]) => ({
    use,
    button: press(name, () => save(model, { use, ...start }), { "data-use": use }),
  }));
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
  /** A language's words: one looks, or all are looked at, or both. @param {string} side */
  function column(side) {
    const rows = data.pieces[side].map((piece, i) => {
      const share = h("data");
      const keydown = (event) => {
        const [down, across] = MOVES[event.key] ?? [0, 0];
        if (!down && !across) return;
        take(event);
        const to = rows[i + down + across]?.button;
        if (!to || to.disabled) return;
        save(model, { word: i + down + across });
        to.focus();
      };
      const button = press("", () => save(model, { word: i }), { keydown });
      button.append(h("b", { lang: side === "tgt" ? "de" : "en" }, piece), share);
      return { button, share };
    });
    const about = { class: "tc-words", role: "group", "aria-label": LANGUAGES[side] };
    const node = h("div", { ...about, "data-side": side }, ...rows.map(({ button }) => button));
    return { side, rows, node };
  }
  const columns = ["src", "tgt"].map(column);
  const [english, german] = columns;
  const tags = Object.entries({ Q: "asks", "K, V": "answer" }).map(([of, does]) =>
    h("span", { "data-of": of }, h("i", {}, of), ` ${does}`),
  );
  const tall = ROW * Math.max(...columns.map(({ rows }) => rows.length));
  const lines = svg("svg", {
    class: "tc-links",
    viewBox: `0 0 100 ${tall}`,
    style: `height: ${tall}px`,
    preserveAspectRatio: "none",
    "aria-hidden": true,
  });
  const links = movingLines(lines);
  const [masks, asked] = [h("div", { class: "tc-masks" }), h("small", { class: "tc-keys" })];
  const titles = ["", "from", "shape"].map((name) =>
    name ? h("th", { scope: "col" }, name) : h("td"),
  );
  const body = h("tbody");
  const root = frame({
    name: "three",
    title: "One attention, three uses",
    controls: [h("div", { class: "tc-bar" }, layers.node, heads.node)],
    steps: h("div", { class: "tc-uses" }, ...uses.map(({ button }) => button)),
    told: h("p", { class: "tc-why" }, told),
    below: [
      h(
        "div",
        { class: "tc-pairs" },
        h("p", {}, h("b", {}, "English"), h("small", {}, "in the encoder")),
        h("span"),
        h("p", {}, h("b", {}, "German"), h("small", {}, "in the decoder")),
        h("div", { class: "tc-tags" }, ...tags),
        english.node,
        lines,
        german.node,
      ),
      h("details", {}, h("summary", {}, "The weights as a matrix"), asked, masks),
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

  function update() {
    const now = state();
    const allowed = data.masks[now.use];
    const word = Math.min(now.word, allowed.length - 1);
    const at = { ...now, word };
    const weights = weightsOf(data, at);
    const { query, key } = USES[now.use];
    for (const { use, button } of uses)
      button.setAttribute("aria-pressed", String(use === now.use));
    layers.set(now.layer);
    heads.set(now.head);
    [query, key].forEach((side, n) => (tags[n].dataset.side = side));
    for (const { side, rows, node } of columns) {
      const [asks, answers] = [side === query, side === key];
      node.classList.toggle("tc-asks", asks);
      node.classList.toggle("tc-answers", answers);
      rows.forEach(({ button, share }, i) => {
        const hidden = answers && !allowed[word][i];
        const x = answers ? weights[word][i] : 0;
        button.disabled = !asks || i >= allowed.length;
        button.setAttribute("aria-pressed", String(asks && i === word));
        button.tabIndex = asks && i === word ? 0 : -1;
        button.classList.toggle("tc-masked", hidden);
        button.style.setProperty("--t", String(x));
        say(share, hidden ? "hidden" : x < 0.005 ? "" : fixed(x, 2));
      });
    }
    links.move(linksOf(weights, word, now.use));
    say(told, tell(data, at));
    say(asked, `${LANGUAGES[key]} keys →`);
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
