"""What torch, NumPy and Python say about types, gradients and calls, and what a learner reads."""

UNFINISHED = "A value is None here. Does every function of yours end with a `return`? "
UNFINISHED += "(`append`, `sort` and `shuffle` change a list, and return None.)"

# A pattern, and a sentence with what was found in it. The first one that fits is taken.
KINDS: list[tuple[str, str]] = [
    (
        r"cannot assign \w+ before Module\.__init__\(\) call|object has no attribute "
        r"'_(?:\w*hooks|parameters|modules|buffers)\w*'",
        "A module can keep nothing yet: its `__init__` has to begin with `super().__init__()`.",
    ),
    (
        r"cannot assign '.+' as child module '(\w+)'",
        "`{0}` is a layer of this module, and something else cannot take its name: keep the result "
        "under a name of its own.",
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
        r"'tuple' object has no attribute '(\w+)'",
        "This is a tuple, several things together, and has no `{0}`. Which of them is meant?",
    ),
    (
        r"a view of a leaf Variable that requires grad is being used in an in-place operation",
        "A parameter can be written to only where no gradients are recorded: in a block "
        "`with torch.no_grad():`.",
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
        r"'float' object cannot be interpreted as an integer|must be tuple of ints, ?"
        r"(?:but got|not) float",
        "A whole number is needed here. `/` gives a fraction even where nothing is left over: `//` "
        "divides whole numbers.",
    ),
    (
        r"can't multiply sequence by non-int|"
        r"unsupported operand type\(s\) for (?!.*NoneType).*'list'",
        "Lists do not compute number by number. Make arrays of them first (`np.array`), or go "
        "through them in a loop (`zip`).",
    ),
    (
        r"bad operand type for unary ~: 'NoneType'",
        "The mask is None here, and None cannot be turned round: ask `is not None` first.",
    ),
    (
        r"math range error",
        "e to so large a number is infinite. Is something in the exponent that should have been "
        "divided?",
    ),
    (
        r"failed in the TorchScript interpreter",
        "Code that TorchScript compiled failed, or called what this question forbids. Write it as "
        "plain Python.",
    ),
    (
        r"'NoneType' object is not callable",
        "What is called here is None. Has a name of a function or a class been given a new value?",
    ),
    (r"'?NoneType'? (?:object|has no len)|type\(s\) for .*'NoneType'", UNFINISHED),
    (
        r"not enough values to unpack \(expected (\d+), got (\d+)\)",
        "{0} values are expected here, and there are {1}.",
    ),
    (
        r"too many values to unpack \(expected (\d+)(?:, got \d+)?\)",
        "{0} values are expected here, and there are more.",
    ),
    (
        r"cannot unpack non-iterable (\w+) object",
        "Several values are expected here, and there is one, of type {0}.",
    ),
    (
        r"unhashable type: '(list|set|dict|numpy\.ndarray)'",
        "What can change, such as a value of type {0}, cannot be a key, nor stand in a set. "
        "`tuple(...)` makes of a list what can.",
    ),
    (
        r"is missing the required \"forward\" function",
        "This module has no `forward`. Is its name spelled so, and does it stand within the class?",
    ),
    (
        r"argument #1 'indices' .*but got (?:torch\.)?(?:\w+\.)*(\w+)Tensor .*for embedding",
        "Places and classes are counted by whole numbers, and this embedding is asked for rows by "
        "numbers of type {0}. `.long()` makes ids whole. Vectors are no ids: an embedding looks up "
        "and does not multiply.",
    ),
    (
        r"argument #1 'indices' |used as indices must be (?:long|of integer)|only integers, slices|"
        r"indices must be integers or slices, not float|dtype int32/int64 for index|"
        r"only applicable to index tensor|expected target dtype to be Long",
        "Places and classes are counted by whole numbers, and these are of another type. `//` "
        "divides without a fraction; `.long()` makes a tensor whole, `.astype(int)` an array.",
    ),
    (
        r"EOF when reading a line|raw_input was called",
        "Nobody sits at the keyboard while an answer is checked: do without `input()`, and take "
        "what you need from the arguments.",
    ),
    (
        r"for \^=?: '\w+' and '\w+'",
        "`^` is another operation in Python, on bits. A power is written `**`.",
    ),
    (
        r"leading zeros in decimal integer literals",
        "A number has no commas in Python: two thousand is `2000` or `2_000`, and a half `0.5`.",
    ),
    (
        r"(list|tuple) indices must be integers or slices, not (list|str|set|dict)",
        "A {0} is asked for a place by a whole number, and this is of type {1}. (A `for` over a "
        "{0} gives what stands in it, not the places.)",
    ),
    (
        r"(?:list|tuple) indices must be integers or slices, not tuple",
        "A list takes one place at a time, `a[i][j]`. Arrays and tensors take `a[i, j]`.",
    ),
    (
        r"\"bitwise_\w+\" not implemented for '(?:Float|Double)'|operator.invert\) is only impl",
        "`&`, `|` and `~` are for masks, of True and False, and here are fractions. A comparison "
        "makes a mask.",
    ),
    (
        r"\"\w+\" not implemented for '(?:Long|Int|Bool)'|could not infer output dtype",
        "This is not computed of whole numbers, nor of True and False: `.float()` makes fractions "
        "of them.",
    ),
    (
        r"operator, (?:with|on) .*bool tensor",
        "Masks are not subtracted: `~` turns one round, `&` and `|` join two.",
    ),
    (
        r"only supports boolean masks|where expected condition to be a boolean",
        "A mask has to hold True and False, and this holds numbers. A comparison makes a mask.",
    ),
    (
        r"modified by an inplace operation|tensor that is still needed was changed in place",
        "What the gradient needs was overwritten: by `+=`, by `[...] =`, or by a function whose "
        "name ends in `_`. Make a new tensor.",
    ),
    (
        r"^int\(\) argument must be .* not '([\w.]+)'",
        "A whole number is expected here, and there is something of type {0}.",
    ),
    (
        r"^invalid literal for int\(\)",
        "A whole number is expected here, and there is text.",
    ),
    (
        r"element 0 of tensors does not require grad",
        "No gradient flows from here: the result does not depend on what learns, or it was cut "
        "off, by `detach`, `.data` or `no_grad`.",
    ),
    (
        r"Integers to negative integer powers",
        "A whole number to a negative power is a fraction. Write the exponent as one: `-1.0`.",
    ),
    (
        r"as parameter '(\w+)' \(torch\.nn\.Parameter or None expected",
        "`{0}` is a parameter: put an `nn.Parameter` there.",
    ),
    (
        r"Can't call numpy\(\) on Tensor that requires grad",
        "NumPy knows no gradients: stay with torch, or `detach` first.",
    ),
    (
        r"([\w.]+)\(\) missing \d+ required positional arguments?: (.+)",
        "`{0}` was called without {1}. Compare the call with its `def`.",
    ),
    (
        r"^view\(\) takes from 0 to 2 positional arguments but \d+ were given",
        "The `view` of an array of NumPy takes no shape. Is torch's meant? `reshape` takes one in "
        "both.",
    ),
    (
        r"^(?:transpose|swapaxes)\(\) takes [23] positional arguments but \d+ were given|"
        r"^transpose\(\): argument 'dim0' \(position 1\) must be int, not tuple",
        "Torch's `transpose` swaps two axes, and so does `swapaxes`. All axes in their new order "
        "are for NumPy's `transpose`, and for torch's `permute`.",
    ),
    (
        r"([\w.]+)\(\) takes ([\w ]+) positional arguments? but (\d+) (?:was|were) given",
        "`{0}` takes {1} values, and was given {2}. (In a class the first one is `self`.)",
    ),
    (
        r"'(Tensor|Parameter|int|float|list|tuple|str|numpy\.ndarray)' object is not callable",
        "What is called here, with `(...)`, is a value of type {0} and no function. Is an operator "
        "missing before the parenthesis, or has a function's name been given a value?",
    ),
    (
        r"'(?:method|function|builtin_function_or_method)' object is not (?:sub|iter)",
        "A function stands here where its result is meant: call it, with `(...)`.",
    ),
    (
        r"'(?:int|float|bool)' object is not (?:subscriptable|iterable)|"
        r"of type '(?:int|float|bool)' has no len",
        "This is a single number, and several are expected.",
    ),
    (
        r"division by zero|modulo by zero",
        "It was divided by 0. When is there nothing to divide by, and what should come out then?",
    ),
    (
        r"maximum recursion depth exceeded",
        "A function calls itself without end. Is another one meant, or is the case missing that "
        "ends?",
    ),
    (
        r"'(\w+)' object has no attribute '(\w+)'",
        "A value of type {0} has no `{1}`. Is it the value that you mean, and the right name?",
    ),
]
