"""Names and brackets in code look the same with and without an element of their own."""

import plain_code
import pytest
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Token


@pytest.mark.parametrize("name", ["a11y-high-contrast-light", "a11y-high-contrast-dark"])
def test_what_loses_its_element_has_the_color_of_all_code(name):
    style = get_style_by_name(name)
    plain = [token for token, short in STANDARD_TYPES.items() if short in plain_code.PLAIN]
    assert len(plain) == len(plain_code.PLAIN)
    assert all(style.style_for_token(each) == style.style_for_token(Token.Text) for each in plain)


def test_names_lose_their_elements_in_code_and_nowhere_else():
    name = '<span class="n">x</span>'
    body = f'<em>{name}</em><div class="highlight"><pre>{name}<span class="k">if</span></pre>'
    assert plain_code.unwrap(body) == body.replace(f"<pre>{name}", "<pre>x")


def test_long_names_break_at_their_joints_and_no_attribute_changes():
    body = '<a id="a.long_name_here"><span class="pre">model.long_name_here</span></a>'
    broken = body.replace(">model.long_name_here", ">model.<wbr>long_<wbr>name_<wbr>here")
    assert plain_code.break_names(body) == broken
