"""Classic learners over the vectors of images: linear ones, trees, boosted trees."""

from radcap.detection.learners.config import Learner
from radcap.detection.learners.learner import FittedLearner, fit_learner
from radcap.detection.learners.registry import LEARNERS
from radcap.detection.learners.storing import load_learner, save_learner

__all__ = ["LEARNERS", "FittedLearner", "Learner", "fit_learner", "load_learner", "save_learner"]
