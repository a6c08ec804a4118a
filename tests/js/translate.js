// Translates sentences as the page does, without a browser. Reads {folder, sentences, beam, inside,
// begun, simd} as JSON from standard input, writes what it found and how long it took. beam 1 is greedy search,
// 0 only reads.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { EOS_ID, readTokenizer } from "../../transformer_course/widgets/bpe.js";
import { beamSearch, greedySearch } from "../../transformer_course/widgets/search.js";
import { trace } from "../../transformer_course/widgets/trace.js";
import { Transformer } from "../../transformer_course/widgets/transformer.js";

async function main() {
  const {
    folder,
    sentences,
    beam,
    inside = false,
    begun = [],
    simd = true,
  } = JSON.parse(readFileSync(0, "utf8"));
  const bytes = readFileSync(join(folder, "averaged/model.safetensors"));
  const start = performance.now();
  const tokenizer = readTokenizer(readFileSync(join(folder, "tokenizer.json"), "utf8"));
  const model = new Transformer(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    { simd },
  );
  const [loaded, used] = [performance.now(), process.cpuUsage()];
  const found = sentences.map((sentence) => {
    const src = [...tokenizer.encode(sentence).map(({ id }) => id), EOS_ID];
    if (!beam) return { src };
    const search =
      beam === 1
        ? greedySearch(model, src, undefined, begun)
        : beamSearch(model, src, beam, undefined, undefined, begun);
    for (;;) {
      const { done, value: ids } = search.next();
      if (done) return { src, ids, text: tokenizer.decode(ids) };
    }
  });
  const seconds = (performance.now() - loaded) / 1000;
  const cpu = process.cpuUsage(used).user / 1e6;
  const traces = inside ? found.map(({ src, ids }) => trace(model, src, ids)) : [];
  const plain = (/** @type {string} */ key, /** @type {any} */ value) =>
    ArrayBuffer.isView(value) ? Array.from(/** @type {Float32Array} */ (value)) : value;
  process.stdout.write(
    JSON.stringify({ found, traces, load_ms: loaded - start, seconds, cpu }, plain),
  );
}

main();
