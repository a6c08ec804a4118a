// @ts-check
// The rows in one line, their heads, the line again: slices in their places, ways between them.
import {
  BOTTOM,
  FAN,
  GAIN,
  LIFT,
  MOST_CELLS,
  NAME,
  SAID,
  TALL,
  TOPS,
  WAYS,
  WORDS,
  about,
  place,
  shades,
  spot,
  stripes,
  vectors,
  way,
} from "./head_slices_numbers.js";
import { count, dot } from "./numbers.js";
import { assign, h, press, svg } from "./shared.js";
import { still } from "./stage.js";
/** @import {Matrix} from "./types.js" */

const ZONES = ["tc-from", "tc-at", "tc-back"]; // a slice in the line, in its head, back again
const STAGE = [1, 2, 4]; // where each kind stands as at this stage

/** The style that puts a slice where it is at a stage. */
function put(stage, token, part, now) {
  const { left, top, width, height } = spot(stage, token, part, now);
  const many = now.num_heads > 8;
  const line = stage < 2 || stage === 4;
  const cut = line ? (stage && !many ? 1 : 0) : many ? 1 : 4; // uncut rows have no gap
  const before = line && part === 0 ? 3 : cut;
  const after = line && part === now.num_heads - 1 ? 3 : cut;
  return {
    left: `calc(${100 * left}% + ${before}px)`,
    top: `${top}px`,
    width: `max(1px, ${100 * width}% - ${before + after}px)`,
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
      const beside = zone === 1 && n === 4 ? [span(SAID[token][part])] : [];
      const whose = zone === 1 && n <= 4 ? [h("b", {}, WORDS[token])] : [];
      const hue = `tc-hue${(part % 8) + 1}`;
      const strip = h("i");
      const rest = token ? "tc-rest" : "";
      const node = h(
        "div",
        { class: `tc-slice ${kind} ${hue} ${rest}` },
        strip,
        ...beside,
        ...whose,
      );
      return { node, strip };
    }),
  );
  const style = (head) =>
    `left: ${(100 * head) / n}%; width: ${100 / n}%; top: ${TOPS[1] - NAME}px`;
  const names = heads.map((head) => {
    const part = (text) => (n <= 4 ? h("i", {}, text) : "");
    const what = n <= 8 ? [h("span", {}, part("by "), about(head, n).join(", "))] : [];
    const name = [part("head "), String(head + 1)];
    const kind = `tc-name tc-hue${(head % 8) + 1} ${head % 4 ? "" : "tc-fourth"}`;
    return h("div", { class: kind, style: style(head) }, h("b", {}, ...name), ...what);
  });
  const maps = heads.map((head) => {
    const grid = Array.from({ length }, () => h("i"));
    const label = `head ${head + 1}: its weights`;
    const kind = `tc-map tc-hue${(head % 8) + 1}`;
    const traits = { "aria-label": label, class: kind, keydown: (event) => keydown(event, head) };
    const node = press("", () => chosen(head), { ...traits, style: style(head) });
    node.append(h("span", {}, ...grid));
    return { node, grid };
  });
  const ways = WAYS.map((high, down) => {
    const lines = all.map(([token, part]) =>
      svg("path", { class: `tc-hue${(part % 8) + 1} ${token ? "tc-rest" : ""}` }),
    );
    const box = { viewBox: `0 0 100 ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    const [name, top] = down ? ["tc-back", TOPS[2] - high] : ["tc-at", TOPS[1] - NAME - high];
    const style = `top: ${top - 1}px; height: ${high}px`;
    return { high, lines, node: svg("svg", { ...box, class: `tc-ways ${name}`, style }, ...lines) };
  });
  const words = WORDS.slice(0, length).map((word, token) => {
    const { top, height } = spot(2, token, 0, { ...first, wrong: false });
    const kind = `tc-word tc-at ${token ? "tc-rest" : ""}`;
    return h("span", { class: kind, style: `top: ${top}px; height: ${height}px` }, word);
  });
  // The words' vectors, and from all of the first to every slice of its row of q.
  const uncut = WORDS.slice(0, length).map((_, token) =>
    h("i", {
      class: `tc-uncut tc-first-step ${token ? "tc-rest" : ""}`,
      style: `left: calc(${(100 * token) / length}% + 3px); width: calc(${100 / length}% - 6px)`,
    }),
  );
  const ends8 = Array.from({ length: Math.min(d, 8) }, (_, m) => (m + 0.5) / Math.min(d, 8));
  const fans = heads.map((part) => {
    const to = (100 * (part + 0.5)) / (n * length);
    const d = ends8.map((m) => `M${(3 + 94 * m) / length} 0L${to} ${FAN}`).join("");
    return svg("path", { class: `tc-hue${(part % 8) + 1}`, d });
  });
  const box = { viewBox: `0 0 100 ${FAN}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const place0 = `top: ${TOPS[0] - FAN - 1}px; height: ${FAN}px`;
  const fan = svg("svg", { ...box, class: "tc-ways tc-fan tc-first-step", style: place0 }, ...fans);
  const over = ["tc-from", "tc-back"].map((zone) =>
    h("div", { class: `tc-over ${zone}` }, ...WORDS.slice(0, length).map(span)),
  );
  const ends = [
    { text: [h("i", {}, "x")], top: TOPS[0] - FAN - 26, kind: "tc-first-step" },
    {
      text: [h("i", {}, "W"), h("sup", {}, "Q")],
      top: TOPS[0] - FAN / 2 - 13,
      kind: "tc-first-step",
    },
    { text: [h("i", {}, "q")], top: TOPS[0], kind: "" },
    { text: ["concat"], top: TOPS[2], kind: "tc-back" },
  ].map(({ text, top, kind }) => {
    const style = `top: ${top}px; height: 24px`;
    return h("span", { class: `tc-word tc-symbol ${kind}`, style }, h("span", {}, ...text));
  });
  const field = h(
    "div",
    { class: "tc-field" },
    ...over,
    ...uncut,
    fan,
    ...ways.map(({ node }) => node),
  );
  field.append(...maps.map(({ node }) => node), ...slices.flat().map(({ node }) => node), ...names);
  const node = h("div", { class: "tc-slices", role: "group" }, ...ends, ...words, field);
  node.toggleAttribute("data-many", n > 8);
  node.dataset.heads = String(n);
  node.style.cssText =
    `height: ${BOTTOM - LIFT}px; --all: ${BOTTOM}px; --lift: ${LIFT}px; ` +
    `--tall: ${TALL}px; --name: ${NAME}px; --words: ${length}`;

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
      const whole = vectors(x);
      const most = Math.max(...whole.flat().map(Math.abs));
      whole.forEach((row, token) => {
        const shown = shades(
          row.map((each) => (GAIN * each) / most),
          Math.min(d, MOST_CELLS),
        );
        uncut[token].style.background = stripes(shown, "var(--soft)");
      });
      all.forEach(([token, part], at) => {
        const [head, row] = place(token, part, n, length, wrong);
        const own = split[head][row];
        maps[head].grid[row].className = token ? "tc-rest" : "";
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
          const [from, to] = back ? [b, a] : [a, b];
          const half = high / 2;
          const d = `M${from} 0C${from} ${half} ${to} ${half} ${to} ${high}`;
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

/** What the heads cost beside a single one: what changed, how, and what stayed.
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
