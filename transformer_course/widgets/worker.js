// @ts-check
// A widget's code at work beside the page: the same text runs in a worker, where `serve` answers.

/** @typedef {{kind: string, [detail: string]: any}} Message */

/** The widget's own code, for the worker: the site keeps it in one table for all widgets of a page.
 * @param {any} code */
export function ownCode(code) {
  if (typeof code === "string") return code;
  const saved = document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
  return JSON.parse(saved?.textContent ?? "{}").sources?.[code?.source] ?? "";
}

/** Let the page draw, or the worker hear that it should stop. */
export const breathe = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(0);
  });

/** What answers; each answer bears the turn of the message that asked for it.
 * @param {() => (message: Message, tell: (answer: Message) => void) => unknown} make
 * @param {(answer: Message) => void} tell @returns {(message: Message) => void} */
export function answering(make, tell) {
  const handle = make();
  return (message) => {
    handle(message, (answer) => tell({ ...answer, turn: message.turn }));
  };
}

/** Start a worker made of the widget's own source; where workers are refused, work in the page. A
 * worker that ends by itself tells of it: died {message}.
 * @param {string} source @param {(answer: Message) => void} tell
 * @param {() => (message: Message, tell: (answer: Message) => void) => unknown} make what answers
 * @returns {{send: (message: Message) => void, close: () => void}} */
export function startWorker(source, tell, make) {
  const inPage = () => {
    const send = answering(make, tell);
    return { send, close: () => send({ kind: "stop" }) };
  };
  try {
    // The space makes `serve` a name by itself: a page carries only the code that is named.
    const address = URL.createObjectURL(
      new Blob([source, "\n serve(self);"], { type: "text/javascript" }),
    );
    const worker = new Worker(address, { type: "module" });
    /** @type {Message[]} */
    const sent = [];
    let /** @type {any} */ instead = null;
    let alive = false;
    worker.onmessage = ({ data }) => {
      alive = true;
      URL.revokeObjectURL(address);
      sent.length = 0;
      tell(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      if (alive) {
        const why = event.message ? ` (${event.message})` : "";
        tell({ kind: "died", message: `the browser has ended its worker${why}.` });
        return;
      }
      // it did not start: do what was asked of it here
      instead = inPage();
      sent.forEach(instead.send);
    };
    return {
      send(message) {
        if (instead) return instead.send(message);
        sent.push(message);
        worker.postMessage(message);
      },
      close: () => (instead ? instead.close() : worker.terminate()),
    };
  } catch {
    return inPage();
  }
}
