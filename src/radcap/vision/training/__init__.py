"""One training loop for every network, on a CPU, a GPU or several."""

from radcap.vision.training.devices import Place, pick_place
from radcap.vision.training.feeds import Feed, FeatureFeed, PictureFeed
from radcap.vision.training.history import EpochRow, History
from radcap.vision.training.loop import Trained, fit
from radcap.vision.training.predicting import predicted
from radcap.vision.training.teaching import Teacher

__all__ = [
    "EpochRow",
    "FeatureFeed",
    "Feed",
    "History",
    "PictureFeed",
    "Place",
    "Teacher",
    "Trained",
    "fit",
    "pick_place",
    "predicted",
]
