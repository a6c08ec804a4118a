"""Train the tiny encoder that the widget EncoderTrip shows, and write its weights beside it.

    python benchmarks/encoder_trip.py transformer_course/widgets/encoder_trip.json

The task: put each word of a five-word English sentence into German, in place. Nouns and verbs
can be looked up one by one; an article cannot. German wants the gender of its noun and the case
of its place in the sentence (der Hund, den Hund), so the model has to look and to count.
"""

import argparse
import itertools
import json
import math
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from transformer_course.model import EncoderLayer, sinusoidal

D_MODEL, NUM_HEADS, D_FF = 8, 2, 16
ARTICLES = {"the": "der die das den", "a": "ein eine ein einen"}
NOUNS = {"dog": "Hund m", "man": "Mann m", "cat": "Katze f", "woman": "Frau f", "child": "Kind n"}
VERBS = {"sees": "sieht", "hears": "hört", "loves": "liebt"}
ENGLISH = [*ARTICLES, *NOUNS, *VERBS]


def translate(words: tuple[str, ...]) -> list[str]:
    """Five English words, each in German: the right answer."""
    german = []
    for place, word in enumerate(words):
        if word in ARTICLES:
            gender = NOUNS[words[place + 1]].split()[1]
            case = 3 if gender == "m" and place else "mfn".index(gender)
            german.append(ARTICLES[word].split()[case])
        else:
            german.append((VERBS.get(word) or NOUNS[word]).split()[0])
    return german


SENTENCES = list(itertools.product(ARTICLES, NOUNS, VERBS, ARTICLES, NOUNS))
GERMAN = sorted({word for sentence in SENTENCES for word in translate(sentence)})


class Tagger(nn.Module):
    """Embeddings, one encoder layer of the package, and a linear map to German words."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(ENGLISH), D_MODEL)
        self.layer = EncoderLayer(D_MODEL, NUM_HEADS, D_FF, dropout=0.0)
        self.readout = nn.Linear(D_MODEL, len(GERMAN))
        nn.init.normal_(self.embedding.weight, std=D_MODEL**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * math.sqrt(D_MODEL) + sinusoidal(ids.size(1), D_MODEL)
        return self.readout(self.layer(x))


def examples() -> tuple[Tensor, Tensor]:
    """Every sentence of the little language, and its translation, as ids."""
    src = [[ENGLISH.index(word) for word in words] for words in SENTENCES]
    tgt = [[GERMAN.index(word) for word in translate(words)] for words in SENTENCES]
    return torch.tensor(src), torch.tensor(tgt)


def train(steps: int = 2000, seed: int = 2) -> tuple[Tagger, dict[str, float]]:
    """Train on four fifths of the sentences; the share of right words on the others."""
    torch.manual_seed(seed)
    src, tgt = examples()
    order = torch.randperm(len(src))
    seen, unseen = order[: len(src) * 4 // 5], order[len(src) * 4 // 5 :]
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=steps)
    for _ in range(steps):
        loss = cross_entropy(model(src[seen]).transpose(1, 2), tgt[seen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rate.step()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.double().mul(1000).round().div(1000))  # as it is written
        right = (model(src).argmax(-1) == tgt).float()
    return model, {"seen": right[seen].mean().item(), "unseen": right[unseen].mean().item()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=2000)
    given = parser.parse_args(arguments)
    model, right = train(given.steps)
    numbers = {name: tensor.double() for name, tensor in model.state_dict().items()}
    content = {
        "slots": [list(words) for words in (ARTICLES, NOUNS, VERBS, ARTICLES, NOUNS)],
        "english": ENGLISH,
        "german": GERMAN,
        "right": right,
        "weights": {name: (x * 1000).round().div(1000).tolist() for name, x in numbers.items()},
    }
    given.out.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{given.out}: {right['unseen']:.1%} of the words right in sentences it never saw")


if __name__ == "__main__":
    main()
