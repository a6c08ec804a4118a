"""What torch, NumPy and Python say about shapes, axes and places, and what a learner reads."""

SIZES = "equal sizes are needed, or a 1 in one of them"

# A pattern, and a sentence with what was found in it. The first one that fits is taken.
SHAPES: list[tuple[str, str]] = [
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
        r"axes don't match array",
        "NumPy's `transpose` wants all axes, in their new order. `swapaxes` exchanges two.",
    ),
    (
        r"expected input\[([\d, ]+)\] to have (\d+) channels, but got (\d+) channels instead",
        "The convolution reads {1} channels, and the input ({0}) has {2}. Channels stand on the "
        "middle axis: (batch, channels, length).",
    ),
    (
        r"setting an array element with a sequence.*inhomogeneous|"
        r"expected sequence of length \d+ at dim",
        "These rows are not equally long, and an array is a rectangle: fill up the short ones.",
    ),
    (
        r"index (\d+) is out of bounds for axis (\d+) with size (\d+)",
        "There is no place {0} on axis {1}: it has {2}, and they are counted from 0.",
    ),
    (  # torch calls the axis 0 whenever a tensor of places picks along another one
        r"(?:index |INDICES element .* bounds, id=)(\d+) (?:is out of bounds for dimension \d+ "
        r"with size |axis_dim=)(\d+)",
        "There is no place {0} on an axis with {1}: they are counted from 0.",
    ),
    (
        r"indexing arrays could not be broadcast together with shapes (.+)",
        "Arrays that pick places together need one shape, and these have {0}.",
    ),
    (
        r"list index out of range",
        "The list has no such place: it ends before, or is empty. Is a neighbor asked for at the "
        "very end, or the last of none?",
    ),
    (
        r"Index tensor must have the same number of dimensions as (?:self|input) tensor",
        "The index needs as many axes as the tensor that it picks from. `[..., None]` gives it one "
        "more, of size 1.",
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
        r"upper bound and (?:lower|larger) bound inconsistent with step sign",
        "This `arange` ends before it begins: the second number says where to stop, not how many.",
    ),
    (
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at",
        "An axis of {1} values does not fit into one of {0}: only an axis of 1 can be expanded.",
    ),
    (
        r"output with shape \[([\d, ]*)\] doesn't match the broadcast shape \[([\d, ]*)\]",
        "Values of shape ({0}) cannot take in a mask or a summand that would make ({1}) of them: "
        "it has to fit their axes.",
    ),
    (
        r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\(\[([\d, ]*)\]\) from "
        r"checkpoint, the shape in current model is torch\.Size\(\[([\d, ]*)\]\)",
        "Weights of shape ({1}) do not go into `{0}`: its shape is ({2}).",
    ),
    (
        r"Missing key\(s\) in state_dict: \"([\w.]+)\"",
        "The weights to be loaded have none for `{0}`: is it a part too many, or of another name?",
    ),
    (
        r"Unexpected key\(s\) in state_dict: \"([\w.]+)\"",
        "There is no `{0}` to load weights into: is a part missing, or has it another name?",
    ),
    (
        r"Given normalized_shape=\[(\d+)\], expected input .* size ?\[([\d, ]+)\]",
        "This LayerNorm is for a last axis of {0} values, and the input has the shape ({1}).",
    ),
    (
        r"einsum\(\): the number of subscripts in the equation \((\d+)\) does not match the number "
        r"of dimensions \((\d+)\) for operand (\d+)",
        "Operand {2} of the einsum, counted from 0, has {1} axes and {0} letters.",
    ),
    (
        r"batch[12] must be a 3D tensor",
        "`bmm` multiplies tensors of three axes. `@` takes any number of them.",
    ),
    (
        r"too many indices for (?:tensor of dimension|array: array is) (\d+)",
        "There are more indices than axes: it has {0}.",
    ),
    (
        r"stack expects each tensor to be equal size|all input arrays must have the same shape",
        "What is stacked has to have one shape. Fill up the short ones first.",
    ),
    (
        r"index out of range in self|Class values must be smaller than num_classes",
        "An id lies outside of the table. Its rows are counted from 0: the last is one less than "
        "there are.",
    ),
    (
        r"selected index k out of range",
        "More values are asked for than there are: `k` is at most the length of the axis.",
    ),
]
