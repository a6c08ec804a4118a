// @ts-check
// A shift by k turns the hand of a pair: by the same angle from any position; and its numbers.
import { end } from "./positional_encoding_dials.js";
import { entry, omega, rotated, rotation } from "./positional_encoding_numbers.js";
import { fixed, plain, transpose } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";
import { numberTable } from "./table.js";

export function makeShift() {
  const axis = ["sin", "cos"];
  const matrix = numberTable({ caption: "Rotation", rows: axis, columns: axis, digits: 3 });
  const hands = numberTable({
    caption: "Hand",
    rows: axis,
    columns: ["at pos", "rotated", "at pos + k"],
    digits: 3,
  });
  const sum = h("p");
  // The first position, the chosen one, the last one: whatever it is, the turn is the same.
  const clocks = ["", "tc-mine", ""].map((kind) => {
    const [old, hand] = ["tc-old", "tc-hand"].map((name) => svg("line", { class: name }));
    const [arc, tip] = ["tc-arc", "tc-tip"].map((name) => svg("path", { class: name }));
    const note = h("small");
    const face = svg(
      "svg",
      { viewBox: "-24 -24 48 48", "aria-hidden": true },
      svg("circle", { class: "tc-face", r: 22 }),
      arc,
      old,
      hand,
      tip,
    );
    return { old, hand, arc, tip, note, node: h("div", { class: kind }, face, note) };
  });
  const panel = h(
    "div",
    {},
    sum,
    h("div", { class: "tc-turns" }, ...clocks.map(({ node }) => node)),
    h(
      "details",
      {},
      h("summary", {}, "The same as a matrix"),
      h("div", { class: "tc-sum" }, matrix.node, hands.node),
    ),
  );

  const turn = ({ dModel, base: b, length: rows, pos, k, pair }) => {
    const rate = omega(pair, dModel, b);
    const pairOf = (p) => [entry(p, 2 * pair, dModel, b), entry(p, 2 * pair + 1, dModel, b)];
    const three = [pairOf(pos), rotated(pairOf(pos), k * rate, 2, 1), pairOf(pos + k)];
    matrix.fill(rotation(k * rate), { largest: 1 });
    hands.fill(transpose(three), { largest: 1 });
    const turned = k * rate;
    const low = Math.max(0, -k);
    const high = Math.max(low, rows - 1 - Math.max(0, k));
    [low, pos, high].forEach((from, n) => {
      const { old, hand, arc, tip, note } = clocks[n];
      const [[x, y], [u, v]] = [from, from + k].map((p) => end(p * rate));
      assign(old, { x2: x, y2: y });
      assign(hand, { x2: u, y2: v });
      // Of more than one turn, the part that is over.
      const wide = Math.abs(turned) % (2 * Math.PI) > Math.PI;
      const way = `A14 14 0 ${Number(wide)} ${Number(turned > 0)} ${0.7 * u} ${0.7 * v}`;
      assign(arc, { d: k ? `M0 0L${0.7 * x} ${0.7 * y}${way}z` : "" });
      const heading = (180 / Math.PI) * (from + k) * rate + (k < 0 ? 180 : 0);
      assign(tip, {
        d: k ? "M-7-4L0 0L-7 4z" : "",
        transform: `translate(${0.7 * u} ${0.7 * v}) rotate(${heading})`,
      });
      say(note, `${plain(Math.round(from))} → ${plain(Math.round(from + k))}`);
    });
    const degrees = plain(Number(((180 / Math.PI) * turned).toPrecision(3)));
    say(
      sum,
      `Pair ${pair}: k ω = ${plain(k)} · ${fixed(rate, 4)} = ${degrees}°, from any position.`,
    );
  };
  return { panel, turn };
}
