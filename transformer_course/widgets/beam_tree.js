// @ts-check
// Beam search, step by step, over next-token log-probabilities that the course's translator gave.
import { foundTable, ownWay } from "./beam_tree_panel.js";
import { treePicture } from "./beam_tree_picture.js";
import { greedy, layout, pathTo, search } from "./beam_tree_search.js";
import { stepInWords } from "./beam_tree_words.js";
import { lengthPenalty } from "./numbers.js";
import { choice, h, live, save, say, slider, take } from "./shared.js";
import { frame, stack, stepBar } from "./stage.js";
/** @import {Table} from "./beam_tree_search.js" */
/** @import {Context} from "./types.js" */

const END = 99; // a step past every search's end

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  /** @type {Table[]} */
  const searches = model.get("searches");
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  let picked = 0;
  let now = /** @type {any} */ (null);
  const go = (step) => set({ step: step >= now.steps.length ? END : Math.max(0, step) });

  const which = choice({
    label: "To translate",
    options: searches.map(({ source }, n) => [n, source]),
    value: 0,
    change: (n) => {
      picked = 0;
      set({ sentence: Number(n), step: END });
    },
  });
  const beam = slider({
    label: "Beam size",
    min: 1,
    max: 5,
    value: 4,
    change: (n) => set({ beam: n }),
  });
  const alpha = slider({
    label: "Length penalty α",
    min: 0,
    max: 1,
    step: 0.05,
    value: 0.6,
    show: (x) => x.toFixed(2),
    change: (x) => set({ alpha: x }),
  });
  const lead = h("p", { class: "tc-why tc-say", "aria-live": "polite" });
  const tree = treePicture();
  const { boxes } = tree;
  const pick = (node) => {
    picked = node;
    explain();
  };
  const press = (event) => {
    const box = event.target.closest(".tc-box");
    if (box) pick(Number(box.dataset.node));
  };
  boxes.addEventListener("keydown", keydown);
  // Not on the boxes' group: Chromium would let Tab stop at what listens for focus in a picture.
  const view = h("div", { class: "tc-view", click: press, focusin: press }, tree.node);
  document.fonts.ready.then(() => now && draw());
  const own = ownWay(pick);
  const found = foundTable(pick);
  const verdict = h("p", { class: "tc-why tc-verdict", role: "status" });
  const sentences = [h("span"), h("b"), h("span"), h("span"), h("b"), h("span")];
  verdict.append(...sentences.slice(0, 3), h("br"), ...sentences.slice(3));
  const [byAlpha, stop] = [h("span"), h("span", { class: "tc-stop" })];
  const saying = stack([lead, verdict]);
  const steps = h("div");
  const root = frame({
    name: "beam",
    title: "Beam search, step by step",
    controls: [which.node],
    steps,
    told: h("div", {}, saying.node, view, own.cost),
    inputs: [h("div", { class: "tc-bar" }, beam.node, alpha.node)],
    result: [found.node],
    below: [
      own.node,
      h(
        "details",
        {},
        h("summary", {}, "Why it stops here, and what α does"),
        h("p", {}, stop, " ", byAlpha),
      ),
    ],
  });
  /** The bar to step with has as many steps as the search. */
  let bar = /** @type {any} */ (null);
  function drawBar() {
    const names = Array.from({ length: now.steps.length + 1 }, (_, n) =>
      n ? `after ${n} token${n > 1 ? "s" : ""}` : "the start",
    );
    if (bar?.tabs.length !== names.length) {
      const short = names.map((_, n) => String(n || (names.length > 12 ? 0 : "start")));
      bar = stepBar({ names, short, get: () => now.step, go, every: 1200 });
      bar.node.classList.toggle("tc-many", names.length > 12);
      steps.replaceChildren(bar.node);
    }
    bar.show(now.step);
  }

  /** The box of a node, if it is drawn. @param {number} node */
  const boxOf = (node) => boxes.querySelector(`[data-node="${node}"]`);
  function keydown(event) {
    const { places, table } = now;
    const drawn = [...places.keys()]; // column by column, from top to bottom
    const beside = (by) => {
      const to = drawn[drawn.indexOf(picked) + by];
      return places.get(to)?.[0] === places.get(picked)[0] ? to : picked;
    };
    const wanted = {
      ArrowUp: () => beside(-1),
      ArrowDown: () => beside(1),
      ArrowLeft: () => table.parent[picked],
      ArrowRight: () => drawn.find((node) => table.parent[node] === picked),
      Home: () => 0,
    }[event.key];
    if (!wanted) return;
    take(event);
    boxOf(wanted())?.focus();
  }

  /** The chosen node: its box, its number, what may follow. */
  function explain() {
    const there = boxOf(picked) ? picked : 0;
    for (const box of boxes.children) {
      const on = Number(box.dataset.node) === there;
      box.classList.toggle("tc-pick", on && there > 0);
      box.setAttribute("tabindex", on ? 0 : -1);
    }
    own.show(now, picked, get("alpha"));
  }

  function draw() {
    const held = boxes.contains(document.activeElement);
    const room = view.clientWidth || 654;
    const left = tree.draw(now, get("beam"), room, room > 500 ? 264 : 192);
    explain();
    if (held) boxOf(picked)?.focus();
    queueMicrotask(() => held || (view.scrollLeft = left));
  }

  function update() {
    const table = searches[get("sentence")] ?? searches[0];
    const all = search(table, get("beam"), get("alpha"));
    const step = Math.min(get("step"), all.length);
    const seen = all.slice(0, step);
    const finished = seen[step - 1]?.finished ?? [];
    const greedyPath = greedy(table);
    const total = greedyPath.reduce((sum, node) => sum + table.log_prob[node] / 10_000, 0);
    const penalty = lengthPenalty(greedyPath.length, get("alpha"));
    const best = finished.length ? pathTo(table, finished[0].node) : [];
    const ended = best.length > 0 && step === all.length;
    // What is dropped is seen in its own step; at the end the tree is what was kept.
    const drawn = seen.map((each, n) => {
      const looked = !ended && n === step - 1;
      const stays = ({ node, fate }) => looked || fate !== "dropped" || greedyPath.includes(node);
      return { ...each, candidates: each.candidates.filter(stays) };
    });
    const last = ended ? [] : (seen.at(-1)?.candidates ?? []);
    const kept = last.filter(({ fate }) => fate === "kept");
    now = {
      table,
      step,
      seen,
      finished,
      greedyPath,
      steps: all,
      tree: layout(drawn, ended ? [greedyPath, best] : []),
      drawn,
      ended,
      known: new Map(seen.flatMap(({ candidates }) => candidates.map((each) => [each.node, each]))),
      best,
      kept,
      alive: new Set(kept.flatMap(({ node }) => pathTo(table, node))), // on the way to them
      greedyScore: { total, length: greedyPath.length, penalty, score: total / penalty },
    };
    which.set(get("sentence"));
    beam.set(get("beam"));
    alpha.set(get("alpha"));
    drawBar();
    draw();
    found.show(now);
    const said = stepInWords(now, get("beam"));
    [lead, stop, byAlpha, ...sentences].forEach((node, n) => say(node, said[n]));
    saying.show(said[3] ? 1 : 0);
  }

  // A width is known on the page only, and may change there.
  let wide = 0;
  new ResizeObserver(() => {
    if (view.clientWidth === wide) return;
    wide = view.clientWidth;
    draw();
  }).observe(view);
  return live({ model, el }, root, ["sentence", "beam", "alpha", "step"], update);
}

export default { render };
