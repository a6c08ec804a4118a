"""Cut the site's fonts down to the glyphs its pages draw.

The icon font goes from 156 KB to a few; the math font (STIX Two Math, the one that MathML needs for
tall brackets and roots) from 1.5 MB to some tens of KB; the three faces of the text font (Source
Sans Pro) from 290 KB to a dozen or two each. A font of our own sets every line, label and button
equally wide on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from used_css import every_rule, names

ICONS = "vendor/fontawesome/webfonts"
MATH_FONT = "course/stix-two-math.woff2"
TEXT_FONTS = {"Regular": "text.woff2", "Semibold": "text-bold.woff2", "It": "text-italic.woff2"}
# Kerning and accents, not the small capitals and old figures. Its digits are equally wide anyway.
TEXT_FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl"]
LICENSE, LICENSE_ADDRESS = 13, 14  # the entries of a font's table of names that go along
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
    math = _folder_of("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"
    _write_subset(math, out / "_static" / MATH_FONT, drawn)
    scripts = [path.read_text(encoding="utf-8") for path in out.rglob("_static/**/*.js")]
    written = set("".join([*pages, *scripts])) | set(map(chr, range(0x20, 0x100)))
    faces = _folder_of("font_source_sans_pro") / "files"
    for face, name in TEXT_FONTS.items():
        source, target = faces / f"SourceSansPro-{face}.ttf", out / "_static" / "course" / name
        _write_subset(source, target, written, TEXT_FEATURES)


def _folder_of(package: str) -> Path:
    """Where an installed package lies; nothing of it runs."""
    return Path(str(getattr(find_spec(package), "origin", None))).parent


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


def _write_subset(
    source: Path, target: Path, characters: set[str], features: Sequence[str] = ("*",)
) -> None:
    options = subset.Options(flavor="woff2", layout_features=list(features), notdef_outline=True)
    options.hinting = False
    options.drop_tables += ["FFTM"]
    options.name_IDs += [LICENSE, LICENSE_ADDRESS]
    with subset.load_font(str(source), options) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(text="".join(sorted(characters)))
        cutter.subset(font)
        for entry in font["name"].names:
            if "Source" in str(entry) and entry.nameID not in (0, LICENSE):  # a reserved name
                entry.string = "Course Text"
        if "MATH" in font:
            _narrow_tall_roots(font)
        target.parent.mkdir(parents=True, exist_ok=True)
        subset.save_font(font, str(target), options)
