// @ts-check
// Types that the widgets share. Nothing here runs, and no page carries it.

/** The part of a widget's model that anywidget promises: its traits, live.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: () => void) => void} on
 * @property {(event: string, listener: () => void) => void} off */

/** What a widget is drawn with. `invoke` asks Python, where there is one.
 * @typedef {{model: Model, el: HTMLElement, experimental: {invoke: Function}}} Context */

/** @typedef {number[][]} Matrix one row per token */

/** A control: its element, its input, and the way to set it.
 * @typedef {{node: any, input: any, set: (value: any) => void}} Control */

export {};
