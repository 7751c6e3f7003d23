"""Confusion matrices against scikit-learn."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, precision_score, recall_score

from radcap.core import UsageError
from radcap.stats import ConfusionMatrix

LABELS = ["CT", "MRI", "PET", "US"]
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30)


@settings(max_examples=30, deadline=None)
@given(PAIRS)
def test_everything_equals_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    truth, found = [a for a, _ in pairs], [b for _, b in pairs]
    ours = ConfusionMatrix.of(truth, found, LABELS)
    theirs = confusion_matrix(truth, found, labels=LABELS)
    assert [list(row) for row in ours.counts] == theirs.tolist()
    assert ours.row_totals == tuple(theirs.sum(axis=1))
    assert ours.column_totals == tuple(theirs.sum(axis=0))
    assert ours.n == len(pairs)
    assert ours.accuracy == pytest.approx(accuracy_score(truth, found), abs=1e-15)
    options = {"labels": LABELS, "average": None, "zero_division": math.nan}
    assert ours.precisions == pytest.approx(precision_score(truth, found, **options), nan_ok=True)
    assert ours.recalls == pytest.approx(recall_score(truth, found, **options), nan_ok=True)


def test_labels_that_occur_are_taken_numbers_by_size_then_words() -> None:
    matrix = ConfusionMatrix.of([10, "b", 9], [9, "a", 9])
    assert matrix.labels == (9, 10, "a", "b")
    assert matrix.counts == ((1, 0, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 1, 0))


def test_json_has_null_where_a_share_is_of_nothing() -> None:
    matrix = ConfusionMatrix.of(["CT", "CT"], ["CT", "MRI"])
    assert json.loads(json.dumps(matrix.to_json(), allow_nan=False)) == {
        "labels": ["CT", "MRI"],
        "counts": [[1, 1], [0, 0]],
        "n": 2,
        "accuracy": 0.5,
        "precision": [1.0, 0.0],
        "recall": [0.5, None],
    }


def test_nothing_counted_has_no_accuracy() -> None:
    empty = ConfusionMatrix.of([], [])
    assert (empty.n, empty.row_totals, empty.column_totals) == (0, (), ())
    assert math.isnan(empty.accuracy)


def test_sequences_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError, match="2 labels came with 1 label"):
        ConfusionMatrix.of(["CT", "CT"], ["CT"])


def test_a_label_that_is_not_listed_is_refused() -> None:
    with pytest.raises(UsageError, match="'X-ray' is not among CT, MRI"):
        ConfusionMatrix.of(["CT"], ["X-ray"], ["CT", "MRI"])


@pytest.mark.parametrize(
    ("labels", "counts"),
    [(("a", "a"), ((1, 0), (0, 1))), (("a", "b"), ((1, 0),)), (("a", "b"), ((1, 0), (0, 1, 2)))],
    ids=["a label twice", "a row is absent", "a row too long"],
)
def test_a_matrix_that_does_not_fit_its_labels_is_refused(
    labels: tuple[str, ...], counts: tuple[tuple[int, ...], ...]
) -> None:
    with pytest.raises(UsageError, match="each has one row and one column"):
        ConfusionMatrix(labels, counts)
