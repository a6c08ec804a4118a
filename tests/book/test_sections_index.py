"""What the search page's index is made of: sections, in words."""

import sections_index

PAGE = """<html lang="en"><body><article>
<section id="whole"><h1>3.2 Attention<a class="headerlink" href="#whole">#</a></h1><p>First.</p>
  <section id="scale"><h2>The <em>scale</em></h2>
    <p>By <math><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></math>, or
    <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.</p>
    <div class="cell docutils"><pre>hidden_code()</pre></div><pre>hidden_too()</pre>
  </section>
  <section id="bare"><p>No heading.</p></section>
</section></article></body></html>"""


def found(tmp_path, text=PAGE, name="03-2.html"):
    folder = tmp_path / "book"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return list(sections_index.sections(folder / name))


def test_each_section_stands_alone_below_its_pages_title(tmp_path):
    whole, scale = found(tmp_path)
    assert [whole.url, scale.url] == ["book/03-2.html#whole", "book/03-2.html#scale"]
    assert whole.page == scale.page == "3.2 Attention"
    assert "First." in whole.html
    assert "scale" not in whole.html
    assert "First." not in scale.html


def test_code_stays_out_and_formulas_keep_their_signs(tmp_path):
    _, scale = found(tmp_path)
    words = "".join(scale.body.itertext())
    assert "√d_k" in words
    assert "1/2" in words
    assert "hidden" not in scale.html


def test_headings_count_more_where_it_is_explained(tmp_path):
    _, scale = found(tmp_path)
    assert "<h1" in scale.html
    _, listed = found(tmp_path, name="glossary.html")
    assert "<h1" not in listed.html
    assert 'data-pagefind-meta="title"' in listed.html


def test_a_page_without_an_article_has_none(tmp_path):
    assert found(tmp_path, "<html><body><p>Moved.</p></body></html>") == []
