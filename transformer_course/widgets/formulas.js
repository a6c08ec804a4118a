// @ts-check
// Formulas as authors type them, such as 8 d^2 or sqrt(d_k), read and drawn as MathML.

/** An element of MathML: its name, then its text or its children.
 * @typedef {any[]} Tree */

const TOKEN = /\s*(\d+(?:,\d{3})*(?:\.\d+)?(?![A-Za-z]\w)|[A-Za-z]\w*|\*\*|[-+*·/^(),=])/y;
// One letter, with a subscript or not: these are all the words that subscripts hold.
const NAME = /^([A-Za-z])(?:_([a-z]|\d+|model|ff)|(\d))?$/;
const WORDS = [
  "softmax",
  "sigmoid",
  "exp",
  "ln",
  "log",
  "min",
  "max",
  "sin",
  "cos",
  "pos",
  "step",
  "warmup",
];
const LETTERS = { sigma: "σ", eps: "ε", pi: "π", var: "var" };
const SIGNS = { "-": "−", "*": "·" };

/** The tokens of a text; none where it holds something else. @param {string} text */
function split(text) {
  const tokens = /** @type {string[]} */ ([]);
  TOKEN.lastIndex = 0;
  const typed = text.trim();
  while (TOKEN.lastIndex < typed.length) {
    const found = TOKEN.exec(typed);
    if (!found) return [];
    tokens.push(found[1]);
  }
  return tokens;
}

const row = (parts) => (parts.length === 1 ? parts[0] : ["mrow", ...parts]);
const sign = (token) => ["mo", SIGNS[token] ?? token];

/** What a text means as a formula; null where it is code, or a single name or number.
 * @param {string} text @returns {Tree | null} */
export function readFormula(text) {
  const tokens = split(text);
  if (tokens.length < 2 && !/_/.test(text)) return null;
  let at = 0;
  let raised = 0;
  const next = (...wanted) => wanted.includes(tokens[at]) && tokens[at++];
  const fail = () => {
    throw new SyntaxError(text);
  };
  const inside = () => {
    const all = sum();
    return next(")") ? all : fail();
  };
  /** A number, a name, a root, or what stands in parentheses. */
  function atom() {
    if (next("(")) return ["mrow", sign("("), ...inside(), sign(")")];
    if (next("sqrt")) return next("(") ? ["msqrt", ...inside()] : fail();
    const token = tokens[at++] ?? fail();
    if (/^\d/.test(token)) return ["mn", token];
    if (WORDS.includes(token) || token in LETTERS) return ["mi", LETTERS[token] ?? token];
    const [, letter, below, digit] = NAME.exec(token) ?? fail();
    const low = below ?? digit;
    if (!low) return ["mi", letter];
    return ["msub", ["mi", letter], [/\d/.test(low) ? "mn" : low[1] ? "mtext" : "mi", low]];
  }
  function exponent() {
    const minus = next("-") ? [sign("-")] : [];
    return row([...minus, ...(next("(") ? inside() : [atom()])]);
  }
  function power() {
    const base = atom();
    if (!next("^", "**")) return base;
    raised += 1;
    const [tag, ...parts] = base;
    const tree = tag === "msub" ? ["msubsup", ...parts, exponent()] : ["msup", base, exponent()];
    raised -= 1;
    return tree;
  }
  function product() {
    const parts = [power()];
    while (at < tokens.length && !["+", "-", "=", ",", ")"].includes(tokens[at])) {
      const between = next("*", "·", "/");
      if (between === "/" && !raised)
        parts.splice(0, parts.length, ["mfrac", row([...parts]), power()]);
      else parts.push(...(between ? [sign(between)] : []), power());
    }
    return parts;
  }
  function sum() {
    const parts = [];
    do {
      if (at && /[-+=,]/.test(tokens[at - 1])) parts.push(sign(tokens[at - 1]));
      if (next("-")) parts.push(sign("-"));
      parts.push(...product());
    } while (next("+", "-", "=", ","));
    return parts;
  }
  try {
    const all = sum();
    return at === tokens.length ? ["math", ...all] : null;
  } catch {
    return null;
  }
}

/** The letters that stand in a formula. @param {Tree} tree @returns {string[]} */
export const lettersOf = ([tag, ...parts]) =>
  tag === "mi" ? parts : parts.flatMap((part) => (Array.isArray(part) ? lettersOf(part) : []));

/** @param {Tree} tree @returns {Element} */
function element([tag, ...parts]) {
  const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  node.append(...parts.map((part) => (Array.isArray(part) ? element(part) : part)));
  return node;
}

/** A line may break before a dot: browsers break no formula.
 * @param {Tree} tree @returns {Element} */
function drawFormula([, ...parts]) {
  const groups = /** @type {Tree[]} */ ([["math"]]);
  for (const part of parts) {
    if (part[1] === "·") groups.push(["math"]);
    groups[groups.length - 1].push(part);
  }
  const node = document.createElement("span");
  groups.forEach((group, n) => {
    const math = element(group);
    if (n) math.firstElementChild?.setAttribute("form", "infix");
    node.append(...(n ? [document.createElement("wbr")] : []), math);
  });
  return node;
}

/** What stands between backticks in a text: formulas as MathML, code as code. A single name is a
 * formula where one beside it has that letter, or where it is a word of formulas.
 * @param {string[]} codes @returns {Element[]} */
export function drawCodes(codes) {
  const trees = codes.map(readFormula);
  const letters = trees.flatMap((tree) => (tree ? lettersOf(tree) : []));
  return codes.map((code, n) => {
    const known = letters.includes(code) || (letters.length && WORDS.includes(code));
    const tree = trees[n] ?? (known ? ["math", ["mi", code]] : null);
    if (tree) return drawFormula(tree);
    const node = document.createElement("code");
    node.textContent = code;
    return node;
  });
}
