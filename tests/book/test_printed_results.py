"""On a phone printed sentences wrap, and printed columns are set smaller."""

import printed_results
import pytest


def page(text: str, kind: str = "stream") -> str:
    return (
        f'<div class="output {kind} highlight-myst-ansi notranslate">'
        f'<div class="highlight"><pre><span></span>{text}\n</pre></div></div>'
    )


LINE = "Der Mann ist zum Ufer gegangen, weil er das Geld brauchte."
TABLE = "n             16     64    256   1024\nmeasured    0.84   0.92   0.82   0.52"


@pytest.mark.parametrize("kind", ["stream", "text_plain"])
@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("0.5", []),
        ("x" * printed_results.FITS, []),
        (LINE, ["course-sentences"]),
        (TABLE, ["course-columns"]),
        (f"beam 4  {LINE}\nbest    {LINE}", ["course-sentences"]),  # no size is small enough
        ("n             16     64    256   1024", ["course-sentences"]),  # one line has no columns
        ("a -&gt; b, " * 3, []),  # an entity is one character
    ],
)
def test_what_is_too_wide_for_a_phone_says_what_it_is(kind, text, classes):
    marked = printed_results.mark(page(text, kind))
    assert [name for name in ("course-sentences", "course-columns") if name in marked] == classes
    assert f"<pre><span></span>{text}\n</pre>" in marked


def test_columns_say_how_wide_they_are():
    width = max(map(len, TABLE.split("\n")))
    assert f'style="--columns: {width}"' in printed_results.mark(page(TABLE))


def test_code_and_other_outputs_stay_as_they_are():
    for kind in ("text_html", "traceback"):
        assert printed_results.mark(page(LINE, kind)) == page(LINE, kind)
    code = f'<div class="highlight"><pre><span></span>{LINE}</pre></div>'
    assert printed_results.mark(code) == code
