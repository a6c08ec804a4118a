"""The engines that `decode_speed.py` compares, each with our weights copied into it.

An engine is made from a `Transformer` and translates: `engine(src, beam, length)` gives the ids of
`length` tokens for each source. The model never wants to end, so all do the same number of steps.
"""

import logging
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import torch
from torch import Tensor, nn

from transformer_course import decoding
from transformer_course.data import BOS_ID, EOS_ID, PAD_ID
from transformer_course.decoding import choose_layouts, describe, lay_out, pack, quantize
from transformer_course.engines import ENGINES, Exported
from transformer_course.model import Transformer, padding_mask

CHOSEN: dict[str, str] = {}  # by rows at a time, what `ours_chosen` found
Engine = Callable[[Tensor, int, int], list[list[int]]]


def ours(model: Transformer) -> Engine:
    """Greedy or beam search of the course."""

    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        extra = length - src.size(1)
        if beam == 1:
            return decoding.greedy(model, src, max_extra=extra)
        return decoding.beam_search(model, src, beam=beam, max_extra=extra)

    return decode


def ours_chosen(model: Transformer) -> Engine:
    """The same, in the layouts of weights that are measured to be fastest for so many rows."""
    engines: dict[int, Engine] = {}

    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        rows = len(src) * beam
        if rows not in engines:
            layouts = choose_layouts(model, rows)
            CHOSEN[f"{rows} rows"] = describe(layouts)
            engines[rows] = ours(lay_out(model, layouts))
        return engines[rows](src, beam, length)

    return decode


class WithoutCache:
    """Stands where `CachedDecoder` does, and reads all tokens anew at each step."""

    def __init__(self, model: nn.Module, memory: Tensor, src_mask: Tensor):
        self.model, self.memory, self.src_mask = model, memory, src_mask
        self.ids = torch.zeros(0, 0, dtype=torch.long)

    def step(self, ids: Tensor) -> Tensor:
        """Score what may follow each row."""
        self.ids = torch.cat([self.ids.view(len(ids), -1), ids[:, None]], dim=1)
        beam = len(ids) // len(self.memory)
        memory, mask = (x.repeat_interleave(beam, 0) for x in (self.memory, self.src_mask))
        return self.model.decode(self.ids, memory, mask)[:, -1]

    def select(self, rows: Tensor) -> None:
        """Go on with these rows."""
        self.ids = self.ids[rows]

    def keep(self, sentences: Tensor) -> None:
        """Go on with these sentences."""
        self.memory, self.src_mask = self.memory[sentences], self.src_mask[sentences]


def without_cache(model: nn.Module) -> Engine:
    """The same search over a decoder that keeps nothing."""

    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        with patch.object(decoding.search, "CachedDecoder", WithoutCache):
            return ours(model)(src, beam, length)

    return decode


class LastOnly(Transformer):
    """A model that scores only what follows the last token, as a fair decoder would."""

    def logits(self, x: Tensor) -> Tensor:
        return super().logits(x[:, -1:])


def ours_without_cache(model: Transformer) -> Engine:
    """Our packed weights, and no cache."""
    plain = LastOnly(model.config)
    plain.load_state_dict(model.state_dict())
    return without_cache(plain.eval())


class TorchTransformer(nn.Module):
    """`torch.nn.Transformer` with what our search asks of a model."""

    def __init__(self, model: Transformer):
        from peers import torch_nn  # noqa: PLC0415  # beside this file

        super().__init__()
        self.config = model.config
        self.peer = torch_nn.Peer(model.config).eval()
        self.peer.embedding.weight.data.copy_(model.embedding.weight)
        stacks = self.peer.transformer
        pairs = [*zip(stacks.encoder.layers, model.encoder_layers, strict=True)]
        pairs += zip(stacks.decoder.layers, model.decoder_layers, strict=True)
        for theirs, layer in pairs:
            attentions = [(theirs.self_attn, layer.self_attn)]
            if hasattr(layer, "cross_attn"):
                attentions.append((theirs.multihead_attn, layer.cross_attn))
                copy(theirs.norm3, layer.norm3)
            for attend, own in attentions:
                each = own.query_proj, own.key_proj, own.value_proj
                attend.in_proj_weight.data.copy_(torch.cat([p.weight for p in each]))
                attend.in_proj_bias.data.copy_(torch.cat([p.bias for p in each]))
                copy(attend.out_proj, own.out_proj)
            copy(theirs.norm1, layer.norm1)
            copy(theirs.norm2, layer.norm2)
            copy(theirs.linear1, layer.feed_forward.expand)
            copy(theirs.linear2, layer.feed_forward.contract)

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        hidden = ~src_mask.flatten(1)
        return self.peer.transformer.encoder(self.peer.embed(src), src_key_padding_mask=hidden)

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        future = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).triu(1)
        x = self.peer.transformer.decoder(
            self.peer.embed(tgt),
            memory,
            tgt_mask=future,
            memory_key_padding_mask=~src_mask.flatten(1),
        )
        return nn.functional.linear(x[:, -1:], self.peer.embedding.weight)


def torch_transformer(model: Transformer) -> Engine:
    """Our search over torch's own layers, which cannot keep keys and values."""
    return without_cache(TorchTransformer(model))


def joey(model: Transformer) -> Engine:
    """Joey NMT's own search."""
    from joeynmt.search import beam_search, greedy  # noqa: PLC0415  # may not be installed
    from peers.joey import Peer  # noqa: PLC0415

    peer = Peer(model.config).eval().joey
    peer.src_embed.lut.weight.data.copy_(model.embedding.weight)
    for theirs, layer in zip(peer.encoder.layers, model.encoder_layers, strict=True):
        copy_joey_attention(theirs.src_src_att, layer.self_attn)
        copy(theirs.layer_norm, layer.norm1)
        copy_joey_feed_forward(theirs.feed_forward, layer.feed_forward, layer.norm2)
    for theirs, layer in zip(peer.decoder.layers, model.decoder_layers, strict=True):
        copy_joey_attention(theirs.trg_trg_att, layer.self_attn)
        copy_joey_attention(theirs.src_trg_att, layer.cross_attn)
        copy(theirs.x_layer_norm, layer.norm1)
        copy(theirs.dec_layer_norm, layer.norm2)
        copy_joey_feed_forward(theirs.feed_forward, layer.feed_forward, layer.norm3)
    for module in peer.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-5

    @torch.no_grad()
    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        mask = padding_mask(src)[:, 0]
        memory, hidden, *_ = peer(return_type="encode", src=src, src_length=None, src_mask=mask)
        given = {
            "model": peer,
            "encoder_output": memory,
            "encoder_hidden": hidden,
            "src_mask": mask,
            "max_output_length": length,
        }
        if beam == 1:
            return greedy(**given)[0].tolist()
        return beam_search(**given, beam_size=beam, alpha=0.6)[0].tolist()

    return decode


def copy_joey_attention(theirs: nn.Module, own: nn.Module) -> None:
    copy(theirs.q_layer, own.query_proj)
    copy(theirs.k_layer, own.key_proj)
    copy(theirs.v_layer, own.value_proj)
    copy(theirs.output_layer, own.out_proj)


def copy_joey_feed_forward(theirs: nn.Module, own: nn.Module, norm: nn.Module) -> None:
    copy(theirs.pwff_layer[0], own.expand)
    copy(theirs.pwff_layer[3], own.contract)
    copy(theirs.layer_norm, norm)


def marian(model: Transformer) -> Engine:
    """`MarianMTModel.generate` of Hugging Face transformers, with its own cache."""
    from peers.marian import Peer  # noqa: PLC0415  # may not be installed

    peer = Peer(model.config).eval().marian
    peer.model.shared.weight.data.copy_(model.embedding.weight)
    sides = [(peer.model.encoder, model.encoder_layers), (peer.model.decoder, model.decoder_layers)]
    for stack, layers in sides:
        stack.embed_positions.weight.data.copy_(model.positions.table)
        for theirs, layer in zip(stack.layers, layers, strict=True):
            copy_marian_attention(theirs.self_attn, layer.self_attn)
            copy(theirs.self_attn_layer_norm, layer.norm1)
            if hasattr(layer, "cross_attn"):
                copy_marian_attention(theirs.encoder_attn, layer.cross_attn)
                copy(theirs.encoder_attn_layer_norm, layer.norm2)
            copy(theirs.fc1, layer.feed_forward.expand)
            copy(theirs.fc2, layer.feed_forward.contract)
            copy(theirs.final_layer_norm, layer.norm3 if hasattr(layer, "norm3") else layer.norm2)
    peer.generation_config.forced_eos_token_id = None
    logging.getLogger("transformers").setLevel(logging.ERROR)

    @torch.inference_mode()
    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = peer.generate(
                src,
                attention_mask=(src != PAD_ID).long(),
                num_beams=beam,
                do_sample=False,
                max_new_tokens=length,
                min_new_tokens=length,
                length_penalty=0.6,
            )
        return found[:, 1:].tolist()

    return decode


def copy_marian_attention(theirs: nn.Module, own: nn.Module) -> None:
    copy(theirs.q_proj, own.query_proj)
    copy(theirs.k_proj, own.key_proj)
    copy(theirs.v_proj, own.value_proj)
    copy(theirs.out_proj, own.out_proj)


def ctranslate2(model: Transformer, compute_type: str = "float32", threads: int = 1) -> Engine:
    """CTranslate2, an inference engine in C++, in float32 or int8."""
    import ctranslate2 as ct2  # noqa: PLC0415  # may not be installed

    words = [str(number) for number in range(model.config.vocab_size)]
    words[:4] = "<pad>", "<s>", "</s>", "<unk>"
    spec = ENGINES["ctranslate2"].specification(model, words)
    spec.validate()
    with tempfile.TemporaryDirectory() as folder:
        spec.save(folder)
        engine = ct2.Translator(
            folder, compute_type=compute_type, inter_threads=1, intra_threads=threads
        )

    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        found = engine.translate_batch(
            [[words[i] for i in row if i not in (PAD_ID, EOS_ID)] for row in src.tolist()],
            beam_size=beam,
            length_penalty=0.6,
            max_decoding_length=length,
            min_decoding_length=length,
        )
        return [[int(word) for word in each.hypotheses[0]] for each in found]

    return decode


def onnxruntime(model: Transformer) -> Engine:
    """onnxruntime on our graphs, our search around them."""
    with tempfile.TemporaryDirectory() as folder:
        ENGINES["onnx"].write(model, None, Path(folder))  # no text, so no tokenizer
        exported = Exported(Path(folder), "onnx", model.config.max_len, None)
        engine = ENGINES["onnx"].Engine(exported)

    def decode(src: Tensor, beam: int, length: int) -> list[list[int]]:
        options = {"beam": beam, "alpha": 0.6} if beam > 1 else {}
        search, extra = "beam" if beam > 1 else "greedy", length - src.size(1)
        return engine.search(src.tolist(), search, max_extra=extra, **options)

    return decode


def copy(theirs: nn.Module, own: nn.Module) -> None:
    """Copy weight and bias of a linear map or a norm."""
    theirs.weight.data.copy_(own.weight)
    theirs.bias.data.copy_(own.bias)


def tireless(model: Transformer) -> Transformer:
    """Make the padding and both marks the least likely tokens of all, so that no engine ends."""
    with torch.no_grad():
        model.embedding.weight[[PAD_ID, BOS_ID, EOS_ID]] = 0
    return model.eval()


OURS: dict[str, Callable[[Transformer], Engine]] = {
    "ours, fp32": ours_chosen,
    "ours, fp32, packed": lambda model: ours(pack(model)),
    "ours, bf16": lambda model: ours(pack(model, torch.bfloat16)),
    "ours, int8": lambda model: ours(quantize(model)),
    "ours, fp32, weights not packed": ours,
    "ours, fp32, without cache": ours_without_cache,
}
PEERS: dict[str, Callable[[Transformer], Engine]] = {
    "torch.nn.Transformer, without cache": torch_transformer,
    "Joey NMT": joey,
    "Hugging Face Marian": marian,
    "CTranslate2, fp32": ctranslate2,
    "CTranslate2, int8": lambda model: ctranslate2(model, "int8"),
    "onnxruntime, fp32": onnxruntime,
}
