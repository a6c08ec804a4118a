"""Eight bits a weight: a quarter of the memory to read at each step of decoding.

Each row of a weight matrix is stored as whole numbers from -127 to 127 and one scale. What is
multiplied with it is rounded the same way, row by row, when it comes. Products and sums of whole
numbers are exact, so those two roundings are all that is lost (Jacob et al. 2018; Bhandare et al.
2019 for the Transformer). And as no row's scale depends on another row, a sentence is translated
alike alone and in a batch.
"""

import warnings
from functools import cache
from typing import Any

import torch
from jaxtyping import Float, Int8
from torch import Tensor, nn

from transformer_course.decoding.packed import has_plain_weights, replace_linear_maps
from transformer_course.errors import DataError
from transformer_course.model import Transformer

MULTIPLY = "linear_with_input_q_dq_qweight_dq_output_fp32"  # FBGEMM's, in torch's own words


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
        self.largest = largest_input()  # a row's largest number becomes this whole number
        self.packed = pack_int8(self.weight, self.scale) if self.largest else None

    def forward(self, x: Float[Tensor, "*batch width_in"]) -> Float[Tensor, "*batch width_out"]:
        """The product in whole numbers, brought back to its unit, and the bias."""
        rows = x.flatten(0, -2)
        y, top = self.multiply(rows)
        y = y.mul_(top) if self.bias is None else torch.addcmul(self.bias, y, top)
        return y.view(*x.shape[:-1], -1)

    def multiply(
        self, x: Float[Tensor, "rows width_in"]
    ) -> tuple[Float[Tensor, "rows width_out"], Float[Tensor, "rows 1"]]:
        """Weights times x in a unit for each row, and that unit."""
        if self.packed is None:
            whole, scale = to_int8(x)
            return torch._int_mm(whole, self.weight.t()) * self.scale, scale
        top = x.abs().amax(-1, keepdim=True).clamp_min_(1e-30)
        return multiply_int8(x / top, self.largest, self.packed), top


def pack_int8(weight: Int8[Tensor, "width_out width_in"], scale: Float[Tensor, "width_out"]) -> Any:
    """The weights laid out for FBGEMM, which rounds its input and multiplies in one operation."""
    with warnings.catch_warnings():  # torch will drop its own type of such tensors some day
        warnings.filterwarnings("ignore", message=".*quantized tensor.*")
        zeros = torch.zeros(len(scale), dtype=torch.long)
        rows = torch._make_per_channel_quantized_tensor(weight, scale.double(), zeros, 0)
        return torch.ops.quantized.linear_prepack(rows, None)


def multiply_int8(x: Float[Tensor, "rows width_in"], largest: int, packed: Any) -> Tensor:
    """Numbers from -1 to 1, rounded to as many steps, times the weights."""
    return getattr(torch.ops.quantized, MULTIPLY)(x, 1 / largest, largest + 1, packed)


@cache
def largest_input() -> int:
    """How large inputs may be for sums to be exact here: 127, 63, or 0 if FBGEMM is not here.

    With VNNI a processor adds up products in 32 bits. Without it, two of them at a time are added
    in 16, where large ones overflow without a word; with inputs half as large they cannot. It is
    tried with the largest numbers that there are.
    """
    if "fbgemm" not in engines() or not hasattr(torch.ops.quantized, MULTIPLY):
        return 0
    packed = pack_int8(torch.full((16, 64), 127, dtype=torch.int8), torch.ones(16))
    for largest in (127, 63):
        found = multiply_int8(torch.ones(1, 64), largest, packed)
        if (found / (127 * 64) - 1).abs().max() < 1e-5:
            return largest
    return 0


def engines() -> list[str]:
    """The libraries for int8 that this build of torch has."""
    return torch.backends.quantized.supported_engines


def quantize(model: Transformer) -> Transformer:
    """A copy for inference on a CPU whose linear maps, the output's too, compute in int8.

    Raises:
        DataError: if the model is not on a CPU in float32, or packed or quantized already.
    """
    if not has_plain_weights(model):
        weight = model.embedding.weight
        raise DataError(
            f"int8 needs a model in float32 on a CPU, not packed or quantized yet; got "
            f"{weight.dtype} on {weight.device}: use quantize(model.float().cpu()) on the model "
            "that was trained or loaded"
        )
    return replace_linear_maps(model, Int8Linear)
