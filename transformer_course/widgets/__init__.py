"""What moves on the page: widgets that compute in the browser, on the site as in Jupyter."""

from transformer_course.widgets.architecture_map import ArchitectureMap
from transformer_course.widgets.attention_figures import AttentionFigures
from transformer_course.widgets.attention_picture import AttentionPicture
from transformer_course.widgets.base import CourseWidget, Matrix, Table
from transformer_course.widgets.beam_tree import BeamTree
from transformer_course.widgets.bpe_merges import BpeMerges
from transformer_course.widgets.complexity import Complexity
from transformer_course.widgets.dropout import Dropout
from transformer_course.widgets.encoder_trip import EncoderTrip
from transformer_course.widgets.expand_contract import ExpandContract
from transformer_course.widgets.flash_cards import FlashCards
from transformer_course.widgets.head_slices import HeadSlices
from transformer_course.widgets.kv_cache import KVCache
from transformer_course.widgets.label_smoothing import LabelSmoothing
from transformer_course.widgets.laboratory import Laboratory
from transformer_course.widgets.learning_rate import LearningRate
from transformer_course.widgets.looking_back import LookingBack, Writing
from transformer_course.widgets.masked_softmax import MaskedSoftmax
from transformer_course.widgets.one_query import OneQuery
from transformer_course.widgets.one_table import OneTable
from transformer_course.widgets.online_softmax import OnlineSoftmax
from transformer_course.widgets.page_exercise import PageExercise
from transformer_course.widgets.parser import Parser
from transformer_course.widgets.positional_encoding import PositionalEncoding
from transformer_course.widgets.prediction import Prediction
from transformer_course.widgets.progress import Progress, ProgressStrip
from transformer_course.widgets.relay import Relay
from transformer_course.widgets.saturation import Saturation
from transformer_course.widgets.speculation import Speculation
from transformer_course.widgets.teacher_forcing import TeacherForcing
from transformer_course.widgets.then_and_now import ThenAndNow
from transformer_course.widgets.three_uses import ThreeUses
from transformer_course.widgets.trained_attention import TrainedAttention
from transformer_course.widgets.translator import Translator
from transformer_course.widgets.variation_rows import VariationRows

__all__ = [
    "ArchitectureMap",
    "AttentionFigures",
    "AttentionPicture",
    "BeamTree",
    "BpeMerges",
    "Complexity",
    "CourseWidget",
    "Dropout",
    "EncoderTrip",
    "ExpandContract",
    "FlashCards",
    "HeadSlices",
    "KVCache",
    "LabelSmoothing",
    "Laboratory",
    "LearningRate",
    "LookingBack",
    "MaskedSoftmax",
    "Matrix",
    "OneQuery",
    "OneTable",
    "OnlineSoftmax",
    "PageExercise",
    "Parser",
    "PositionalEncoding",
    "Prediction",
    "Progress",
    "ProgressStrip",
    "Relay",
    "Saturation",
    "Speculation",
    "Table",
    "TeacherForcing",
    "ThenAndNow",
    "ThreeUses",
    "TrainedAttention",
    "Translator",
    "VariationRows",
    "Writing",
]
