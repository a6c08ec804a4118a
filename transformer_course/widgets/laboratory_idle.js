// @ts-check
// What a model writes, and where its heads look, before it has learned anything.
/** @import {Run} from "./laboratory_view.js" */

const PAUSE = 200; // milliseconds without a change, before one looks again

/** Looks at the untrained model of the settings as soon as the widget is in sight, unless a run is
 * shown by then. `ask` sends what the server answers, `draw` shows it; runs of this kind have numbers
 * below zero.
 * @param {{root: HTMLElement, free: () => boolean, ask: (message: any) => void,
 * draw: () => void}} how */
export function untrained({ root, free, ask, draw }) {
  let near = false;
  let asked = 0;
  let wanted = "";
  let timer = /** @type {any} */ (0);
  let shown = /** @type {Run | null} */ (null);
  const peek = () => {
    if (!near || !wanted) return;
    if (!free()) {
      wanted = "";
      return;
    }
    asked -= 1;
    ask({ kind: "peek", id: asked, ...JSON.parse(wanted) });
  };
  const watch = new IntersectionObserver(([seen]) => {
    if (near || !seen.isIntersecting) return;
    near = true;
    peek();
  });
  watch.observe(root);
  return {
    run: () => shown,
    /** @param {any} settings @param {string} text */
    want(settings, text) {
      const now = JSON.stringify({ settings, text });
      if (now === wanted) return;
      wanted = now;
      clearTimeout(timer);
      timer = setTimeout(peek, PAUSE);
    },
    /** @param {any} answer */
    hear({ id, settings, looked }) {
      if (id !== asked || !looked) return;
      shown = { id, settings, looked, losses: [], shares: [], step: 0 };
      draw();
    },
    close() {
      clearTimeout(timer);
      watch.disconnect();
    },
  };
}
