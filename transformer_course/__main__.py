"""`python -m transformer_course` and `torchrun -m transformer_course` run the command line."""

import sys

from transformer_course.commands import main

if __name__ == "__main__":
    sys.exit(main())
