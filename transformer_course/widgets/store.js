// @ts-check
// The reader's progress, kept in the browser alone. Storage may be refused, full, or edited by
// hand.

export const STORE = "transformer-course/progress";
const CHANGED = "transformer-course-progress";
const REFUSED = "This browser keeps no progress: it lasts until you leave the page.";

export const blank = () => ({ version: 1, done: {}, cards: {} });

const whole = (x, low, high) => Number.isInteger(x) && x >= low && x <= high;
const dated = (x) => typeof x === "string" && /^\d{4}-\d\d-\d\d/.test(x);
const GOOD = {
  done: (x) => whole(x.points, 0, 10) && whole(x.tries, 0, 1e4) && dated(x.when),
  cards: (x) => whole(x.box, 0, 5) && dated(x.due) && dated(x.since),
};

/** What can be used of some data; null if nothing can.
 * @returns {{progress: any, problem: string}} */
export function readProgress(data) {
  if (data?.version !== 1)
    return { progress: null, problem: `expected version 1, got ${data?.version}` };
  const progress = blank();
  let dropped = 0;
  for (const part in GOOD)
    for (const [id, x] of Object.entries(Object(data[part]))) {
      if (/^\w[\w./-]{0,120}$/.test(id) && !id.startsWith("__") && x && GOOD[part](x))
        progress[part][id] = x;
      else dropped += 1;
    }
  return { progress, problem: dropped ? `entries that cannot be read: ${dropped}` : "" };
}

const kept = (globalThis[STORE] ??= { memory: null }); // what the browser would not keep

/** @returns {{progress: any, problem: string, aside?: string}} */
export function loadStore() {
  if (kept.memory) return { progress: kept.memory, problem: REFUSED };
  let text;
  let data;
  try {
    text = localStorage.getItem(STORE);
  } catch {
    return { progress: blank(), problem: REFUSED };
  }
  if (!text) return { progress: blank(), problem: "" };
  try {
    data = JSON.parse(text);
  } catch {} // then it has no version either
  const { progress, problem } = readProgress(data);
  return problem
    ? {
        progress: progress ?? blank(),
        problem: `Saved progress: ${problem}. It is set aside.`,
        aside: text,
      }
    : { progress, problem };
}

/** Change the progress and keep it; returns what went wrong, in words. */
export function changeStore(change) {
  const { progress, problem, aside } = loadStore();
  change(progress);
  let note = aside ? problem : "";
  try {
    if (aside) localStorage.setItem(`${STORE}/aside`, aside);
    localStorage.setItem(STORE, JSON.stringify(progress));
    kept.memory = null;
  } catch {
    kept.memory = progress;
    note = REFUSED;
  }
  dispatchEvent(new Event(CHANGED));
  return note;
}

/** Run when progress changes, on any page; returns the way to stop. */
export function onStore(run) {
  const heard = (event) => {
    if (event.type === CHANGED || event.key === STORE || !event.key) run();
  };
  for (const name of [CHANGED, "storage"]) addEventListener(name, heard);
  return () => {
    for (const name of [CHANGED, "storage"]) removeEventListener(name, heard);
  };
}

/** Done and points of some exercises. @param {{id: string, points: number}[]} exercises */
export function tally(exercises, done) {
  const found = exercises.filter(({ id }) => done[id]);
  const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);
  return {
    done: found.length,
    of: exercises.length,
    points: sum(found, ({ id, points }) => Math.min(points, done[id].points)),
    most: sum(exercises, ({ points }) => points),
  };
}

/** The reader's day, some days from now. */
export const day = (later = 0, now = new Date()) =>
  new Date(now.getTime() - now.getTimezoneOffset() * 6e4 + later * 864e5)
    .toISOString()
    .slice(0, 10);
