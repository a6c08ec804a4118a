// @ts-check
// Runs the book's widgets on the published page, where there is no kernel.
//
// MyST-NB writes each notebook's saved widget state into the page. This host mounts every anywidget
// found there and keeps one model per id, so that two views of a widget stay together. When it is
// done it sets <html data-course-widgets="ready">, or "failed" if a widget could not start; and
// data-course-in-sight already when those stand that the reader sees.

(() => {
  const STATE = 'script[type="application/vnd.jupyter.widget-state+json"]';
  const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';
  const NEEDS_PYTHON = "This control runs Python. Open the chapter in Jupyter to use it.";
  const FAILED = "This widget did not start. The chapter's text says what it shows.";

  /** @typedef {(...details: unknown[]) => void} Listener */

  /** The part of a Jupyter widget model that anywidget promises. */
  class Model {
    /** @param {Record<string, unknown>} state */
    constructor(state) {
      this.state = state;
      /** @type {Map<string, Set<Listener>>} */
      this.listeners = new Map();
    }

    /** @param {string} name */
    get(name) {
      return this.state[name];
    }

    /** @param {string} name @param {unknown} value */
    set(name, value) {
      if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
      this.state[name] = value;
      this.tell(`change:${name}`, this, value);
      this.tell("change", this);
    }

    save_changes() {} // there is no kernel to save them to

    send() {}

    /** @param {string} events @param {Listener} listener */
    on(events, listener) {
      for (const event of events.split(/\s+/)) {
        const known = this.listeners.get(event) ?? new Set();
        this.listeners.set(event, known.add(listener));
      }
    }

    /** @param {string} [events] @param {Listener} [listener] */
    off(events, listener) {
      if (!events) return this.listeners.clear();
      for (const event of events.split(/\s+/)) {
        if (listener) this.listeners.get(event)?.delete(listener);
        else this.listeners.delete(event);
      }
    }

    /** @param {string} event @param {unknown[]} details */
    tell(event, ...details) {
      for (const listener of [...(this.listeners.get(event) ?? [])]) listener(...details);
    }
  }

  /** @type {Map<string, Promise<any>>} */
  const modules = new Map();

  /** Import a widget's module from its source; a source that several widgets share, once.
   * @param {string} source */
  function load(source) {
    let loaded = modules.get(source);
    if (!loaded) {
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      loaded = import(url).then(async (found) => {
        URL.revokeObjectURL(url);
        const widget = found.default ?? found;
        return typeof widget === "function" ? widget() : widget;
      });
      modules.set(source, loaded);
    }
    return loaded;
  }

  /** @type {Promise<unknown>} */
  const loaded = new Promise((next) => {
    if (document.readyState === "complete") next(null);
    else addEventListener("load", next);
  });

  /** Go on when the page has nothing else to do. @param {(value?: unknown) => void} next */
  const whenIdle = (next) => {
    if ("requestIdleCallback" in window) requestIdleCallback(next, { timeout: 200 });
    else setTimeout(next);
  };

  /** Traits that Python tied together with jslink or jsdlink follow each other here too.
   * @param {Record<string, any>} saved @param {(id: string) => Model} modelOf */
  function link(saved, modelOf) {
    const find = (/** @type {string} */ reference) => modelOf(reference.replace("IPY_MODEL_", ""));
    for (const { model_name: kind, state } of Object.values(saved)) {
      if (kind !== "LinkModel" && kind !== "DirectionalLinkModel") continue;
      const [[from, fromTrait], [to, toTrait]] = [state.source, state.target];
      const [source, target] = [find(from), find(to)];
      source.on(`change:${fromTrait}`, () => target.set(toTrait, source.get(fromTrait)));
      if (kind === "LinkModel") {
        target.on(`change:${toTrait}`, () => source.set(fromTrait, target.get(toTrait)));
      }
    }
  }

  async function start() {
    const stored = document.querySelector(STATE);
    if (!stored) return;
    /** @type {{state: Record<string, any>, sources?: string[]}} */
    const { state: saved, sources = [] } = JSON.parse(stored.textContent ?? "{}");
    // A text that several widgets share stands once on the page, and their states hold its number.
    const textOf = (/** @type {any} */ code) => String(sources[code?.source] ?? code ?? "");
    /** @type {Map<string, Model>} */
    const models = new Map();
    /** @type {Map<string, Promise<unknown>>} */
    const initialized = new Map();
    const modelOf = (/** @type {string} */ id) => {
      const model = models.get(id) ?? new Model(saved[id].state);
      models.set(id, model);
      return model;
    };
    link(saved, modelOf);

    const views = [...document.querySelectorAll(VIEW)].map((view) => ({
      view,
      id: JSON.parse(view.textContent ?? "{}").model_id,
    }));
    const ours = views
      .map(({ id }) => saved[id])
      .filter((model) => model?.model_module === "anywidget");
    const textContent = [
      ...new Set(ours.flatMap(({ state }) => state._css ?? []).map(textOf)),
    ].join("\n");
    if (textContent)
      document.head.append(Object.assign(document.createElement("style"), { textContent }));

    // What is in sight starts first. The others follow when the page is loaded, one at a time, so
    // that it answers meanwhile.
    const inSight = views.filter(({ view }) => {
      const place = view.parentElement?.getBoundingClientRect();
      return place && place.bottom > -innerHeight / 2 && place.top < 1.5 * innerHeight;
    });
    const later = views.filter((each) => !inSight.includes(each));
    for (const { id } of inSight) {
      // all at once: they are compiled while others start
      if (!ours.includes(saved[id])) continue;
      load(textOf(saved[id].state._esm)).catch(() => {}); // told below
    }

    let outcome = "ready";
    const root = document.documentElement;
    for (const [n, { view, id }] of [...inSight, ...later].entries()) {
      if (n === inSight.length) {
        root.dataset.courseInSight = outcome;
        await loaded;
        await new Promise(whenIdle); // what the reader did meanwhile comes first
      }
      if (n >= inSight.length) await new Promise(whenIdle);
      const el = document.createElement("div");
      view.replaceWith(el);
      if (saved[id]?.model_module !== "anywidget") {
        el.className = "course-needs-python";
        el.textContent = NEEDS_PYTHON;
        continue;
      }
      const model = modelOf(id);
      el.className = "course-widget";
      try {
        const widget = await load(textOf(model.get("_esm")));
        if (!initialized.has(id)) {
          initialized.set(id, Promise.resolve(widget.initialize?.({ model })));
        }
        await initialized.get(id);
        const invoke = () => Promise.reject(new Error("this page has no kernel"));
        await widget.render?.({ model, el, experimental: { invoke } });
      } catch (error) {
        console.error(error);
        el.className = "course-needs-python";
        el.textContent = FAILED;
        outcome = "failed";
      }
    }
    root.dataset.courseInSight = outcome;
    root.dataset.courseWidgets = outcome;
  }

  start();
})();
