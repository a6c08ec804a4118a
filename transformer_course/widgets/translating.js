// @ts-check
// The translator at work: the same engine in a worker and in the page.
import { EOS_ID, UNK_ID, readTokenizer } from "./bpe.js";
import { beamSearch, greedySearch } from "./search.js";
import { trace } from "./trace.js";
import { Transformer } from "./transformer.js";
import { answering, breathe, startWorker } from "./worker.js";

/** @typedef {{kind: string, [detail: string]: any}} Task  to the engine, or its answer */

/** Each once. @param {string[]} texts */
const once = (texts) => [...new Set(texts)];

/** A function that takes tasks (load, translate, stop) and tells its answers. */
export function createEngine() {
  let /** @type {any} */ tokenizer;
  let /** @type {any} */ model;
  let /** @type {any} */ met; // every English word that it learned from; 1: from a few sentences
  let current = 0;

  /** @param {{text: string, beam: number, limit: number, begun?: string[]}} task `begun` are the
   * pieces that the translation must begin with
   * @param {(answer: Task) => void} tell */
  async function translate({ text, beam, limit, begun = [] }, tell) {
    const mine = (current += 1);
    const start = performance.now();
    const read = tokenizer.encode(text);
    const refuse = (message) => tell({ kind: "refused", message });
    if (!read.length) return refuse("There is nothing to translate yet: type an English sentence.");
    if (read.length > limit)
      return refuse(
        `This text has ${read.length} pieces, and the page takes ${limit} at most. ` +
          "It learned from single sentences: give it one at a time.",
      );
    const source = [...read.map(({ text: part }) => part), "</s>"];
    const unknown = once(read.filter(({ id }) => id === UNK_ID).map(({ text: part }) => part));
    const words = once(text.match(/[\p{L}\p{N}]+/gu) ?? []);
    const metAs = (n) => words.filter((word) => met.get(word.toLowerCase()) === n);
    tell({ kind: "read", source });
    const src = [...read.map(({ id }) => id), EOS_ID];
    const name = (id) => tokenizer.pieces[id];
    const first = begun.map((piece) => tokenizer.pieces.indexOf(piece));
    const search =
      beam === 1
        ? greedySearch(model, src, undefined, first)
        : beamSearch(model, src, beam, undefined, undefined, first);
    for (;;) {
      const { done, value: ids } = search.next();
      const output = [...ids.map(name), ...(done ? ["</s>"] : [])];
      if (!done) tell({ kind: "token", source, output });
      else {
        const { candidates, ...inside } = trace(model, src, ids);
        const named = candidates.map((row) => row.map(([id, share]) => [name(id), share]));
        return tell({
          kind: "done",
          ms: performance.now() - start,
          tokens: output.length,
          result: {
            text,
            beam,
            source,
            output,
            translation: tokenizer.decode(ids),
            unknown,
            strangers: metAs(undefined),
            rare: metAs(1),
            candidates: named,
            ...inside,
          },
        });
      }
      await breathe();
      if (mine !== current) return;
    }
  }

  return async function handle(
    /** @type {Task} */ task,
    /** @type {(answer: Task) => void} */ tell,
  ) {
    try {
      if (task.kind === "stop") current += 1;
      if (task.kind === "load") {
        const [pieces, weights, words] = task.files;
        tokenizer = readTokenizer(new TextDecoder().decode(pieces));
        model = new Transformer(weights.slice().buffer);
        const parts = new TextDecoder().decode(words).split("\n\n");
        met = new Map(parts.flatMap((part, n) => part.split("\n").map((word) => [word, n])));
        tell({ kind: "ready" });
      }
      if (task.kind === "translate") await translate(/** @type {any} */ (task), tell);
    } catch (error) {
      tell({
        kind: "failed",
        message: `The model could not be used: ${/** @type {Error} */ (error).message}.`,
      });
    }
  };
}

/** Be a worker. @param {any} scope */
export function serve(scope) {
  const hear = answering(createEngine, (answer) => scope.postMessage(answer));
  scope.onmessage = ({ data }) => hear(data);
}

/** The engine beside the page.
 * @param {string} source the widget's own code @param {(answer: Task) => void} tell */
export const startEngine = (source, tell) => startWorker(source, tell, createEngine);
