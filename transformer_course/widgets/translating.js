// @ts-check
// How the page gets the model and keeps answering while it translates: download with a check,
// engine, worker.
import { EOS_ID, UNK_ID, readTokenizer } from "./bpe.js";
import { beamSearch, greedySearch } from "./search.js";
import { trace } from "./trace.js";
import { Transformer } from "./transformer.js";
import { breathe, startWorker } from "./worker.js";

/** @typedef {{name: string, bytes: number, crc32: number}} File  what the page expects of a file */
/** @typedef {{kind: string, [detail: string]: any}} Task  to the engine, or its answer */

// ---- The files ----

/** The checksum that zlib and gzip use. It needs no secure context, as the browser's SHA-256 does.
 * @param {Uint8Array} bytes */
export function crc32(bytes) {
  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    let x = n;
    for (let bit = 0; bit < 8; bit += 1) x = x & 1 ? (x >>> 1) ^ 0xedb88320 : x >>> 1;
    return x;
  });
  let sum = -1;
  for (let n = 0; n < bytes.length; n += 1) sum = table[(sum ^ bytes[n]) & 255] ^ (sum >>> 8);
  return (sum ^ -1) >>> 0;
}

const thousands = (x) => x.toLocaleString("en-US");

/** Hand the bytes back if they are what was promised, and say what is wrong if not.
 * @param {Uint8Array} bytes @param {File} file */
export function checked(bytes, { name, bytes: size, crc32: sum }) {
  if (bytes.length < size)
    throw new Error(
      `${name} broke off after ${thousands(bytes.length)} of ${thousands(size)} bytes. Try again.`,
    );
  if (bytes.length > size)
    throw new Error(
      `${name} has ${thousands(bytes.length)} bytes or more, expected ${thousands(size)}: it is ` +
        "another file than this page was made for. Reload the page.",
    );
  const found = crc32(bytes);
  if (found !== sum)
    throw new Error(
      `${name} came damaged: its checksum is ${found.toString(16)}, expected ` +
        `${sum.toString(16)}. Try again.`,
    );
  return bytes;
}

/** Fetch one file and tell how much of it has come.
 * @param {string} address @param {File} file @param {(bytes: number) => void} progress */
export async function download(address, file, progress) {
  if (address.startsWith("file:"))
    throw new Error(
      "A page opened as a file may not read the model beside it. Open the site through a server: " +
        "make serve.",
    );
  const bytes = new Uint8Array(file.bytes + 1); // one more, to notice a file that is too long
  let length = 0;
  try {
    const response = await fetch(address, { cache: "no-cache" });
    if (!response.ok)
      throw new Error(
        `The server has no ${file.name}: it answered ${response.status} ${response.statusText}. ` +
          "Build the site again: make book.",
      );
    const reader = /** @type {any} */ (response.body).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, bytes.length - length);
      bytes.set(part, length);
      length += part.length;
      progress(length);
      if (length === bytes.length) break;
    }
  } catch (error) {
    // fetch and its stream throw a TypeError when the connection fails
    if (!(error instanceof TypeError)) throw error;
    if (!length)
      throw new Error(
        `No answer from the server for ${file.name}. Check the connection, then try again.`,
      );
  }
  return checked(bytes.subarray(0, length), file);
}

// ---- The engine: the same in a worker and in the page ----

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
        tokenizer = readTokenizer(new TextDecoder().decode(task.tokenizer));
        model = new Transformer(task.weights.slice().buffer);
        met = task.words && new Set(new TextDecoder().decode(task.words).split("\n"));
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
  const handle = createEngine();
  scope.onmessage = ({ data }) => handle(data, (answer) => scope.postMessage(answer));
}

/** The engine beside the page.
 * @param {string} source the widget's own code @param {(answer: Task) => void} tell */
export const startEngine = (source, tell) => startWorker(source, tell, createEngine);
