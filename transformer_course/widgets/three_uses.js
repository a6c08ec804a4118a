// @ts-check
// Encoder self-attention, masked decoder self-attention, cross-attention: one trained model, three
// uses.
import { fixed } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { ROW, letters, linksOf, miniature, movingLines } from "./three_uses_lines.js";
import { frame } from "./stage.js";
import { USES, grids, shapes, tell, weightsOf } from "./three_uses_words.js";
/** @import {Data} from "./three_uses_words.js" */
/** @import {Context} from "./types.js" */

const CELL = 12;

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

  const uses = Object.entries(USES).map(([use, { name, start, query, key, mask }]) => {
    const [layer, head] = start;
    const go = () => save(model, { use, layer, head });
    const button = press("", go, { "data-use": use });
    const sides = [query, key].map((side) => (side === "src" ? "EN" : "DE"));
    const weights = weightsOf(data, { use, layer, head });
    const said = h("span", {}, h("b", {}, name), h("small", {}, mask));
    button.append(miniature(weights, data.masks[use], sides), said);
    return button;
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
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const [left, right] = [
    h("div", { class: "tc-words", role: "group", "aria-label": "Words that look" }),
    h("div", { class: "tc-words" }),
  ];
  const lines = svg("svg", {
    class: "tc-links",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const links = movingLines(lines);
  const [from, memory] = [h("small"), h("small")];
  const masks = h("div", { class: "tc-masks" });
  const titles = ["", "from", "shape"].map((name) =>
    name ? h("th", { scope: "col" }, name) : h("td"),
  );
  const body = h("tbody");
  const root = frame({
    name: "three",
    title: "One attention, three uses",
    controls: [h("div", { class: "tc-bar" }, layers.node, heads.node)],
    steps: h("div", { class: "tc-uses" }, ...uses),
    told,
    below: [
      h(
        "div",
        { class: "tc-pairs", style: `--rows: ${most}` },
        h("p", {}, h("b", {}, "Queries"), from),
        h("span"),
        h("p", {}, h("b", {}, "Keys, values"), memory),
        h("p", {}, h("b", {}, "Weights"), h("span", {}, "crossed out = hidden")),
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

  /** A grid of small squares; a hidden pair is crossed out. With weights to `fill` it, each row and
   * column has the first letter of its word. */
  const grid = (name, rows, word, fill, words = []) => {
    const edge = words.length && 15;
    return svg(
      "svg",
      {
        class: "tc-grid",
        role: "img",
        "aria-label": name,
        viewBox: `${-edge} ${-edge} ${rows[0].length * CELL + edge} ${rows.length * CELL + edge}`,
        click(event) {
          const box = event.currentTarget.getBoundingClientRect();
          const high = rows.length * CELL + edge;
          const down = ((event.clientY - box.top) / box.height) * high - edge;
          const at = Math.floor(down / CELL);
          save(model, { word: Math.max(0, Math.min(rows.length - 1, at)) });
        },
      },
      ...rows.flatMap((row, i) =>
        row.map((x, j) =>
          svg(
            "g",
            {},
            svg("rect", {
              class: x === false ? "tc-no" : "tc-yes",
              x: j * CELL + 1,
              y: i * CELL + 1,
              width: CELL - 2,
              height: CELL - 2,
              style: fill ? `--t: ${fill[i][j]}` : "",
            }),
            ...(x === false
              ? [svg("path", { d: `M${j * CELL + 3} ${i * CELL + 3}l${CELL - 6} ${CELL - 6}` })]
              : []),
          ),
        ),
      ),
      svg("rect", {
        class: "tc-row",
        x: 0,
        y: word * CELL,
        width: rows[0].length * CELL,
        height: CELL,
      }),
      ...letters(words, word, CELL),
    );
  };

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
      node: h("span", {}, h("b", { lang: key === "tgt" ? "de" : "en" }, piece), h("output")),
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
    uses.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.dataset.use === now.use)),
    );
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
    const { from: whose, memory: other } = USES[now.use];
    say(told, tell(data, at));
    say(from, whose);
    say(memory, other);
    const parts = grids(data, now.use);
    const figure = (title, picture) => h("figure", {}, picture, h("figcaption", {}, title));
    masks.replaceChildren(
      figure(
        "row looks at column",
        grid("weights", allowed, word, weights, [
          data.pieces[USES[now.use].query].slice(0, allowed.length),
          data.pieces[USES[now.use].key],
        ]),
      ),
      ...(parts.length > 1 ? parts : []).map(({ name: title, cells }, n) =>
        figure(title, grid(`${title} mask`, cells, word, null)),
      ),
    );
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
