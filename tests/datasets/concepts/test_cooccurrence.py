"""Which concepts stand together: against a loop over images and a loop over concepts."""

from __future__ import annotations

from dataset_samples import dataset_of, row
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.concepts.cooccurrence import CoOccurrence
from radcap.datasets.statistics.label_matrix import label_matrix

CUIS = [f"C{n:07d}" for n in range(7)]
ROWS = st.lists(st.lists(st.sampled_from(CUIS), max_size=6), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_pairs_are_those_of_two_loops(rows: list[list[str]]) -> None:
    dataset = dataset_of([row(f"i{n}", cui=cui) for n, cui in enumerate(rows)], {})
    labels = label_matrix(dataset.column("cui"))
    found = CoOccurrence(labels)
    for code, cui in enumerate(labels.cuis):
        together = [0] * len(labels.cuis)
        for cuis in rows:
            for other_code, other in enumerate(labels.cuis):
                together[other_code] += cui in cuis and other in cuis and other != cui
        assert found.together(code).tolist() == together
        assert found.images(code).tolist() == [n for n, cuis in enumerate(rows) if cui in cuis]
    for n, cuis in enumerate(rows):
        assert [labels.cuis[code] for code in found.codes(n).tolist()] == sorted(set(cuis))


def test_one_image_with_very_many_concepts_needs_no_matrix_of_pairs() -> None:
    many = [f"C{n:07d}" for n in range(50_000)]
    labels = label_matrix(dataset_of([row("a", cui=many), row("b", cui=many[:1])], {}).column("cui"))
    found = CoOccurrence(labels)
    assert found.together(0).sum() == 49_999
    assert found.images(0).tolist() == [0, 1]
