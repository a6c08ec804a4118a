"""The Transformer of "Attention Is All You Need" (Vaswani et al. 2017), small enough to read.

Read the folders in this order: model, data, training, decoding. Each one's text says in which order
to read its files. commands is the command line; pages, widgets and grading are for the book.
"""

__version__ = "0.1.0"
