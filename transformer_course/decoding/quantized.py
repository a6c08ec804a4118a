"""Eight bits a weight: a quarter of the memory to read at each step of decoding.

Each row of a weight matrix is stored as whole numbers from -127 to 127 and one scale. What is
multiplied with it is rounded the same way, row by row, when it comes. Products and sums of whole
numbers are exact, so those two roundings are all that is lost (Jacob et al. 2018; Bhandare et al.
2019 for the Transformer). And as no row's scale depends on another row, a sentence is translated
alike alone and in a batch.
"""

import torch
from jaxtyping import Float, Int8
from torch import Tensor, nn

from transformer_course.decoding.packed import (
    has_onednn,
    has_plain_weights,
    replace_linear_maps,
)
from transformer_course.model import Transformer


def to_int8(
    rows: Float[Tensor, "rows width"],
) -> tuple[Int8[Tensor, "rows width"], Float[Tensor, "rows 1"]]:
    """Round each row to whole numbers of its own unit, the scale; the largest becomes 127."""
    scale = (rows.abs().amax(-1, keepdim=True) / 127).clamp_min_(1e-30)
    return (rows / scale).round_().to(torch.int8), scale


class Int8Linear(nn.Module):
    """A linear map whose weights and inputs are int8; what comes in and out is float32."""

    def __init__(
        self,
        weight: Float[Tensor, "width_out width_in"],
        bias: Float[Tensor, "width_out"] | None,
    ):
        super().__init__()
        self.weight, scale = to_int8(weight)
        self.scale = scale.flatten()
        self.bias = None if bias is None else bias.detach()
        self.packed = None
        if has_onednn() and multiplies_int8_exactly():
            self.packed = torch.ops.onednn.qlinear_prepack(self.weight, None)
            self.zeros = torch.zeros_like(self.scale, dtype=torch.int8)

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> Float[Tensor, "*batch width_out"]:
        whole, scale = to_int8(x.flatten(0, -2))
        y = self.multiply(whole)
        y = y.mul_(scale) if self.bias is None else torch.addcmul(self.bias, y, scale)
        return y.view(*x.shape[:-1], -1)

    def multiply(self, x: Int8[Tensor, "rows width_in"]) -> Float[Tensor, "rows width_out"]:
        """Weights times x, still in units of x: one kernel is fastest for a row, one for many."""
        if len(x) == 1 or self.packed is None:
            return torch._int_mm(x, self.weight.t()) * self.scale
        return torch.ops.onednn.qlinear_pointwise.default(
            (x ^ -128).view(torch.uint8),  # x + 128: it wants numbers from 0 to 255, zero at 128
            1.0,
            128,
            self.packed,
            self.scale,
            self.zeros,
            None,
            1.0,
            0,
            torch.float32,
            "none",
            [],
            "",
        )


def multiplies_int8_exactly() -> bool:
    """Whether the processor adds up products of int8 in 32 bits (VNNI, AMX).

    Without that, oneDNN adds two of them in 16 bits, where large ones overflow without a word.
    """
    able = torch.cpu.get_capabilities()
    return any(able.get(name, False) for name in ("avx512_vnni", "avx_vnni", "amx_int8"))


def quantize(model: Transformer) -> Transformer:
    """A copy for inference on a CPU whose linear maps, the output's too, compute in int8.

    Raises:
        ValueError: if the model is not on a CPU in float32, or packed or quantized already.
    """
    if not has_plain_weights(model):
        weight = model.embedding.weight
        raise ValueError(
            f"int8 needs a model in float32 on a CPU, not packed or quantized yet; got "
            f"{weight.dtype} on {weight.device}: use quantize(model.float().cpu()) on the model "
            "that was trained or loaded"
        )
    return replace_linear_maps(model, Int8Linear)
