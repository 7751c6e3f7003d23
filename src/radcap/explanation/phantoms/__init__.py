"""Phantoms: shapes planted in real pictures, so that the true evidence is known exactly."""

from radcap.explanation.phantoms.dataset import phantom_caption, phantom_dataset, shuffled
from radcap.explanation.phantoms.shapes import SHAPES, Shape
from radcap.explanation.phantoms.truth import Phantoms, Truth

__all__ = ["SHAPES", "Phantoms", "Shape", "Truth", "phantom_caption", "phantom_dataset", "shuffled"]
