"""Name a value in a cell, and quote it in the prose with `` {glue:text}`name` ``.

The same mark in the notebook as MyST-NB's own `glue`, without its three seconds of imports.
"""

from typing import Any

from IPython.core.formatters import format_display_data
from IPython.display import display

HIDDEN = "application/papermill.record/"


def glue(name: str, value: Any, show: bool = False) -> None:
    """Store `value` under `name` for the prose; `show` displays it under the cell as well.

    A number that the prose formats (`` {glue:text}`bleu:.1f` ``) must be a plain float or int.
    """
    data, metadata = format_display_data(value)
    prefix = "" if show else HIDDEN
    metadata["scrapbook"] = {"name": name, "mime_prefix": prefix}
    named = {prefix + mime: content for mime, content in data.items()}
    display(named, raw=True, metadata=metadata)
