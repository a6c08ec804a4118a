"""Flash cards that come back when they are about to be forgotten (Leitner's boxes)."""

import html
from pathlib import Path

import numpy as np
import traitlets

from transformer_course.pages import practice
from transformer_course.widgets.base import CourseWidget, Table


class FlashCards(CourseWidget, source="flash_cards"):
    """Recall, reveal, and say how it went; the browser keeps the boxes.

    "Knew it" moves a card one box up, "Easy" two, "Did not know" back to the start and once more
    today. Boxes 1 to 5 come back after 1, 3, 7, 14 and 30 days, and at most ten new cards are begun
    each day. Each topic of the course has its picture; cards of other topics go without.
    """

    cards: traitlets.List = traitlets.List(help="id, topic, front, back").tag(sync=True)

    def __init__(self, folder: Path | str | None = None):
        super().__init__(cards=practice.cards(folder))

    def __repr__(self) -> str:
        return f"FlashCards({len(self.cards)} cards)"

    def tables(self) -> list[Table]:
        """How many cards there are on each topic."""
        topics = list(dict.fromkeys(card["topic"] for card in self.cards))
        counts = [[sum(card["topic"] == topic for card in self.cards)] for topic in topics]
        return [Table("Cards by topic", topics, ["cards"], np.array(counts, dtype=float))]

    def as_text(self) -> str:
        """The static twin: every card with its back."""
        return "\n".join([repr(self), *(f"{x['front']} {x['back']}" for x in self.cards)])

    def as_html(self) -> str:
        """The static twin as a table of fronts and backs."""
        rows = "".join(
            f'<tr><th scope="row">{_code(card["front"])}</th><td>{_code(card["back"])}</td></tr>'
            for card in self.cards
        )
        return f'<div class="course-static"><table><tbody>{rows}</tbody></table></div>'


def _code(text: str) -> str:
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
