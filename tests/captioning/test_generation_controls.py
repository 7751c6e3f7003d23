"""Controls one by one, and all of them as rules."""

from __future__ import annotations

import pytest
import torch
from captioning_samples_generation import MARKS, may_follow
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.generation import FORBIDDEN, Longest, Marks, RepeatBan, Shortest, marks_of
from radcap.captioning.generation.mark_ban import MarkBan
from radcap.captioning.generation.rules import Rules, rules_of
from radcap.captioning.settings import GenerateSettings

NONE = torch.empty(2, 0, dtype=torch.int64)
IMAGES = torch.arange(2)


def left(control, written: torch.Tensor, size: int = 6) -> list[set[int]]:
    ruled = control(written, torch.zeros(len(written), size), torch.zeros(len(written), dtype=torch.int64))
    assert set(ruled.unique().tolist()) <= {0.0, FORBIDDEN}
    return [set((row == 0).nonzero()[:, 0].tolist()) for row in ruled]


def test_marks() -> None:
    class Tokenizer:
        pad, begin, end = 5, 6, 7

    assert marks_of(Tokenizer()) == Marks(5, 6, 7)  # type: ignore[arg-type]
    assert Marks(5, 7, 7).never == (5,)


def test_marks_are_not_written() -> None:
    assert left(MarkBan((0, 1)), NONE) == [{2, 3, 4, 5}] * 2
    assert left(MarkBan(()), NONE) == [{0, 1, 2, 3, 4, 5}] * 2


@pytest.mark.parametrize(("length", "short", "long"), [(0, True, False), (2, False, True), (3, False, True)])
def test_lengths(length: int, short: bool, long: bool) -> None:
    written = torch.full((1, length), 3)
    assert (2 not in left(Shortest(2, 2), written)[0]) == short
    assert (left(Longest(2, 2), written)[0] == {2}) == long


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 4), st.integers(0, 9), st.data())
def test_runs_are_not_repeated(n: int, length: int, data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.lists(st.integers(3, 5), min_size=length, max_size=length), min_size=1, max_size=4)
    )
    found = left(RepeatBan(n), torch.tensor(rows).reshape(len(rows), length))
    rules = GenerateSettings(no_repeat=n, shortest=0, longest=99)
    marks = {0, 1}
    for row, allowed in zip(rows, found, strict=True):
        assert allowed == may_follow(tuple(row), 6, rules) | marks


class Nothing:
    """Forbids everything, for the second image."""

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        return logits.masked_fill(images[:, None] == 1, FORBIDDEN)


def test_the_end_stays_where_all_is_forbidden() -> None:
    rules = Rules((Nothing(),), end=2)
    ruled = rules(NONE, torch.zeros(2, 4), IMAGES)
    assert ruled[0].tolist() == pytest.approx([torch.tensor(0.25).log().item()] * 4)
    assert ruled[1].tolist() == [FORBIDDEN, FORBIDDEN, pytest.approx(ruled[0, 2].item()), FORBIDDEN]


def test_what_a_decoder_thinks_impossible_is_not_forbidden() -> None:
    ruled = Rules((), end=0)(NONE, torch.tensor([[0.0, FORBIDDEN]] * 2), IMAGES)
    assert ruled.tolist() == [[0.0, -1e4]] * 2


@pytest.mark.parametrize(
    ("length", "no_repeat", "expected"),
    [(0, 0, {3, 4, 5}), (2, 0, {2, 3, 4, 5}), (2, 1, {2, 4, 5}), (3, 1, {2})],
)
def test_the_rules_of_the_settings(length: int, no_repeat: int, expected: set[int]) -> None:
    chosen = GenerateSettings(no_repeat=no_repeat, shortest=1, longest=3)
    ruled = rules_of(chosen, MARKS)(torch.full((1, length), 3), torch.zeros(1, 6), torch.zeros(1).long())
    assert set((ruled[0] > FORBIDDEN).nonzero()[:, 0].tolist()) == expected
    assert torch.logsumexp(ruled[0], 0) < 0  # nothing is shared out anew


def test_how_long_a_caption_is_has_the_last_word() -> None:
    """A control that forbids the end cannot keep a caption going."""
    chosen = GenerateSettings(no_repeat=0, shortest=0, longest=1)
    rules = rules_of(chosen, MARKS, [MarkBan((2,))])
    assert (rules(torch.tensor([[3]]), torch.zeros(1, 6), torch.zeros(1).long())[0] > FORBIDDEN).tolist() == [
        False, False, True, False, False, False,
    ]  # fmt: skip
