"""Heads: from a feature map to logits, over a pooling by name."""

from radcap.vision.heads.head import Head, LabelFacts, Taught, make_head
from radcap.vision.heads.pooling import make_pool

__all__ = ["Head", "LabelFacts", "Taught", "make_head", "make_pool"]
