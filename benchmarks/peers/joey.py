"""Joey NMT, the teaching toolkit: post-norm, attention written out."""

import logging
from types import SimpleNamespace

from joeynmt.model import build_model
from joeynmt.transformer_layers import MultiHeadedAttention, PositionwiseFeedForward
from joeynmt.vocabulary import Vocabulary
from torch import Tensor, nn

from transformer_course.data import PAD_ID
from transformer_course.model import TransformerConfig


class Peer(nn.Module):
    """`joeynmt.model.Model` of the given sizes, all three uses of the embeddings tied."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        special = SimpleNamespace(
            pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>", sep_token=None
        )
        special.pad_id, special.bos_id, special.eos_id, special.unk_id = range(4)
        vocabulary = vocabulary_of(config.vocab_size, special)
        side = {
            "type": "transformer",
            "num_layers": config.num_layers,
            "num_heads": config.num_heads,
            "hidden_size": config.d_model,
            "ff_size": config.d_ff,
            "dropout": config.dropout,
            "layer_norm": "post",
            "embeddings": {"embedding_dim": config.d_model, "scale": True},
        }
        logging.getLogger("joeynmt.model").setLevel(logging.WARNING)
        self.joey = build_model(
            {
                "encoder": side,
                "decoder": side,
                "tied_embeddings": True,
                "tied_softmax": True,
                "initializer": "xavier_uniform",
                "embed_initializer": "xavier_uniform",
            },
            vocabulary,
            vocabulary,
        )
        for module in self.modules():
            if isinstance(module, MultiHeadedAttention):
                module.dropout.p = 0.0
            if isinstance(module, PositionwiseFeedForward):
                module.pwff_layer[2].p = 0.0  # behind the ReLU

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        src_mask, tgt_mask = ((ids != PAD_ID)[:, None] for ids in (src, tgt))
        memory = self.joey(return_type="encode", src=src, src_length=None, src_mask=src_mask)[0]
        return self.joey(
            return_type="decode",
            trg_input=tgt,
            encoder_output=memory,
            encoder_hidden=None,
            src_mask=src_mask,
            unroll_steps=tgt.size(1),
            trg_mask=tgt_mask,
        )[0]


def vocabulary_of(size: int, special: SimpleNamespace) -> Vocabulary:
    """Joey's vocabulary with made-up words; filled by hand, since it adds words one by one."""
    names = ["", "", "", ""]
    for kind in ("pad", "bos", "eos", "unk"):
        names[getattr(special, f"{kind}_id")] = getattr(special, f"{kind}_token")
    words = names + [f"w{number}" for number in range(4, size)]
    vocabulary = Vocabulary.__new__(Vocabulary)
    vocabulary.specials, vocabulary.lang_tags, vocabulary.sep_index = names, [], None
    vocabulary._itos, vocabulary._stoi = words, {word: place for place, word in enumerate(words)}
    for kind in ("pad", "bos", "eos", "unk"):
        setattr(vocabulary, f"{kind}_index", getattr(special, f"{kind}_id"))
    return vocabulary
