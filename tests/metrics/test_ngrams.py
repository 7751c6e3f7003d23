"""N-gram counts against plain counters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from caption_samples import TOKEN_PAIRS, few, real_captions
from hypothesis import given

from radcap.metrics.ngrams import count_ngrams

if TYPE_CHECKING:
    from radcap.metrics.ngrams import Counts

Tokens = list[str]


def ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def counts_of(side: Counts, caption: int) -> list[int]:
    """How often each n-gram of a caption stands in it, in no order."""
    return sorted(count for owner, count in zip(side.caption, side.count, strict=True) if owner == caption)


def check(candidates: list[Tokens], references: list[Tokens]) -> None:
    for n, pairs in enumerate(count_ngrams(candidates, references, 4), start=1):
        ours, theirs = ([ngrams(tokens, n) for tokens in side] for side in (candidates, references))
        for side, plain in ((pairs.candidates, ours), (pairs.references, theirs)):
            assert side.totals.tolist() == [one.total() for one in plain]
            assert [counts_of(side, place) for place in range(len(plain))] == [
                sorted(one.values()) for one in plain
            ]
        shared = [(one & other).total() for one, other in zip(ours, theirs, strict=True)]
        assert pairs.matches().tolist() == shared
        assert len(pairs.common()[0]) == sum(
            len(one & other) for one, other in zip(ours, theirs, strict=True)
        )


@few
@given(TOKEN_PAIRS)
def test_counts_and_matches_are_those_of_counters(pairs: list[tuple[Tokens, Tokens]]) -> None:
    check([one for one, _ in pairs], [other for _, other in pairs])


def test_counts_on_real_captions() -> None:
    captions = [caption.split() for caption in real_captions()[:120]]
    check(captions, [*captions[1:], captions[0]])


@pytest.mark.parametrize("orders", [1, 2, 4])
def test_there_are_as_many_orders_as_asked_for_even_of_nothing(orders: int) -> None:
    counted = count_ngrams([[]], [[]], orders)
    assert [pairs.matches().tolist() for pairs in counted] == [[0]] * orders
    assert [pairs.candidates.totals.tolist() for pairs in counted] == [[0]] * orders


def test_an_ngram_never_reaches_into_the_next_caption() -> None:
    _, bigrams = count_ngrams([["left"], ["lung"]], [["left", "lung"], ["left", "lung"]], 2)
    assert bigrams.candidates.totals.tolist() == [0, 0]
    assert bigrams.matches().tolist() == [0, 0]
