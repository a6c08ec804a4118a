"""The Transformer of "Attention Is All You Need" (Vaswani et al. 2017), small enough to read.

Read the modules in this order: masks, attention, positions, layers, model, then training and decoding.
"""

__version__ = "0.1.0"
