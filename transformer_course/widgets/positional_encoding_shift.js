// @ts-check
// One pair of dimensions, shifted: its matrix, and its hand before and after.
import { fixed, plain, transpose } from "./numbers.js";
import { entry, omega, rotated, rotation } from "./positional_encoding_numbers.js";
import { h, say } from "./shared.js";
import { numberTable } from "./table.js";

export function makeShift() {
  const axis = ["sin", "cos"];
  const turn = numberTable({ caption: "Rotation", rows: axis, columns: axis, digits: 3 });
  const hands = numberTable({
    caption: "Hand",
    rows: axis,
    columns: ["at pos", "rotated", "at pos + k"],
    digits: 3,
  });
  const sum = h("p");
  const panel = h("div", {}, sum, h("div", { class: "tc-sum" }, turn.node, hands.node));

  const draw = ({ dModel, base: b, pos, k, pair }) => {
    const rate = omega(pair, dModel, b);
    const pairOf = (p) => [entry(p, 2 * pair, dModel, b), entry(p, 2 * pair + 1, dModel, b)];
    const three = [pairOf(pos), rotated(pairOf(pos), k * rate, 2, 1), pairOf(pos + k)];
    turn.fill(rotation(k * rate), { largest: 1 });
    hands.fill(transpose(three), { largest: 1 });
    say(
      sum,
      `Pair ${pair} turns by k ω = ${plain(k)} · ${fixed(rate, 4)} = ${fixed(k * rate, 3)} radians.`,
    );
  };
  return { panel, draw };
}
