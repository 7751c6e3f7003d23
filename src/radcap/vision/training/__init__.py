"""One training loop for every network, on a CPU, a GPU or several."""

from radcap.vision.training.boards import board_writer
from radcap.vision.training.checkpoint import CheckpointFolder
from radcap.vision.training.compiling import while_compiling
from radcap.vision.training.devices import Place, pick_place
from radcap.vision.training.easy_first import difficulty_of, fit_easy_first
from radcap.vision.training.feeds import FeatureFeed, Feed, PictureFeed, check_augment
from radcap.vision.training.history import EpochRow, History
from radcap.vision.training.lessons import Exam, LabelExam, LabelLesson, Lesson
from radcap.vision.training.loop import Trained, fit, learn
from radcap.vision.training.memory import memory_kept
from radcap.vision.training.predicting import predicted
from radcap.vision.training.teaching import Teacher

__all__ = [
    "CheckpointFolder",
    "EpochRow",
    "Exam",
    "FeatureFeed",
    "Feed",
    "History",
    "LabelExam",
    "LabelLesson",
    "Lesson",
    "PictureFeed",
    "Place",
    "Teacher",
    "Trained",
    "board_writer",
    "check_augment",
    "difficulty_of",
    "fit",
    "fit_easy_first",
    "learn",
    "memory_kept",
    "pick_place",
    "predicted",
    "while_compiling",
]
