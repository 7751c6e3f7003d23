"""What stands beside a concept: counts, chance, PMI against a formula of its own, p against statsmodels."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from concept_samples import chest_vocabulary
from dataset_samples import dataset_of, row
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from statsmodels.stats.multitest import multipletests

from radcap.datasets.concepts.companions import Companions, companions
from radcap.datasets.concepts.labelling import Labelling
from radcap.stats import holm_adjusted

CUIS = [f"C{n:07d}" for n in range(6)]
VOCABULARY = chest_vocabulary()
ROWS = st.lists(st.sets(st.sampled_from(CUIS)), min_size=2, max_size=25)


def beside(rows: list[set[str]], cui: str, most: int = 10) -> Companions:
    dataset = dataset_of([row(f"i{n}", cui=sorted(cuis)) for n, cuis in enumerate(rows)], {})
    labelling = Labelling(dataset, VOCABULARY)
    return companions(labelling, labelling.code_of[cui], most)


def chance(rows: list[set[str]], cui: str, other: str) -> float:
    """The p of the G-test of scipy; 1 where a side of the table is empty."""
    table = [
        [sum((cui in one) == first and (other in one) == second for one in rows) for second in (True, False)]
        for first in (True, False)
    ]
    if min(*map(sum, table), *map(sum, zip(*table, strict=True))) == 0:
        return 1.0
    found: Any = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    return found.pvalue


@settings(max_examples=100, deadline=None)
@given(ROWS, st.sampled_from(CUIS))
def test_every_number_is_that_of_counting_by_hand(rows: list[set[str]], cui: str) -> None:
    rows[0] = rows[0] | {cui}
    others = sorted(set().union(*rows) - {cui})
    found = beside(rows, cui)
    mine = sum(cui in one for one in rows)
    together = {other: sum(cui in one and other in one for one in rows) for other in others}
    assert [(one.cui, one.images) for one in found.frequent] == sorted(
        ((other, n) for other, n in together.items() if n), key=lambda one: (-one[1], one[0])
    )
    assert found.different == sum(n > 0 for n in together.values())
    tested = [chance(rows, cui, other) for other in others]
    p = dict(zip(others, holm_adjusted(tested), strict=True))
    for one in found.frequent:
        alone = sum(one.cui in each for each in rows)
        probability = (one.images / len(rows)) / (mine / len(rows)) / (alone / len(rows))
        assert one.share == pytest.approx(one.images / mine)
        assert one.expected == pytest.approx(mine * alone / len(rows))
        assert one.lift == pytest.approx(probability)
        assert one.pmi == pytest.approx(math.log2(probability), abs=1e-9)
        assert one.p == pytest.approx(p[one.cui], abs=1e-6)
    above = {one.cui for one in found.frequent if one.lift > 1}
    associated = {one.cui for one in found.associated}
    assert {cui for cui in above if p[cui] < 0.0499} <= associated <= above
    assert all(one.p < 0.05 for one in found.associated)
    assert all(first.g >= second.g for first, second in pairwise(found.associated))


def test_what_goes_together_is_told_from_what_is_frequent() -> None:
    always, rare, pair = CUIS[:3]
    rows = [{always, *({rare, pair} if n < 8 else set())} for n in range(60)]
    found = beside(rows, rare)
    assert [one.cui for one in found.frequent] == [always, pair]
    assert [(one.cui, one.images, one.lift) for one in found.associated] == [(pair, 8, 7.5)]


def test_p_is_corrected_for_all_other_concepts() -> None:
    rows = [set(CUIS[: n % 5]) | ({CUIS[5]} if n % 3 else set()) for n in range(40)]
    others = sorted(set().union(*rows) - {CUIS[1]})
    corrected = multipletests([chance(rows, CUIS[1], other) for other in others], method="holm")[1]
    assert corrected is not None
    expected = dict(zip(others, corrected.tolist(), strict=True))
    assert {one.cui: one.p for one in beside(rows, CUIS[1]).frequent} == pytest.approx(expected)


def test_lists_end_where_they_are_told_to() -> None:
    assert len(beside([set(CUIS)], CUIS[0], most=2).frequent) == 2


def test_a_single_concept_has_no_company() -> None:
    assert beside([{CUIS[0]}, set()], CUIS[0]) == Companions((), (), 0)
