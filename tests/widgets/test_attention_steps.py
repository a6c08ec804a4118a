"""AttentionSteps: what it accepts, and its static twin."""

import re

import numpy as np
import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.model import attention, causal_mask
from transformer_course.widgets import AttentionSteps

MASKED_ROW = [[True, True, True], [False, False, False], [True, False, True]]


def tensors(steps: AttentionSteps) -> list[torch.Tensor]:
    numbers = (steps.query, steps.key, steps.value)
    return [
        *(torch.tensor(rows, dtype=torch.float64) for rows in numbers),
        torch.tensor(steps.mask),
    ]


@pytest.mark.parametrize("mask", [None, causal_mask(3), torch.tensor(MASKED_ROW)])
def test_the_static_twin_holds_the_numbers_of_the_packages_attention(mask):
    steps = AttentionSteps() if mask is None else AttentionSteps(mask=mask)
    query, key, value, allowed = tensors(steps)
    mixed, weights = attention(query, key, value, allowed)
    scores, scaled, shares, output = (torch.from_numpy(table.cells) for table in steps.tables())
    assert_close(scores, query @ key.T)
    assert_close(scaled, query @ key.T / 2)
    assert_close(shares, torch.cat([weights, weights.sum(-1, keepdim=True)], -1), equal_nan=True)
    assert_close(output, mixed, equal_nan=True)


def test_the_example_has_one_clear_choice_and_its_rounded_rows_still_sum_to_one():
    weights = AttentionSteps().tables()[2].cells.round(2)
    np.testing.assert_array_equal(
        weights, [[0.12, 0.55, 0.33, 1], [0.63, 0.23, 0.14, 1], [0.11, 0.82, 0.07, 1]]
    )
    np.testing.assert_allclose(weights[:, :3].sum(axis=1), 1)  # as displayed, too


def test_text_and_html_hold_the_same_numbers_and_no_address():
    steps = AttentionSteps(mask=MASKED_ROW)
    bundle, _ = steps._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert repr(steps) == "AttentionSteps(tokens=['the', 'cat', 'sat'])"
    shown = re.findall(r"-?\d+\.\d\d|nan", bundle["text/plain"])
    assert shown == re.findall(r"<td>(-?\d+\.\d\d|nan)</td>", bundle["text/html"])
    assert len(shown) == 9 + 9 + 12 + 12
    assert shown.count("nan") == 4 + 4  # three weights, their sum, and an output of four
    assert bundle == AttentionSteps(mask=MASKED_ROW)._repr_mimebundle_()[0] | {
        "application/vnd.jupyter.widget-view+json": bundle[
            "application/vnd.jupyter.widget-view+json"
        ]
    }
    assert "0x" not in bundle["text/plain"] + bundle["text/html"]


def test_html_escapes_the_tokens():
    assert "&lt;s&gt;" in AttentionSteps(tokens=["<s>", "cat", "sat"]).as_html()


def test_tensors_and_arrays_are_accepted_and_copied():
    query = torch.arange(12.0).reshape(3, 4)
    steps = AttentionSteps(query=query, key=query.numpy(), mask=causal_mask(3))
    assert steps.query == steps.key == query.tolist()
    assert steps.mask == causal_mask(3).tolist()
    assert type(steps.query[0][0]) is float


def test_two_widgets_share_nothing():
    one, other = AttentionSteps(), AttentionSteps()
    one.query[0][0] = 9
    one.start["query"][0][1] = 9
    assert other.query[0] == AttentionSteps().query[0] == [1.5, 0, 0, -1]
    assert other.start["query"][0] == [1.5, 0, 0, -1]


def test_the_start_is_kept_for_the_reset_button():
    steps = AttentionSteps(mask=causal_mask(3), step=2)
    steps.mask = np.ones((3, 3), dtype=bool)
    steps.query = np.zeros((3, 4))
    assert steps.start["mask"] == causal_mask(3).tolist()
    assert steps.start["query"][0] == [1.5, 0, 0, -1]


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize(
    "bad",
    [
        [[1, 2, 3, 4]] * 2,
        [[1, 2, 3]] * 3,
        [[1, 2, 3, 4], [1, 2, 3, 4], 5],
        [[1, 2, 3, "4"]] * 3,
        [[1, 2, 3, True]] * 3,
        [[1, 2, 3, float("nan")]] * 3,
        [[1, 2, 3, float("inf")]] * 3,
        [[1, 2, 3, 100.5]] * 3,
        "cat",
        None,
    ],
    ids=str,
)
def test_vectors_that_do_not_fit_are_refused_with_what_was_expected(name, bad):
    wanted = f"^{name}: expected 3 lists of 4 numbers from -100 to 100, got "
    with pytest.raises(traitlets.TraitError, match=wanted):
        AttentionSteps(**{name: bad})


@pytest.mark.parametrize(
    "bad", [[[True] * 3] * 2, [[1, 0, 0]] * 3, [[True, True, None]] * 3], ids=str
)
def test_a_mask_that_does_not_fit_is_refused_with_what_was_expected(bad):
    wanted = r"^mask: expected 3 lists of 3 True \(may attend\) or False, got "
    with pytest.raises(traitlets.TraitError, match=wanted):
        AttentionSteps(mask=bad)


def test_a_refused_value_leaves_the_old_one():
    steps = AttentionSteps()
    with pytest.raises(traitlets.TraitError, match="expected 3 lists of 4"):
        steps.query = [[0]]
    assert steps.query[0] == [1.5, 0, 0, -1]


@pytest.mark.parametrize("step", [-1, 4])
def test_there_are_four_steps(step):
    with pytest.raises(traitlets.TraitError, match="should not be (less|greater) than"):
        AttentionSteps(step=step)


def test_there_are_three_tokens():
    with pytest.raises(traitlets.TraitError, match="must be of length 3 <= L <= 3"):
        AttentionSteps(tokens=["one", "two"])
