// @ts-check
// The course's tokenizer in the browser: it reads the tokenizer.json that Python reads and repeats
// its steps.

export const [PAD_ID, BOS_ID, EOS_ID, UNK_ID] = [0, 1, 2, 3];
const SPECIAL_PIECES = "<pad> <s> </s> <unk>";
const WORD_START = "▁";

/** What tokenizer.json says of its steps, in order. The two patterns are taken from the file. */
const STEPS = "NFC Replace Strip Metaspace Split BPE";

/** @typedef {{id: number, piece: string, text: string}} Piece `text` is what it stands for; of an
 * unknown piece, its character */
/** @typedef {{pieces: string[], encode: (text: string) => Piece[], decode: (ids: number[]) =>
 * string}} Tokenizer */

/** Read a byte-pair vocabulary of the `tokenizers` library.
 * @param {string} json @returns {Tokenizer} */
export function readTokenizer(json) {
  const { normalizer, pre_tokenizer: splitter, model } = JSON.parse(json);
  const steps = [...normalizer.normalizers, ...splitter.pretokenizers, model];
  const found = steps.map(({ type }) => type).join(" ");
  /** @type {string[]} */
  const pieces = Object.keys(model.vocab).sort((a, b) => model.vocab[a] - model.vocab[b]);
  if (found !== STEPS || pieces.slice(0, 4).join(" ") !== SPECIAL_PIECES)
    throw new Error(`expected a tokenizer with the steps ${STEPS}, got ${found}`);

  const space = new RegExp(steps[1].pattern.Regex, "gu");
  const mark = new RegExp(`(${steps[4].pattern.Regex})`, "u");
  /** @type {Map<string, number>} no piece holds a space, so one can stand between two */
  const ranks = new Map(model.merges.map((pair, rank) => [pair.join(" "), rank]));
  const known = new Map(pieces.map((piece, id) => [piece, id]));

  /** The earliest merge first, the leftmost of equals. @param {string} part */
  const merge = (part) => {
    const symbols = [...part];
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < symbols.length; i += 1) {
        const rank = ranks.get(`${symbols[i]} ${symbols[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
    }
  };

  const encode = (text) => {
    const clean = text.normalize("NFC").replace(space, " ").replace(/^ | $/g, "");
    if (!clean) return [];
    const words = clean.split(" ").map((word) => WORD_START + word);
    return words
      .flatMap((word) => word.split(mark).filter(Boolean).flatMap(merge))
      .map((symbol) => {
        const id = known.get(symbol) ?? UNK_ID;
        return { id, piece: pieces[id], text: symbol };
      });
  };
  const decode = (ids) =>
    ids
      .filter((id) => id > EOS_ID)
      .map((id) => (id === UNK_ID ? "�" : pieces[id]))
      .join("")
      .replaceAll(WORD_START, " ")
      .trim();
  return { pieces, encode, decode };
}
