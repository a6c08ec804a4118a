"""The command line. Each verb has a file.

Read arguments and terminal first, then data, train, average, translate, evaluate, export, bench,
release and grade; cli puts them together. With record, a benchmark writes its result.
"""

from transformer_course.commands.cli import main

__all__ = [
    "main",
]
