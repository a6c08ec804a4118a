// @ts-check
// The files of a carried model, once for all views on a page, and the engine that they feed.
import { checked, download } from "./download.js";
import { h, say } from "./shared.js";
import { ownCode } from "./worker.js";
/** @import {File} from "./download.js" */
/** @import {Message} from "./worker.js" */

/** A model: its files, their folder on the site, the start of its engine, what that is asked for
 * ("translate"), and what the reader does not get when the engine ends.
 * @typedef {{files: File[], folder: string, asks: string, lost: string,
 * start: (source: string, tell: (answer: Message) => void) =>
 * {send: (message: Message) => void, close: () => void}}} Carried */

/** @type {Promise<Uint8Array[]> | null} */
let kept = null;

/** The tokens and the weights: from the site, or in Jupyter from Python.
 * @param {Carried} carried @param {Function} invoke @param {(bytes: number) => void} progress */
export function getFiles({ files, folder }, invoke, progress) {
  // Sphinx writes it into every page of the site.
  const root = document.documentElement.dataset.content_root;
  const fromSite = async () => {
    const found = [];
    let before = 0;
    for (const file of files) {
      const start = before;
      found.push(
        await download(
          new URL(`${root}_static/course/${folder}/${file.name}`, document.baseURI).href,
          file,
          (bytes) => progress(start + bytes),
        ),
      );
      before += file.bytes;
    }
    return found;
  };
  const fromPython = async () => {
    const answer = await invoke("read", {}, { signal: AbortSignal.timeout(60000) }).catch(() => {
      throw new Error("Python did not answer: run this cell, then try again.");
    });
    return answer[1].map((view, n) =>
      checked(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), files[n]),
    );
  };
  kept ??= (root === undefined ? fromPython : fromSite)().catch((error) => {
    kept = null;
    throw error;
  });
  return kept;
}

const PATIENCE = { ms: 5000, times: 3 }; // without a word of the engine, until it counts as ended

/** Looks whether the engine that has been asked says anything. It counts turns, not the clock: a page
 * that was frozen for an hour has lost one. @param {() => void} give what to do when it says nothing */
export function makeWatch(give) {
  let /** @type {any} */ timer = 0;
  let silent = 0;
  const rest = () => clearInterval(timer);
  return {
    rest,
    heard: () => {
      silent = 0;
    },
    ask() {
      rest();
      silent = 0;
      timer = setInterval(() => {
        silent += 1;
        if (silent < PATIENCE.times) return;
        rest();
        give();
      }, PATIENCE.ms);
    },
  };
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** The engine behind one view, with a bar while it loads. It loads once; a failure is forgotten, so
 * that one can try again.
 * @param {Carried} carried @param {Function} invoke @param {any} code of the widget
 * @param {(answer: Message) => void} hear */
export function makeLoader(carried, invoke, code, hear) {
  const size = carried.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const bar = h("progress", { max: size, value: 0, "aria-label": "Loading the model" });
  const words = h("span");
  const node = h("p", { class: "tc-loading", hidden: "" }, bar, words);
  let /** @type {ReturnType<Carried["start"]> | null} */ engine = null;
  let /** @type {Promise<void> | null} */ loading = null;
  let settle = { resolve: () => {}, reject: (/** @type {Error} */ error) => {} };
  let turn = 0; // what was sent last; an answer to anything before it comes too late
  const watch = makeWatch(() => {
    close();
    listen({ kind: "died", message: "the browser's worker has stopped answering." });
  });
  const listen = (/** @type {Message} */ answer) => {
    watch.heard();
    if (answer.turn && answer.turn < turn) return;
    if (["done", "refused", "failed", "died"].includes(answer.kind)) watch.rest();
    if (answer.kind === "ready") settle.resolve();
    if (answer.kind === "died") {
      loading = engine = null; // the next sentence loads it again
      answer = { kind: "failed", message: `${carried.lost}: ${answer.message} Try again.` };
    }
    if (answer.kind === "failed") settle.reject(new Error(answer.message));
    hear(answer);
  };
  const load = async () => {
    node.hidden = false;
    say(words, `Loading the model, ${megabytes(size)} MB`);
    const files = await getFiles(carried, invoke, (bytes) => {
      bar.value = bytes;
      say(words, `Loading the model: ${megabytes(bytes)} of ${megabytes(size)} MB`);
    });
    say(words, "Unpacking the weights");
    const started = new Promise((resolve, reject) => {
      settle = { resolve: () => resolve(undefined), reject };
    });
    engine = carried.start(ownCode(code), listen);
    engine.send({ kind: "load", files });
    await started;
  };
  const close = () => {
    watch.rest();
    engine?.close();
  };
  const prepare = () => {
    loading ??= load()
      .catch((error) => {
        loading = null;
        close();
        engine = null;
        throw error;
      })
      .finally(() => {
        node.hidden = true;
      });
    return loading;
  };
  return {
    node,
    prepare,
    send(/** @type {Message} */ task) {
      if (task.kind === carried.asks) watch.ask();
      else watch.rest();
      turn += 1;
      engine?.send({ ...task, turn });
    },
    close,
  };
}
