"""Named values that the prose quotes."""

import pytest

from transformer_course.pages import gluing as module

HIDDEN = "application/papermill.record/"


@pytest.fixture
def shown(monkeypatch):
    """What glue hands to the notebook, as (data, metadata)."""
    outputs = []
    monkeypatch.setattr(
        module, "display", lambda data, raw, metadata: outputs.append((data, metadata))
    )
    return outputs


def test_a_value_is_stored_under_its_name_and_not_shown(shown):
    module.glue("bleu", 33.2)
    data, metadata = shown[0]
    assert data == {f"{HIDDEN}text/plain": "33.2"}
    assert metadata["scrapbook"] == {"name": "bleu", "mime_prefix": HIDDEN}


def test_a_value_can_be_shown_as_well(shown):
    module.glue("bleu", 33.2, show=True)
    data, metadata = shown[0]
    assert data == {"text/plain": "33.2"}
    assert metadata["scrapbook"]["mime_prefix"] == ""
