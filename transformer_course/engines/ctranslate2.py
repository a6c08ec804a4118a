"""CTranslate2, an engine in C++ for Transformers on CPUs and GPUs (Klein et al. 2020).

`write` fills its model specification with our weights. The folder stands alone: given pieces of the
vocabulary, `ctranslate2.Translator(folder).translate_batch(pieces)` answers in pieces.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from transformer_course.data import BOS_ID, EOS_ID, UNK_ID, Tokenizer
from transformer_course.decoding import length_penalty
from transformer_course.engines.exported import Exported, needed, never_written
from transformer_course.errors import DataError
from transformer_course.model import MultiHeadAttention, Transformer

PACKAGES = ("ctranslate2",)
# CTranslate2 ends a beam of 4 when 4 times this many sentences are whole, ours when none that grows
# can still win; and without any penalty it stops at the first.
PATIENCE, LEAST = 2, 1e-3


def write(model: Transformer, tokenizer: Tokenizer, folder: Path) -> None:
    """Write the model's files, in float32; the engine makes int8 of them if asked to."""
    spec = specification(model, [tokenizer.id_to_piece(n) for n in range(len(tokenizer))])
    spec.validate()
    spec.save(str(folder))


def specification(model: Transformer, pieces: Sequence[str]) -> Any:
    """The model as CTranslate2 describes one, with its weights and vocabulary."""
    config = model.config
    spec = needed("ctranslate2").specs.TransformerSpec.from_config(
        config.num_layers, config.num_heads, pre_norm=config.norm_placement == "pre"
    )
    spec.register_source_vocabulary(list(pieces))
    spec.register_target_vocabulary(list(pieces))
    spec.config.bos_token = spec.config.decoder_start_token = pieces[BOS_ID]
    spec.config.eos_token, spec.config.unk_token = pieces[EOS_ID], pieces[UNK_ID]
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = nn.LayerNorm(1).eps
    embedding = array(model.embedding.weight)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = embedding
    spec.decoder.projection.weight = embedding
    spec.decoder.projection.bias = array(never_written(model))
    sides: list[tuple[Any, Any, nn.Module]] = [
        (spec.encoder, model.encoder_layers, model.encoder_norm),
        (spec.decoder, model.decoder_layers, model.decoder_norm),
    ]
    for stack, layers, last in sides:
        stack.position_encodings.encodings = array(model.positions.table)
        if isinstance(last, nn.LayerNorm):
            fill_norm(stack.layer_norm, last)
        for theirs, layer in zip(stack.layer, layers, strict=True):
            fill_attention(theirs.self_attention, layer.self_attn, layer.norm1, shared=3)
            norm = layer.norm2
            if hasattr(layer, "cross_attn"):
                fill_attention(theirs.attention, layer.cross_attn, norm, shared=2)
                norm = layer.norm3
            fill_norm(theirs.ffn.layer_norm, norm)
            fill(theirs.ffn.linear_0, layer.feed_forward.expand)
            fill(theirs.ffn.linear_1, layer.feed_forward.contract)
    return spec


def fill_attention(spec: Any, attend: MultiHeadAttention, norm: nn.Module, shared: int) -> None:
    """Give an attention its maps; the last `shared` of three read one input, and stand as one."""
    maps = [attend.query_proj, attend.key_proj, attend.value_proj]
    groups = [maps] if shared == 3 else [maps[:1], maps[1:]]
    for theirs, ours in zip(spec.linear, [*groups, [attend.out_proj]], strict=True):
        fill(theirs, *ours)
    fill_norm(spec.layer_norm, norm)


def fill(spec: Any, *maps: nn.Linear) -> None:
    """Give a layer one linear map, or several that read the same input."""
    spec.weight = array(torch.cat([each.weight for each in maps]))
    spec.bias = array(torch.cat([each.bias for each in maps]))


def fill_norm(spec: Any, norm: nn.Module) -> None:
    spec.gamma, spec.beta = array(norm.weight), array(norm.bias)


def array(tensor: Any) -> Any:
    """The numbers of a tensor in NumPy."""
    return tensor.detach().float().cpu().numpy()


class Engine:
    """An exported model, ready to translate ids into ids."""

    def __init__(self, exported: Exported, compute_type: str = "float32", threads: int = 0):
        package, tokenizer = needed("ctranslate2"), exported.tokenizer
        self.max_len = exported.max_len
        self.pieces = [tokenizer.id_to_piece(n) for n in range(len(tokenizer))]
        self.ids = {piece: n for n, piece in enumerate(self.pieces)}
        try:
            self.translator = package.Translator(
                str(exported.folder),
                compute_type=compute_type,
                intra_threads=threads or torch.get_num_threads(),
            )
        except (RuntimeError, ValueError) as error:
            raise DataError(
                f"{exported.folder} is no model for CTranslate2 {package.__version__} ({error}): "
                "export the run again"
            ) from error

    def search(
        self, sources: Sequence[Sequence[int]], search: str, *, max_extra: int = 50, **options: Any
    ) -> list[list[int]]:
        """Target ids of source ids that end with `EOS_ID`; the longest source limits all outputs.

        CTranslate2 divides a log-probability by length^alpha, ours and the paper's searches by
        ((5 + length) / 6)^alpha: so it is asked for whole beams, and `best` chooses.

        Raises:
            DataError: if the search is not greedy or beam.
        """
        if search not in ("greedy", "beam"):
            raise DataError(f"ctranslate2 knows the searches greedy and beam, got {search}")
        beam, alpha = options.get("beam", 1), options.get("alpha", 0.0)
        penalty = max(alpha, LEAST)
        longest = max(map(len, sources))
        found = self.translator.translate_batch(
            [[self.pieces[n] for n in ids[:-1]] for ids in sources],
            beam_size=beam,
            num_hypotheses=beam,
            patience=PATIENCE if beam > 1 else 1,
            length_penalty=penalty,
            max_input_length=0,
            max_decoding_length=min(longest + max_extra, self.max_len - 1),
            return_scores=beam > 1,
        )
        return [[self.ids[word] for word in best(each, alpha, penalty)] for each in found]


def best(result: Any, alpha: float, penalty: float) -> list[str]:
    """The sentence of a beam that is best by our penalty; both count the end mark."""
    if not result.scores:  # greedy: there is no other
        return result.hypotheses[0]

    def rank(pair: tuple[float, list[str]]) -> float:
        score, length = pair[0], len(pair[1]) + 1
        return score * length**penalty / length_penalty(length, alpha)

    return max(zip(result.scores, result.hypotheses, strict=True), key=rank)[1]
