// The parser's words, tokens and rule, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { EOS_ID, UNK_ID } from "../../transformer_course/widgets/bpe.js";
import {
  facts,
  partsOf,
  refusal,
  strangers,
  told,
} from "../../transformer_course/widgets/parser_words.js";
import {
  asked,
  doubtOf,
  flawOf,
  percent,
  rivalOf,
} from "../../transformer_course/widgets/parser_rival.js";
import { createParser } from "../../transformer_course/widgets/parsing.js";
import { beamSearch, logSum } from "../../transformer_course/widgets/search.js";
import {
  emptyLine,
  look,
  readTreeTokens,
  tokenOf,
  wordId,
} from "../../transformer_course/widgets/tree_rule.js";
import { treeWords } from "../../transformer_course/widgets/tree_words.js";

const TOKENS = readTreeTokens(
  JSON.stringify({
    words: ["<pad>", "<s>", "</s>", "<unk>", "<a>", "dogs", "bark"],
    labels: ["NP", "S"],
  }),
);
const [NP, S, NP_END, S_END] = [7, 8, 9, 10];
const [DOGS, BARK] = [5, 6];
const allowed = (rule) =>
  [...rule.restrict(new Float32Array(11)).keys()].filter(
    (id) => rule.restrict(new Float32Array(11))[id] > -Infinity,
  );

test("a rule lets only what leads to one tree over the words", () => {
  let rule = emptyLine(TOKENS, [DOGS, BARK], 20);
  assert.deepEqual(allowed(rule), [NP, S]); // a tree begins with a bracket
  rule = rule.after(S);
  assert.deepEqual(allowed(rule), [DOGS, NP, S]); // no bracket closes around nothing
  rule = rule.after(NP).after(DOGS);
  assert.deepEqual(allowed(rule), [BARK, NP, S, NP_END]);
  rule = rule.after(NP_END);
  assert.deepEqual(allowed(rule), [BARK, NP, S]); // the outermost bracket waits for all words
  rule = rule.after(BARK);
  assert.deepEqual(allowed(rule), [S_END]);
  assert.deepEqual(allowed(rule.after(S_END)), [EOS_ID]);
});

test("at most six brackets open in a row, and none that there is no room to close", () => {
  let rule = emptyLine(TOKENS, [DOGS], 40);
  for (let n = 0; n < 6; n += 1) rule = rule.after(NP);
  assert.deepEqual(allowed(rule), [DOGS]);
  assert.deepEqual(allowed(emptyLine(TOKENS, [DOGS], 3).after(S)), [DOGS]);
  assert.deepEqual(allowed(emptyLine(TOKENS, [DOGS], 5).after(S)), [DOGS, NP, S]);
});

test("the next word is scored by all words together", () => {
  const rule = emptyLine(TOKENS, [DOGS], 9).after(S);
  const logits = Float32Array.from({ length: 11 }, (_, id) => id / 3);
  const words = logSum(logits.subarray(UNK_ID, NP));
  assert.ok(Math.abs(rule.restrict(logits)[DOGS] - words) < 1e-6);
});

test("a search behind the rule writes a tree whatever the model prefers", () => {
  const model = /** @type {any} */ ({
    begin: () => [{ keys: [], values: [] }],
    encode: () => ({}),
    limit: () => 12,
    step: (memory, pasts) => pasts.map(() => Float32Array.from({ length: 11 }, (_, id) => -id)),
  });
  for (const beam of [1, 3]) {
    const rule = emptyLine(TOKENS, [DOGS, BARK], 12);
    const search = beamSearch(model, [DOGS, BARK, EOS_ID], beam, 0.3, 300, [], rule);
    for (;;) {
      const { done, value } = search.next();
      if (!done) continue;
      const line = value.map((id) => tokenOf(TOKENS, id));
      const { parts, written } = partsOf(line);
      assert.equal(written, 2);
      assert.ok(parts.every(({ open, from, to }) => !open && to > from));
      break;
    }
  }
});

test("a word that is not known has the id of its look, or of none", () => {
  assert.deepEqual(look("Vinken"), ["<Aa en>", "<Aa>"]);
  assert.deepEqual(look("1.50"), ["<a1>"]);
  assert.deepEqual(look("non-profit"), ["<a- it>", "<a->"]);
  assert.deepEqual(
    [..."dogs ox Ox".split(" ")].map((word) => wordId(TOKENS, word)),
    [5, 4, 3],
  );
});

test("a beginning of a line has open constituents, and the words written so far", () => {
  const { parts, written } = partsOf(["(S", "(NP", "the", "dog", ")NP", "(VP", "barks"]);
  assert.equal(written, 3);
  assert.deepEqual(
    parts.map(({ label, depth, from, to, open }) => [label, depth, from, to, open]),
    [
      ["S", 0, 0, 3, true],
      ["NP", 1, 0, 2, false],
      ["VP", 1, 2, 3, true],
    ],
  );
  assert.equal(told(parts[1], ["the", "dog", "barks"]), "NP, noun phrase: the dog");
});

const VERB = "(S (NP I )NP (VP saw (NP the man )NP (PP with (NP it )NP )PP )VP )S".split(" ");
const NOUN = "(S (NP I )NP (VP saw (NP (NP the man )NP (PP with (NP it )NP )PP )NP )VP )S".split(
  " ",
);
const wordsOf = (line) => line.filter((token) => !"()".includes(token[0]));

test("a phrase goes from the verb to its object, and back", () => {
  const other = (line) => rivalOf(line, wordsOf(line))?.map((place) => line[place]);
  assert.deepEqual(other(VERB), NOUN);
  assert.deepEqual(other(NOUN), VERB);
  assert.equal(other("(S (NP dogs (PP of it )PP )NP (VP bark )VP )S".split(" ")), undefined);
});

test("the doubt is put in words, for the tree that is written", () => {
  for (const { line, name, share } of [
    { line: VERB, name: "saw", share: 0.8 },
    { line: NOUN, name: "the man", share: 0.75 },
  ]) {
    const { parts } = partsOf(line);
    const { pp, has, other } = /** @type {any} */ (doubtOf(parts, wordsOf(line)));
    assert.deepEqual([pp.from, pp.to], [4, 6]);
    assert.notEqual(has, other);
    assert.equal(
      asked(parts, { words: wordsOf(line), share }),
      `Does “with it” go with “saw” or with “the man”? The parser writes “${name}”: ` +
        `${percent(share)} against ${percent(1 - share)}.`,
    );
  }
  const told = asked(partsOf(VERB).parts, { words: wordsOf(VERB), share: 0.8, wrong: true });
  assert.match(told, /against 20\u00a0%\. A reader says “the man”\.$/);
  assert.deepEqual([0.982, 0.9964, 0.002].map(percent), ["98\u00a0%", "99.6\u00a0%", "0.2\u00a0%"]);
});

test("in a broken tree nothing is asked, and it is said what is broken", () => {
  const lines = {
    "(S (NP he )NP (VP who (NP lives )NP (PP near (NP it )NP )PP )VP . )S":
      "VP begins with “who”, no verb",
    "(S (NP he )NP (VP saw (NP it )NP (PP near (NP it )NP )PP )VP saw it . )S":
      "S holds “saw” outside any phrase",
    "(S (NP he )NP (VP saw (NP it )NP (PP . )PP )VP )S": "PP holds “.” alone",
  };
  for (const [text, flaw] of Object.entries(lines)) {
    const line = text.split(" ");
    const words = wordsOf(line);
    const { parts } = partsOf(line);
    assert.equal(flawOf(parts, words), flaw);
    assert.equal(rivalOf(line, words), null);
    assert.match(
      asked(parts, { words, line, least: [0, 0.5] }),
      new RegExp(`^This tree is broken: ${flaw.replace(".", "\\.")}\\. It was least sure when`),
    );
  }
  const joined = "(S (S (NP he )NP (VP is )VP )S and (S (NP it )NP (VP does n't )VP )S . )S".split(
    " ",
  );
  for (const line of [VERB, NOUN, joined])
    assert.equal(flawOf(partsOf(line).parts, wordsOf(line)), "");
});

test("what cannot be parsed is refused in one line, and nothing else is", () => {
  const messages = {
    "": /^There is no word in this: type an English sentence/,
    " \n ": /^There is no word in this/,
    "<b>bold</b> move": /^This has tags of HTML/,
    "<img src=x onerror=alert(1)>": /^This has tags of HTML/,
    [Array(300).fill("dog").join(" ")]: /^This text has 300 words\. .* of 40 words at most\.$/,
    [`${"dog ".repeat(40)}.`]: /^This text has 41 words/,
    ["x".repeat(9999)]: /^This text has 9999 characters/,
    "A dog 🎉 runs": /and “🎉” is no part of it/,
    "Собака лает.": /and “С” is no part of it/,
    日本語: /and “日” is no part of it/,
    "...?!": /^There is no word in this/,
  };
  for (const [text, message] of Object.entries(messages)) {
    assert.match(refusal(text, 40), message);
    assert.doesNotMatch(refusal(text, 40), /\n/);
  }
  for (const text of ["Dog", "Café “naïve” e\u0301tude – 5 % (€3) isn’t x < y.", "a ".repeat(40)])
    assert.equal(refusal(text, 40), "");
});

test("facts and strangers are put in words", () => {
  const result = { text: "", words: ["dogs"], line: ["(S", "dogs", ")S"], unknown: [] };
  assert.equal(facts(result), "Words: 1, constituents: 1, tokens written: 3.");
  assert.match(facts(result, 1234), /tokens written: 3, in 1\.2 s by your own browser\.$/);
  assert.equal(strangers([]), "");
  assert.match(strangers(["saw", "-LRB-"]), /known only by their look .*: “saw”, “\(”\.$/);
  assert.match(strangers([..."abcdefgh"]), /“g”, “h”\.$/);
});

test("a text is cut into a treebank's words", () => {
  assert.deepEqual(treeWords("Don’t (see) “X-ray” 3.5%..."), [
    ...["Do", "n't", "-LRB-", "see", "-RRB-", "``", "X", "-", "ray", "''", "3.5", "%", "..."],
  ]);
  assert.deepEqual(treeWords("\u00a0\n"), []);
});

test("an engine answers a broken file in words", async () => {
  const said = [];
  await createParser()(
    { kind: "load", files: [new TextEncoder().encode("{oops"), new Uint8Array(9)] },
    (answer) => said.push(answer),
  );
  assert.equal(said[0].kind, "failed");
  assert.match(said[0].message, /^The model could not be used: .*JSON/);
});
