"""Which sizes of a model fit each other."""

from transformer_course.errors import DataError


def head_sizes(
    d_model: int,
    num_heads: int,
    head_dim: int | None = None,
    value_dim: int | None = None,
    num_kv_heads: int | None = None,
) -> tuple[int, int, int]:
    """d_k, d_v and the heads of keys and values; where not given, the paper's (section 3.2.2)."""
    if d_model % num_heads and None in (head_dim, value_dim):
        raise DataError(
            f"d_model={d_model} is not divisible by num_heads={num_heads}: "
            "every head needs an equal slice, so change one of the two"
        )
    num_kv_heads = num_kv_heads or num_heads
    if num_heads % num_kv_heads:
        raise DataError(
            f"num_heads={num_heads} is not divisible by num_kv_heads={num_kv_heads}: "
            "as many queries must share each key head, so change one of the two"
        )
    return head_dim or d_model // num_heads, value_dim or d_model // num_heads, num_kv_heads


def check_even(name: str, width: int) -> None:
    """Refuse a width that sines and cosines cannot fill in pairs."""
    if width % 2:
        raise DataError(
            f"{name}={width} is odd: sines and cosines come in pairs, use an even width"
        )


def check_pairs(keys: int, values: int) -> None:
    """Refuse keys and values that are not as many: a fast kernel reads past the shorter ones."""
    if keys != values:
        raise DataError(
            f"keys of {keys} places and values of {values}: every key needs a value of its own, "
            "so take both from the same sequence"
        )
