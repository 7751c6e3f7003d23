"""The figures of concepts: counted by hand, with words of the vocabulary, as JSON."""

from __future__ import annotations

import json

import pytest
from concept_samples import (
    CT,
    EFFUSION,
    LUNG,
    PNEUMONIA,
    UNKNOWN,
    VIRAL,
    chest_dataset,
    chest_vocabulary,
)
from dataset_samples import dataset_of, row

from radcap.datasets.concepts import DatasetConcepts, concept_figures, read_concepts
from radcap.datasets.concepts.association import wilson
from radcap.datasets.concepts.figures import Named, Part
from radcap.datasets.concepts.mentions import Agreement

VOCABULARY = chest_vocabulary()


def figures(*cuis: str, top: int = 50) -> DatasetConcepts:
    return concept_figures(chest_dataset(), cuis, VOCABULARY, top=top)


def test_a_concept_is_counted_in_the_whole_and_in_its_parts() -> None:
    found = figures(EFFUSION)
    (one,) = found.concepts
    assert (found.name, found.images, found.unique, found.captioned) == ("sample", 8, 5, 6)
    assert (found.vocabulary, found.level) == ("small 2026", 0.95)
    assert (one.cui, one.images, one.rank, one.share) == (EFFUSION, 4, 1, 0.5)
    assert one.interval == wilson(4, 8)
    assert one.splits == (Part("train", 3, 3), Part("valid", 0, 2), Part("test", 1, 3))
    assert one.modalities == (Part("unknown", 3, 7), Part("X-ray computed tomography", 1, 1))
    assert [(other.cui, other.images) for other in one.beside.frequent] == [(CT, 3), (LUNG, 1)]
    assert one.captions == Agreement(1, 1, 1, 1, 1)


def test_words_are_those_of_the_dataset_then_of_the_vocabulary() -> None:
    by_cui = {one.cui: one for one in figures().concepts}
    ct, effusion, pneumonia = by_cui[CT], by_cui[EFFUSION], by_cui[PNEUMONIA]
    assert (ct.name, ct.synonyms) == ("CT", ("Computed tomography",))
    assert (effusion.name, effusion.synonyms) == ("Pleural effusion", ("hydrothorax", "shadow"))
    assert (effusion.types, ct.types) == (("T047",), ("T060",))
    assert pneumonia.children == (Named(VIRAL, "Viral pneumonia"),)
    assert ct.children == (Named("C0202823", "chest CT"),)
    assert by_cui[LUNG].parents == ()


def test_what_the_vocabulary_does_not_know_has_no_words_and_is_looked_for_in_no_caption() -> None:
    (one,) = figures(UNKNOWN).concepts
    assert (one.name, one.synonyms, one.types, one.parents, one.children) == ("", (), (), (), ())
    assert one.captions is None
    assert one.images == 1


def test_a_parent_is_named_as_the_dataset_names_it() -> None:
    dataset = dataset_of([row("a", cui=["C0202823"])], {})
    (one,) = concept_figures(dataset, vocabulary=VOCABULARY).concepts
    assert one.parents == (Named(CT, "CT"),)


def test_the_most_frequent_come_first_and_ranks_go_on_below() -> None:
    assert [(one.cui, one.rank) for one in figures(top=3).concepts] == [(EFFUSION, 1), (CT, 2), (LUNG, 3)]
    assert [one.rank for one in figures(PNEUMONIA, EFFUSION).concepts] == [4, 1]


def test_one_image_is_a_dataset() -> None:
    dataset = dataset_of([row("a", cui=[CT])], {})
    (one,) = concept_figures(dataset, vocabulary=VOCABULARY).concepts
    assert (one.share, one.beside.frequent, one.captions) == (1.0, (), None)
    assert one.splits == (Part("train", 1, 1),)


def test_json_is_plain_and_the_same_every_time() -> None:
    first, again = (json.dumps(figures().to_json()) for _ in range(2))
    assert first == again
    (one,) = [one for one in json.loads(first)["concepts"] if one["cui"] == EFFUSION]
    assert one["splits"][0] == {"name": "train", "images": 3, "of": 3}
    assert one["captions"]["mentioned_only"] == 1
    assert one["beside"]["frequent"][0]["lift"] == pytest.approx(3 / (4 * 4 / 8))


def test_what_a_page_needs_comes_along() -> None:
    done: list[tuple[str, int]] = []
    read = read_concepts(chest_dataset(), [CT], VOCABULARY, progress=lambda *one: done.append(one))
    assert read.figures == figures(CT)
    assert read.mentions.captioned == 6
    assert done == [("captions", 0)]


def test_without_a_vocabulary_the_free_one_gives_the_words() -> None:
    (one,) = concept_figures(dataset_of([row("a", cui=[EFFUSION])], {})).concepts
    assert "effusion" in one.name.casefold()
    assert one.types == ("T047",)
