from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from radcap.vocabulary.quality import measure_agreement

CUIS = [f"C000000{n}" for n in range(6)]
LABELS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.frozensets(st.sampled_from(CUIS), max_size=4), min_size=1
)


def types(cui):
    return {"C0000000": ("T023",), "C0000001": ("T047", "T191")}.get(cui, ())


@given(LABELS, LABELS, st.frozensets(st.sampled_from(CUIS), min_size=1))
def test_micro_averages_are_those_of_scikit_learn(found, truth, closed):
    measured = measure_agreement(found, truth, closed, types)

    order = sorted(closed)
    rows = [[cui in labels for cui in order] for labels in truth.values()]
    guesses = [[cui in found.get(one, ()) for cui in order] for one in truth]
    precision, recall, f1, _ = precision_recall_fscore_support(
        np.array(rows, int).ravel(),
        np.array(guesses, int).ravel(),
        average="binary",
        zero_division=0,  # pyright: ignore[reportArgumentType]
    )
    assert measured.whole.precision == pytest.approx(precision)
    assert measured.whole.recall == pytest.approx(recall)
    assert measured.whole.f1 == pytest.approx(f1)
    assert measured.captions == len(truth)
    assert measured.concepts == len(closed)
    assert measured.f1_interval.low <= measured.f1_mean <= measured.f1_interval.high or len(truth) == 1


def test_only_concepts_of_the_closed_set_count():
    measured = measure_agreement(
        {"a": {"C0000000", "C0000005"}}, {"a": {"C0000000", "C0000004"}}, {"C0000000"}, types
    )

    assert (measured.whole.hits, measured.whole.invented, measured.whole.missed) == (1, 0, 0)
    assert measured.f1_mean == 1.0


def test_a_caption_without_concepts_on_both_sides_agrees():
    assert measure_agreement({}, {"a": frozenset()}, {"C0000000"}, types).f1_mean == 1.0


def test_a_concept_of_two_types_counts_in_both_and_one_without_as_unknown():
    measured = measure_agreement(
        {"a": {"C0000001"}, "b": {"C0000003"}},
        {"a": {"C0000001"}, "b": {"C0000001"}},
        {"C0000001", "C0000003"},
        types,
    )

    rows = {one.tui: (one.hits, one.invented, one.missed) for one in measured.by_type}
    assert rows == {"T047": (1, 0, 1), "T191": (1, 0, 1), "unknown": (0, 1, 0)}
    assert [one.tui for one in measured.by_type] == ["T047", "T191", "unknown"]


def test_errors_come_largest_first_with_the_first_caption_of_each():
    truth = {"a": {"C0000002", "C0000003"}, "b": {"C0000002"}, "c": frozenset()}
    measured = measure_agreement({"c": {"C0000004"}}, truth, set(CUIS), types, errors=1)

    assert [(one.cui, one.count, one.example) for one in measured.missed] == [("C0000002", 2, "a")]
    assert [(one.cui, one.count, one.example) for one in measured.invented] == [("C0000004", 1, "c")]
