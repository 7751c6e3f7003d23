"""The hand-written synonyms of the label sets: well formed, of labels only, and each of one label."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from radcap.vocabulary.defaults import free_draft

ROOT = Path(__file__).parents[2]
SYNONYMS = ROOT / "scripts/vocabulary/radiology_synonyms.csv"
LABELS = ROOT / "scripts/vocabulary/label_types.csv"
ABOUT = ROOT / "scripts/vocabulary/SYNONYMS.md"

KINDS = {"synonym", "abbreviation"}
OFFICIAL = ("ImageCLEF2025", "ROCOv2")  # sources of names that the organisers published
AMBIGUOUS: frozenset[str] = frozenset()  # synonyms that may have several CUIs
# Written with signs that captions have: letters, digits, hyphen, slash, apostrophe, comma.
SIGNS = re.compile(r"[A-Za-z0-9]+(?:(?:, | |-|/|'|' )[A-Za-z0-9]+)*")
ABBREVIATION = re.compile(r"[A-Z][A-Za-z0-9/-]*")


@cache
def table() -> tuple[tuple[str, ...], ...]:
    with SYNONYMS.open(encoding="utf-8", newline="") as file:
        return tuple(tuple(row) for row in csv.reader(file))


def rows() -> tuple[tuple[str, ...], ...]:
    return table()[1:]


@cache
def labels() -> frozenset[str]:
    with LABELS.open(encoding="utf-8", newline="") as file:
        return frozenset(row["CUI"] for row in csv.DictReader(file))


@cache
def official_names() -> frozenset[tuple[str, str]]:
    draft, _ = free_draft()
    kept = {place for place, source in enumerate(draft.sources) if source.name in OFFICIAL}
    named = draft.names.select(["cui", "name", "source"]).to_pylist()
    return frozenset((f"C{one['cui']:07d}", one["name"].casefold()) for one in named if one["source"] in kept)


def test_table_has_its_columns_and_enough_rows() -> None:
    assert table()[0] == ("CUI", "synonym", "kind")
    assert {len(row) for row in rows()} == {3}
    assert len(rows()) > 5_000
    assert len({cui for cui, _, _ in rows()}) > 2_000


def test_each_cui_is_a_label() -> None:
    assert [row for row in rows() if not re.fullmatch(r"C\d{7}", row[0])] == []
    assert [row for row in rows() if row[0] not in labels()] == []


def test_kinds_are_known_and_both_in_use() -> None:
    assert {kind for _, _, kind in rows()} == KINDS


def test_synonyms_are_written_plainly() -> None:
    assert [row for row in rows() if not SIGNS.fullmatch(row[1])] == []


def test_abbreviations_begin_with_a_capital_and_are_one_word_of_ten_letters_at_most() -> None:
    abbreviations = [name for _, name, kind in rows() if kind == "abbreviation"]
    assert [name for name in abbreviations if not ABBREVIATION.fullmatch(name) or len(name) > 10] == []


def test_a_word_in_capitals_is_an_abbreviation() -> None:
    words = [name for _, name, kind in rows() if kind == "synonym" and name.isalnum() and name.isupper()]
    assert words == ["COVID"]


def test_synonyms_are_longer_than_a_letter() -> None:
    assert min(len(name) for _, name, _ in rows()) > 1


def test_no_row_is_repeated_in_any_case() -> None:
    plain = Counter((cui, name.casefold()) for cui, name, kind in rows() if kind == "synonym")
    exact = Counter((cui, name) for cui, name, _ in rows())
    assert [one for one, count in (plain | exact).items() if count > 1] == []


def test_rows_are_sorted_by_cui_and_synonym() -> None:
    keys = [(cui, name) for cui, name, _ in rows()]
    assert keys == sorted(keys)


def test_no_synonym_is_the_official_name() -> None:
    assert len(official_names()) > 2_500
    assert [row for row in rows() if (row[0], row[1].casefold()) in official_names()] == []


def test_a_synonym_has_one_cui() -> None:
    cuis: dict[str, set[str]] = {}
    for cui, name, kind in rows():
        cuis.setdefault(name if kind == "abbreviation" else name.casefold(), set()).add(cui)
    several = {name for name, found in cuis.items() if len(found) > 1}
    assert several == AMBIGUOUS


def test_no_synonym_is_the_official_name_of_another_label() -> None:
    owners = {name: cui for cui, name in official_names() if cui in labels()}
    assert [row for row in rows() if owners.get(row[1].casefold(), row[0]) != row[0]] == []


@pytest.mark.parametrize(
    ("synonym", "cui"),
    [
        ("CT", "C0040405"),
        ("computed tomography", "C0040405"),
        ("MRI", "C0024485"),
        ("radiograph", "C1306645"),
        ("ultrasound", "C0041618"),
        ("PET/CT", "C1699633"),
        ("left anterior descending artery", "C0226032"),
        ("LAD", "C0226032"),
        ("right coronary artery", "C1261316"),
        ("left ventricle", "C0225897"),
        ("right lower lobe", "C1261075"),
        ("kidney stone", "C0022650"),
        ("heart attack", "C0027051"),
        ("thorax", "C0817096"),
        ("femoral head", "C0015813"),
        ("fluid", "C0444611"),
    ],
)
def test_common_words_of_captions_are_there(synonym: str, cui: str) -> None:
    assert [row[0] for row in rows() if row[1] == synonym] == [cui]


# Abbreviations of several readings, narrower words, adjectives of other things, a state of its own.
@pytest.mark.parametrize(
    "word",
    ["RCC", "CAD", "TOF", "chest x-ray", "adrenal mass", "renal", "femoral", "cervical", "calcified"],
)
def test_words_that_mean_something_else_are_not(word: str) -> None:
    assert [row for row in rows() if row[1].casefold() == word.casefold()] == []


def test_what_is_said_of_the_table_is_true() -> None:
    said = ABOUT.read_text(encoding="utf-8")
    kinds = Counter(kind for _, _, kind in rows())
    counted = f"{len(rows()):,} rows ({kinds['synonym']:,} `synonym`, {kinds['abbreviation']} `abbreviation`)"
    assert counted in " ".join(said.split())
    assert f"{len({row[0] for row in rows()}):,} of the {len(labels()):,} labels" in said
