"""What torch and NumPy say about a wrong argument or partner, and what a learner reads."""

FRACTION = "`/` gives a fraction even where nothing is left over: `//` divides whole numbers."

# A pattern, and a sentence with what was found in it. The first one that fits is taken.
ARGUMENTS: list[tuple[str, str]] = [
    (
        r"^(zeros|ones|empty|randn?)\(\) (?:takes 1 positional argument but|received an invalid "
        r"combination of arguments)",
        "Is this torch's `{0}`? It takes one shape, or whole numbers one by one. Here something "
        "else is among them: a shape, which `*` unpacks (`*x.shape`), a fraction, or a type "
        "without `dtype=` before it.",
    ),
    (
        r"Cannot interpret '(.+)' as a data type",
        "A type of numbers is expected where {0} stands. A shape of several axes is one value, in "
        "parentheses of its own, as in `np.zeros((2, 3))`.",
    ),
    (
        r"slice indices must be integers",
        f"A slice is cut at whole numbers, and something else stands there. {FRACTION}",
    ),
    (
        r"\"bitwise_xor_\w+\" not implemented|ufunc 'bitwise_xor' not supported",
        "`^` is another operation in Python, on bits. A power is written `**`.",
    ),
    (
        r"ufunc '(?:bitwise_and|bitwise_or|invert)' not supported",
        "`&`, `|` and `~` are for masks, of True and False, and here is something else. A "
        "comparison makes a mask.",
    ),
    (
        r"unsupported operand type\(s\) for .+: 'numpy\.ndarray' and 'Tensor'|"
        r"Concatenation operation is not implemented for NumPy arrays",
        "An array of NumPy and a tensor of torch meet here. Make both of one kind first: "
        "`torch.as_tensor` makes tensors, `np.asarray` makes arrays.",
    ),
    (
        r"operand type.* for .*'range'",
        "A `range` does not compute number by number. `np.arange` and `torch.arange` give numbers "
        "that do, and a loop goes through a `range`.",
    ),
    (
        r"matmul: Input operand \d does not have enough dimensions|"
        r"both arguments to matmul need to be at least 1D",
        "A matrix product needs an axis on each side, and one side is a single number here. Does a "
        "loop go through the numbers of one row, where it should go through rows?",
    ),
    (
        r"expected Tensor as element (\d+) in argument \d+, but got ([\w.]+)",
        "Torch expects tensors here, and at place {0}, counted from 0, stands something of type "
        "{1}. `torch.tensor` makes a tensor of numbers.",
    ),
    (
        r"^axis (-?\d+) is out of bounds for array of dimension (\d+)",
        "There is no axis {0}. Those of this array are counted from 0 (and from the last, as -1), "
        "and it has {1} in all.",
    ),
    (
        r"operand has more dimensions than subscripts given in einstein sum",
        "An array has more axes here than the einsum has letters for it. `...` stands for any "
        "number of axes.",
    ),
    (
        r"einstein sum subscripts string contains too many subscripts for operand (\d+)",
        "The einsum has more letters for operand {0}, counted from 0, than that has axes.",
    ),
]
