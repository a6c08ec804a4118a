"""Put today's words, exercises and widgets into the executed chapters, without running them."""

from __future__ import annotations

import sys

from chapters import BOOK, notebook_of, refresh, reword, twins


def main() -> int:
    """Print the notebooks that changed."""
    for twin in twins():
        if notebook_of(twin).exists() and reword(twin, notebook_of(twin)):
            print(f"{notebook_of(twin).name}: its words are today's")
    for notebook in sorted(BOOK.glob("*.ipynb")):
        if refresh(notebook):
            print(f"{notebook.name}: its widgets' code is today's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
