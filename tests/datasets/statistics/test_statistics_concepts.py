"""Concepts: against counting by hand, record by record."""

from __future__ import annotations

from collections import Counter

import pytest
from dataset_samples import dataset_of, row
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import MODALITIES, NAMES
from radcap.datasets.statistics.concepts import ConceptCount, concept_statistics
from radcap.datasets.statistics.counting import Count
from radcap.datasets.statistics.label_matrix import label_matrix
from radcap.datasets.statistics.modalities import modality_partition, modality_title
from radcap.datasets.statistics.splits import split_partition

CT, MR, CHEST, FLUID = "C0040405", "C0024485", "C0817096", "C0444611"
CUIS = st.lists(st.sampled_from([CT, MR, CHEST, FLUID, "C0000001", "C0000002"]), max_size=5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CUIS, CUIS, st.sampled_from(["DRCT", "DRMR", ""])), min_size=1, max_size=8))
def test_every_number_is_that_of_a_loop_over_records(rows: list[tuple[list[str], list[str], str]]) -> None:
    dataset = dataset_of(
        [
            row(f"i{n}", cui=cui, cui_manual=by_hand, modality=kind)
            for n, (cui, by_hand, kind) in enumerate(rows)
        ]
    )
    modalities = modality_partition(dataset)
    found = concept_statistics(dataset, modalities)
    sets = [set(cui) for cui, _, _ in rows]
    counts = Counter(cui for one in sets for cui in one)
    assert found.unique == len(counts)
    assert found.per_image.total == sum(map(len, sets))
    assert found.automatic_per_image.total == sum(len(set(cui) - set(by_hand)) for cui, by_hand, _ in rows)
    assert found.manual_per_image.total == sum(len(set(by_hand)) for _, by_hand, _ in rows)
    assert found.below_5 == sum(n < 5 for n in counts.values())
    expected = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    assert [(one.cui, one.images) for one in found.top] == expected
    assert [one.cui for one in found.top_without_modalities] == [
        c for c, _ in expected if c not in MODALITIES
    ]
    assert [one.cui for one in found.top_without_labels] == [c for c, _ in expected if c not in NAMES]
    for name, top in found.top_by_modality.items():
        mine = Counter(c for n, one in enumerate(sets) if modalities.name_of(n) == name for c in one)
        assert {one.cui: one.images for one in top} == mine


def test_names_come_from_the_dataset_then_from_everybody() -> None:
    dataset = dataset_of([row("a", cui=[CT, CHEST, FLUID])])
    top = concept_statistics(dataset, modality_partition(dataset)).top
    assert top == (
        ConceptCount(CT, "CT", 1),
        ConceptCount(FLUID, "", 1),
        ConceptCount(CHEST, "Chest", 1),
    )


def test_ten_are_listed_and_the_tail_is_counted() -> None:
    rows = [row(f"i{n}", cui=[f"C{cui:07d}" for cui in range(1, 13) if n < cui]) for n in range(12)]
    dataset = dataset_of(rows)
    found = concept_statistics(dataset, modality_partition(dataset))
    assert [one.images for one in found.top] == list(range(12, 2, -1))
    assert (found.below_5, found.below_10) == (4, 9)
    assert dict(found.frequency.histogram) == dict.fromkeys(range(1, 13), 1)


def test_mentions_count_under_each_semantic_type() -> None:
    dataset = dataset_of([row("a", cui=[CT, CHEST]), row("b", cui=[CT])])
    types = {CT: ["T060"], CHEST: ["T029", "T060"], MR: ["T061"]}
    found = concept_statistics(dataset, modality_partition(dataset), types)
    assert found.semantic_types == (Count("T060", 3), Count("T029", 1))


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([("DRCT", []), ("", []), ("DRCT", [MR])], ["DRCT", "unknown", "DRCT"]),
        (
            [("", [CT, CHEST]), ("", [MR, CT]), ("", [CHEST]), ("", [])],
            ["X-ray computed tomography", "several", "unknown", "unknown"],
        ),
        ([("", [])], ["unknown"]),
        ([("", [MR, MR])], ["Magnetic resonance imaging"]),
    ],
    ids=["the column decides", "else the manual concepts", "no label", "one concept twice"],
)
def test_every_image_has_one_modality(rows: list[tuple[str, list[str]]], names: list[str]) -> None:
    dataset = dataset_of([row(f"i{n}", modality=kind, cui_manual=cui) for n, (kind, cui) in enumerate(rows)])
    found = modality_partition(dataset)
    assert [found.name_of(place) for place in range(len(rows))] == names


@pytest.mark.parametrize(
    ("code", "title"), [("DRXR", "X-ray"), ("XR", "X-ray"), ("PET", "PET"), ("DRPE", "PET"), ("new", "new")]
)
def test_modalities_have_names_people_use(code: str, title: str) -> None:
    assert modality_title(code) == title


def test_a_concept_written_twice_counts_once() -> None:
    dataset = dataset_of([row("a", cui=[CT, CT, MR], split="test"), row("b", cui=[CT])])
    found = label_matrix(dataset.column("cui"))
    assert found.cuis == (MR, CT)
    assert found.per_image.tolist() == [2, 1]
    assert found.frequencies_by(split_partition(dataset)).tolist() == [[0, 1], [1, 1]]


def test_no_concepts_at_all() -> None:
    found = label_matrix(dataset_of([row("a"), row("b")]).column("cui"))
    assert (found.cuis, found.per_image.tolist(), found.frequencies.tolist()) == ((), [0, 0], [])
