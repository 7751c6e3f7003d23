"""The coarse values that are had soonest for so many pairs on this machine."""

from __future__ import annotations

from radcap.detection.retrieval.coarse import Coarse, PlainProducts
from radcap.detection.retrieval.config import Metric
from radcap.detection.retrieval.eight_bit import EightBitProducts, eight_bit_pays
from radcap.detection.retrieval.vectors import Vectors

__all__ = ["products"]


def products(vectors: Vectors, queries: Vectors, metric: Metric) -> Coarse:
    """The quicker of the two ways to compare vectors, by how many there are."""
    if eight_bit_pays(len(vectors), len(queries), vectors.shape[1]):
        return EightBitProducts(vectors, queries, metric)
    return PlainProducts(vectors, queries, metric)
