from __future__ import annotations

from typing import TYPE_CHECKING

from extractor_samples import make_vocabulary, tiny_vocabulary
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.vocabulary.extractors import RrfCounts, write_rrf

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def rows(path: Path) -> list[list[str]]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("|\n")
    assert len(text.splitlines()) == text.count("\n")
    return [line.split("|") for line in text.splitlines()]


def test_the_columns_are_those_of_umls(tmp_path: Path) -> None:
    counts = write_rrf(tiny_vocabulary(), tmp_path / "rrf")
    assert counts == RrfCounts(concepts=5, names=9, blank=0, untyped=1)
    names = rows(tmp_path / "rrf" / "MRCONSO.RRF")
    assert {len(row) for row in names} == {19}  # 18 fields, each with a bar behind it
    assert names[0] == (
        [
            "C0018787",
            "ENG",
            "P",
            "L00000001",
            "PF",
            "S00000001",
            "Y",
            "A00000001",
            "",
            "",
            "",
            "tiny",
            "PT",
            "C0018787",
            "Heart",
            "0",
            "N",
            "",
            "",
        ]
    )
    assert [(row[0], row[6], row[12], row[14]) for row in names[2:4]] == [
        ("C0032227", "Y", "PT", "Pleural effusion"),
        ("C0032227", "N", "SY", "effusion of pleura"),
    ]
    types = rows(tmp_path / "rrf" / "MRSTY.RRF")
    assert {len(row) for row in types} == {7}
    assert types[0] == ["C0018787", "T023", "", "Body Part, Organ, or Organ Component", "", "", ""]
    assert types[-1][:2] == ["C1281570", "T071"]  # a concept without type is an Entity


def test_signs_that_part_columns_or_lines_become_blanks(tmp_path: Path) -> None:
    vocabulary = make_vocabulary(
        {1: ["a|b", "c\r\nd", "e\u2028f", "\u0085", "né 肺"], 2: ["|"]}, [(1, 999)], name="|"
    )
    counts = write_rrf(vocabulary, tmp_path)
    assert (counts.names, counts.blank) == (4, 2)
    assert sorted(row[14] for row in rows(tmp_path / "MRCONSO.RRF")) == ["a b", "c  d", "e f", "né 肺"]
    assert {row[11] for row in rows(tmp_path / "MRCONSO.RRF")} == {"RADCAP"}
    assert rows(tmp_path / "MRSTY.RRF")[0][:4] == ["C0000001", "T999", "", ""]


@settings(max_examples=30)
@given(st.dictionaries(st.integers(1, 9_999_999), st.lists(st.text(), min_size=1, max_size=4), min_size=1))
def test_every_name_is_written(tmp_path_factory: pytest.TempPathFactory, names: dict[int, list[str]]) -> None:
    folder = tmp_path_factory.mktemp("rrf")
    vocabulary = make_vocabulary(names)
    counts = write_rrf(vocabulary, folder)
    raw = (folder / "MRCONSO.RRF").read_bytes().decode("utf-8")
    assert raw.count("\n") == counts.names == len(raw.splitlines())
    assert all(len(line.split("|")) == 19 for line in raw.splitlines())
    concepts = [vocabulary.concept_at(place) for place in range(len(vocabulary))]
    whole = sum(1 + len(one.synonyms) for one in concepts)
    assert counts.names <= whole
