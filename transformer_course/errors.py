"""The one exception that stands for bad input."""


class DataError(ValueError):
    """What was given cannot be used; the message says what was expected, what came, what to do.

    The command line prints the message as one line and leaves with exit code 2.
    """
