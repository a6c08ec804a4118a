"""ArchitectureMap: the counts of its static twin are the model's, and it refuses unknown blocks."""

import math

import pytest
import torch
import traitlets

from transformer_course.carried import translator
from transformer_course.data import EOS_ID
from transformer_course.decoding import evaluating
from transformer_course.model import PRESETS, TINY, Transformer, sinusoidal
from transformer_course.widgets import ArchitectureMap
from transformer_course.widgets.architecture_flow import ENGLISH, GERMAN, MODULES, flow
from transformer_course.widgets.architecture_map import count_parameters
from transformer_course.widgets.beam_tree import record


def test_the_blocks_of_a_real_model_hold_what_the_map_says():
    model, counts = Transformer(TINY), count_parameters(TINY)
    assert counts["model"] == model.num_parameters()
    assert counts["cross_attn"] == sum(
        p.numel() for p in model.decoder_layers[1].cross_attn.parameters()
    )
    assert counts["encoder"] + counts["decoder"] + counts["linear"] == counts["model"]
    assert counts["src_positions"] == counts["softmax"] == counts["tgt_tokens"] == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_the_static_twin_holds_every_block_and_shares_of_the_whole(preset):
    [table] = ArchitectureMap(preset=preset).tables()
    counts = count_parameters(PRESETS[preset])
    assert table.rows == [*MODULES, "model"]
    thousands, shares = torch.from_numpy(table.cells).T
    torch.testing.assert_close(thousands * 1000, torch.tensor([*counts.values()]).double())
    in_stacks = [table.rows.index(name) for name in ("encoder", "decoder", "linear")]
    assert shares[in_stacks].sum().item() == pytest.approx(100)


def test_the_papers_models_have_the_sizes_that_its_text_gives():
    assert count_parameters(PRESETS["base"])["model"] == 63_082_496
    assert count_parameters(PRESETS["big"])["model"] == 214_245_376


@pytest.mark.parametrize(
    ("name", "bad", "wanted"),
    [
        ("block", "attention", "expected any of .*'cross_attn'"),
        ("preset", "huge", "expected any of .*'base'"),
        ("batch", 0, "should not be less than 1"),
        ("src_len", 129, "should not be greater than 128"),
        ("tgt_len", "ten", "expected an int"),
    ],
)
def test_what_is_not_on_the_map_is_refused_with_what_was_expected(name, bad, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        ArchitectureMap(**{name: bad})


def test_it_opens_with_the_question_of_the_page_or_its_own():
    assert ArchitectureMap().asks == ArchitectureMap().flow["made"]["softmax"]["title"]
    assert ArchitectureMap(asks="Which block holds most").asks == "Which block holds most"


def rows(block):
    return flow()["made"][block]["rows"]


def bars(block, row=None):
    found = [torch.tensor(each["bars"]) for each in rows(block)]
    return torch.stack(found) if row is None else found[row]


def near(found, exact, atol=0.0051):
    torch.testing.assert_close(found, exact.float(), rtol=0, atol=atol)


def test_the_sentence_in_the_map_is_what_the_layers_one_by_one_make_of_it():
    model, tokenizer = translator()
    assert set(flow()["made"]) == set(MODULES)
    with evaluating(model):
        ids = torch.tensor([[*tokenizer.encode(ENGLISH), EOS_ID]])  # as the model was trained
        x = model.embedding(ids) * 128**0.5
        embedded = x + sinusoidal(x.size(1), 128)
        given = model.encoder_layers[0](embedded)
        layer = model.encoder_layers[1]
        mixed = layer.self_attn(given, given, given)
        weights = layer.self_attn.weights(given, given, given).mean(dim=1)[0]
        first = layer.norm1(given + mixed)
        hidden = layer.feed_forward.expand(first).relu()
        forward = layer.feed_forward(first)
        second = layer.norm2(first + forward)
        memory = model.encode(ids)
    place = 2
    near(bars("src_embedding"), x[0, :, :24])
    near(bars("encoder"), memory[0, :, :24])
    for block, exact in {
        "src_positions": (x, embedded - x, embedded),
        "encoder_norm1": (given, mixed, given + mixed, first),
        "encoder_norm2": (first, forward, first + forward, second),
    }.items():
        near(bars(block), torch.stack([each[0, place, :24] for each in exact]))
    near(bars("encoder_feed_forward", 1), hidden[0, place])
    alive = int((hidden[0, place] > 0).sum())
    told = f"Here d_ff is 512; {alive} of 512 numbers are above 0. Layer 2 of 4."
    assert flow()["made"]["encoder_feed_forward"]["note"] == told
    assert flow()["source"].endswith("the course’s translator, d_model 128, 4 layers each side")
    near(torch.tensor([row["weights"] for row in rows("encoder_self_attn")]), weights)
    spread = (given + mixed)[0, place].std(correction=0).item()
    assert rows("encoder_norm1")[2]["band"] == pytest.approx(spread, abs=0.0051)
    assert f"spread {spread:.2f} (band)" in flow()["made"]["encoder_norm1"]["note"]


def test_what_is_said_of_the_weights_holds():
    made = flow()["made"]
    for block in ("encoder_self_attn", "decoder_self_attn", "cross_attn"):
        weights = torch.tensor([row["weights"] for row in rows(block)])
        near(weights.sum(dim=-1), torch.ones(len(weights)), atol=0.021)
    hidden = torch.tensor([row["weights"] for row in rows("decoder_self_attn")]).triu(1)
    assert not hidden.any()
    # each row reads the source for the word that it writes next, after an arrow
    follows = [row["name"].removeprefix("→ ") for row in rows("cross_attn")]
    assert follows == ["Ein", "Musiker", "spielt", ".", "(end)"]
    assert made["encoder_self_attn"]["heads"] == ["A", "musician", "performs", ".", "(end)"]
    crossing = torch.tensor([row["weights"] for row in rows("cross_attn")])
    assert crossing[:3].argmax(dim=-1).tolist() == [0, 1, 2]
    assert (crossing[3:, 3:].sum(dim=-1) > 0.8).all()  # the full stop and the end


def test_the_words_of_linear_and_softmax_are_those_of_the_model():
    model, tokenizer = translator()
    src, tgt = (tokenizer.encode(text) for text in (ENGLISH, GERMAN))
    src = [*src, EOS_ID]
    with evaluating(model):
        logits = model(torch.tensor([src]), torch.tensor([[1, *tgt]]))[0][2]
    best = logits.topk(5)
    shares = logits.softmax(dim=-1)[best.indices]
    words = [tokenizer.id_to_piece(n).replace("▁", "") for n in best.indices.tolist()]
    for block, exact, digits in (("linear", best.values, 1), ("softmax", shares, 2)):
        assert [row["name"] for row in rows(block)] == words
        assert [row["told"] for row in rows(block)] == [f"{x:.{digits}f}" for x in exact.tolist()]
    near(torch.tensor([row["share"] for row in rows("softmax")]), shares, atol=1e-4)
    assert [row["told"] for row in rows("src_tokens")] == [f"→ {n:,}" for n in src]


def test_the_next_words_probability_is_that_of_the_beam_search_of_the_same_sentence():
    tree = record(ENGLISH)
    node = 0
    for word in ("▁Ein", "▁Musiker", "▁spielt"):
        [node] = [
            n
            for n, (parent, piece) in enumerate(zip(tree["parent"], tree["piece"], strict=True))
            if parent == node and tree["pieces"][piece] == word
        ]
    assert rows("softmax")[0]["name"] == "spielt"
    found = math.exp(tree["log_prob"][node] / 10_000)
    assert rows("softmax")[0]["share"] == pytest.approx(found, abs=1e-3)
