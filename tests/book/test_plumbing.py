"""Pages show no cell's statements that only carry a number into the text."""

import plumbing
import pytest

KEPT = "x = 2\n\nprint(x)"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (f'{KEPT}\nglue("x", x, display=False)', KEPT),
        ('x = 2\nglue(\n    "x",\n    x,\n)\ny = 3', "x = 2\ny = 3"),
        ('for n in (1, 2):\n    glue(f"{n}", n)', ""),
        ('for n in (1, 2):\n    print(n)\n    glue(f"{n}", n)', "for n in (1, 2):\n    print(n)"),
        ('if True:\n    glue("x", 1)', None),  # without it, no body would be left
        ("%timeit glue(1)", None),
        ("def glue(x):\n    return x", None),
    ],
)
def test_what_only_carries_a_number_goes(code, shown):
    assert plumbing.without_glue(code) == (code if shown is None else shown)
