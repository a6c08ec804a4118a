"""`python -m transformer_course` and `torchrun -m transformer_course` run the command line."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C while it still loads gives one line, as it does later."""
    try:
        from transformer_course.commands import main as run  # noqa: PLC0415  it takes seconds

        return run()
    except KeyboardInterrupt:
        print("\ntransformer-course: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
