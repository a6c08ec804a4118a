"""A trained model handed over to an engine that others keep. Read the files in this order:

exported, the folder that is handed over; ctranslate2; for ONNX graph, model_graphs and onnx; and
handing_over, which knows them all.
"""

from transformer_course.engines.exported import Exported, check_supported
from transformer_course.engines.handing_over import ENGINES, TARGETS, export_to, translate

__all__ = ["ENGINES", "TARGETS", "Exported", "check_supported", "export_to", "translate"]
