"""Put today's browser code of the widgets into the executed chapters, without running them."""

from __future__ import annotations

import sys

from chapters import BOOK, refresh


def main() -> int:
    """Print the notebooks that changed."""
    for notebook in sorted(BOOK.glob("*.ipynb")):
        if refresh(notebook):
            print(f"{notebook.name}: its widgets' code is today's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
