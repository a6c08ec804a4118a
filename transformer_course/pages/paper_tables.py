"""The figures of the paper's Tables 2 and 3, to be put beside ours."""

import re
from typing import NamedTuple


class Translator(NamedTuple):
    """A row of Table 2: BLEU on newstest2014, and what its training cost."""

    name: str
    german: float | None  # BLEU, English to German
    french: float | None  # BLEU, English to French
    german_cost: float | None  # floating-point operations, as the paper estimates them
    french_cost: float | None
    ensemble: bool = False  # several models together
    ours: bool = False  # the paper's own


TABLE2 = (
    Translator("ByteNet", 23.75, None, None, None),
    Translator("Deep-Att + PosUnk", None, 39.2, None, 1.0e20),
    Translator("GNMT + RL", 24.6, 39.92, 2.3e19, 1.4e20),
    Translator("ConvS2S", 25.16, 40.46, 9.6e18, 1.5e20),
    Translator("MoE", 26.03, 40.56, 2.0e19, 1.2e20),
    Translator("Deep-Att + PosUnk, ensemble", None, 40.4, None, 8.0e20, ensemble=True),
    Translator("GNMT + RL, ensemble", 26.30, 41.16, 1.8e20, 1.1e21, ensemble=True),
    Translator("ConvS2S, ensemble", 26.36, 41.29, 7.7e19, 1.2e21, ensemble=True),
    Translator("Transformer base", 27.3, 38.1, 3.3e18, 3.3e18, ours=True),
    Translator("Transformer big", 28.4, 41.8, 2.3e19, 2.3e19, ours=True),
)


class Variation(NamedTuple):
    """A row of Table 3: what changes in base, and newstest2013 with it."""

    row: str  # what our re-run of it is called
    change: str  # in the paper's sizes
    perplexity: float  # per piece
    bleu: float
    millions: int | None = None  # of parameters, where the table has them

    @property
    def ours(self) -> str:
        """The same change in our re-run: a quarter of each width, half the layers, base's steps."""
        narrow = re.sub(r"(d_\w+ = )(\d+)", lambda m: f"{m[1]}{int(m[2]) // 4}", self.change)
        shallow = re.sub(r"(N = )(\d+)", lambda m: f"{m[1]}{int(m[2]) // 2}", narrow)
        return shallow.removesuffix(", 300K steps")


TABLE3 = (
    Variation(
        "base",
        "N = 6, d_model = 512, d_ff = 2048, h = 8, d_k = d_v = 64, dropout = label smoothing = 0.1",
        4.92,
        25.8,
        65,
    ),
    Variation("A heads 1", "h = 1, d_k = d_v = 512", 5.29, 24.9),
    Variation("A heads 4", "h = 4, d_k = d_v = 128", 5.00, 25.5),
    Variation("A heads 16", "h = 16, d_k = d_v = 32", 4.91, 25.8),
    Variation("A heads 32", "h = 32, d_k = d_v = 16", 5.01, 25.4),
    Variation("B d_k 4", "d_k = 16", 5.16, 25.1, 58),
    Variation("B d_k 8", "d_k = 32", 5.01, 25.4, 60),
    Variation("C layers 1", "N = 2", 6.11, 23.7, 36),
    Variation("C layers 2", "N = 4", 5.19, 25.3, 50),
    Variation("C layers 4", "N = 8", 4.88, 25.5, 80),
    Variation("C d_model 64", "d_model = 256, d_k = d_v = 32", 5.75, 24.5, 28),
    Variation("C d_model 256", "d_model = 1024, d_k = d_v = 128", 4.66, 26.0, 168),
    Variation("C d_ff 256", "d_ff = 1024", 5.12, 25.4, 53),
    Variation("C d_ff 1024", "d_ff = 4096", 4.75, 26.2, 90),
    Variation("D dropout 0.0", "dropout = 0.0", 5.77, 24.6),
    Variation("D dropout 0.2", "dropout = 0.2", 4.95, 25.5),
    Variation("D smoothing 0.0", "label smoothing = 0.0", 4.67, 25.3),
    Variation("D smoothing 0.2", "label smoothing = 0.2", 5.47, 25.7),
    Variation("E learned positions", "learned positions", 4.92, 25.7),
    Variation(
        "big", "d_model = 1024, d_ff = 4096, h = 16, dropout = 0.3, 300K steps", 4.33, 26.4, 213
    ),
)

# What each row of Table 3 shows, by the paper's own figures.
TEACHES = {
    "base": "All other rows change one thing in this model.",
    "A heads 1": "A single head of the same total width has 0.9 BLEU less than eight.",
    "A heads 4": "Half as many heads, each twice as wide, lose little: 0.3 BLEU.",
    "A heads 16": "Twice as many heads, each half as wide, change next to nothing: "
    "the same BLEU, and a perplexity 0.01 lower.",
    "A heads 32": "Too many heads hurt as well: 32 of them, each 16 wide, lose 0.4 BLEU, "
    "about as much as 4 heads do (0.3).",
    "B d_k 4": "Keys a quarter as wide lose 0.7 BLEU, though only 7 of the 65 million parameters "
    "go.",
    "B d_k 8": "Keys half as wide still lose 0.4 BLEU. To the paper this suggests that telling "
    "which key fits a query is not easy.",
    "C layers 1": "With 2 layers the model loses 2.1 BLEU, more than in any other row.",
    "C layers 2": "With 4 layers 0.5 BLEU are lost, a quarter of what 2 layers lose.",
    "C layers 4": "Two layers more lower perplexity by 0.04 and lose 0.3 BLEU: "
    "in this single run deeper was no gain.",
    "C d_model 64": "Half the width leaves 28 of the 65 million parameters that the paper counts, "
    "and loses 1.3 BLEU.",
    "C d_model 256": "Twice the width lowers perplexity by 0.26 and gains 0.2 BLEU, "
    "for 103 million parameters more.",
    "C d_ff 256": "Half the inner width of the feed-forward layers saves 12 million parameters "
    "and loses 0.4 BLEU.",
    "C d_ff 1024": "Twice the inner width gains 0.4 BLEU for 25 million parameters more; "
    "twice d_model gains half of that for 103 million.",
    "D dropout 0.0": "Without dropout 1.2 BLEU are lost, and without label smoothing 0.5: "
    "in these single runs dropout matters more.",
    "D dropout 0.2": "Twice the dropout moves perplexity by only 0.03, and BLEU by 0.3, "
    "in a single run.",
    "D smoothing 0.0": "Perplexity is better without smoothing, and BLEU 0.5 worse: "
    "the two measures disagree.",
    "D smoothing 0.2": "Twice the smoothing raises perplexity by 11 % and loses only 0.1 BLEU: "
    "perplexity alone would mislead.",
    "E learned positions": "Learned positions have the same perplexity, and 0.1 BLEU less: "
    "in a single run no difference shows.",
    "big": "Larger, and trained for three times as many steps: the best of the table in both "
    "measures, 0.6 BLEU above base.",
}
