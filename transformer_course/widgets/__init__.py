"""What moves on the page: widgets that compute in the browser, on the site as in Jupyter."""

from transformer_course.widgets.attention_steps import AttentionSteps
from transformer_course.widgets.base import CourseWidget, Matrix, Table
from transformer_course.widgets.learning_rate import LearningRate

__all__ = ["AttentionSteps", "CourseWidget", "LearningRate", "Matrix", "Table"]
