"""What a model is made of: the paper's choices by default, those of later papers by name."""

from dataclasses import dataclass
from typing import Any

from transformer_course.errors import DataError
from transformer_course.model.choices import CHOICES
from transformer_course.model.sizes import check_even, head_sizes

SIZES = ("vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len")
OPTIONAL_SIZES = ("head_dim", "value_dim", "num_kv_heads")
RETIRED = {"pad_id": 0}  # what older files still say, and the one value that all obeyed


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """What rebuilds the weights. The defaults are the paper's base model (table 3, first row).

    Raises:
        DataError: if no model can be built so; the message says which numbers and why.
    """

    vocab_size: int = 37_000
    d_model: int = 512
    num_heads: int = 8
    d_ff: int = 2048
    num_layers: int = 6
    dropout: float = 0.1
    max_len: int = 512
    head_dim: int | None = None  # d_k of table 3; None is d_model / num_heads
    value_dim: int | None = None  # d_v of table 3; None is d_model / num_heads
    num_kv_heads: int | None = None  # None is num_heads; 1 is multi-query attention
    norm_placement: str = "post"
    norm: str = "layer"
    positions: str = "sinusoidal"
    activation: str = "relu"

    def __post_init__(self) -> None:
        for name in SIZES + OPTIONAL_SIZES:
            value = getattr(self, name)
            missing = value is None and name in OPTIONAL_SIZES
            if not missing and (type(value) is not int or value < 1):
                raise DataError(f"{name}={value!r}: expected a whole number from 1 on")
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise DataError(
                    f"{name}={getattr(self, name)!r}: expected one of {', '.join(known)}"
                )
        if not isinstance(self.dropout, int | float) or not 0 <= self.dropout < 1:
            raise DataError(f"dropout={self.dropout!r}: expected a share from 0 to below 1")
        head_dim, _, _ = head_sizes(
            self.d_model, self.num_heads, self.head_dim, self.value_dim, self.num_kv_heads
        )
        if self.positions == "sinusoidal":
            check_even("d_model", self.d_model)
        if self.positions == "rotary":
            check_even("head_dim", head_dim)


def without_retired(values: dict[str, Any]) -> dict[str, Any]:
    """The entries of a file, less those that are no choice any more and say nothing new."""
    return {
        name: value
        for name, value in values.items()
        if name not in RETIRED or value != RETIRED[name]
    }


BASE = TransformerConfig()
BIG = TransformerConfig(d_model=1024, num_heads=16, d_ff=4096, dropout=0.3)
SMALL = TransformerConfig(vocab_size=6000, d_model=128, num_heads=4, d_ff=512, num_layers=4)
TINY = TransformerConfig(
    vocab_size=3000, d_model=64, num_heads=2, d_ff=256, num_layers=2, dropout=0.0
)
PRESETS = {"tiny": TINY, "small": SMALL, "base": BASE, "big": BIG}
