// @ts-check
// The lines of AttentionFigures, and the words for them.

/** How faint a line may be and still be seen. */
export const FAINTEST = 0.25;

const LINE = 17; // px, of a label

/** The class of a head's color, or of the rule's. @param {number} head @param {number} rule */
export const hue = (head, rule) => (head === rule ? "tc-by-rule" : `tc-hue${head}`);

/** The plainest rule by position, to compare heads with: it stands behind the last head.
 * @param {any} one a sentence */
export const ruleOf = (one) => one.weights[0].length + 1;

/** Whether a sentence has pairs enough to try a rule on. @param {any} one */
export const hasRule = (one) => one.truth.length > 2;

/** A sentence with the one that differs from it in one word, in their order; or it alone.
 * @param {any} data all sentences by name @param {string} name @returns {any[]} */
export function twinsOf(data, name) {
  const { words } = data[name];
  const unlike = (other) => other.words.filter((word, n) => word !== words[n]).length;
  const pair = Object.values(data).filter(
    (each) => each.words.length === words.length && unlike(each) < 2,
  );
  return pair.length === 2 ? pair : [data[name]];
}

/** @param {any} one @param {number} head */
const nameOf = (one, head) => (head === ruleOf(one) ? "Rule “next word”" : `Head ${head}`);

/** One head's rows of percents; the rule's are all on the next word.
 * @param {any} one a sentence @param {number} layer from 1 @param {number} head from 1
 * @returns {number[][]} */
export function rowsOf(one, layer, head) {
  const n = one.words.length;
  if (head === ruleOf(one))
    return one.words.map((_, i) => one.words.map((_, j) => 100 * Number(j === i + 1)));
  const flat = one.weights[layer - 1][head - 1].split(" ").map(Number);
  return one.words.map((_, i) => flat.slice(i * n, (i + 1) * n));
}

/** Whether a line is a word's strongest and true. @param {any} one
 * @param {{i: number, j: number, weight: number}} line @param {number[]} row all of its word's */
export const isRight = (one, { i, j }, row) =>
  j === mostOf(row).at && one.truth.some(([asks, answer]) => asks === i && answer === j);

/** Every line to draw: from word i to word j, by a head, as strong as the weight (0 to 1). Of one
 * word all that is seen, of all words the strongest of each.
 * @param {any} one @param {number} layer @param {number[]} heads @param {number} word -1 is all
 * @returns {{i: number, j: number, head: number, weight: number}[]} */
export function linesOf(one, layer, heads, word) {
  return heads
    .flatMap((head) =>
      rowsOf(one, layer, head).flatMap((row, i) =>
        row
          .map((x, j) => ({ i, j, head, weight: x / 100 }))
          .filter(
            ({ j, weight }) =>
              weight && (word < 0 ? j === mostOf(row).at : i === word && weight >= 0.05),
          ),
      ),
    )
    .sort((a, b) => a.weight - b.weight);
}

/** What is true of a word: the places that it depends on, with the name of each relation.
 * @param {any} one @param {number} word @returns {[number, string][]} */
export const truthOf = (one, word) =>
  one.truth.filter(([asks]) => asks === word).map(([, answer, name]) => [answer, name]);

/** The relations of a sentence that a head's largest weights point at.
 * @param {any} one @param {number} layer @param {number} head
 * @returns {[number, number, string][]} */
function foundBy(one, layer, head) {
  const rows = rowsOf(one, layer, head);
  return one.truth.filter(([asks, answer]) => mostOf(rows[asks]).at === answer);
}

/** How many they are. @param {any} one @param {number} layer @param {number} head */
export const pointed = (one, layer, head) => foundBy(one, layer, head).length;

/** What a layer's best head finds, beside what the rule finds. @param {any} one
 * @param {number} layer */
export function headlineOf(one, layer) {
  const best = Math.max(...one.weights[layer - 1].map((_, n) => pointed(one, layer, n + 1)));
  const byRule = pointed(one, layer, ruleOf(one));
  return (
    `Of ${one.truth.length} pairs the rule “next word” finds ${byRule}, ` +
    `layer ${layer}’s best head finds ${best}.`
  );
}

/** How many a head finds, and what words they are, as "article of" tells, each once.
 * @param {any} one @param {number} layer @param {number} head */
function finds(one, layer, head) {
  const names = foundBy(one, layer, head).flatMap(([, , name]) =>
    name.endsWith(" of") ? [name.slice(0, -3)] : [],
  );
  const kinds = names.length ? `: ${[...new Set(names)].join(", ")}` : "";
  return { text: ` finds ${pointed(one, layer, head)} of ${one.truth.length}`, kinds };
}

const mostOf = (/** @type {number[]} */ row) => {
  const most = Math.max(...row);
  return { most, at: most ? row.indexOf(most) : -1 };
};

/** Where each head looks most: of one word, and whether that is true; of all words, how many of the
 * sentence's relations it finds. `right` is null where nothing is known, or marked.
 * @param {any} one @param {number} layer @param {number[]} heads @param {number} word
 * @param {boolean} marked
 * @returns {{head: number, text: string, kinds?: string, right: boolean | null}[]} */
export function told(one, layer, heads, word, marked) {
  const answers = truthOf(one, word).map(([n]) => n);
  return heads.map((head) => {
    const name = nameOf(one, head);
    if (word < 0) {
      const { text, kinds } = marked ? finds(one, layer, head) : { text: "", kinds: "" };
      return { head, text: name + text, kinds, right: null };
    }
    const { most, at } = mostOf(rowsOf(one, layer, head)[word]);
    const right = marked && answers.length ? answers.includes(at) : null;
    const share = head === ruleOf(one) ? "" : `${most} % to `;
    return { head, text: `${name}: ${most ? `${share}“${one.words[at]}”` : "none"}`, right };
  });
}

/** How much of a head's weight the true partner of a word gets, of all words that of the first pair;
 * null where nothing is known, or marked. @param {any} one @param {number} layer
 * @param {number} head @param {number} word @param {boolean} marked
 * @returns {{to: string, share: number, right: boolean} | null} */
export function shareOf(one, layer, head, word, marked) {
  const pair = one.truth.find(([asks]) => word < 0 || asks === word);
  if (!marked || !pair) return null;
  const [i, j] = pair;
  const row = rowsOf(one, layer, head)[i];
  return { to: one.words[j], share: row[j], right: isRight(one, { i, j, weight: 1 }, row) };
}

/** The relations that lines are marked with: of one word all, of all words those that are found.
 * A label stands in the middle of its line, or below the label before it where both would meet.
 * @param {any[]} pairs that are true @param {number} word
 * @param {(i: number, j: number) => boolean} found @param {(n: number) => number} middle of a word,
 * in pixels @param {boolean} tall lines run from left to right @param {number} long their length
 * @returns {{text: string, kind: string, x: number, y: number}[]} */
export function labelsOf(pairs, word, found, middle, tall, long) {
  const list = pairs
    .filter(([i, j]) => word >= 0 || found(i, j))
    .map(([i, j, name]) => {
      const mid = (middle(i) + middle(j)) / 2;
      const [x, y] = tall ? [long / 2, mid] : [mid, long / 2];
      return { text: name.replace("is ", ""), kind: found(i, j) ? "tc-found" : "", x, y };
    })
    .sort((a, b) => a.x + a.y - b.x - b.y);
  list.forEach((one, n) => {
    for (const other of list.slice(0, n)) {
      const near = Math.abs(one.x - other.x) < 3.6 * (one.text.length + other.text.length);
      if (near && Math.abs(one.y - other.y) < LINE) one.y = other.y + LINE;
    }
  });
  return list;
}

/** What is true of a word, as a sentence. @param {string} name @param {[string, string][]} found the
 * other word and the relation: a word that tells what this one means comes last */
function sentence(name, found) {
  const parts = found.map(([other, relation], n) => {
    if (relation === "is told by")
      return n ? `as ${other} tells` : `${other} tells what ${name} means`;
    return `${n ? "" : `${name} `}${relation.endsWith(" of") ? "is the " : ""}${relation} ${other}`;
  });
  return `${parts.join(", ")}.`;
}

/** Which heads of a layer find what is true of a word. @param {any} one
 * @param {number} layer @param {number} word */
function finders(one, layer, word) {
  const heads = one.weights[layer - 1].map((_, n) => n + 1);
  return told(one, layer, heads, word, true).flatMap(({ head, right }) => (right ? [head] : []));
}

/** Which heads find what is true of a word, in this layer or else in another one.
 * @param {any} one @param {number} layer @param {number} word */
function verdict(one, layer, word) {
  const layers = one.weights.map((_, n) => finders(one, n + 1, word));
  const named = (n, all = layers[n - 1]) => {
    const every = all.length === one.weights[n - 1].length;
    const who = every ? `all ${all.length} heads` : `head${all[1] ? "s" : ""} ${all.join(" and ")}`;
    return `${who} of layer ${n}`;
  };
  const here = layers[layer - 1];
  const elsewhere = layers.flatMap((all, n) => (all.length && n + 1 !== layer ? [n + 1] : []));
  if (here.length) return `Found by ${named(layer)}.`;
  if (!elsewhere.length) return "No head of any layer finds it.";
  const others = elsewhere.map((n) => named(n)).join(" and ");
  return `Only ${others.replace(/^all/, "the")} find${/heads| and /.test(others) ? "" : "s"} it.`;
}

/** What is true of a word, and whether one of the heads finds it.
 * @param {any} one @param {number} layer @param {number[]} heads @param {number} word
 * @param {boolean} marked */
export function known(one, layer, heads, word, marked) {
  if (word < 0) {
    const many = one.truth.length;
    const pairs = `${many} true pair${many > 1 ? "s" : ""}: green if`;
    if (!marked) return "Each word’s strongest line.";
    if (hasRule(one)) return "● the right word. ○ another: press its word.";
    return `${pairs} found, dashed if missed. Pale: no pair.`;
  }
  const name = `“${one.words[word]}”`;
  if (!heads.length) return `${name}: no head is switched on.`;
  if (!marked) return `${name} in layer ${layer}.`;
  const found = truthOf(one, word);
  if (!found.length) return `${name} in layer ${layer}: the grammar has no answer here.`;
  /** @type {[string, string][]} */
  const pairs = found.map(([n, relation]) => [`“${one.words[n]}”`, relation]);
  return `${sentence(name, pairs)} ${verdict(one, layer, word)}`;
}

/** Whether what is true of a word moves from one sentence to its twin, and whether lines do.
 * @param {any[]} pair @param {number} layer @param {number[]} heads @param {number} word
 * @param {boolean} marked */
export function moved(pair, layer, heads, word, marked) {
  if (word < 0 || !heads.length) return "";
  const named = (places) => [...new Set(places.map((at, n) => `“${pair[n].words[at]}”`))];
  const path = (places) =>
    places[0] === places[1]
      ? `stays at ${named(places).join(" and ")}`
      : `moves from ${named(places).join(" to ")}`;
  const ends = heads.map((head) => pair.map((one) => mostOf(rowsOf(one, layer, head)[word]).at));
  const many = ends.filter(([a, b]) => a !== b).length;
  const lines =
    heads.length === 1
      ? `head ${heads[0]} ${path(ends[0])}`
      : `of ${heads.length} heads ${many || "none"} move${many > 1 ? "" : "s"}`;
  const truths = pair.map((one) => truthOf(one, word)[0]?.[0]);
  const lead = marked && truths[0] !== truths[1] ? `The answer ${path(truths)}; ` : "";
  const text = `${lead}${lines}.`;
  return text[0].toUpperCase() + text.slice(1);
}
