"""The Transformer of "Attention Is All You Need" (Vaswani et al. 2017), small enough to read.

Read masks, attention, positions, layers and model first, then training and decoding.
"""

__version__ = "0.1.0"
