"""Linear maps for decoding on a CPU: the same function, weights laid out for its vector units.

A decoding step multiplies one vector, or a few, by every weight of the model, so it is as fast as
the weights are read. oneDNN reads them in blocks, laid out once; `F.linear` finds them row by row.
"""

import copy
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer_course.model import MultiHeadAttention, Transformer

# Makes a linear map from its weight and bias.
LinearMaker = Callable[[Tensor, Tensor | None], nn.Module]


class PackedLinear(nn.Module):
    """`nn.Linear` with packed weights, for inference: what comes in and out stays float32."""

    def __init__(
        self,
        weight: Float[Tensor, "width_out width_in"],
        bias: Float[Tensor, "width_out"] | None,
        dtype: torch.dtype = torch.float32,
    ):
        super().__init__()
        if dtype == torch.bfloat16 and not packs_bfloat16():
            dtype = torch.float32
        self.dtype = dtype
        self.bias = None if bias is None else bias.to(dtype)
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach().to(dtype), None)

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> Float[Tensor, "*batch width_out"]:
        """The product, by oneDNN, and the bias."""
        y = torch.ops.mkldnn._linear_pointwise.default(
            x.to(self.dtype), self.weight, self.bias, "none", [], ""
        )
        return y.float()


def pack(model: Transformer, dtype: torch.dtype = torch.float32) -> Transformer:
    """A copy that decodes faster on a CPU; in bfloat16, weights are read in half the time.

    A processor that cannot read them so gets float32. In float32 it computes the same as the model,
    up to the order of additions. Where the model is packed or quantized already, not in float32,
    not on a CPU, or torch is built without oneDNN, there is nothing to pack.
    """
    if not (has_plain_weights(model) and has_onednn()):
        return model
    return replace_linear_maps(model, lambda weight, bias: PackedLinear(weight, bias, dtype))


def has_plain_weights(model: Transformer) -> bool:
    """Whether the model can be packed: in float32, on a CPU, and not packed yet."""
    weight = model.embedding.weight
    linear = any(isinstance(module, nn.Linear) for module in model.modules())
    return linear and weight.device.type == "cpu" and weight.dtype == torch.float32


def has_onednn() -> bool:
    """Whether this build of torch has the kernels that read packed weights."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


@cache
def packs_bfloat16() -> bool:
    """Whether oneDNN can lay weights out in bfloat16 for this processor: it is tried."""
    try:
        torch.ops.mkldnn._reorder_linear_weight(torch.zeros(16, 16, dtype=torch.bfloat16), None)
    except RuntimeError:
        return False
    return True


class Together(nn.Module):
    """Several linear maps of one input as one wide map; a `Part` stands for each of them."""

    def __init__(self, linear: nn.Module, widths: list[int]):
        super().__init__()
        self.linear, self.widths = linear, widths
        self.last: tuple[Tensor | None, tuple[Tensor, ...]] = None, ()

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> tuple[Float[Tensor, "*batch _"], ...]:
        """What all maps make of x, computed when the first of them is asked."""
        last = self.last  # read once: another thread may be decoding, too
        if last[0] is not x:
            self.last = last = x, self.linear(x).split(self.widths, dim=-1)
        return last[1]


class Part(nn.Module):
    """One of the maps that a `Together` computes."""

    def __init__(self, together: Together, place: int):
        super().__init__()
        self.together, self.place = together, place

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> Float[Tensor, "*batch width_out"]:
        """What this map makes of x."""
        return self.together(x)[self.place]


def replace_linear_maps(model: Transformer, make: LinearMaker) -> Transformer:
    """A copy for inference with other linear maps, the output's too; all else is shared."""
    shared = chain(model.parameters(), model.buffers())
    copied = copy.deepcopy(model, {id(tensor): tensor for tensor in shared}).eval()
    for layer in chain(copied.encoder_layers, copied.decoder_layers):
        join_projections(cast(MultiHeadAttention, layer.self_attn), make)
    for module in list(copied.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                setattr(module, name, make(child.weight.detach(), child.bias))
    output = make(copied.embedding.weight.detach(), None)
    setattr(copied, "logits", output.forward)  # noqa: B010  # in place of the method
    return copied


def is_packed(model: Transformer) -> bool:
    """Whether `replace_linear_maps` made this model."""
    return "logits" in vars(model)


def join_projections(attend: MultiHeadAttention, make: LinearMaker) -> None:
    """Compute queries, keys and values of a self-attention at once: they read the same input."""
    maps = [attend.query_proj, attend.key_proj, attend.value_proj]
    weight = torch.cat([each.weight for each in maps]).detach()
    bias = torch.cat([each.bias for each in maps]).detach()
    together = Together(make(weight, bias), [each.out_features for each in maps])
    for place, name in enumerate(("query_proj", "key_proj", "value_proj")):
        setattr(attend, name, Part(together, place))
