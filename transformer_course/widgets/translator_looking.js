// @ts-check
// What one chooses among in the translator: the pieces of a sentence, the maps of layers and heads.
import { format } from "./numbers.js";
import { MOVES, h, say, svg, take } from "./shared.js";
import { LEVELS, LOOKS, ofVectors, shades, word } from "./translator_words.js";
/** @import {Result} from "./translator_words.js" */

// Made anew with each sentence, after `live` has looked.
const BUTTON = { type: "button", "data-lm-suppress-shortcuts": "true" };

/** The pieces of one side as buttons that arrow keys move between; the start mark is given, not
 * asked.
 * @param {string} side @param {string} label @param {string} lang
 * @param {() => string} look what is looked at @param {(side: string, row: number) => void} ask
 * @param {(place: [string, number] | null) => void} point */
export function makeStrip(side, label, lang, look, ask, point) {
  const list = h("div", { role: "group", "aria-label": label, lang });
  let /** @type {{node: any, number: any, row: number, name: string}[]} */ chips = [];
  const fill = (pieces, first = 0) => {
    chips = pieces.map((piece, n) => {
      const number = h("small");
      const row = n - first;
      const node = h(
        row < 0 ? "span" : "button",
        {
          class: "tc-piece",
          ...(row < 0
            ? {}
            : {
                ...BUTTON,
                tabindex: -1,
                pointerenter: () => point([side, row]),
                pointerleave: () => point(null),
                click: () => ask(side, row),
                focus: () => {
                  if (LOOKS[look()].rows === side) ask(side, row);
                },
                keydown(event) {
                  const move = MOVES[event.key];
                  if (!move) return;
                  take(event);
                  chips.find((chip) => chip.row === row + move[0] + move[1])?.node.focus();
                },
              }),
        },
        h("span", {}, word(piece)),
        number,
      );
      node.classList.toggle("tc-goes-on", n + 1 < pieces.length && !/^[▁<]/.test(pieces[n + 1]));
      return { node, number, row, name: word(piece) };
    });
    list.replaceChildren(...chips.map((chip) => chip.node));
  };
  /** A number for each piece: none, or null where looking is forbidden. */
  const mark = (values, signed, chosen) =>
    chips.forEach(({ node, number, row, name }, n) => {
      const x = values?.[n];
      say(number, x === undefined ? "" : x === null ? "✕" : format(x));
      node.dataset.kind =
        x === undefined ? "none" : x === null ? "off" : signed ? (x < 0 ? "neg" : "pos") : "seq";
      node.style.setProperty("--t", Math.abs(x ?? 0));
      if (row < 0) return;
      node.setAttribute(
        "aria-label",
        `${name}${x === undefined ? "" : x === null ? ", not written yet" : `, ${format(x)}`}`,
      );
      node.setAttribute("aria-pressed", row === chosen);
      node.tabIndex = row === (chosen < 0 ? 0 : chosen) ? 0 : -1;
    });
  return {
    node: h("div", { class: "tc-strip" }, h("small", { "aria-hidden": "true" }, label), list),
    fill,
    mark,
  };
}

/** One small map a head, one row a layer; of vectors one map a layer.
 * @param {HTMLElement} maps @param {Result} result @param {string} now what is looked at
 * @param {() => number} headNow @param {(layer: number, head: number) => void} choose */
export function drawMaps(maps, result, now, headNow, choose) {
  const grid = ofVectors(now) ? [result.alike[now]] : result.weights[now];
  const width = result[LOOKS[now].columns].length;
  const height = result[LOOKS[now].rows].length;
  const marks = grid.flatMap((row, i) =>
    row.map((cells, j) => {
      const [layer, head] = ofVectors(now) ? [j, headNow()] : [i + 1, j + 1];
      const name = !ofVectors(now)
        ? `Layer ${layer}, head ${head}`
        : layer
          ? `After layer ${layer}`
          : "Before the first layer";
      const line = svg("rect", { x: 0, width, height: 1, class: "tc-line" });
      const paths = shades(cells, width).map(({ level, negative, path }) =>
        svg("path", {
          d: path,
          "fill-opacity": level / LEVELS,
          class: negative ? "tc-hue2" : ofVectors(now) ? "tc-hue1" : "tc-hue3",
        }),
      );
      const node = h(
        "button",
        {
          ...BUTTON,
          "aria-label": name,
          title: name,
          focus: () => choose(layer, head),
          click: () => choose(layer, head),
          keydown(event) {
            const move = MOVES[event.key];
            if (!move) return;
            take(event);
            maps.querySelectorAll("button")[(i + move[0]) * row.length + j + move[1]]?.focus();
          },
        },
        svg(
          "svg",
          { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
          ...paths,
          line,
        ),
      );
      return { node, line, layer, head };
    }),
  );
  const title = (text, name = "") => h("small", { class: name, "aria-hidden": "true" }, text);
  const across = grid[0].map((_, j) =>
    title(ofVectors(now) ? (j ? `layer ${j}` : "start") : `head ${j + 1}`),
  );
  maps.style.setProperty("--columns", String(grid[0].length));
  maps.replaceChildren(
    title(""),
    ...across,
    ...grid.flatMap((row, i) => [
      title(ofVectors(now) ? "" : `layer ${i + 1}`, "tc-side"),
      ...row.map((_, j) => marks[i * row.length + j].node),
    ]),
  );
  return marks;
}

/** Where one types. @param {() => void} go at Enter */
export function makeInput(go) {
  return h("textarea", {
    rows: 2,
    spellcheck: "false",
    autocomplete: "off",
    lang: "en",
    "aria-label": "English sentence",
    keydown(event) {
      event.stopPropagation();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      go();
    },
  });
}
