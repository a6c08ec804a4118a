"""Readers without scripts see a widget's numbers as tables.

MyST-NB keeps one form of each output: on the page, the widget. Where a widget also has an HTML
form, its static twin, this puts it beside the widget for browsers that run no scripts.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

NOTE = '<p class="course-needs-python">With scripts on, this figure moves. Its numbers:</p>'
WIDGET = "application/vnd.jupyter.widget-view+json"


class AddStaticTwins(SphinxPostTransform):
    """Runs before MyST-NB picks the form of each output."""

    default_priority = 3
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Put each widget's HTML form in a `<noscript>` after it."""
        bundles = [
            node
            for node in self.document.findall(nodes.container)
            if node.get("nb_element") == "mime_bundle"
        ]
        for bundle in bundles:
            forms = {form.get("mime_type"): form for form in bundle.children}
            if WIDGET in forms and "text/html" in forms:
                twin = forms["text/html"].astext()
                raw = nodes.raw("", f"<noscript>{NOTE}{twin}</noscript>", format="html")
                bundle.parent.insert(bundle.parent.index(bundle) + 1, raw)


def add_transform(app: Sphinx) -> None:
    """Let it run on every page."""
    app.add_post_transform(AddStaticTwins)
