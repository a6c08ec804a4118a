"""Translating whole texts, and scoring them against references (section 6.1)."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import sacrebleu

from transformer_course.data import EOS_ID, Tokenizer, by_length, make_batch, pad
from transformer_course.decoding.packed import pack
from transformer_course.decoding.search import SEARCHES, evaluating
from transformer_course.errors import DataError
from transformer_course.model import Transformer, record_attention


def encode_sources(sentences: Sequence[str], tokenizer: Tokenizer, max_len: int) -> list[list[int]]:
    """Ids of each sentence with its end mark.

    Raises:
        DataError: if a sentence is empty or has more than `max_len` tokens.
    """
    sources = [[*ids, EOS_ID] for ids in tokenizer.encode_batch(list(sentences))]
    for number, ids in enumerate(sources, start=1):
        if len(ids) == 1:
            raise DataError(f"sentence {number} is empty: expected at least one word")
        if len(ids) > max_len:
            raise DataError(
                f"sentence {number} has {len(ids)} tokens, but the model was built for "
                f"max_len={max_len}: split it into shorter sentences"
            )
    return sources


def translate(
    model: Transformer,
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    *,
    search: str = "beam",
    max_tokens: int = 1500,
    **options: Any,
) -> list[str]:
    """Translate sentences, about equally long ones together, by a search of `SEARCHES`.

    Options are those of the search: `beam` and `alpha`, or `temperature`, `top_k`, `top_p` and
    `seed`. `beam=1` is greedy search. `max_tokens` limits the padded source tokens of a batch.

    Raises:
        DataError: if a sentence is empty or too long, there is no such search, it has no such
            option, or refuses its value.
    """
    options = search_options(search, options)
    if options.get("beam") == 1:
        search, options = "greedy", {}
    sources = encode_sources(sentences, tokenizer, model.config.max_len)
    device = model.embedding.weight.device
    if model.config.d_model >= 128:  # narrower maps take less time than packing saves
        model = pack(model)
    outputs = [""] * len(sources)
    for places in by_length(sources, max_tokens):
        src = pad([sources[place] for place in places]).to(device)
        found = SEARCHES[search](model, src, **options)
        for place, ids in zip(places, found, strict=True):
            outputs[place] = tokenizer.decode(ids)
    return outputs


def search_options(search: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a search: those given, and for the others its defaults.

    Raises:
        DataError: if there is no such search, or an option that is given belongs to another one.
    """
    if search not in SEARCHES:
        raise DataError(f"expected a search of {', '.join(SEARCHES)}, got {search!r}")
    known = search_defaults(search)
    for option, value in given.items():
        if option not in known:
            owners = [other for other in SEARCHES if option in search_defaults(other)]
            hint = f"; use search {owners[0]} or leave it out" if owners else ""
            raise DataError(
                f"search {search}: expected {' or '.join(known) or 'no options'}, "
                f"got {option}={value}{hint}"
            )
    return {**known, **given}


def search_defaults(search: str) -> dict[str, Any]:
    """The options of a search, as its signature has them."""
    parameters = inspect.signature(SEARCHES[search]).parameters.values()
    options = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
    del options["max_extra"]
    return options


def score(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
    """BLEU and chrF by sacreBLEU, on cased, detokenized text, with BLEU's signature (Post 2018)."""
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    return {
        "bleu": round(bleu.corpus_score(hypotheses, [references]).score, 2),
        "chrf": round(chrf.corpus_score(hypotheses, [references]).score, 2),
        "exact_match": round(
            sum(a == b for a, b in zip(hypotheses, references, strict=True)) / len(references), 4
        ),
        "sentences": len(references),
        "signature": str(bleu.get_signature()),
    }


def attention_map(
    model: Transformer, tokenizer: Tokenizer, source: str, output: str
) -> dict[str, object]:
    """What every head looked at: pieces of both sides, and weights by layer, head, row, column."""
    src, tgt = tokenizer.encode(source), tokenizer.encode(output)
    batch = make_batch([(src, tgt)]).to(model.embedding.weight.device)
    with evaluating(model), record_attention(model) as weights:
        model(batch.src, batch.tgt_in)
    return {
        "source": [tokenizer.id_to_piece(i) for i in [*src, EOS_ID]],
        "output": [tokenizer.id_to_piece(i) for i in [*tgt, EOS_ID]],
        "weights": {
            name: [[[round(w, 4) for w in row] for row in head] for head in layer[0].tolist()]
            for name, layer in weights.items()
        },
    }
