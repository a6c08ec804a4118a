"""LabelSmoothing: what it accepts, and its static twin, which is the package's loss."""

import math

import pytest
import torch
import traitlets
from torch.testing import assert_close

from transformer_course.training import label_smoothed_loss
from transformer_course.widgets import LabelSmoothing

SETTINGS = [(0.1, 5.5, 5), (0.0, -1.5, 2), (0.37, 16.0, 8), (0.1, 12.0, 37_000)]


def package(epsilon: float, lead: float, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Loss and gradient from the package; the padding, word 0 there, can never be the answer."""
    scores = torch.full((size + 1,), 0.0, dtype=torch.float64)
    scores[1] = lead
    scores = scores[1:].roll(1).requires_grad_()  # the right word is number 1
    loss = label_smoothed_loss(scores[None, None], torch.tensor([[1]]), epsilon)
    return loss.detach(), torch.autograd.grad(loss, scores)[0].roll(-1)


@pytest.mark.parametrize(("epsilon", "lead", "size"), SETTINGS)
def test_the_static_twin_holds_the_packages_loss_and_gradient(epsilon, lead, size):
    widget = LabelSmoothing(epsilon=epsilon, lead=lead, size=size)
    words, numbers = (torch.from_numpy(table.cells) for table in widget.tables())
    loss, gradient = package(epsilon, lead, size)
    assert_close(numbers[0, 0], loss)
    assert_close(numbers[1, 0], package(0.0, lead, size)[0])
    assert_close(words[:, 2] / 100, gradient[: len(words)])
    assert_close(words[:, 2], words[:, 1] - words[:, 0])
    assert len(words) == min(size, 8)


@pytest.mark.parametrize(("epsilon", "size"), [(0.1, 5), (0.5, 2), (0.2, 1000)])
def test_the_smallest_loss_is_the_targets_entropy_where_the_model_says_the_target(epsilon, size):
    target, _ = LabelSmoothing(epsilon=epsilon, size=size).distributions()
    best = math.log(target[0] / target[1])
    numbers = LabelSmoothing(epsilon=epsilon, lead=best, size=size).tables()[1].cells[:, 0]
    loss, gradient = package(epsilon, best, size)
    assert numbers[0] == pytest.approx(numbers[2]) == pytest.approx(loss.item())
    assert numbers[3] == pytest.approx(100 * (1 - epsilon + epsilon / size))
    plain, _ = package(0.0, best, size)  # perplexity counts no smoothing
    assert numbers[4] == pytest.approx(math.exp(plain.item()))
    assert_close(gradient, torch.zeros(size, dtype=torch.float64))


def test_the_model_at_the_start_is_more_certain_than_its_target_wants():
    right, *others = LabelSmoothing().tables()[0].cells
    assert right[2] > 0 > max(other[2] for other in others)


def test_its_text_form_names_the_setting():
    assert repr(LabelSmoothing()) == "LabelSmoothing(epsilon=0.1, lead=5.5, size=5)"


@pytest.mark.parametrize(
    ("name", "bad", "wanted"),
    [
        ("epsilon", -0.1, "should not be less than 0"),
        ("epsilon", 0.6, "should not be greater than 0.5"),
        ("lead", 17, "should not be greater than 16"),
        ("size", 3, "expected any of"),
        ("words", ["mat"], "must be of length 8 <= L <= 8"),
    ],
)
def test_what_does_not_fit_is_refused(name, bad, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        LabelSmoothing(**{name: bad})
