"""A feed-forward network at work: a word's vector expanded, cut at zero, contracted (3.3)."""

import itertools
import re
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import torch
import traitlets

from transformer_course import decoding
from transformer_course.carried import translator
from transformer_course.data import BOS_ID, EOS_ID, grammar, make_batch
from transformer_course.widgets.base import CourseWidget, Table

ENGLISH = "The man walked to the bank because he needed the money."
STEPS = ("in", "expand", "ReLU", "contract")
STRONGEST, SENTENCES = 5, 300
GLOSSES = """
Als=When Arzt=doctor Auto=car Badezimmer=bathroom Ball=ball Bank=bank Bett=bed Brief=letter Das=The
Der=The Die=The Feige=fig Fledermaus=bat Geld=money Gestern=Yesterday Handschuh=glove Haus=house
Heute=Today Hotel=hotel Hut=hat Hügel=hill Junge=boy Kaninchen=rabbit Kiste=box Korb=basket
König=king Königin=queen Lampe=lamp Loch=hole Mann=man Onkel=uncle Pferd=horse Pflug=plow
Quelle=spring Radio=radio Rohr=pipe Scheune=barn Schild=shield Schule=school Schweine=pigs Sofa=sofa
Storch=stork Student=student Tal=valley Taste=key Teich=pond Teppich=carpet Tier=animal
Umschlag=envelope Vorhang=curtain Weil=Because Wort=word Zahl=number Ziege=goat Zimmer=room an=on
angezogen=attracted auf=on aufgehoben=kept beschrieben=described betreten=entered brauchte=needed
braunen=brown dachte=thought das=the dem=the den=the der=the die=the durchschwommen=swum er=he
erinnerte=reminded es=it faul=lazy fressen=eat gebrannt=burned gegangen=gone gepasst=fitted
gesehen=seen gesprochen=spoken gezeichnet=drawn hat=has hatte=had hebt=lifts hinter=behind im=in
in=in ins=into ist=is mitbringen=bring neben=beside neue=new neuen=new nicht=not obwohl=although
roten=red schwarze=black seltsam=strange seltsamen=strange sie=she sind=are umgefallen=fallen
unter=under verschenkt=given verschwunden=vanished von=of vor=before war=was weil=because wird=is
wollte=wanted zu=to zum=to zur=to zurückgeben=return zurückgegeben=returned
zurückgeschickt=sent-back ängstlich=anxious
"""
MEANS = dict(re.findall(r"(\S+)=(\S+)", GLOSSES))


def network() -> Any:
    """The feed-forward network of the grammar translator's last decoder layer."""
    return translator("grammar")[0].get_submodule("decoder_layers.1.feed_forward")


def observe(src: torch.Tensor, tgt: torch.Tensor) -> dict[str, torch.Tensor]:
    """What goes into the network and comes out of it, with the hidden numbers before the ReLU."""
    model = translator("grammar")[0]
    seen: dict[str, torch.Tensor] = {}
    hooks = [
        network().register_forward_hook(lambda _, x, y: seen.update(x=x[0], y=y)),
        network().expand.register_forward_hook(lambda _, x, z: seen.update(z=z)),
    ]
    with torch.inference_mode():
        seen["next"] = model(src, tgt).softmax(dim=-1)
    for hook in hooks:
        hook.remove()
    return seen


def next_without(src: torch.Tensor, tgt: torch.Tensor, relu: bool) -> torch.Tensor:
    """Next-token probabilities of the model without the network, or only without its ReLU."""
    linear = lambda _, x, y: network().contract(network().expand(x[0]))  # noqa: E731
    hook = network().register_forward_hook(linear if relu else lambda _, x, y: torch.zeros_like(y))
    with torch.inference_mode():
        found = translator("grammar")[0](src, tgt).softmax(dim=-1)
    hook.remove()
    return found


@cache
def fires_before() -> tuple[Counter, ...]:
    """For each hidden unit: which word was to come where it fired, on new sentences."""
    _, tokenizer = translator("grammar")
    pairs = [(each.english, each.german) for each in grammar.generate("test", SENTENCES, seed=1)]
    batch = make_batch(tokenizer.encode_pairs(pairs))
    real = batch.tgt_out != 0
    words, active = batch.tgt_out[real], observe(batch.src, batch.tgt_in)["z"][real] > 0
    return tuple(Counter(words[fires].tolist()) for fires in active.T)


def word(token: int) -> str:
    """A token as readers see it."""
    text = translator("grammar")[1].id_to_piece(token).strip("▁")
    return {"<s>": "(start)", "</s>": "(end)"}.get(text, text)


def about(unit: int) -> dict[str, Any]:
    """Before which word a unit fires most, in percent of its firings, and what its value favors."""
    counts = fires_before()[unit]
    [(token, times)] = counts.most_common(1)
    value = network().contract.weight[:, unit]
    best = (translator("grammar")[0].embedding.weight @ value).topk(3).indices
    share = round(100 * times / counts.total())
    hundredths = (100 * value).round().int().tolist()
    says = [word(n) for n in best.tolist()]
    return {"before": word(token), "share": share, "says": says, "value": hundredths}


def switched_off(x: torch.Tensor, z: torch.Tensor, y: torch.Tensor, token: int) -> list[int]:
    """What is left of a token's chance, in percent, with any of the strongest units switched off.

    Number n is without the units whose bits are set in n, the strongest unit first. The network is
    the model's last, so that only a norm and the table come after it.
    """
    strong = [u for u in z.topk(STRONGEST).indices.tolist() if z[u] > 0]
    off = torch.tensor(list(itertools.product([0.0, 1.0], repeat=len(strong)))).flip(1)
    model = translator("grammar")[0]
    with torch.inference_mode():
        removed = (off * z[strong]) @ network().contract.weight[:, strong].T
        states = model.get_submodule("decoder_layers.1.norm3")((x + y - removed)[None])
        chances = model.logits(states)[0].softmax(dim=-1)[:, token]
    return [round(100 * chance) for chance in chances.tolist()]


@cache
def record() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Place by place the words and the network's numbers, and what is known of its units."""
    model, tokenizer = translator("grammar")
    german = decoding.translate(model, tokenizer, [ENGLISH])[0]
    src = torch.tensor([[*tokenizer.encode(ENGLISH), EOS_ID]])
    tgt = torch.tensor([[BOS_ID, *tokenizer.encode(german)]])
    seen = observe(src, tgt)
    said = {"next": seen["next"], "without": next_without(src, tgt, relu=False)}
    said["linear"] = next_without(src, tgt, relu=True)
    places: list[dict[str, Any]] = []
    units: dict[str, Any] = {}
    for n, token in enumerate(tgt[0].tolist()):
        x, z, y = (seen[name][0, n] for name in "xzy")
        # No unit that fires may be rounded to silence.
        z = torch.where((z > 0) & (z < 0.01), 0.01, z)
        with torch.inference_mode():
            straight = network().contract(seen["z"][0, n])
        numbers = {"x": x, "z": z, "y": y, "straight": straight}
        places.append(
            {name: [round(v, 2) for v in row.tolist()] for name, row in numbers.items()}
            | {"word": word(token)}
            | {name: word(int(each[0, n].argmax())) for name, each in said.items()}
            | {"sure": {name: round(100 * float(each[0, n].max())) for name, each in said.items()}}
            | {"left": switched_off(x, seen["z"][0, n], y, int(said["next"][0, n].argmax()))}
        )
        units |= {str(u): about(u) for u in z.topk(STRONGEST).indices.tolist() if z[u] > 0}
    return places, units


class ExpandContract(CourseWidget, source="expand_contract"):
    """Step a vector through a network, drag to another word, switch off units or the ReLU.

    The network is that of the last decoder layer of a translator which the course trained on its
    grammar: 64 numbers, 256 hidden units, 64 numbers. A unit's value is said to favor the tokens
    whose embeddings it is most alike.
    """

    places: traitlets.List = traitlets.List(help="word by word, the network's numbers")
    places.tag(sync=True)
    units = traitlets.Dict(help="by number: before which word it fires, its value, what it favors")
    units.tag(sync=True)
    means = traitlets.Dict(MEANS, help="the German words in English").tag(sync=True)
    at = traitlets.Int(9, min=0, help="which word").tag(sync=True)
    step = traitlets.Int(0, min=0, max=len(STEPS) - 1, help="how far it has come").tag(sync=True)
    relu = traitlets.Bool(True, help="whether negative units are set to zero").tag(sync=True)

    def __init__(self, **traits: Any):
        super().__init__(**traits)
        self.places, self.units = record()
        if self.at >= len(self.places):
            raise traitlets.TraitError(
                f"at={self.at}: expected a place from 0 to {len(self.places) - 1}"
            )

    def __repr__(self) -> str:
        return f"ExpandContract({self.places[self.at]['word']})"

    def tables(self) -> list[Table]:
        """For every word how many units fire, the strongest, and the next word with and without."""
        rows = []
        for place in self.places:
            z = np.array(place["z"])
            best = int(z.argmax())
            says = ", ".join(self.units[str(best)]["says"])
            row = [str((z > 0).sum()), str(best), says]
            rows.append([*row, *(f"{place[name]} ({p} %)" for name, p in place["sure"].items())])
        columns = ["units that fire", "strongest", "it favors", "next word"]
        columns += ["without the network", "without the ReLU"]
        title = f"A feed-forward network, word by word: {ENGLISH}"
        names = [place["word"] for place in self.places]
        return [Table(title, names, columns, np.array(rows, dtype=object))]
