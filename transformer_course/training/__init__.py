"""From batches to a trained model. Read the files in this order:

schedule, loss, distributed (which can wait), loop, devices, precision, checkpoint, runs and
run_training.
"""

from transformer_course.training.devices import choose_device, choose_precision
from transformer_course.training.loop import Step, make_optimizer, train
from transformer_course.training.loss import chunked_loss, label_smoothed_loss
from transformer_course.training.precision import measure_precision
from transformer_course.training.run_training import RunTraining
from transformer_course.training.runs import Run, RunConfig
from transformer_course.training.schedule import (
    PRECISIONS,
    TRAINING_PRESETS,
    TrainingConfig,
    learning_rate,
    linear_rate,
    noam_rate,
)

__all__ = [
    "PRECISIONS",
    "TRAINING_PRESETS",
    "Run",
    "RunConfig",
    "RunTraining",
    "Step",
    "TrainingConfig",
    "choose_device",
    "choose_precision",
    "chunked_loss",
    "label_smoothed_loss",
    "learning_rate",
    "linear_rate",
    "make_optimizer",
    "measure_precision",
    "noam_rate",
    "train",
]
