"""Models as methods see them: one image in one network."""

from radcap.explanation.lenses.frame import Frame
from radcap.explanation.lenses.lens import Lens

__all__ = ["Frame", "Lens"]
