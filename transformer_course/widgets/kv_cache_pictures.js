// @ts-check
// The cells of the cache, and which head of keys each head of queries asks.
import { drawn, multiplyAdds } from "./kv_cache_numbers.js";
import { h, svg } from "./shared.js";

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
                {},
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
    svg("path", { d: ends.map(([from, to]) => `M${from} 14L${to} 50`).join("") }),
    dots(
      ends.map(([from]) => from),
      9,
      "round",
    ),
    dots([...new Set(ends.map(([, to]) => to))], 54, "square"),
  );
  share.setAttribute(
    "aria-label",
    `${all} heads of queries above, ${kept} of keys and values below: each of those is asked ` +
      `by ${all / kept}`,
  );
}

/** What the chart shows: multiply-adds by the number of tokens. @param {any} now all traits */
export function workByTokens(now) {
  const { context: n, step: t } = now;
  const points = (on) =>
    Array.from({ length: 33 }, (_, place) => n ** (place / 32)).map((x) => [
      x,
      multiplyAdds(now, x, on).sum,
    ]);
  return {
    x: { min: 1, max: n, log: true, label: "tokens" },
    y: {
      min: multiplyAdds(now, 1, true).sum / 2,
      max: multiplyAdds(now, n, false).sum * 2,
      log: true,
      label: "multiply-adds",
    },
    lines: [
      { points: points(false), hue: 2, dash: "6 4" },
      { points: points(true), hue: 1 },
    ],
    marks: [
      { x: t, y: multiplyAdds(now, t, now.cached).sum, hue: now.cached ? 1 : 2, text: `step ${t}` },
    ],
  };
}
