// @ts-check
// The files of the translator, once for all views on a page.
import { checked, download } from "./translating.js";

/** @type {Promise<Uint8Array[]> | null} */
let kept = null;

/** The tokenizer and the weights: from the site, or in Jupyter from Python. */
export function getFiles(files, invoke, progress) {
  // Sphinx writes it into every page of the site.
  const root = document.documentElement.dataset.content_root;
  const fromSite = async () => {
    const found = [];
    let before = 0;
    for (const file of files) {
      const start = before;
      found.push(
        await download(
          new URL(`${root}_static/course/model/${file.name}`, document.baseURI).href,
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

/** The widget's own code, for the worker: the site keeps it in one table for all widgets of a page.
 * @param {any} code */
export function ownCode(code) {
  if (typeof code === "string") return code;
  const saved = document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
  return JSON.parse(saved?.textContent ?? "{}").sources?.[code?.source] ?? "";
}
