// @ts-check
// The translator at work: the same engine in a worker and in the page.
import { EOS_ID, UNK_ID, readTokenizer } from "./bpe.js";
import { beamSearch, greedySearch } from "./search.js";
import { trace } from "./trace.js";
import { Transformer } from "./transformer.js";
import { answering, breathe, startWorker } from "./worker.js";

/** @typedef {{kind: string, [detail: string]: any}} Task  to the engine, or its answer */

/** A function that takes tasks (load, translate, stop) and tells its answers. */
export function createEngine() {
  let /** @type {any} */ tokenizer;
  let /** @type {any} */ model;
  let /** @type {Set<string> | null} */ met = null; // every English word that it learned from
  let current = 0;

  /** @param {{text: string, beam: number, limit: number, begun?: string[]}} task `begun` are the
   * pieces that the translation must begin with
   * @param {(answer: Task) => void} tell */
  async function translate({ text, beam, limit, begun = [] }, tell) {
    const mine = (current += 1);
    const start = performance.now();
    const read = tokenizer.encode(text);
    if (!read.length)
      return tell({
        kind: "refused",
        message: "There is nothing to translate yet: type an English sentence.",
      });
    if (read.length > limit)
      return tell({
        kind: "refused",
        message:
          `This text has ${read.length} pieces, and the page takes ${limit} at most. The ` +
          "model has learned from single sentences: give it one at a time.",
      });
    const source = [...read.map(({ text: part }) => part), "</s>"];
    const unknown = [
      ...new Set(read.filter(({ id }) => id === UNK_ID).map(({ text: part }) => part)),
    ];
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const strangers = [...new Set(words.filter((word) => met && !met.has(word.toLowerCase())))];
    tell({ kind: "read", source, unknown });
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
      const translation = tokenizer.decode(ids);
      if (!done) tell({ kind: "token", output, translation });
      else {
        const ms = performance.now() - start;
        const { candidates, sure, ...inside } = trace(model, src, ids);
        const named = candidates.map((row) => row.map(([id, share]) => [name(id), share]));
        return tell({
          kind: "done",
          ms,
          tokens: output.length,
          result: {
            text,
            beam,
            source,
            output,
            translation,
            unknown,
            strangers,
            sure,
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
        const start = performance.now();
        const [pieces, weights, words] = task.files;
        tokenizer = readTokenizer(new TextDecoder().decode(pieces));
        model = new Transformer(weights.slice().buffer);
        met = words && new Set(new TextDecoder().decode(words).split("\n"));
        tell({ kind: "ready", ms: performance.now() - start });
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
