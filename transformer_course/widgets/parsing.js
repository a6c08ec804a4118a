// @ts-check
// The parser at work: from a text to the ids of a tree's line, in a worker or in the page.
import { EOS_ID } from "./bpe.js";
import { chances, rivalOf } from "./parser_rival.js";
import { beamSearch } from "./search.js";
import { Transformer } from "./transformer.js";
import { emptyLine, readTreeTokens, tokenOf, wordId } from "./tree_rule.js";
import { treeWords } from "./tree_words.js";
import { answering, breathe, startWorker } from "./worker.js";
/** @import {TreeTokens} from "./tree_rule.js" */

/** @typedef {{kind: string, [detail: string]: any}} Task  to the engine, or its answer */

const [ALPHA, MAX_EXTRA] = [0.3, 300]; // as the paper's section 6.3 searches

/** Search for the line of a tree; each step yields the best beginning so far.
 * @param {Transformer} model @param {TreeTokens} tokens @param {string[]} words
 * @param {number} beam */
export function parseWords(model, tokens, words, beam) {
  const ids = words.map((word) => wordId(tokens, word));
  const room = model.limit(ids.length + 1, MAX_EXTRA);
  const rule = emptyLine(tokens, ids, room);
  return beamSearch(model, [...ids, EOS_ID], beam, ALPHA, MAX_EXTRA, [], rule);
}

/** How likely a line is, of this and the other tree; where there is no other, the place of its least
 * likely token, and how likely that is.
 * @param {Transformer} model @param {TreeTokens} tokens @param {string[]} words
 * @param {number[]} ids of the line @returns {{share?: number, least?: number[]}} */
export function weigh(model, tokens, words, ids) {
  const line = ids.map((id) => tokenOf(tokens, id));
  const rival = rivalOf(line, words);
  const known = words.map((word) => wordId(tokens, word));
  const src = [...known, EOS_ID];
  const rule = emptyLine(tokens, known, model.limit(src.length, MAX_EXTRA));
  const [own, other] = [ids, rival?.map((n) => ids[n])].map(
    (each) => each && chances(model, src, each, rule),
  );
  if (!own || !other) {
    const low = Math.min(...(own ?? []));
    return { least: [own?.indexOf(low) ?? 0, Math.exp(low)] };
  }
  const sum = (steps) => steps.reduce((a, b) => a + b, 0);
  return { share: 1 / (1 + Math.exp(sum(other) - sum(own))) };
}

/** A function that takes tasks (load, parse, stop) and tells its answers. */
export function createParser() {
  let /** @type {any} */ tokens;
  let /** @type {any} */ model;
  let current = 0;

  /** @param {any} task @param {(answer: Task) => void} tell */
  async function parse({ text, beam }, tell) {
    const mine = (current += 1);
    const start = performance.now();
    const words = treeWords(text);
    const search = parseWords(model, tokens, words, beam);
    for (;;) {
      const { done, value: ids } = search.next();
      if (done) {
        const line = ids.map((id) => tokenOf(tokens, id));
        const unknown = [...new Set(words.filter((word) => !tokens.ids.has(word)))];
        const weighed = weigh(model, tokens, words, ids);
        const ms = performance.now() - start;
        return tell({ kind: "done", ms, result: { text, words, line, unknown, ...weighed } });
      }
      await breathe();
      if (mine !== current) return;
    }
  }

  return async function hear(/** @type {Task} */ task, /** @type {(answer: Task) => void} */ tell) {
    try {
      if (task.kind === "stop") current += 1;
      if (task.kind === "load") {
        const [text, weights] = task.files;
        tokens = readTreeTokens(new TextDecoder().decode(text));
        model = new Transformer(weights.slice().buffer);
        tell({ kind: "ready" });
      }
      if (task.kind === "parse") await parse(task, tell);
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
  const hear = answering(createParser, (answer) => scope.postMessage(answer));
  scope.onmessage = ({ data }) => hear(data);
}

/** The parser beside the page.
 * @param {string} source the widget's own code @param {(answer: Task) => void} tell */
export const startParser = (source, tell) => startWorker(source, tell, createParser);
