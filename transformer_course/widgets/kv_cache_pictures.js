// @ts-check
// The work of each step, the cells of the cache, and how many texts fit into a GPU's memory.
import { amount, drawn, multiplyAdds, tiling } from "./kv_cache_numbers.js";
import { assign, h, svg } from "./shared.js";

export const WORDS = "The cat sat on the mat , and then it saw the dog and ran .".split(" ");
export const STEPS = WORDS.length; // tokens in the picture

/** Strips of cells, made anew only when there are other layers to draw. */
export function drawStrips(strips, { layers, cached, step }) {
  const shape = drawn(layers);
  if (strips.dataset.shape !== String(shape)) {
    strips.dataset.shape = String(shape);
    strips.replaceChildren(
      ...shape.flatMap((layer) =>
        layer === null
          ? [h("span", { class: "tc-gap" }, "⋮")]
          : ["K", "V"].map((what) => {
              const cells = Array.from({ length: STEPS }, () => h("i"));
              return h(
                "div",
                { class: `tc-${what}` },
                h("span", {}, what === "K" ? h("small", {}, `layer ${layer} `) : "", what),
                ...cells,
              );
            }),
      ),
    );
  }
  strips.querySelectorAll("i").forEach((cell, n) => {
    const place = n % STEPS;
    cell.dataset.cell = place >= step ? "none" : cached && place < step - 1 ? "kept" : "new";
  });
  const told = cached ? `${step - 1} tokens kept, 1 computed` : `all ${step} computed`;
  strips.setAttribute(
    "aria-label",
    `Keys and values of ${step} tokens in ${layers} layers: ${told}`,
  );
}

/** Which head of keys each head of queries asks. */
export function connect(share, all, kept) {
  if (share.dataset.shape === `${all} ${kept}`) return;
  share.dataset.shape = `${all} ${kept}`;
  const x = (n, of) => ((n + 0.5) / of) * 200;
  const ends = Array.from({ length: all }, (_, n) =>
    [x(n, all), x(Math.floor((n * kept) / all), kept)].map((at) => at.toFixed(1)),
  );
  const dots = (places, y, wide, cap) =>
    svg("path", {
      d: places.map((at) => `M${at} ${y}h0`).join(""),
      "stroke-width": wide,
      "stroke-linecap": cap,
    });
  const [from, to] = [0, 1].map((end) => [...new Set(ends.map((pair) => pair[end]))]);
  share.replaceChildren(
    svg("path", { d: ends.map(([one, other]) => `M${one} 5L${other} 65`).join("") }),
    dots(from, 5, Math.min(8, 160 / all), "round"),
    dots(to, 64, Math.min(12, 150 / kept), "square"),
  );
  share.setAttribute(
    "aria-label",
    `${all} heads of queries above, ${kept} of keys and values below: each of those is asked ` +
      `by ${all / kept}`,
  );
}

const SIDE = 192; // of the square that stands for the memory

/** A square cut into n tiles. */
export function drawTexts(square, n) {
  if (square.dataset.tiles === String(n)) return;
  square.dataset.tiles = n;
  const [columns, rows] = tiling(n);
  const [wide, tall] = [SIDE / columns, SIDE / rows];
  const gap = Math.min(4, wide / 5, tall / 5);
  const tile = (m) =>
    `M${((m % columns) * wide + gap / 2).toFixed(2)} ` +
    `${(Math.floor(m / columns) * tall + gap / 2).toFixed(2)}` +
    `h${(wide - gap).toFixed(2)}v${(tall - gap).toFixed(2)}h${(gap - wide).toFixed(2)}z`;
  const tiles = Array.from({ length: n }, (_, m) => tile(m));
  square.replaceChildren(
    svg("rect", { x: 0.5, y: 0.5, width: SIDE - 1, height: SIDE - 1 }),
    svg("path", { d: tiles.join("") }),
  );
}

const [WIDE, TALL] = [320, 188]; // of the columns

/** A column for each step, as high as its multiply-adds without a cache, in as many parts as tokens
 * go through; the lowest is all there is with a cache.
 * @returns {{node: any, draw: (now: any) => void}} */
export function workColumns() {
  const wide = WIDE / STEPS;
  const pairs = Array.from({ length: STEPS }, (_, n) =>
    ["without", "with"].map((kind) =>
      svg("rect", { class: `tc-${kind}`, x: n * wide + 0.75, width: wide - 1.5 }),
    ),
  );
  const cuts = svg("path");
  const node = svg(
    "svg",
    {
      class: "tc-chart tc-columns",
      viewBox: `0 0 ${WIDE} ${TALL}`,
      preserveAspectRatio: "none",
      role: "img",
    },
    ...pairs.flat(),
    cuts,
  );
  const draw = (now) => {
    const top = multiplyAdds(now, STEPS, false).step;
    const lines = pairs.map((pair, n) => {
      const [all, one] = [false, true].map(
        (cached) => (multiplyAdds(now, n + 1, cached).step / top) * TALL,
      );
      pair.forEach((bar, kind) => {
        const high = kind ? one : all;
        assign(bar, { y: (TALL - high).toFixed(1), height: high.toFixed(1) });
        bar.classList.toggle("tc-later", n + 1 > now.step);
        bar.classList.toggle("tc-now", n + 1 === now.step);
      });
      const at = (m) => `M${n * wide} ${(TALL - (m + 1) * one).toFixed(2)}h${wide}`;
      return Array.from({ length: n }, (_, m) => at(m)).join("");
    });
    cuts.setAttribute("d", lines.join(""));
    node.classList.toggle("tc-all", !now.cached);
    node.setAttribute(
      "aria-label",
      `Multiply-adds of the steps 1 to ${STEPS}: with a cache from ` +
        `${amount(multiplyAdds(now, 1, true).step)} to ` +
        `${amount(multiplyAdds(now, STEPS, true).step)}, without one up to ${amount(top)}`,
    );
  };
  return { node, draw };
}

const [BAND, TRUNK, ASIDE] = [36, 15, 4]; // the threads' height, where they join, what stands apart

/** Threads between the keys and values below and the step above: those that are kept go up to it and
 * are read, those that are computed come down from it.
 * @returns {{node: any, draw: (now: {cached: boolean, step: number}) => void}} */
export function threads() {
  const middle = (/** @type {number} */ n) => ((n + 0.5) * WIDE) / STEPS;
  const head = (x, y, far) => `M${x - 3} ${y + far}L${x} ${y}L${x + 3} ${y + far}`;
  const down = (/** @type {number} */ x) => head(x, BAND - 1, -6);
  const [keys, values, made] = ["K", "V", "made"].map((kind) =>
    svg("path", { class: `tc-${kind}` }),
  );
  const view = { viewBox: `0 0 ${WIDE} ${BAND}`, preserveAspectRatio: "none" };
  const draw = ({ cached, step }) => {
    const past = Array.from({ length: step - 1 }, (_, n) => middle(n));
    const own = middle(step - 1);
    const stems = past.map((x) => `M${x} ${BAND}V${TRUNK + 4}q0 -4 4 -4`).join("");
    const trunk = `M${middle(0) + 4} ${TRUNK}H${own - ASIDE - 3}q3 0 3 -3V0`;
    const lines = past.length ? stems + trunk : "";
    const read = cached && lines ? lines + head(own - ASIDE, 1, 6) : "";
    for (const path of [keys, values]) path.setAttribute("d", read);
    const again = cached ? "" : lines + past.map(down).join("");
    made.setAttribute("d", `M${own + ASIDE} 0V${BAND}${down(own + ASIDE)}${again}`);
  };
  return { node: svg("svg", view, made, keys, values), draw };
}
