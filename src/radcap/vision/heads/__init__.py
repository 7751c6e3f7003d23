"""Heads: from a feature map to logits, over a pooling by name."""

from radcap.vision.heads.head import HEADS, Head, make_head
from radcap.vision.heads.pooling import POOLINGS, make_pool

__all__ = ["HEADS", "POOLINGS", "Head", "make_head", "make_pool"]
