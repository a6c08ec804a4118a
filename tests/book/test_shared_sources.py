"""Each widget's code stands once on a page, and nothing else of the saved state changes."""

import json
from types import SimpleNamespace

import shared_sources

CODE = 'export const code = "</script> <!--";'
PLAIN = r"export const code=`<\/script> <!--`;"
SAVED = {
    "version_major": 2,
    "state": {
        "a": {"state": {"_esm": CODE, "_css": "style", "value": 1}},
        "b": {"state": {"_esm": CODE, "_css": "style", "value": 2}},
        "c": {"state": {"_esm": "other", "value": "style"}},
        "layout": {"state": {}},
    },
}


def test_every_text_stands_once_and_is_found_again():
    text = shared_sources.share(json.dumps(SAVED))
    assert text.count("const code") == 1
    shared = json.loads(text)
    sources = shared.pop("sources")
    assert sources == [PLAIN, "style", "other"]
    for model in shared["state"].values():
        state = model["state"]
        if "_esm" in state:
            state["_esm"] = sources[state["_esm"]["source"]].replace(PLAIN, CODE)
        if "_css" in state:
            state["_css"] = "".join(sources[part["source"]] for part in state["_css"])
    assert shared == SAVED


def test_the_rules_with_which_all_sheets_begin_stand_once():
    common, own = ".x{a:b}.z{a:b}\n", [".x{c:d}\n", ".y{e:f}\n", ""]
    states = {str(n): {"state": {"_css": common + rules}} for n, rules in enumerate(own)}
    shared = json.loads(shared_sources.share(json.dumps({"state": states})))
    assert shared["sources"] == [common, *own[:2]]
    sheets = [model["state"]["_css"] for model in shared["state"].values()]
    assert sheets == [
        [{"source": 0}, {"source": 1}],
        [{"source": 0}, {"source": 2}],
        [{"source": 0}],
    ]


def test_the_text_cannot_end_its_script_element_or_open_a_comment():
    text = shared_sources.share(json.dumps(SAVED))
    assert "</" not in text
    assert "<!--" not in text


def test_on_a_page_only_the_saved_state_of_widgets_is_changed():
    state = {"type": shared_sources.WIDGET_STATE, "body": json.dumps(SAVED)}
    script = {"body": "let x = 1"}
    files = ["plain.js", SimpleNamespace(attributes=script), SimpleNamespace(attributes=state)]
    shared_sources.share_on_page(None, "page", "page.html", {"script_files": files}, None)
    assert script == {"body": "let x = 1"}
    assert json.loads(state["body"])["sources"][1] == "style"
    shared_sources.share_on_page(None, "page", "page.html", {}, None)


def test_a_page_built_again_is_shared_again():
    once = shared_sources.share(json.dumps(SAVED))
    assert json.loads(shared_sources.share(once)) == json.loads(once)
