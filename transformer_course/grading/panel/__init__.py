"""The panel below an answer in Jupyter: check, hint, points, progress. Core ipywidgets only."""

from transformer_course.grading.panel.panels import Panels

__all__ = ["Panels"]
