"""The machine's limits: what is counted, and the chart that is drawn of it."""

import json
from pathlib import Path
from xml.etree import ElementTree

import plots
import pytest
import roof
import torch
from decode_engines import ours, tireless
from decode_speed import SMOKE, sources
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from transformer_course.commands.record import RESULTS
from transformer_course.model import Transformer

TAG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(("sentences", "beam"), [(1, 1), (1, 4), (5, 1), (5, 3)])
def test_the_operations_of_decoding_are_those_that_torch_counts(sentences, beam):
    torch.manual_seed(0)
    model, src = tireless(Transformer(SMOKE)), sources(SMOKE, sentences, 7)
    written_out = sdpa_kernel(SDPBackend.MATH)  # of the fused one it counts nothing
    with written_out, FlopCounterMode(display=False) as counter:
        ours(model)(src, beam, 7)
    found = counter.get_total_flops() / roof.decoding_flops(SMOKE, src, beam, 7)
    assert 0.99 < found < 1.01


def test_every_matrix_is_read_for_one_token():
    matrices = [each for each in Transformer(SMOKE).parameters() if each.dim() == 2]
    assert roof.bytes_read(SMOKE, 1) == sum(each.nbytes for each in matrices)


def test_bf16_is_measured_where_it_exists():
    assert next(iter(roof.modes())) == "fp32"
    if torch.backends.cpu.get_cpu_capability() != "AVX512":
        assert list(roof.modes()) == ["fp32"]


def test_the_chart_is_that_of_the_result_file():
    result = json.loads((RESULTS / "roof-cpu.json").read_text())
    drawn = plots.shares(result)
    assert (Path(plots.__file__).parent / "roof.svg").read_text() == drawn
    texts = [text.text for text in ElementTree.fromstring(drawn).iter(f"{TAG}text")]
    for machine in result["machines"]:
        assert f"{machine['cpu']}, {machine['capability']}" in texts


def test_a_bar_is_as_long_as_its_share():
    def row(name, *found):
        values = [share and {"median": share} for share in found]
        return {"name": name, **dict(zip(plots.LIMITS, values, strict=True))}

    rows = [row("train", 0.25, None), row("decode", 0.1, 0.75)]
    machine = {"cpu": "A & B", "capability": "AVX2", "rows": rows}
    drawn = ElementTree.fromstring(plots.shares({"what": "limits", "machines": [machine]}))
    widths = [float(bar.get("width")) for bar in drawn.iter(f"{TAG}rect")]
    assert [round(width / widths[0], 2) for width in widths] == [1, 0.4, 3]
    texts = [text.text for text in drawn.iter(f"{TAG}text")]
    assert texts == ["A & B, AVX2", "train", "25%", "decode", "10% and 75%"]
