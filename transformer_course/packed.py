"""Linear maps for decoding on a CPU: the same function, weights laid out for its vector units.

A decoding step multiplies one vector, or a few, by every weight of the model, so it is as fast as
the weights are read. oneDNN reads them in blocks, laid out once; `F.linear` finds them row by row.
"""

import copy
from collections.abc import Callable
from itertools import chain

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer_course.model import Transformer

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
        self.dtype = dtype
        self.bias = None if bias is None else bias.to(dtype)
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach().to(dtype), None)

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> Float[Tensor, "*batch width_out"]:
        y = torch.ops.mkldnn._linear_pointwise.default(
            x.to(self.dtype), self.weight, self.bias, "none", [], ""
        )
        return y.float()


def pack(model: Transformer, dtype: torch.dtype = torch.float32) -> Transformer:
    """A copy that decodes faster on a CPU; in bfloat16, weights are read in half the time.

    In float32 it computes the same as the model, up to the order of additions. Where the model is
    not in float32, not on a CPU, or torch is built without oneDNN, there is nothing to pack.
    """
    weight = model.embedding.weight
    if weight.device.type != "cpu" or weight.dtype != torch.float32 or not has_onednn():
        return model
    return replace_linear_maps(model, lambda weight, bias: PackedLinear(weight, bias, dtype))


def has_onednn() -> bool:
    """Whether this build of torch has the kernels that read packed weights."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def replace_linear_maps(model: Transformer, make: LinearMaker) -> Transformer:
    """A copy for inference with other linear maps, the output's too; all else is shared."""
    shared = chain(model.parameters(), model.buffers())
    copied = copy.deepcopy(model, {id(tensor): tensor for tensor in shared}).eval()
    for module in list(copied.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                setattr(module, name, make(child.weight.detach(), child.bias))
    output = make(copied.embedding.weight.detach(), None)
    setattr(copied, "logits", output.forward)  # noqa: B010  # in place of the method
    return copied
