// @ts-check
// The matrix, its heads, and the matrix again: slices in their places, and the ways between them.
import {
  BOTTOM,
  FEATURES,
  MOST_CELLS,
  SAID,
  TOPS,
  WAYS,
  WORDS,
  place,
  shades,
  spot,
  stripes,
  way,
} from "./head_slices_numbers.js";
import { count, dot } from "./numbers.js";
import { assign, h, press, svg } from "./shared.js";
import { still } from "./stage.js";
/** @import {Matrix} from "./types.js" */

const ZONES = ["tc-from", "tc-at", "tc-back"]; // a slice in the matrix, in its head, back again
const STAGE = [1, 2, 4]; // where each kind stands as at this stage

/** The style that puts a slice where it is at a stage. */
function put(stage, token, part, now) {
  const { left, top, width, height } = spot(stage, token, part, now);
  const gap = stage % 4 ? (now.num_heads > 8 ? 1 : 4) : 0; // uncut rows have none
  return {
    left: `calc(${100 * left}% + ${gap}px)`,
    top: `${top}px`,
    width: `calc(${100 * width}% - ${2 * gap}px)`,
    height: `${height - 2}px`,
  };
}

/** @param {string} text */
const span = (text) => h("span", {}, text);

/** One picture for some number of heads and words. `chosen(head)` is called when one is pressed.
 * @param {any} first all traits @param {(head: number) => void} chosen
 * @param {(event: any, head: number) => void} keydown */
export function picture(first, chosen, keydown) {
  const { d_model: d, num_heads: n, length } = first;
  const all = Array.from({ length: length * n }, (_, at) => [Math.floor(at / n), at % n]);
  const heads = [...Array(n).keys()];
  const slices = ZONES.map((kind, zone) =>
    all.map(([token, part]) => {
      const beside = zone < 2 && n === 4 ? [span(SAID[token][part])] : [];
      const whose = zone === 1 && n <= 4 ? [h("b", {}, WORDS[token])] : [];
      const hue = `tc-hue${(part % 8) + 1}`;
      const strip = h("i");
      const node = h("div", { class: `tc-slice ${kind} ${hue}` }, strip, ...beside, ...whose);
      return { node, strip };
    }),
  );
  const within = (head, more = 0) =>
    `left: ${(100 * head) / n}%; width: ${100 / n}%; top: ${TOPS[1] - more}px`;
  const names = heads.map((head) => {
    const what = n <= 4 ? [n === 4 ? FEATURES[head] : "", "weights"] : [];
    const name = n <= 4 ? `head ${head + 1}` : n <= 8 ? `h${head + 1}` : String(head + 1);
    const kind = `tc-name tc-hue${(head % 8) + 1} ${head % 4 ? "" : "tc-fourth"}`;
    return h("div", { class: kind, style: within(head, 20) }, h("b", {}, name), ...what.map(span));
  });
  const maps = heads.map((head) => {
    const grid = Array.from({ length }, () => h("i"));
    const label = `head ${head + 1}: its weights`;
    const kind = `tc-map tc-hue${(head % 8) + 1}`;
    const about = { "aria-label": label, class: kind, keydown: (event) => keydown(event, head) };
    const node = press("", () => chosen(head), { ...about, style: within(head) });
    node.append(h("span", {}, ...grid));
    return { node, grid };
  });
  const ways = WAYS.map((high, down) => {
    const lines = all.map(([, part]) => svg("path", { class: `tc-hue${(part % 8) + 1}` }));
    const box = { viewBox: `0 0 100 ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    const [name, top] = [down ? "tc-back" : "tc-at", TOPS[down + 1] - high];
    const style = `top: ${top - 1}px; height: ${high}px`;
    return { high, lines, node: svg("svg", { ...box, class: `tc-ways ${name}`, style }, ...lines) };
  });
  const words = TOPS.flatMap((top, zone) =>
    WORDS.slice(0, length).map((word, token) => {
      const { height } = spot(0, token, 0, first);
      const style = `top: ${top + token * height}px; height: ${height - 2}px`;
      return h("span", { class: `tc-word ${ZONES[zone]}`, style }, word);
    }),
  );
  const field = h("div", { class: "tc-field" }, ...ways.map(({ node }) => node));
  field.append(...maps.map(({ node }) => node), ...slices.flat().map(({ node }) => node), ...names);
  const quarters = h("div", { class: "tc-quarters" }, ...FEATURES.map(span));
  const next = ["comes next: each head attends alone", "comes last: side by side again"].map(
    (text, n) => h("p", { class: `tc-next ${ZONES[n + 1]}`, style: `top: ${TOPS[n + 1]}px` }, text),
  );
  const node = h("div", { class: "tc-slices", role: "group" }, quarters, ...next, ...words, field);
  node.toggleAttribute("data-many", n > 8);
  node.toggleAttribute("data-said", n === 4);
  node.style.height = `${BOTTOM}px`;

  /** Fly: every slice of a kind comes from where it was before. */
  const fly = (kind, from, now) =>
    all.forEach(([token, part], at) =>
      slices[kind][at].node.animate(
        [put(from, token, part, now), put(STAGE[kind], token, part, now)].map((style, t) => ({
          ...style,
          opacity: t || 0.6,
        })),
        { duration: 400, delay: (240 * part) / n, easing: "ease-in-out", fill: "backwards" },
      ),
    );

  let before = -1;
  let told = "";
  /** @param {any} now all traits @param {Matrix} x @param {Matrix[]} split
   * @param {Matrix[]} weights */
  function show(now, x, split, weights) {
    const { stage, wrong } = now;
    const cells = Math.max(1, Math.min(d, MOST_CELLS) / n);
    node.dataset.stage = String(stage);
    if (told !== String(wrong)) {
      told = String(wrong);
      all.forEach(([token, part], at) => {
        const [head, row] = place(token, part, n, length, wrong);
        const own = split[head][row];
        const mixed = own.map((_, c) =>
          dot(
            weights[head][row],
            split[head].map((r) => r[c]),
          ),
        );
        slices.forEach((kind, k) => {
          const shown = shades(k === 2 ? mixed : own, cells);
          kind[at].strip.style.background = stripes(
            shown.map((t) => 0.06 + 0.74 * t),
            "var(--hue)",
          );
          Object.assign(kind[at].node.style, put(STAGE[k], token, part, now));
        });
        const [a, b] = way(token, part, now);
        ways.forEach(({ high, lines }, back) => {
          const [from, to, end] = back ? [b, a, high] : [a, b, high - 20]; // above the name
          const half = end / 2;
          const d = `M${from} 0C${from} ${half} ${to} ${half} ${to} ${end}`;
          assign(lines[at], { d, "stroke-width": n > 8 ? 1 : 2 });
        });
      });
      maps.forEach(({ grid }, head) =>
        grid.forEach((line, i) => {
          line.style.background = stripes(weights[head][i], "var(--hue)");
        }),
      );
    }
    all.forEach(([token, part], at) =>
      Object.assign(slices[0][at].node.style, put(Math.min(1, stage), token, part, now)),
    );
    if (before >= 0 && !still()) {
      if (before < 2 && stage >= 2) fly(1, 1, now);
      if (before < 4 && stage === 4) fly(2, 2, now);
    }
    before = stage;
  }
  return { node, maps, show };
}

/** What the heads cost beside a single one, in a line: what changed, how, and what stayed.
 * @param {Record<string, number>} one @param {Record<string, number>} these */
export function prices(one, these) {
  const said = (name, n) => {
    const symbol = name === "d_k" ? [h("i", {}, "d"), h("sub", {}, "k")] : [name];
    const now = count(these[name]);
    const text = one[name] === these[name] ? now : `${count(one[name])} → ${now}`;
    return [n ? ", " : "", h("span", { "data-of": name }, ...symbol, " ", h("b", {}, text))];
  };
  const names = Object.keys(one);
  const grown = names.filter((name) => one[name] !== these[name]);
  if (!grown.length) return [h("p", {}, ...names.flatMap(said))];
  const same = names.filter((name) => !grown.includes(name));
  return [
    h("p", {}, "Changed: ", ...grown.flatMap(said)),
    h("p", {}, "Unchanged: ", ...same.flatMap(said)),
  ];
}
