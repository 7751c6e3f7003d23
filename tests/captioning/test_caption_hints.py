"""What a writer is told of concepts, and how often it is told wrongly while it learns."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.hints import Hints, told_concepts
from radcap.captioning.settings import ConditionSettings
from radcap.vision.pictures import Chance

CPU = torch.device("cpu")


def sets_of(told: torch.Tensor) -> list[set[int]]:
    return [{one for one in row if one >= 0} for row in told.tolist()]


def drawn_rows(rows: int, labels: int, share: float, seed: int = 0) -> torch.Tensor:
    return torch.rand(rows, labels, generator=torch.Generator().manual_seed(seed)) < share


@given(st.lists(st.sets(st.integers(0, 8)), min_size=1, max_size=6), st.integers(9, 20))
def test_without_chance_the_numbers_are_those_that_are_decided(rows: list[set[int]], most: int) -> None:
    decided = torch.tensor([[one in row for one in range(9)] for row in rows])
    told = told_concepts(decided, most, ConditionSettings(drop=1.0, add=1.0))
    assert told.shape == (len(rows), 9)
    assert sets_of(told) == rows


@given(st.sets(st.integers(0, 8)), st.integers(1, 8))
def test_no_more_than_so_many_are_told(row: set[int], most: int) -> None:
    told = told_concepts(torch.tensor([[one in row for one in range(9)]]), most)
    assert told.shape == (1, most)
    (found,) = sets_of(told)
    assert found <= row
    assert len(found) == min(most, len(row))


def test_without_labels_nothing_is_told() -> None:
    assert told_concepts(torch.zeros(3, 0, dtype=torch.bool), 16).shape == (3, 0)


@pytest.mark.parametrize(("drop", "add"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2), (0.3, 0.2), (1.0, 0.0)])
def test_drop_and_add_are_the_rates_at_which_the_writer_is_misled(drop: float, add: float) -> None:
    decided = drawn_rows(2000, 20, 0.3)
    told = told_concepts(decided, 20, ConditionSettings(drop=drop, add=add), Chance.of(0, 0, CPU))
    found = torch.zeros_like(decided)
    for row, numbers in enumerate(sets_of(told)):
        found[row, sorted(numbers)] = True
    true, wrong = decided & found, found & ~decided
    assert true.sum() / decided.sum() == pytest.approx(1 - drop, abs=0.02)
    # another image has a concept that this one lacks at 0.3, and it is told of at `add`
    assert wrong.sum() / (~decided).sum() == pytest.approx(0.3 * add, abs=0.02)


def test_a_true_concept_that_the_other_image_has_too_is_dropped_as_often() -> None:
    decided = torch.ones(4000, 1, dtype=torch.bool)
    settings = ConditionSettings(drop=0.5, add=1.0)
    told = told_concepts(decided, 1, settings, Chance.of(0, 0, CPU))
    assert (told >= 0).float().mean() == pytest.approx(0.5, abs=0.03)


def test_wrong_concepts_are_those_of_other_images_of_the_batch() -> None:
    decided = torch.zeros(50, 10, dtype=torch.bool)
    decided[::2, 3] = True
    told = told_concepts(decided, 10, ConditionSettings(add=1.0), Chance.of(1, 0, CPU))
    assert set().union(*sets_of(told)) == {3}


def test_lots_are_those_of_the_epoch() -> None:
    decided, settings = drawn_rows(40, 12, 0.4), ConditionSettings(drop=0.4, add=0.4)
    first, again, other = (
        told_concepts(decided, 12, settings, Chance.of(0, epoch, CPU)) for epoch in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_hints_may_be_missing() -> None:
    assert (Hints().concepts, Hints().words) == (None, None)
