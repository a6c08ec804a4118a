"""Exercises in notebooks: written once, checked at once in Jupyter, graded safely for a class."""
