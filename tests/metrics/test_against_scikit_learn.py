"""The measures against scikit-learn, on random sets.

To the bit (`==`) where both sides divide the same whole numbers, or add the same floats in the same order:
every per-image value, micro F1, and the mean F1 that the evaluators form by one addition after the other.
To 1e-12 where scikit-learn averages with numpy, which adds pairwise: macro F1 and the `samples` averages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.preprocessing import MultiLabelBinarizer

from radcap.metrics import score_concepts
from radcap.metrics.concept_f1 import set_f1
from radcap.metrics.concept_macro_f1 import macro_f1
from radcap.metrics.concept_micro_f1 import micro_f1
from radcap.metrics.concept_precision import set_precision
from radcap.metrics.concept_recall import set_recall
from radcap.metrics.concept_sets import SetPair

if TYPE_CHECKING:
    from collections.abc import Callable

CUIS = [f"C{number:07d}" for number in range(12)]
SETS = st.frozensets(st.sampled_from(CUIS), max_size=8)
PAIRS = st.lists(st.tuples(SETS, SETS), min_size=1, max_size=12)
OURS: dict[str, Callable[..., float]] = {"f1": set_f1, "precision": set_precision, "recall": set_recall}
THEIRS: dict[str, Callable[..., float]] = {
    "f1": f1_score,
    "precision": precision_score,
    "recall": recall_score,
}
few = settings(max_examples=40, deadline=None)

Pairs = list[tuple[frozenset[str], frozenset[str]]]


def of_scikit_learn(measure: Callable[..., float], truth: frozenset[str], predicted: frozenset[str]) -> float:
    """One image as the official code does it: binary, over the union of both sets."""
    union = sorted(truth | predicted)
    y_true = [int(cui in truth) for cui in union]
    y_pred = [int(cui in predicted) for cui in union]
    return measure(y_true, y_pred, average="binary", zero_division=0)


def binarized(pairs: Pairs) -> tuple[object, object]:
    """Both sides as tables of 0 and 1. With a single column scikit-learn sees no labels but two classes."""
    every = sorted(frozenset[str]().union(*(one | other for one, other in pairs)))
    assume(len(every) > 1)
    table = MultiLabelBinarizer(classes=every)
    truth = table.fit_transform([truth for truth, _ in pairs])
    return truth, table.transform([predicted for _, predicted in pairs])


def as_pairs(pairs: Pairs) -> list[SetPair]:
    return [SetPair(str(n), truth, predicted) for n, (truth, predicted) in enumerate(pairs)]


@pytest.mark.parametrize("name", OURS)
@few
@given(truth=SETS, predicted=SETS)
def test_a_value_per_image_equals_scikit_learn_to_the_bit(
    name: str, truth: frozenset[str], predicted: frozenset[str]
) -> None:
    assume(truth or predicted)
    assert OURS[name](predicted, truth) == of_scikit_learn(THEIRS[name], truth, predicted)


@pytest.mark.parametrize(
    ("predicted", "truth", "f1", "precision", "recall"),
    [
        ("", "", 1.0, 1.0, 1.0),
        ("C1", "", 0.0, 0.0, 0.0),
        ("", "C1", 0.0, 0.0, 0.0),
        ("C1", "C2", 0.0, 0.0, 0.0),
    ],
    ids=["both empty", "truth empty", "prediction empty", "nothing shared"],
)
def test_zero_cases(predicted: str, truth: str, f1: float, precision: float, recall: float) -> None:
    sets = frozenset(predicted.split()), frozenset(truth.split())
    assert (set_f1(*sets), set_precision(*sets), set_recall(*sets)) == (f1, precision, recall)


@few
@given(pairs=PAIRS)
def test_the_mean_f1_equals_the_loop_of_the_official_code_to_the_bit(pairs: Pairs) -> None:
    pairs = [(truth, predicted) for truth, predicted in pairs if truth]
    assume(pairs)
    current_score = 0.0
    for truth, predicted in pairs:
        current_score += of_scikit_learn(f1_score, truth, predicted)
    ids = [str(n) for n in range(len(pairs))]
    report = score_concepts(
        {one: sorted(predicted) for one, (_, predicted) in zip(ids, pairs, strict=True)},
        {one: sorted(truth) for one, (truth, _) in zip(ids, pairs, strict=True)},
        edition="2017",
    )
    assert report["f1"].value == current_score / len(pairs)


@pytest.mark.parametrize("name", OURS)
@few
@given(pairs=PAIRS)
def test_the_means_equal_scikit_learns_samples_average_to_1e_12(name: str, pairs: Pairs) -> None:
    pairs = [
        (truth, predicted) for truth, predicted in pairs if truth
    ]  # scikit-learn has 0 for two empty sets
    tables = binarized(pairs)
    ids = [str(n) for n in range(len(pairs))]
    report = score_concepts(
        {one: predicted for one, (_, predicted) in zip(ids, pairs, strict=True)},
        {one: truth for one, (truth, _) in zip(ids, pairs, strict=True)},
        edition="2025",
        profile="documented",
    )
    theirs = THEIRS[name](*tables, average="samples", zero_division=0)
    assert report[name].value == pytest.approx(theirs, abs=1e-12)


@few
@given(pairs=PAIRS)
def test_micro_f1_equals_scikit_learn_to_the_bit(pairs: Pairs) -> None:
    theirs = f1_score(*binarized(pairs), average="micro")
    assert micro_f1(as_pairs(pairs)) == theirs


@few
@given(pairs=PAIRS)
def test_macro_f1_equals_scikit_learn_to_1e_12(pairs: Pairs) -> None:
    theirs = f1_score(*binarized(pairs), average="macro")
    assert macro_f1(as_pairs(pairs)) == pytest.approx(theirs, abs=1e-12)


def test_macro_f1_adds_one_concept_after_the_other_on_every_python() -> None:
    """`sum` compensates since Python 3.12, so the last digit would depend on who runs radcap."""
    ten = frozenset(CUIS[:10])
    pairs = as_pairs([(ten, ten), *[(ten, frozenset[str]())] * 18])  # each concept: 2 * 1 / 20
    assert macro_f1(pairs) == 0.9999999999999999 / 10


def test_macro_f1_adds_in_the_order_of_the_concepts_not_of_the_images() -> None:
    def named(cui: str, hits: int, misses: int) -> Pairs:
        one = frozenset({cui})
        return [(one, one)] * hits + [(one, frozenset[str]())] * misses

    tenths = named("C3", 3, 14) + named("C2", 1, 8) + named("C1", 1, 18)  # F1 of 0.3, 0.2 and 0.1
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    assert macro_f1(as_pairs(tenths)) == (0.1 + 0.2 + 0.3) / 3


@pytest.mark.parametrize("measure", [micro_f1, macro_f1])
def test_nothing_true_and_nothing_predicted_scores_0_over_all(
    measure: Callable[[list[SetPair]], float],
) -> None:
    assert measure([]) == 0.0
    assert measure(as_pairs([(frozenset(), frozenset())])) == 0.0
