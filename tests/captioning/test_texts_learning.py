"""Which captions are learnt, and what is told of the others."""

from __future__ import annotations

from typing import Any

import pytest
from captioning_samples_texts import real_captions, texts
from dataset_samples import dataset_of, row
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.settings import CaptionDataSettings
from radcap.captioning.texts import Finding, Reason, chosen_captions, cleaned, learnable_captions
from radcap.datasets.records import Caption, CaptionSource

SETTINGS = CaptionDataSettings(words=6)
FRENCH = "Radiographie du thorax de face"


def captions(*told: tuple[str, str, str]) -> list[dict[str, str]]:
    return [{"text": text, "source": source, "language": language} for text, source, language in told]


DATASET = dataset_of(
    [
        row("a", captions=captions(("One", "original", "en"), ("Two", "composed", ""))),
        row("b", captions=captions(("Three", "composed", ""))),
        row("c", captions=[]),
        row("d", captions=captions(("Vier", "original", "de"), ("Four", "translated", "en"))),
    ]
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("any", ["One", "Three", None, "Vier"]),
        ("original", ["One", None, None, "Vier"]),
        ("composed", ["Two", "Three", None, None]),
        ("translated", [None, None, None, "Four"]),
        ("generated", [None] * 4),
    ],
)
def test_the_first_caption_of_a_source_is_chosen(source: Any, expected: list[str | None]) -> None:
    chosen = chosen_captions(DATASET, CaptionDataSettings(captions=source))
    assert [one and one.text for one in chosen] == expected


def test_a_chosen_caption_keeps_its_source_and_language() -> None:
    chosen = chosen_captions(DATASET, CaptionDataSettings())
    assert chosen[0] == Caption("One", CaptionSource.ORIGINAL, "en")
    texts = learnable_captions(chosen, CaptionDataSettings(), ["a", "b", "c", "d"])
    assert dict(texts.kept) == {0: "One", 1: "Three"}
    assert texts.findings == (Finding(Reason.MISSING, 1, ("c",)), Finding(Reason.LANGUAGE, 1, ("d",)))


def test_what_is_left_out_or_cut_is_counted_and_named() -> None:
    given = [
        "CT  of the\nchest.",
        None,
        " ",
        "12-3",
        FRENCH,
        "a b c d e f g h",
        FRENCH,
        FRENCH,
        FRENCH,
        FRENCH,
    ]
    texts = learnable_captions(given, SETTINGS)
    assert dict(texts.kept) == {0: "CT of the chest.", 5: "a b c d e f"}
    assert texts.total == 10
    assert texts.told() == [
        "1 of 10 captions left out: there is none, or none of the source that is asked for (2).",
        "1 of 10 captions left out: nothing is written in it (3).",
        "1 of 10 captions left out: it has no letters (4).",
        "5 of 10 captions left out: it is in another language than English (5, 7, 8 ...).",
        "1 of 10 captions cut: it has too many words (6).",
    ]


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("", "Axial CT", True),
        ("", FRENCH, False),
        ("en", FRENCH, True),  # who made the dataset knows
        ("EN-gb", "Axial CT", True),
        ("en_US", "Axial CT", True),
        ("fr", "Scanner", False),
        ("fr", "Axial CT", False),
    ],
)
def test_the_language_that_is_declared_counts_first(language: str, text: str, kept: bool) -> None:
    given = [Caption(text, CaptionSource.ORIGINAL, language)]
    assert bool(learnable_captions(given, SETTINGS).kept) == kept
    assert learnable_captions(given, CaptionDataSettings(english=False)).kept


def test_nothing_is_nothing() -> None:
    texts = learnable_captions([], SETTINGS)
    assert (dict(texts.kept), texts.total, texts.told()) == ({}, 0, [])


def test_ids_stand_beside_captions() -> None:
    with pytest.raises(ValueError, match="zip"):
        learnable_captions(["CT", "MR"], SETTINGS, ["a"])


def test_real_captions_are_learnt() -> None:
    texts = learnable_captions(real_captions(), CaptionDataSettings())
    assert len(texts.kept) > 0.99 * texts.total
    assert all(len(text.split()) <= 200 for text in texts.kept.values())


@given(st.lists(st.none() | texts, max_size=12), st.booleans())
def test_every_caption_is_kept_or_counted(given: list[str | None], english: bool) -> None:
    texts = learnable_captions(given, CaptionDataSettings(words=5, english=english))
    out = [finding for finding in texts.findings if finding.reason is not Reason.CUT]
    assert len(texts.kept) + sum(finding.count for finding in out) == texts.total == len(given)
    assert all(text == cleaned(text) and 1 <= len(text.split()) <= 5 for text in texts.kept.values())
    assert all(1 <= len(finding.first) <= min(3, finding.count) for finding in texts.findings)
