"""What code raised, in words that tell a learner what to look at."""

import html
import re

MOST = 1000  # characters of one message
STRESS = re.compile(r"(?<![\w*^])\*(?=\w)([^*]*\w)\*(?![\w*])")  # not 2 * x * y, nor **kwargs
SIZES = "equal sizes are needed, or a 1 in one of them"
UNFINISHED = "A value is None here. Does every function of yours end with a `return`? "
UNFINISHED += "(`append` and `sort` change a list, and return None.)"

# What torch, NumPy and Python say; what a learner reads, with the numbers in it.
SAID: list[tuple[str, str]] = [
    (
        r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
        "There is no matrix product of shapes ({0}, {1}) and ({2}, {3}): the last axis of the "
        "first has {1} values, the last but one of the second has {2}.",
    ),
    (
        r"Expected size for first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\] "
        r"but got: \[(\d+), (\d+)\]",
        "These matrix products do not fit: the second factor is expected as ({0}, {1}, ...), and "
        "is ({2}, {3}, ...). Its last axis but one has to be as long as the last of the first.",
    ),
    (
        r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]",
        "A product of vectors with {0} and {1} values does not exist: the lengths have to agree.",
    ),
    (
        r"size mismatch, got input \(\d+\), mat \((\d+)x(\d+)\), vec \((\d+)\)",
        "A matrix of shape ({0}, {1}) times a vector of {2} values does not exist: {1} and {2} "
        "have to be equal.",
    ),
    (
        r"einsum\(\): subscript (\w) has size (\d+) for operand \d+ which does not broadcast with "
        r"previously seen size (\d+)",
        "The letter {0} of the einsum stands for axes of {2} and of {1} values. Which axis should "
        "it be?",
    ),
    (
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) "
        r"at non-singleton dimension (\d+)",
        "Tensors with {0} and {1} values along axis {2} cannot be combined: " + SIZES + ". If one "
        "has lost an axis in a sum, a mean or a maximum, `keepdim=True` keeps it.",
    ),
    (
        r"operands could not be broadcast together with shapes \((\d+(?:,\d+)*),(\d+)\) (\(\1,?\))",
        "Arrays of shapes ({0},{1}) and {2} cannot be combined. Has the second lost its last "
        "axis, in a sum, a mean or a maximum? `keepdims=True` keeps it.",
    ),
    (
        r"operands could not be broadcast together with shapes (\([\d,]*\)) (\([\d,]*\))",
        "Arrays of shapes {0} and {1} cannot be combined: from the right, " + SIZES + ".",
    ),
    (
        r"matmul: .*\(size (\d+) is different from (\d+)\)",
        "There is no such matrix product: the last axis of the first array has {1} values, the "
        "last but one of the second has {0}.",
    ),
    (
        r"shapes (\([\d,]*\)) and (\([\d,]*\)) not aligned: (\d+) .*?!= (\d+)",
        "There is no matrix product of shapes {0} and {1}: {2} and {3} have to be equal.",
    ),
    (
        r"shape '\[([-\d, ]*)\]' is invalid for input of size (\d+)",
        "{1} values cannot be arranged in the shape ({0}): the product of its sizes is another.",
    ),
    (
        r"cannot reshape array of size (\d+) into shape \(([-\w,]*)\)",
        "{0} values cannot be arranged in the shape ({1}): the product of its sizes is another.",
    ),
    (
        r"view size is not compatible with input tensor's size and stride",
        "After a transpose the values lie in another order, and `view` only renames them in "
        "place. Use `reshape`, which copies.",
    ),
    (
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], "
        r"but got (-?\d+)\)",
        "There is no axis {2}: this tensor counts its axes from {0} to {1}.",
    ),
    (
        r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) "
        r"but got size (\d+)",
        "Tensors that are joined along axis {0} have to agree along the others: {1} is not {2}.",
    ),
    (
        r"m(?:at)?1 and m(?:at)?2 .*have the same dtype, but got:? (.+) (?:!=|and) (.+)",
        "A matrix product needs one type of numbers, and these are {0} and {1}. Where does the "
        "second type come from?",
    ),
    (
        r"with more than one (?:value|element) is ambiguous",
        "One True or False is needed here, and there are many. `and`, `or`, `not`, `if`, `min` and "
        "`max` ask for a single one. Number by number there are `&`, `|`, `~`, `where`, `minimum` "
        "and `maximum`.",
    ),
    (
        r"only integer scalar arrays can be converted to a scalar index",
        "An array stands where one whole number is expected. (`np.max` and `np.min` look along an "
        "axis of one array; of two arrays, `np.maximum` and `np.minimum` take the larger or the "
        "smaller number at each place.)",
    ),
    (
        r"axes don't match array",
        "NumPy's `transpose` wants all axes, in their new order. `swapaxes` exchanges two.",
    ),
    (
        r"'tuple' object has no attribute '(\w+)'",
        "This is a tuple, several things together, and has no `{0}`. Which of them is meant?",
    ),
    (
        r"expected input\[([\d, ]+)\] to have (\d+) channels, but got (\d+) channels instead",
        "The convolution reads {1} channels, and the input ({0}) has {2}. Channels stand on the "
        "middle axis: (batch, channels, length).",
    ),
    (
        r"setting an array element with a sequence.*inhomogeneous",
        "These rows are not equally long, and an array is a rectangle: fill up the short ones.",
    ),
    (
        r"index (\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)",
        "There is no place {0} on axis {1}: it has {2}, and they are counted from 0.",
    ),
    (
        r"indexing arrays could not be broadcast together with shapes (.+)",
        "Arrays that pick places together need one shape, and these have {0}.",
    ),
    (
        r"list index out of range",
        "The list has no such place: it ends before. Is a neighbor asked for at the very end?",
    ),
    (
        r"Index tensor must have the same number of dimensions as (?:self|input) tensor",
        "The index needs as many axes as the tensor that it picks from. `[..., None]` gives it one "
        "more, of size 1.",
    ),
    (
        r"a view of a leaf Variable that requires grad is being used in an in-place operation",
        "A parameter can be written to only where no gradients are recorded: in a block "
        "`with torch.no_grad():`.",
    ),
    (
        r"(max|min)\(\):? (?:arg is an empty seq|iterable argument is empty|.*numel\(\) == 0)",
        "`{0}` of nothing has no value. In which case is there nothing, and what should come out?",
    ),
    (
        r"(?:expand\(torch\.\w+\{\[|input array from shape \()([\d, ]+)"
        r"(?:\]\}, size=\[|\) into shape \()([\d, ]+)[\])]",
        "Values of shape ({0}) do not fit into a place of shape ({1}).",
    ),
    (
        r"Expected target size \[([\d, ]+)\], got \[([\d, ]+)\]",
        "For targets of shape ({1}), `cross_entropy` expects the classes of the logits on axis 1. "
        "Or flatten both: (tokens, classes) and (tokens,).",
    ),
    (
        r"boolean index did not match indexed array along|The shape of the mask .+ does not match "
        r"the shape of the indexed tensor",
        "A mask inside `[...]` has to have the very shape of what it picks from: there it is not "
        "broadcast. `masked_fill` and `where` do broadcast it.",
    ),
    (
        r"got an unexpected keyword argument '(keepdim|dim)'",
        "`{0}` is a word of torch. In NumPy it is `keepdims` for keepdim, and `axis` for dim.",
    ),
    (
        r"(\w+)\(\): argument '\w+' \(position \d+\) must be Tensor, not ([\w.]+)",
        "Torch's `{0}` wants a tensor, and this is of type {1}. NumPy has functions of its own for "
        "arrays, and `math` for single numbers.",
    ),
    (
        r"'numpy\.ndarray' object has no attribute '(\w+)'",
        "An array of NumPy has no `{0}`: is that torch's?",
    ),
    (
        r"'Tensor' object has no attribute '(\w+)'",
        "A tensor of torch has no `{0}`: is that NumPy's?",
    ),
    (
        r"only (?:0-dimensional arrays|length-1 arrays|one element tensors) can be converted|"
        r"a Tensor with \d+ elements cannot be converted to Scalar",
        "What is for one number, such as `float` or a function of `math`, was given many. Arrays "
        "have functions of NumPy, tensors those of torch.",
    ),
    (
        r"'float' object cannot be interpreted as an integer|must be tuple of ints,but got float",
        "A whole number is needed here. `/` gives a fraction even where nothing is left over: `//` "
        "divides whole numbers.",
    ),
    (
        r"can't multiply sequence by non-int|unsupported operand type\(s\) for \S+ 'list'",
        "Lists do not compute number by number. Make arrays of them first (`np.array`), or go "
        "through them in a loop (`zip`).",
    ),
    (
        r"bad operand type for unary ~: 'NoneType'",
        "The mask is None here, and None cannot be turned round: ask `is not None` first.",
    ),
    (
        r"upper bound and (?:lower|larger) bound inconsistent with step sign",
        "This `arange` ends before it begins: the second number says where to stop, not how many.",
    ),
    (
        r"math range error",
        "e to so large a number is infinite. Is something in the exponent that should have been "
        "divided?",
    ),
    (
        r"'NoneType' object is not callable",
        "What is called here is None. Has a name of a function or a class been given a new value?",
    ),
    (
        r"failed in the TorchScript interpreter",
        "Code that TorchScript compiled failed, or called what this question forbids. Write it as "
        "plain Python.",
    ),
    (r"'?NoneType'? (?:object|has no len)|type\(s\) for .*'NoneType'", UNFINISHED),
    (
        r"not enough values to unpack \(expected (\d+), got (\d+)\)",
        "{0} values are expected here, and there are {1}. What does your function return?",
    ),
    (
        r"too many values to unpack \(expected (\d+)(?:, got \d+)?\)",
        "{0} values are expected here, and there are more. What does your function return?",
    ),
]


def plain(text: str) -> str:
    """A sentence of ours where the error is a common one, else what it says."""
    for pattern, sentence in SAID:
        if found := re.search(pattern, text):
            return sentence.format(*found.groups())
    return text


def clipped(text: str, most: int = MOST) -> str:
    """At most so many characters of it, and how many more there were."""
    left = len(text) - most
    return f"{text[:most]} … ({left:,} more characters)" if left > 0 else text


def inline(text: str) -> str:
    """A message as HTML, with the `code` and *stress* in it."""
    parts = re.split(r"`([^`]+)`", html.escape(text, quote=False))
    return "".join(
        f"<code>{part}</code>" if n % 2 else STRESS.sub(r"<em>\1</em>", part)
        for n, part in enumerate(parts)
    )
