"""The command line: cli names the verbs, and each verb has a file."""

from transformer_course.commands.cli import main

__all__ = [
    "main",
]
