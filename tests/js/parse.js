// Parses sentences as the page does, without a browser. Reads {folder, sentences, texts, beam, simd}
// as JSON from standard input; sentences are lists of words, texts are only cut into words.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { parseWords, weigh } from "../../transformer_course/widgets/parsing.js";
import { Transformer } from "../../transformer_course/widgets/transformer.js";
import { readTreeTokens, tokenOf, wordId } from "../../transformer_course/widgets/tree_rule.js";
import { treeWords } from "../../transformer_course/widgets/tree_words.js";

const {
  folder,
  sentences = [],
  texts = [],
  beam = 4,
  simd = true,
} = JSON.parse(readFileSync(0, "utf8"));
const bytes = readFileSync(join(folder, "averaged/model.safetensors"));
const tokens = readTreeTokens(readFileSync(join(folder, "tokens.json"), "utf8"));
const model = new Transformer(
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  { simd },
);
const start = performance.now();
const found = sentences.map((words) => {
  const src = words.map((word) => wordId(tokens, word));
  if (!beam) return { src };
  const search = parseWords(model, tokens, words, beam);
  for (;;) {
    const { done, value: ids } = search.next();
    const line = ids.map((id) => tokenOf(tokens, id));
    if (done) return { src, ids, line };
  }
});
const weighed = found.map(({ ids }, n) => (ids ? weigh(model, tokens, sentences[n], ids) : {}));
process.stdout.write(
  JSON.stringify({
    found,
    weighed,
    words: texts.map(treeWords),
    seconds: (performance.now() - start) / 1000,
  }),
);
