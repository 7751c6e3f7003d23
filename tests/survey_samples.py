"""Surveys made by hand, for the tests of everything that takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.datasets.survey.survey import BINS, SMALL, Survey

if TYPE_CHECKING:
    from radcap.datasets import Dataset

__all__ = ["survey_of"]


def survey_of(dataset: Dataset, **columns: Any) -> Survey:
    """A survey of grey pictures, 10 pixels high and as wide; columns given by name are other."""
    n = len(dataset)
    histograms = np.zeros((n, BINS), np.uint32)
    histograms[:, BINS // 2] = 100
    known: dict[str, Any] = {
        "ids": tuple(dataset.ids),
        "kinds": ("PNG",) * n,
        "refused": ("",) * n,
        "why": ("",) * n,
        "sizes_bytes": np.full(n, 1_000, np.int64),
        "widths": np.full(n, 10, np.int32),
        "heights": np.full(n, 10, np.int32),
        "colour": np.zeros(n, np.bool_),
        "means": np.full(n, 128, np.float32),
        "deviations": np.full(n, 30, np.float32),
        "histograms": histograms,
        "digests": np.zeros(n, "S32"),
        "pixel_digests": np.zeros(n, "S32"),
        "phashes": np.zeros(n, np.uint64),
        "dhashes": np.zeros(n, np.uint64),
        "small": np.zeros((n, SMALL, SMALL), np.uint8),
    }
    return Survey(**{**known, **columns})
