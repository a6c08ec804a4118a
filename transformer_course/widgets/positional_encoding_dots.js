// @ts-check
// The dot product of a position with every other, by distance.
import { format, plain } from "./numbers.js";
import { omega, product } from "./positional_encoding_numbers.js";
import { assign, h, say, svg } from "./shared.js";

export function makeDots() {
  const grid = svg("g", { class: "tc-axis" });
  const lines = ["tc-beyond", "tc-within"].map((name) => svg("polyline", { class: name }));
  const spot = svg("circle", { r: 4.5 });
  const spotted = svg("text");
  const curve = svg(
    "svg",
    {
      class: "tc-chart",
      viewBox: "0 0 400 360",
      role: "img",
      "aria-label": "Dot product of the position with every other, by distance",
    },
    grid,
    svg("g", { class: "tc-lines tc-hue1" }, ...lines),
    svg("g", { class: "tc-marks" }, spot, spotted),
  );
  const panel = h(
    "div",
    {},
    curve,
    h(
      "p",
      { class: "tc-legend" },
      "Solid: positions inside the table. Dotted: the same curve beyond its ends.",
    ),
  );
  let [known, half] = ["", [0]];
  const draw = ({ dModel, length: rows, base: b, pos, k }) => {
    const reach = rows - 1;
    const rates = Array.from({ length: dModel / 2 }, (_, i) => omega(i, dModel, b));
    if (known !== (known = `${dModel} ${rows} ${b}`))
      half = Array.from({ length: 2 * reach + 1 }, (_, n) => product(n / 2, rates));
    const top = dModel / 2;
    const low = Math.min(0, ...half);
    const place = (d, y) =>
      [215 + (170 * d) / reach, 15 + (300 * (top - y)) / (top - low)].map((x) =>
        Number(x.toFixed(1)),
      );
    const path = (from, to) =>
      Array.from({ length: 2 * (to - from) + 1 }, (_, n) =>
        place(from + n / 2, half[Math.abs(2 * from + n)]),
      ).join(" ");
    lines[0].setAttribute("points", path(-reach, reach));
    lines[1].setAttribute("points", path(-pos, reach - pos));
    const label = (x, y, text, anchor = "middle") =>
      svg("text", { x, y, "text-anchor": anchor }, text);
    const across = [0, top / 2, top].map((y) => ({
      from: place(-reach, y),
      to: place(reach, y),
      text: plain(y),
    }));
    grid.replaceChildren(
      ...across.flatMap(({ from: [x1, y1], to: [x2], text }) => [
        svg("line", { x1, x2, y1, y2: y1 }),
        label(x1 - 6, y1 + 4, text, "end"),
      ]),
      ...[-reach, 0, reach].map((d) => label(place(d, 0)[0], 333, plain(d))),
      label(215, 353, `distance k from position ${pos}`),
    );
    const [x, y] = place(k, product(k, rates));
    spot.style.display = spotted.style.display = Math.abs(k) > reach ? "none" : "";
    assign(spot, { cx: x, cy: y });
    assign(spotted, {
      x: x + (k > reach / 2 ? -9 : 9),
      y: Math.max(14, y - 8),
      "text-anchor": k > reach / 2 ? "end" : "start",
    });
    say(spotted, `k = ${plain(k)}: ${format(product(k, rates))}`);
  };
  return { panel, draw };
}
