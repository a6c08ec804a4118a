// @ts-check
// What the whole table depends on: its width, its length, and the base of its wavelengths.
import { count, plain } from "./numbers.js";
import { h, save, slider } from "./shared.js";

const WIDTHS = [8, 16, 32, 64, 128, 256, 512];

/** @param {any} model */
export function makeKnobs(model) {
  const width = slider({
    label: h("span", {}, h("em", {}, "d"), h("sub", {}, "model")),
    min: 0,
    max: WIDTHS.length - 1,
    value: 2,
    show: () => plain(model.get("d_model")),
    change: (n) => save(model, { d_model: WIDTHS[n] }),
  });
  const length = slider({
    label: "Length",
    min: 10,
    max: 200,
    value: 64,
    change: (to) => save(model, { length: to, position: Math.min(model.get("position"), to - 1) }),
  });
  const base = slider({
    label: "Base",
    min: 1,
    max: 6,
    value: 4,
    show: () => count(model.get("base")),
    change: (n) => save(model, { base: 10 ** n }),
  });
  const set = ({ dModel, length: rows, base: b }) => {
    width.set(WIDTHS.findIndex((n) => n >= dModel));
    length.set(rows);
    base.set(Math.round(Math.log10(b)));
  };
  return { node: h("div", { class: "tc-bar" }, width.node, length.node, base.node), set };
}
