"""Cut the site's two fonts down to the glyphs its pages draw.

The icon font goes from 156 KB to a few; the math font (STIX Two Math, the one that MathML needs for
tall brackets and roots) from 1.5 MB to some tens of KB.
"""

from __future__ import annotations

import re
from pathlib import Path

import tinycss2
import ziamath
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from used_css import every_rule, names

ICONS = "vendor/fontawesome/webfonts"
MATH_FONT = "course/stix-two-math.woff2"
# Drawn by the browser, or by scripts, without standing in a page's source.
ALWAYS_IN_MATH = "()[]{}|‖∥⟨⟩⌈⌉⌊⌋√−=+<>≤≥·×/,.∑∏∫∞→←⏞⏟0123456789"


def subset_fonts(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite the fonts of a finished HTML build."""
    if exception or app.builder.name not in ("html", "dirhtml"):
        return
    out = Path(app.outdir)
    pages = [path.read_text(encoding="utf-8") for path in out.rglob("*.html")]
    _subset_icons(out / "_static", pages)
    drawn = set(ALWAYS_IN_MATH)
    for page in pages:
        for formula in re.findall(r"<math.*?</math>", page, flags=re.DOTALL):
            drawn |= set(re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", formula))
    drawn |= {_italic(letter) for letter in drawn}
    fonts = Path(ziamath.__file__).parent / "fonts"
    _write_subset(fonts / "STIXTwoMath-Regular.ttf", out / "_static" / MATH_FONT, drawn)


def _italic(letter: str) -> str:
    """The slanted letter that a browser draws for a one-letter `<mi>`."""
    if "A" <= letter <= "Z":
        return chr(0x1D434 + ord(letter) - ord("A"))
    if letter == "h":
        return "ℎ"
    if "a" <= letter <= "z":
        return chr(0x1D44E + ord(letter) - ord("a"))
    if "α" <= letter <= "ω":
        return chr(0x1D6FC + ord(letter) - ord("α"))
    if "Α" <= letter <= "Ω":
        return chr(0x1D6E2 + ord(letter) - ord("Α"))
    return {"ϵ": "𝜖", "ϑ": "𝜗", "ϕ": "𝜙", "∂": "𝜕"}.get(letter, letter)


def _subset_icons(static: Path, pages: list[str]) -> None:
    scripts = [path.read_text(encoding="utf-8") for path in static.rglob("*.js")]
    used = set(re.findall(r"fa-[a-z0-9-]+", " ".join(pages + scripts)))
    characters: set[str] = set()
    for sheet in static.rglob("*.css"):
        for rule in every_rule(tinycss2.parse_stylesheet(sheet.read_text(encoding="utf-8"))):
            icons = {name for name in names(rule.prelude) if name.startswith("fa-")}
            if not icons or icons & used:
                strings = "".join(node.value for node in rule.content if node.type == "string")
                characters |= set(re.findall("[\ue000-\uf8ff]", strings))
    for font in (static / ICONS).glob("*.woff2"):
        _write_subset(font, font, characters)
        font.with_suffix(".ttf").unlink(missing_ok=True)  # the fallback of browsers before 2015


def _narrow_tall_roots(font: TTFont) -> None:
    """Make the tall variants of the root sign as wide as the short one.

    Chromium leaves room for the widest variant beside every root, so that a gap follows each
    square root of d_k.
    """
    variants = font["MATH"].table.MathVariants
    sign = font.getBestCmap()[ord("√")]
    forms = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(sign)]
    tall = {record.VariantGlyph for record in forms.MathGlyphVariantRecord}
    tall |= {part.glyph for part in forms.GlyphAssembly.PartRecords}
    width, _ = font["hmtx"][sign]
    for name in tall - {sign}:
        advance, bearing = font["hmtx"][name]
        outline = font["glyf"][name]
        outline.coordinates.scale((width / advance, 1))
        outline.recalcBounds(font["glyf"])
        font["hmtx"][name] = (width, round(bearing * width / advance))


def _write_subset(source: Path, target: Path, characters: set[str]) -> None:
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True)
    options.drop_tables += ["FFTM"]
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(characters)))
    cutter.subset(font)
    if "MATH" in font:
        _narrow_tall_roots(font)
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)
