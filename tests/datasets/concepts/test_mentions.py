"""Labels against captions: every way to agree and to disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from concept_samples import CT, EFFUSION, LUNG, PNEUMONIA, VIRAL, chest_dataset, chest_vocabulary
from dataset_samples import dataset_of, row

from radcap.datasets.concepts.labelling import Labelling
from radcap.datasets.concepts.mentions import Agreement, Verdict, find_mentions, heard, is_read
from radcap.datasets.records import Caption, CaptionSource
from radcap.vocabulary import Linker

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.datasets.concepts.mentions import Mentions

VOCABULARY = chest_vocabulary()
LINKER = Linker([VOCABULARY])


def read(dataset: Dataset) -> tuple[Labelling, Mentions]:
    labelling = Labelling(dataset, VOCABULARY)
    return labelling, find_mentions(labelling, LINKER)


@pytest.mark.parametrize(
    ("cui", "verdict", "ids"),
    [
        (EFFUSION, Verdict.BOTH, "a"),
        (EFFUSION, Verdict.LABELLED_ONLY, "c"),
        (EFFUSION, Verdict.LABELLED_DENIED, "b"),
        (EFFUSION, Verdict.MENTIONED_ONLY, "d"),
        (EFFUSION, Verdict.DENIED, "e"),
        (CT, Verdict.BOTH, "abce"),
        (CT, Verdict.LABELLED_ONLY, ""),
        (PNEUMONIA, Verdict.BOTH, "df"),
        (LUNG, Verdict.BOTH, "c"),
        (LUNG, Verdict.LABELLED_ONLY, "f"),
    ],
)
def test_each_image_is_where_it_belongs(cui: str, verdict: Verdict, ids: str) -> None:
    labelling, mentions = read(chest_dataset())
    rows = mentions.rows(labelling.code_of[cui])[verdict]
    assert [labelling.dataset.ids[one] for one in rows.tolist()] == list(ids)


def test_images_are_counted_once_and_only_where_a_caption_is_read() -> None:
    labelling, mentions = read(chest_dataset())
    found = mentions.agreement(labelling.code_of[EFFUSION])
    assert found == Agreement(1, 1, 1, 1, 1)
    assert [found.of(verdict) for verdict in Verdict] == [1, 1, 1, 1, 1]
    assert mentions.captioned == 6


def test_a_mention_outweighs_a_denial_of_the_same_image() -> None:
    texts = ["No pleural effusion on the left. A pleural effusion on the right.", "Pleural effusion."]
    captions = [{"text": text, "source": "original", "language": ""} for text in texts]
    labelling, mentions = read(dataset_of([row("a", cui=[EFFUSION], captions=captions)], {}))
    assert mentions.agreement(labelling.code_of[EFFUSION]) == Agreement(1, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "labelled", "spoken"),
    [
        ("CT with viral pneumonia", set(), {CT, VIRAL}),
        ("CT with viral pneumonia", {PNEUMONIA}, {CT, VIRAL, PNEUMONIA}),
        ("chest CT", {CT}, {"C0202823", CT}),
        ("chest CT", set(), {"C0202823"}),
        ("a shadow", {PNEUMONIA}, {PNEUMONIA}),
        ("a shadow", {EFFUSION, PNEUMONIA}, {EFFUSION, PNEUMONIA}),
        ("ct scanner", {CT}, set()),
        ("", {CT}, set()),
    ],
)
def test_in_doubt_a_caption_speaks_for_the_label(text: str, labelled: set[str], spoken: set[str]) -> None:
    above = {VIRAL: {PNEUMONIA}, "C0202823": {CT}}
    mentions = LINKER.link(text, trace=True)
    assert {cui for cui, _ in heard(mentions, labelled, lambda cui: above.get(cui, set()))} == spoken


def test_words_that_name_two_concepts_name_one_where_none_is_labelled() -> None:
    mentions = LINKER.link("a shadow", trace=True)
    assert len([*heard(mentions, set(), lambda _: set())]) == 1


@pytest.mark.parametrize(
    ("source", "language", "counts"),
    [
        (CaptionSource.ORIGINAL, "en", True),
        (CaptionSource.ORIGINAL, "", True),
        (CaptionSource.ORIGINAL, "de", False),
        (CaptionSource.TRANSLATED, "en", False),
        (CaptionSource.GENERATED, "", False),
        (CaptionSource.COMPOSED, "en", False),
    ],
)
def test_captions_of_authors_in_english_are_read(source: CaptionSource, language: str, counts: bool) -> None:
    caption = Caption("Pleural effusion", source, language)
    assert is_read(caption) is counts
    cell = [{"text": caption.text, "source": source.value, "language": language}]
    _, mentions = read(dataset_of([row("a", cui=[EFFUSION], captions=cell)], {}))
    assert mentions.captioned == counts


def test_no_captions_and_no_concepts() -> None:
    labelling, mentions = read(dataset_of([row("a", cui=[CT]), row("b")], {}))
    assert mentions.captioned == 0
    assert mentions.agreement(labelling.code_of[CT]) == Agreement(0, 0, 0, 0, 0)
    assert read(dataset_of([row("a", captions="CT")], {}))[1].captioned == 1


def test_progress_is_told() -> None:
    rows = [row(f"i{n}", captions="CT", cui=[CT]) for n in range(1_030)]
    done: list[tuple[str, int]] = []
    find_mentions(Labelling(dataset_of(rows, {}), VOCABULARY), LINKER, lambda *one: done.append(one))
    assert done == [("captions", 0), ("captions", 1024)]
