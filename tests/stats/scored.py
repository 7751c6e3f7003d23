"""Scores for the tests of comparisons."""

from __future__ import annotations

from radcap.core import Score

SIGNATURE = "|edition:2025|radcap:0"


def score(values: dict[str, float], name: str = "f1", signature: str = SIGNATURE) -> Score:
    """The score whose per-image values are these."""
    mean = sum(values.values()) / len(values)
    return Score(name, mean, len(values), name + signature, tuple(values), tuple(values.values()))
