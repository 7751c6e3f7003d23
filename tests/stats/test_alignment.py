"""Which scores may be compared, and how their images are brought into one order."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scored import score

from radcap.core import Score, UsageError
from radcap.stats.alignment import align_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN = score({"x": 0.25, "y": 0.75})


def test_images_come_in_the_order_of_the_first_run_and_nan_stands_for_those_left_out() -> None:
    aligned = align_scores(
        {
            "one": {"f1": score({"x": 0.1, "y": 0.2}), "manual": score({"z": 0.3, "y": 0.4}, "manual")},
            "two": {"manual": score({"y": 0.8, "z": 0.7}, "manual"), "f1": score({"y": 0.6, "x": 0.5})},
        }
    )
    assert (aligned.runs, aligned.metrics) == (("one", "two"), ("f1", "manual"))
    expected = [
        [[0.1, 0.5], [math.nan, math.nan]],
        [[0.2, 0.6], [0.4, 0.8]],
        [[math.nan, math.nan], [0.3, 0.7]],
    ]
    assert np.array_equal(aligned.values, expected, equal_nan=True)


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        ({}, "No run was given"),
        ({"a": {}}, "Run a has no score"),
        ({"a": {"f1": PLAIN}, "b": {}}, "run b has no score"),
        ({"a": {"f1": PLAIN}, "b": {"f1": PLAIN, "recall": PLAIN}}, "run b has f1, recall"),
        (
            {"a": {"f1": PLAIN}, "b": {"f1": replace(PLAIN, signature="f1|edition:2023")}},
            r"f1 of run a is f1\|edition:2025\|radcap:0, that of run b is f1\|edition:2023",
        ),
        (
            {"a": {"f1": PLAIN}, "b": {"f1": score({"x": 0.25, "w": 0.75})}},
            r"different images: 2 are in only one of them, e\.g\. w",
        ),
        (
            {"a": {"f1": PLAIN}, "b": {"f1": score({"x": 0.25})}},
            r"different images: 1 are in only one of them, e\.g\. y",
        ),
        ({"a": {"f1": replace(PLAIN, ids=(), values=())}}, "f1 of run a has no value per image"),
        ({"a": {"f1": replace(PLAIN, ids=("x", "x"))}}, "1 different images, 2 values and n = 2"),
        ({"a": {"f1": replace(PLAIN, ids=("x",))}}, "1 different images, 2 values and n = 2"),
        ({"a": {"f1": replace(PLAIN, n=3)}}, "2 different images, 2 values and n = 3"),
        ({"a": {"f1": replace(PLAIN, values=(0.5, math.nan))}}, "no finite number"),
        ({"a": {"f1": replace(PLAIN, values=(0.5, math.inf))}}, "no finite number"),
        ({"a": {"f1": replace(PLAIN, value=0.51)}}, "is 0.51, not the mean"),
        ({"a": {"f1": replace(PLAIN, value=math.nan)}}, "is nan, not the mean"),
    ],
    ids=[
        "no run",
        "no metric",
        "a run without metrics",
        "other metrics",
        "another signature",
        "other images",
        "fewer images",
        "a score without images",
        "an image twice",
        "fewer ids than values",
        "another n",
        "a NaN",
        "an infinity",
        "a value that is no mean",
        "a value that is no number",
    ],
)
def test_refusals(runs: Mapping[str, Mapping[str, Score]], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        align_scores(runs)


def test_values_kept_in_single_precision_are_near_enough_to_their_mean() -> None:
    exact = score({str(place): place / 3_000 for place in range(3_000)})
    kept = tuple(np.array(exact.values, dtype=np.float32).tolist())
    assert align_scores({"a": {"f1": replace(exact, values=kept)}}).values[1, 0, 0] == kept[1]
