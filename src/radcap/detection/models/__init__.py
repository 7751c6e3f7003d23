"""Trained models: their folder, and what they answer."""

from radcap.detection.models.answers import Answers
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.opening import Model, open_model

__all__ = ["Answers", "Model", "ModelFolder", "open_model"]
