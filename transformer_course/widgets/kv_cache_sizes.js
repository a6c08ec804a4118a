// @ts-check
// What the cache's bytes depend on, as controls; the rarer ones are folded.
import { divisors, fitting } from "./kv_cache_numbers.js";
import { count } from "./numbers.js";
import { choice, h, save, slider } from "./shared.js";

/** @param {any} model @returns {{nodes: any[], show: (now: any) => string}}
 * `show` gives the name of the shape, if it has one */
export function sizeControls(model) {
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  const presets = Object.entries(get("presets"));
  const names = ["layers", "heads", "kv_heads", "head_dim"];
  const preset = choice({
    label: "Model",
    value: "",
    options: [...presets.map(([name], n) => [n, name]), ["", "your own choice"]],
    change: (n) => {
      if (n !== "")
        set(Object.fromEntries(names.map((name, place) => [name, presets[n][1][place]])));
    },
  });
  const layers = slider({
    label: "Layers",
    min: 1,
    max: 128,
    value: 1,
    change: (n) => set({ layers: n }),
  });
  const heads = slider({
    label: "Heads of queries",
    min: 1,
    max: 128,
    value: 1,
    change: (n) => set({ heads: n, kv_heads: fitting(n, get("kv_heads")) }),
  });
  const groups = slider({
    label: "Heads of keys",
    min: 0,
    max: 1,
    value: 0,
    show: (n) => `${divisors(get("heads"))[n] ?? ""}`,
    change: (n) => set({ kv_heads: divisors(get("heads"))[n] }),
  });
  const headDim = slider({
    label: "Width of a head",
    min: 8,
    max: 256,
    step: 8,
    value: 8,
    change: (n) => set({ head_dim: n }),
  });
  const context = slider({
    label: "Tokens in a text",
    min: 4,
    max: 17,
    value: 4,
    show: () => count(get("context")),
    change: (n) => set({ context: 2 ** n }),
  });
  const batch = slider({
    label: "Sequences at once",
    min: 0,
    max: 8,
    value: 0,
    show: () => count(get("batch")),
    change: (n) => set({ batch: 2 ** n }),
  });
  const bytes = choice({
    label: "Number format",
    value: "2",
    options: [
      ["4", "float32, 4 bytes"],
      ["2", "bfloat16, 2 bytes"],
      ["1", "int8, 1 byte"],
    ],
    change: (n) => set({ number_bytes: n }),
  });

  const rare = [layers, heads, headDim, batch, bytes].map(({ node }) => node);
  const more = h("details", {}, h("summary", {}, "More sizes"), h("div", {}, ...rare));
  const show = (now) => {
    const { layers: depth, heads: all, kv_heads: kept } = now;
    layers.set(depth);
    heads.set(all);
    groups.input.max = divisors(all).length - 1;
    groups.set(divisors(all).indexOf(kept));
    headDim.set(now.head_dim);
    context.set(Math.round(Math.log2(now.context)));
    batch.set(Math.round(Math.log2(now.batch)));
    bytes.set(now.number_bytes);
    const known = presets.findIndex(([, shape]) =>
      names.every((name, place) => shape[place] === now[name]),
    );
    preset.set(known < 0 ? "" : known);
    return presets[known]?.[0] ?? "";
  };
  return { nodes: [preset.node, groups.node, context.node, more], show };
}
