"""Teaching by larger models: the loss, what is left out, and the stages, one after another."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import distill
import pytest
import torch

from transformer_course.data import mixture
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint

TRAIN = [
    [("A dog runs.", "Ein Hund rennt."), ("A cat sleeps.", "Eine Katze schläft.")],
    [("I am tired.", "Ich bin müde."), ("Tom is here.", "Tom ist hier.")],
    [("The man sees it.", "Der Mann sieht es.")],
]
ASIDE = [
    [("Two dogs run.", "Zwei Hunde rennen.")],
    [("He isn't tired.", "Er ist nicht müde.")],
    [("The woman sees it.", "Die Frau sieht es.")],
]


@pytest.fixture
def small(monkeypatch):
    """Few pairs, models that learn in a moment, and all in one process."""
    for module in (distill, mixture):
        monkeypatch.setattr(module, "parts", lambda split: TRAIN if split == "train" else ASIDE)
    monkeypatch.setattr(distill, "ProcessPoolExecutor", lambda count, **how: ThreadPoolExecutor(1))
    tiny = {"d_model": 16, "num_heads": 2, "d_ff": 16, "num_layers": 1}
    for name in ("teacher", "student"):
        made = getattr(distill, name)

        def smaller(*args, made=made):
            learner = made(*args)
            return replace(learner, model=replace(learner.model, **tiny))

        monkeypatch.setattr(distill, name, smaller)
    before = torch.get_float32_matmul_precision(), torch.get_num_threads()
    yield
    torch.set_float32_matmul_precision(before[0])
    torch.set_num_threads(before[1])


def test_its_loss_and_gradients_are_those_of_two_cross_entropies():
    torch.manual_seed(0)
    states = torch.randn(3, 5, 16, requires_grad=True)
    weight = torch.randn(50, 16, requires_grad=True)
    tgt_out = torch.randint(4, 50, (3, 5))
    tgt_out[0, 3:] = 0
    order = torch.stack([torch.randperm(50)[: distill.LIKELIEST] for _ in range(15)])
    likely = order.view(3, 5, -1).to(torch.int16)
    shares = torch.rand(likely.shape).softmax(-1)
    found = distill.taught_loss(states, weight, tgt_out, (likely, shares), 0.1)
    gradients = torch.autograd.grad(found, (states, weight))
    logits = states @ weight.T
    log_p = logits.log_softmax(-1).gather(-1, likely.long())
    expected = -(log_p * shares).sum(-1)[tgt_out != 0].sum()
    stands = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1),
        tgt_out.flatten(),
        ignore_index=0,
        label_smoothing=0.1,
        reduction="sum",
    )
    wanted = distill.SHARE * expected + (1 - distill.SHARE) * stands
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(gradients, torch.autograd.grad(wanted, (states, weight)))


def test_what_is_like_a_sentence_set_aside_is_left_out_on_either_side(small):
    kept = ("I am tired.", "Ich bin müde.")
    like = [("He is not tired!", "Er schläft nie."), ("They do.", "Zwei Hunde rennen")]
    assert distill.unlike_set_aside([like[0], kept, like[1]]) == [kept]


def test_the_teachers_mean_is_that_of_their_distributions(small):
    learner = distill.teacher("one", 0, 8, 60)
    torch.manual_seed(0)
    models = [Transformer(learner.model).eval() for _ in range(2)]
    rows_of = distill.table([([5, 6, 7], [8, 9]), ([10], [11])], torch.device("cpu"))
    likely, shares = distill.soften(models, rows_of)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        mean = sum(
            each(rows_of[0][:1, :4], rows_of[1][:1, :4]).float().softmax(-1) for each in models
        )
    values, places = mean[0, :3].topk(distill.LIKELIEST)
    assert torch.equal(likely[0, :3].long(), places)
    torch.testing.assert_close(
        shares[0, :3].float(), values / values.sum(-1, True), atol=1e-3, rtol=0
    )


def test_the_stages_leave_students_and_are_not_taken_twice(small, tmp_path, capsys):
    out = tmp_path / "runs"
    asked = [str(out), "--device", "cpu", "--teacher-steps", "8", "--student-steps", "20"]
    assert distill.main(asked) == 0
    for width in distill.WIDTHS:
        run = Run.open(out / f"student-{width}")
        assert run.config.data == "mixture:en-de"
        losses = [line["loss"] for line in run.records("log.jsonl")]
        assert len(losses) == 20
        assert losses[-1] < losses[0]
        checkpoint.load(run.weights())
    first = (out / "written.json").stat().st_mtime_ns, (out / "backward").stat().st_mtime_ns
    for width in distill.WIDTHS:
        checkpoint.remove(out / f"student-{width}")
    assert distill.main(asked) == 0
    assert first == (
        (out / "written.json").stat().st_mtime_ns,
        (out / "backward").stat().st_mtime_ns,
    )
    assert "student-512: BLEU" in capsys.readouterr().out
    assert distill.main(asked) == 0  # all is there
    assert "step" not in capsys.readouterr().out


@pytest.mark.parametrize("steps", [["--teacher-steps", "2"], ["--seconds", "0"]])
def test_too_few_steps_or_seconds_get_one_line(small, tmp_path, capsys, monkeypatch, steps):
    monkeypatch.setattr(distill, "TRIED", 2)
    asked = [str(tmp_path / "runs"), "--device", "cpu", "--teacher-steps", "8", *steps]
    assert distill.main(asked) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so_in_one_line(tmp_path, capsys):
    assert distill.main([str(tmp_path / "runs")]) == 2
    assert capsys.readouterr().err.startswith("no device cuda on this machine: choose one of ")
