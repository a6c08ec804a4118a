"""A script in fewer bytes says the same."""

import pytest
from small_scripts import small


def test_spaces_of_texts_stay_in_templates_within_templates_too():
    assert small("export const f = (x) => `${`a ${x}`} is  one // `;") == (
        "export const f=x=>`${`a ${x}`} is  one // `;"
    )


def test_comments_and_code_that_cannot_run_go():
    code = "/** @param {number} x */\nexport function f(x) {\n  // words\n  if (false) x();\n"
    code += "  return x;\n}"
    assert small(code) == "export function f(x){return x}"


@pytest.mark.parametrize("notice", ["/*! MIT License */", "/*\n * Copyright us\n */"])
def test_notices_stay_at_the_front(notice):
    assert small(f"let a = b;\n{notice}\na();", "text/javascript").startswith(f"{notice}\n")
