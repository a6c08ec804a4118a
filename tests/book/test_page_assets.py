"""What stays of the theme's style sheets, and what the pages' lists keep."""

from types import SimpleNamespace

import page_assets
import pytest


@pytest.mark.parametrize(
    ("sheet", "kept"),
    [
        (".on{a:b}.off{c:d}", ".on{a:b}"),
        (".off,.on>p,#off a{a:b}", ".on>p{a:b}"),
        ("p.on.off,p{a:b}", "p{a:b}"),
        ("@media print{.off{a:b}.on{a:b}}", "@media print{.on{a:b}}"),
        (":is(.off,.on) p,a:not(.off,b){a:b}", ":is(.off,.on) p,a:not(.off,b){a:b}"),
        ("@font-face{src:url(x.y)}@keyframes z{0.5%{a:b}}", None),
        ("/*! a license; with {.off} */.off{a:b}/* words */", "/*! a license; with {.off} */"),
    ],
)
def test_rules_stay_only_for_names_that_stand_somewhere(sheet, kept):
    assert page_assets.used_rules(sheet, {"on"}) == (sheet if kept is None else kept)


def test_addresses_in_a_sheet_follow_it_to_the_folder_above():
    sheet = 'a{b:url("../fonts/x.woff2") url(y.png) url(data:z) url(#w)}'
    moved = "a{b:url(fonts/x.woff2) url(styles/y.png) url(data:z) url(#w)}"
    assert page_assets._moved(sheet, "styles") == moved


def test_what_is_in_the_whole_is_not_asked_for_again():
    names = ["_static/doctools.js", "_static/mystnb.0f.css", "_static/own.js", None]
    files = [SimpleNamespace(filename=name) for name in names]
    context = {"script_files": files, "css_files": ["_static/basic.css"]}
    page_assets.leave_out(None, "page", "page.html", context, None)
    assert [each.filename for each in context["script_files"]] == ["_static/own.js", None]
    assert context["css_files"] == []


CALL = ',"complete"===document.readyState?f():window.addEventListener("load",f)'


def built(folder, theme):
    """A site of one page, and what Sphinx hands over when it is built."""
    static = folder / "_static"
    for parts in page_assets.PARTS.values():
        for part in parts:
            path = static / part.replace("*", "0")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
    (static / page_assets.THEME).write_text(theme)
    page = folder / "page.html"
    page.write_text('<link href="_static/site.css"><script src="_static/site.js"></script>')
    return SimpleNamespace(outdir=folder, builder=SimpleNamespace(name="html")), page


def test_a_page_that_the_next_build_leaves_alone_names_its_version(tmp_path):
    app, page = built(tmp_path, f"a(){CALL};")
    page_assets.put_together(app, None)
    first = page.read_text()
    (tmp_path / "_static" / "basic.css").write_text("p{a:b}")
    page_assets.put_together(app, None)
    second = page.read_text()
    assert first.count("?v=") == second.count("?v=") == 2
    assert first.split("site.js")[1] == second.split("site.js")[1]
    assert first.split("site.css")[1][:12] != second.split("site.css")[1][:12]


def test_a_theme_that_measures_in_another_way_stops_the_build(tmp_path):
    app, _ = built(tmp_path, "a();")
    with pytest.raises(page_assets.ExtensionError, match="expected one call that measures"):
        page_assets.put_together(app, None)


def test_a_part_that_is_missing_is_named(tmp_path):
    with pytest.raises(page_assets.ExtensionError, match=r"one _static/basic\.css, found 0"):
        page_assets._read(tmp_path, "site.css")


def test_the_script_keeps_its_licenses_and_no_other_comment(tmp_path):
    licensed = "/*! a license */"
    app, _ = built(
        tmp_path, f"{licensed}\na ( ){CALL} ;  // words\n/** more */ b( `${{a}} c  // d` )"
    )
    page_assets.put_together(app, None)
    script = (tmp_path / "_static" / "site.js").read_text()
    assert licensed in script
    assert "words" not in script
    assert "more" not in script
    assert "`${a} c  // d`" in script
