"""Stands before the library of this name, which takes 2 s to load.

jsonschema would check addresses with it, in everything that opens a notebook, and does without.
"""

raise ImportError("the tests do without it")
