"""What is told of a vocabulary, of one concept, and of a search in several layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mini_vocabulary import NOTICE, mini_draft, write_mini, write_small
from vocabulary_samples import draft_of, vocabulary_of

from radcap.vocabulary import Vocabulary
from radcap.vocabulary.concept_sheets import concept_sheet
from radcap.vocabulary.describing import about_table, describe
from radcap.vocabulary.layered_search import search_layers
from radcap.vocabulary.stamps import Stamp

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layers")


@pytest.fixture(scope="module")
def mini(folder: Path) -> Vocabulary:
    return Vocabulary.open(write_mini(folder / "mini.vocab"))


@pytest.fixture(scope="module")
def own(folder: Path) -> Vocabulary:
    names = (
        ("C0032227", "Fluid on the lung"),
        ("C0000009", "Pleural effusion, left"),
        ("C0000008", "Chest tube"),
    )
    return Vocabulary.open(write_small(folder / "own.vocab", *names))


def test_a_description_has_counts_types_and_every_notice_once(mini: Vocabulary) -> None:
    found = describe(mini)
    assert found.types == {"T047": 4, "T060": 3, "T046": 2, "T023": 1, "T029": 1, "T074": 1}
    about, sources, types = found.tables()
    assert ("name", "mini") in about.rows
    assert ("concepts", "12") in about.rows
    assert ("filter: language", "ENG") in about.rows
    assert sources.rows[0] == ("LABELS", "Labels of the challenge", "2025", "as published")
    assert types.rows[0] == ("T047", "Disease or Syndrome", "Disorders", "4")
    assert found.notices() == (f"LABELS, RADCAP: {NOTICE}",)
    said = found.to_json()
    assert (said["name"], said["types"]["T060"], said["size_bytes"]) == (
        "mini",
        3,
        mini.path.stat().st_size if mini.path else None,
    )


def test_a_vocabulary_in_memory_has_no_file_and_maybe_no_types() -> None:
    made = vocabulary_of(draft_of({"C0000001": ["One"]}, types=[("C0000001", 999)]))
    found = describe(made)
    assert (found.path, found.size_bytes, dict(found.types)) == (None, None, {"T999": 1})
    about, _, types = found.tables()
    assert ("size", "in memory") in about.rows
    assert types.rows == (("T999", "", "", "1"),)
    assert len(describe(vocabulary_of({"C0000001": ["One"]})).tables()) == 2


@pytest.mark.parametrize(
    ("size", "shown"),
    [(None, "in memory"), (3_456, "3 kB"), (11_480_000, "11.5 MB"), (2_500_000_000, "2,500.0 MB")],
)
def test_sizes(size: int | None, shown: str) -> None:
    assert ("size", shown) in about_table(Stamp("x", "", "", ()), None, size).rows


def test_the_sheet_of_a_concept_has_everything(mini: Vocabulary) -> None:
    sheet = concept_sheet([mini], "C0013687")
    assert sheet is not None
    assert sheet.table().rows == (
        ("CUI", "C0013687"),
        ("name", "Effusion"),
        ("type", "T046 Pathologic Function"),
        ("source", "LABELS"),
        ("child", "C0032227 Pleural effusion"),
    )
    below = concept_sheet([mini], "C0032227")
    assert below is not None
    assert ("parent", "C0013687 Effusion") in below.table().rows
    assert ("also called", "effusion of pleura") in below.table().rows
    assert below.to_json()["parents"] == ["C0013687"]


@pytest.mark.parametrize(
    ("cui", "fate"), [("C0000001", "the same as C0032227 Pleural effusion"), ("C0000002", "deleted")]
)
def test_a_retired_cui_says_what_became_of_it(mini: Vocabulary, cui: str, fate: str) -> None:
    sheet = concept_sheet([mini], cui)
    assert sheet is not None
    assert sheet.table().rows == (("CUI", cui), ("retired", fate))
    assert sheet.to_json()["cui"] == cui
    assert len(sheet.to_json()["retired"]) == 1


def test_an_unknown_cui_has_no_sheet(mini: Vocabulary) -> None:
    assert concept_sheet([mini], "C7777777") is None


def test_a_sheet_joins_layers_and_cuts_long_lists(own: Vocabulary, mini: Vocabulary) -> None:
    joined = concept_sheet([own, mini], "C0032227")
    assert joined is not None
    assert joined.concept is not None
    assert joined.concept.name == "Fluid on the lung"
    assert "Pleural effusion" in joined.concept.synonyms
    many = vocabulary_of({"C0000001": [f"name {n:02d}" for n in range(60)]})
    sheet = concept_sheet([many], "C0000001")
    assert sheet is not None
    assert sheet.table().rows[-2:] == (("", "and 39 more"), ("source", "test"))
    assert len(sheet.to_json()["synonyms"]) == 59


def test_search_in_one_layer_is_that_of_the_layer(mini: Vocabulary) -> None:
    assert [one.concept.cui for one in search_layers([mini], "effusion", 2)] == ["C0013687", "C0032227"]
    assert search_layers([mini], "no such thing at all") == []


def test_search_in_layers_takes_the_better_name_first_and_each_concept_once(
    own: Vocabulary, mini: Vocabulary
) -> None:
    hits = search_layers([own, mini], "pleural effusion", 3)
    assert [(one.concept.cui, one.found) for one in hits][:2] == [
        ("C0032227", "Pleural effusion"),
        ("C0000009", "Pleural effusion, left"),
    ]
    assert hits[0].concept.name == "Fluid on the lung"  # the first layer names it


def test_a_misspelt_word_is_found_in_layers_too(own: Vocabulary, mini: Vocabulary) -> None:
    pytest.importorskip("rapidfuzz")
    assert search_layers([own, mini], "plural efusion", 1)[0].concept.cui == "C0032227"


def test_search_among_the_concepts_of_a_type(own: Vocabulary, mini: Vocabulary) -> None:
    assert [one.concept.cui for one in search_layers([mini], "effusion", 1, "T047")] == ["C0032227"]
    assert [one.concept.cui for one in search_layers([own, mini], "chest", 9, "T029")] == ["C0817096"]


def test_the_draft_of_the_tests_is_whole() -> None:
    assert len(mini_draft().retired) == 2
