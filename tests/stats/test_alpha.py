"""Krippendorff's alpha against the krippendorff package, all pairs one by one, and a published table."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.stats import Scale, krippendorff_alpha

RATING = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.0, 4.0, 4.5]))
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): four raters, twelve units.
PUBLISHED = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""

Ratings = list[list[float | None]]


@st.composite
def ratings(draw: st.DrawFn) -> Ratings:
    units = draw(st.integers(1, 8))
    return draw(st.lists(st.lists(RATING, min_size=units, max_size=units), min_size=2, max_size=5))


def pairable(table: Ratings) -> list[list[float]]:
    """The ratings of each unit that has two or more."""
    units = [[one for one in column if one is not None] for column in zip(*table, strict=True)]
    return [unit for unit in units if len(unit) > 1]


def distance(one: float, other: float, scale: Scale, counts: Counter[float]) -> float:
    low, high = sorted((one, other))
    between = sum(number for value, number in counts.items() if low <= value <= high)
    return {
        Scale.NOMINAL: float(one != other),
        Scale.ORDINAL: (between - (counts[one] + counts[other]) / 2) ** 2,
        Scale.INTERVAL: (one - other) ** 2,
        Scale.RATIO: ((one - other) / (one + other)) ** 2 if one + other else 0.0,
    }[scale]


def plain_alpha(table: Ratings, scale: Scale) -> float:
    """Every ordered pair of ratings within a unit, then every ordered pair of all ratings."""
    units = pairable(table)
    every = [one for unit in units for one in unit]
    counts = Counter(every)
    observed = sum(
        distance(one, other, scale, counts) / (len(unit) - 1)
        for unit in units
        for one, other in permutations(unit, 2)
    )
    expected = sum(distance(one, other, scale, counts) for one, other in permutations(every, 2))
    return 1 - (len(every) - 1) * observed / expected


@settings(max_examples=80, deadline=None)
@given(ratings(), st.sampled_from(list(Scale)))
def test_alpha_equals_all_pairs_and_the_package(table: Ratings, scale: Scale) -> None:
    assume(len({one for unit in pairable(table) for one in unit}) > 1)
    found = krippendorff_alpha(table, scale)
    assert found == pytest.approx(plain_alpha(table, scale), abs=1e-12)
    theirs = krippendorff.alpha(np.array(table, dtype=float), level_of_measurement=scale.value)
    assert found == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("nominal", "0.743"), ("ordinal", "0.815"), ("interval", "0.849"), ("ratio", "0.797")],
)
def test_the_published_example(scale: str, expected: str) -> None:
    table: Ratings = [
        [None if cell == "." else float(cell) for cell in line.split()]
        for line in PUBLISHED.strip().splitlines()
    ]
    assert f"{krippendorff_alpha(table, scale):.3f}" == expected


def test_nan_is_a_gap_like_none() -> None:
    with_none = krippendorff_alpha([[1, 2, None, 3], [1, 3, 2, 3]])
    assert krippendorff_alpha([[1, 2, math.nan, 3], [1, 3, 2, 3]]) == with_none


def test_words_are_names() -> None:
    words = [["CT", "MRI", "CT", "US"], ["CT", "MRI", "US", "US"]]
    numbers = [[1, 2, 1, 3], [1, 2, 3, 3]]
    assert krippendorff_alpha(words, "nominal") == krippendorff_alpha(numbers, "nominal")


@pytest.mark.parametrize("scale", list(Scale))
@pytest.mark.parametrize(
    "table",
    [[], [[1, 2, 3]], [[1, None], [None, 2]], [[3, 3, 3], [3, 3, None]]],
    ids=["no rater", "one rater", "no unit with two ratings", "one value in use"],
)
def test_alpha_is_not_defined_for(table: Ratings, scale: Scale) -> None:
    assert math.isnan(krippendorff_alpha(table, scale))


@pytest.mark.parametrize(
    ("table", "scale", "sentence"),
    [
        ([[1, 2], [1]], "ordinal", "Put None where a rating is absent"),
        ([["low", "high"], ["low", "low"]], "ordinal", "Use the nominal scale"),
        ([[1, -2], [1, -2]], "ratio", "Use the interval scale"),
        ([[1, 2], [1, 2]], "ordinary", "Nearest is 'ordinal'"),
    ],
    ids=["ragged rows", "words in order", "negative ratios", "an unknown scale"],
)
def test_refusals(table: Ratings, scale: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        krippendorff_alpha(table, scale)
