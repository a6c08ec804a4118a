"""Formulas as MathML, made at build time: the page loads no math library.

KaTeX reads the LaTeX, strictly (a mistake is a build warning that names the page), and writes
MathML, which every current browser draws itself. It runs in an embedded V8: no Node is needed.
"""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from lxml import etree
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

MATHML = "{http://www.w3.org/1998/Math/MathML}"
MACROS = {r"\R": r"\mathbb{R}"}

# Browsers know only the upright variant; the other alphabets are letters of their own in Unicode:
# (first capital, first small letter), and the letters Unicode had already placed elsewhere.
ALPHABETS = {
    "bold": (0x1D400, 0x1D41A),
    "bold-italic": (0x1D468, 0x1D482),
    "double-struck": (0x1D538, 0x1D552),
    "script": (0x1D49C, 0x1D4B6),
    "fraktur": (0x1D504, 0x1D51E),
    "sans-serif": (0x1D5A0, 0x1D5BA),
    "monospace": (0x1D670, 0x1D68A),
}
PLACED_ELSEWHERE = {
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}
BOLD_GREEK = {"bold": (0x1D6A8, 0x1D6C2), "bold-italic": (0x1D71C, 0x1D736)}
APPLIED = "\u2061"  # KaTeX writes it after ln, max and the like; browsers give it no room
THIN = "0.1667em"
SCRIPTED = {f"{MATHML}{tag}" for tag in ("msub", "msup", "msubsup", "munder")}
ACCENTS = {"^": "\u02c6", "~": "\u02dc"}  # the keyboard's hat and tilde are not accents
BOLD_DIGIT_ZERO = 0x1D7CE


MARKED = re.compile(r"(<math(?![^>]*display=)(?:(?!</math>).)*</math>)([,.;:!?)’”]+)", re.DOTALL)


class LatexError(ValueError):
    """KaTeX did not understand a formula."""


@cache
def katex() -> MiniRacer:
    """A V8 with KaTeX loaded from the package that carries it."""
    package = importlib.util.find_spec("sphinxcontrib.katex")
    engine = MiniRacer()
    engine.eval(Path(package.origin).with_name("katex.min.js").read_text(encoding="utf-8"))
    return engine


@cache
def to_mathml(latex: str, display: bool) -> str:
    """One formula as a `<math>` element; its LaTeX stays inside as an annotation."""
    options = {
        "displayMode": display,
        "output": "mathml",
        "strict": "error",
        "macros": dict(MACROS),
    }
    try:
        html = katex().call("katex.renderToString", latex, options)
    except JSEvalException as error:
        found = re.search(r"KaTeX parse error: (.*)", str(error))
        raise LatexError(found[1] if found else str(error)) from None
    root = etree.fromstring(html)[0]
    _join_words(root)
    _give_room(root)
    for accent in root.iter(f"{MATHML}mover"):
        if accent.get("accent") == "true" and accent[1].text in ACCENTS:
            accent[1].text = ACCENTS[accent[1].text]
    for leaf in list(root.iter(f"{MATHML}mi", f"{MATHML}mn", f"{MATHML}mtext")):
        _place_in_alphabet(leaf)
    return etree.tostring(root, encoding="unicode")


def _join_words(root: etree._Element) -> None:
    """Write `\\mathrm{softmax}` as one word, where KaTeX writes a letter at a time."""
    for row in list(root.iter(f"{MATHML}mrow")):
        letters = list(row)
        if len(letters) > 1 and all(
            leaf.tag == f"{MATHML}mi" and leaf.get("mathvariant") == "normal" for leaf in letters
        ):
            letters[0].text = "".join(leaf.text or "" for leaf in letters)
            if len(letters[0].text) > 1:
                del letters[0].attrib["mathvariant"]  # a word is upright already
            for leaf in letters[1:]:
                row.remove(leaf)


def _give_room(root: etree._Element) -> None:
    """A thin space between a function's name and its neighbors, where no bracket stands between."""
    for applied in [each for each in root.iter(f"{MATHML}mo") if each.text == APPLIED]:
        first, last = applied.getprevious(), applied
        row = applied.getparent()
        if applied.getnext() is None and row.getparent().tag in SCRIPTED:
            first = last = row.getparent()  # a name with an index
        before, after = first.getprevious(), last.getnext()
        if after is not None and after.get("stretchy") != "false" and not _blank(after):
            last.addnext(etree.Element(f"{MATHML}mspace", width=THIN))
        if before is not None and _ends_a_term(before) and not _blank(before):
            first.addprevious(etree.Element(f"{MATHML}mspace", width=THIN))


def _blank(node: etree._Element) -> bool:
    return node.tag == f"{MATHML}mspace" or not "".join(node.itertext()).strip()


def _ends_a_term(node: etree._Element) -> bool:
    return node.tag != f"{MATHML}mo" or node.text in (")", "]")


def _place_in_alphabet(leaf: etree._Element) -> None:
    variant = leaf.get("mathvariant")
    if variant in ALPHABETS:
        leaf.text = "".join(_letter(character, variant) for character in leaf.text or "")
        del leaf.attrib["mathvariant"]
        if leaf.tag == f"{MATHML}mi":
            leaf.set("mathvariant", "normal")  # the letter has its shape: do not slant it again


def _letter(character: str, variant: str) -> str:
    capital, small = ALPHABETS[variant]
    if character in PLACED_ELSEWHERE.get(variant, {}):
        return PLACED_ELSEWHERE[variant][character]
    if "A" <= character <= "Z":
        return chr(capital + ord(character) - ord("A"))
    if "a" <= character <= "z":
        return chr(small + ord(character) - ord("a"))
    if variant in BOLD_GREEK and "α" <= character <= "ω":
        return chr(BOLD_GREEK[variant][1] + ord(character) - ord("α"))
    if variant in BOLD_GREEK and "Α" <= character <= "Ω":
        return chr(BOLD_GREEK[variant][0] + ord(character) - ord("Α"))
    if variant == "bold" and character.isdigit():
        return chr(BOLD_DIGIT_ZERO + int(character))
    return character


def _rendered(node: nodes.Element, latex: str, display: bool) -> str:
    try:
        return to_mathml(latex, display)
    except LatexError as error:
        logger.warning("LaTeX not understood: %s", error, location=node, type="math")
        return f"<code>{nodes.unescape(latex)}</code>"


def visit_inline(self, node: nodes.math) -> None:
    self.body.append(_rendered(node, node.astext(), display=False))
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    latex = node.astext().strip()
    if r"\\" in latex and r"\begin{" not in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    self.body.append(
        self.starttag(node, "div", CLASS="course-equation", tabindex="0", role="group")
    )
    self.body.append(_rendered(node, latex, display=True))
    if node["number"]:
        number = get_node_equation_number(self, node)
        title = "Link to this equation"
        anchor = node["ids"][0]
        self.body.append(f'<a class="eqno" href="#{anchor}" title="{title}">({number})</a>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def hold_marks(body: str) -> str:
    """A body in which no mark after a formula begins a line: browsers break between the two."""
    return MARKED.sub(r'<span class="course-hold">\1\2</span>', body)


def hold_marks_on_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Sphinx calls this for each page."""
    if "body" in context:
        context["body"] = hold_marks(context["body"])


def add_renderer(app: Sphinx) -> None:
    """Make it the renderer that `html_math_renderer: native` names."""
    app.add_html_math_renderer("native", (visit_inline, None), (visit_block, None))
