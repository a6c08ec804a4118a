// @ts-check
// The cells of the cache, and which head of keys each head of queries asks.
import { amount, drawn, multiplyAdds } from "./kv_cache_numbers.js";
import { assign, h, say, svg } from "./shared.js";

export const STEPS = 16; // tokens in the picture

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
  const x = (n, of) => ((n + 0.5) / of) * 640;
  const wide = Math.min(14, 480 / all);
  const ends = Array.from({ length: all }, (_, n) =>
    [x(n, all), x(Math.floor((n * kept) / all), kept)].map((at) => at.toFixed(1)),
  );
  const dots = (places, y, cap) =>
    svg("path", {
      d: places.map((at) => `M${at} ${y}h0`).join(""),
      "stroke-width": wide,
      "stroke-linecap": cap,
    });
  share.replaceChildren(
    svg("path", { d: ends.map(([from, to]) => `M${from} 16L${to} 284`).join("") }),
    dots(
      ends.map(([from]) => from),
      9,
      "round",
    ),
    dots([...new Set(ends.map(([, to]) => to))], 290, "square"),
  );
  share.setAttribute(
    "aria-label",
    `${all} heads of queries above, ${kept} of keys and values below: each of those is asked ` +
      `by ${all / kept}`,
  );
}

const [WIDE, TALL, TOP, LOW] = [320, 228, 22, 18]; // of the columns: with room for words

/** A column for each step: as high as its multiply-adds, outlined without a cache, filled with one.
 * @returns {{node: any, draw: (now: any) => void}} */
export function workColumns() {
  const wide = WIDE / STEPS;
  const pairs = Array.from({ length: STEPS }, (_, n) =>
    ["without", "with"].map((kind) =>
      svg("rect", {
        class: `tc-${kind}`,
        x: n * wide + (kind === "with" ? 4 : 1.5),
        width: wide - (kind === "with" ? 8 : 3),
      }),
    ),
  );
  const most = svg("text", { x: WIDE - 1, y: 13, "text-anchor": "end" });
  const names = [1, 4, 8, 12, 16].map((n) =>
    svg("text", { x: (n - 0.5) * wide, y: TALL - 3, "text-anchor": "middle" }, String(n)),
  );
  const node = svg(
    "svg",
    { class: "tc-chart tc-columns", viewBox: `0 0 ${WIDE} ${TALL}`, role: "img" },
    svg("line", { x1: 0, x2: WIDE, y1: TALL - LOW, y2: TALL - LOW }),
    ...pairs.flat(),
    svg("g", { class: "tc-axis" }, most, ...names),
  );
  const draw = (now) => {
    const top = multiplyAdds(now, STEPS, false).step;
    pairs.forEach((pair, n) => {
      pair.forEach((bar, kind) => {
        const high = (multiplyAdds(now, n + 1, kind === 1).step / top) * (TALL - TOP - LOW);
        assign(bar, { y: (TALL - LOW - high).toFixed(1), height: high.toFixed(1) });
        bar.classList.toggle("tc-later", n + 1 > now.step);
        bar.classList.toggle("tc-now", n + 1 === now.step && Boolean(kind) === now.cached);
      });
    });
    say(most, amount(top));
    node.setAttribute(
      "aria-label",
      `Multiply-adds of the steps 1 to ${STEPS}: with a cache from ` +
        `${amount(multiplyAdds(now, 1, true).step)} to ` +
        `${amount(multiplyAdds(now, STEPS, true).step)}, without one up to ${amount(top)}`,
    );
  };
  return { node, draw };
}
