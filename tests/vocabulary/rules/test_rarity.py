"""The frequency cut: its boundary, its unit, and the count against a plain one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.linking.mentions import Mention
from radcap.vocabulary.rules import FrequencyCut, Unit, cut_rare, frequencies


def mention(cui: str, *, kept: bool = True) -> Mention:
    return Mention(0, 4, "lung", cui, "lung", kept=kept)


@pytest.mark.parametrize(
    ("count", "above", "why"),
    [
        (9, False, "rare: 9 images, fewer than 10"),
        (10, False, None),
        (10, True, "rare: 10 images, fewer than 11"),
        (11, True, None),
    ],
)
def test_the_boundary(count: int, above: bool, why: str | None):
    captions = [(mention("C0000001"),)] * count
    counts = frequencies(captions)
    assert counts == {"C0000001": count}
    for (one,) in cut_rare(captions, counts, FrequencyCut(10, above, Unit.IMAGES)):
        assert (one.kept, one.why) == (why is None, why or "longest match")


def test_units():
    captions = [
        [mention("C0000001"), mention("C0000001")],
        [mention("C0000001"), mention("C0000002", kept=False)],
    ]
    assert frequencies(captions) == frequencies(captions, Unit.IMAGES) == {"C0000001": 2}
    assert frequencies(captions, Unit.MENTIONS) == {"C0000001": 3}
    cut = FrequencyCut(2, True, Unit.MENTIONS)
    assert [one.kept for one in next(cut_rare(captions, frequencies(captions, cut.unit), cut))] == [
        True,
        True,
    ]


def test_what_was_dropped_before_keeps_its_reason_and_what_was_not_counted_has_none():
    captions = [[mention("C0000001", kept=False), mention("C0000002")]]
    ((first, second),) = cut_rare(captions, {}, FrequencyCut(1, False, Unit.MENTIONS))
    assert (first.kept, first.why) == (False, "longest match")
    assert (second.kept, second.why) == (False, "rare: 0 mentions, fewer than 1")


def test_an_empty_corpus():
    assert frequencies([]) == {}
    assert list(cut_rare([], {}, FrequencyCut(10, True, Unit.IMAGES))) == []
    assert list(cut_rare([()], {}, FrequencyCut(10, True, Unit.IMAGES))) == [()]


CUIS = ("C0000001", "C0000002", "C0000003")
CAPTIONS = st.lists(
    st.lists(st.builds(mention, st.sampled_from(CUIS), kept=st.booleans()), max_size=5), max_size=12
)


@given(CAPTIONS, st.integers(1, 5), st.booleans(), st.sampled_from(Unit))
def test_against_a_plain_account(captions: list[list[Mention]], threshold: int, above: bool, unit: Unit):
    cut = FrequencyCut(threshold, above, unit)
    counts = frequencies(captions, unit)
    for cui in CUIS:
        named = [sum(one.cui == cui and one.kept for one in caption) for caption in captions]
        plain = sum(map(bool, named)) if unit is Unit.IMAGES else sum(named)
        assert counts.get(cui, 0) == plain
        enough = plain > threshold if above else plain >= threshold
        after = [one for caption in cut_rare(captions, counts, cut) for one in caption if one.cui == cui]
        assert sum(one.kept for one in after) == (sum(named) if enough else 0)
    assert [len(one) for one in cut_rare(captions, counts, cut)] == [len(one) for one in captions]
