"""UMLS releases against a plain reading of the same files."""

from __future__ import annotations

import builtins
import gzip
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from vocabulary.rrf_samples import Atom, rrf_line, write_release, write_rows
from vocabulary.sources.source_readings import codes, lines, names, parents, read, types, write

from radcap.core import Missing
from radcap.vocabulary.concepts import cui_text
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input, UmlsFilters
from radcap.vocabulary.sources.rrf.reading import read_umls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.sources import Reading


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("umls") / "2022AB", 3000, seed=5)


def _rows(folder: Path, name: str) -> Iterator[list[str]]:
    for line in (folder / "META" / name).read_text("utf-8").split("\n")[:-1]:
        yield line.split("|")


def _plain_rows(folder: Path, filters: UmlsFilters) -> list[list[str]]:
    """The same choice by comparing field with field."""
    by_type = {row[0] for row in _rows(folder, "MRSTY.RRF") if row[1] in (filters.types or (row[1],))}
    return [
        row
        for row in _rows(folder, "MRCONSO.RRF")
        if (filters.languages is None or row[1] in filters.languages)
        and (filters.suppress is None or row[16] in filters.suppress)
        and (filters.sources is None or row[11] in filters.sources)
        and (filters.levels is None or int(row[15]) in filters.levels)
        and (filters.types is None or row[0] in by_type)
    ]


def _draft(reading: Reading) -> Draft:
    assert reading.draft is not None
    return reading.draft


FILTERS = {
    "the rule of 2022": UmlsFilters(),
    "everything": UmlsFilters(None, None, None, None, None),
    "languages": UmlsFilters(languages=("SPA", "FRE"), levels=None),
    "suppressed": UmlsFilters(suppress=("O", "E", "Y")),
    "sources": UmlsFilters(sources=("MSH", "NCI")),
    "levels": UmlsFilters(levels=(0,)),
    "types": UmlsFilters(types=("T023", "T047")),
    "all at once": UmlsFilters(("ENG",), ("N",), ("SNOMEDCT_US",), (9,), ("T060",)),
}


@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS.keys())
def test_names_are_those_a_plain_reading_finds(release, filters) -> None:
    reading, findings = read(read_umls, release, filters=filters)
    draft = _draft(reading)
    found = [
        (cui_text(row["cui"]), row["name"], draft.sources[row["source"]].name)
        for row in draft.names.to_pylist()
    ]
    assert found == [(row[0], row[14], row[11]) for row in _plain_rows(release, filters)]
    assert not findings.errors
    assert {one.name for one in draft.sources} >= {source for _, _, source in found}


@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS.keys())
def test_types_parents_and_codes_are_those_a_plain_reading_finds(release, filters) -> None:
    draft = _draft(read(read_umls, release, filters=filters)[0])
    there = {row[0] for row in _plain_rows(release, filters)}
    assert types(draft) == {(row[0], row[1]) for row in _rows(release, "MRSTY.RRF") if row[0] in there}
    assert parents(draft) == {
        (row[0], row[4])
        for row in _rows(release, "MRREL.RRF")
        if row[3] == "PAR"
        and row[0] != row[4]
        and {row[0], row[4]} <= there
        and row[14] in (filters.suppress or row[14])
        and row[10] in (filters.sources or (row[10],))
    }
    of_any_source = _plain_rows(release, replace(filters, sources=None))
    assert {(cui_text(row["cui"]), row["code"]) for row in draft.codes.to_pylist()} == {
        (row[0], row[9]) for row in of_any_source if row[11] == "SNOMEDCT_US" and row[0] in there
    }
    assert {draft.sources[row["source"]].name for row in draft.codes.to_pylist()} <= {"SNOMEDCT_US"}


def test_ranks_follow_mrrank(release) -> None:
    draft = _draft(read(read_umls, release)[0])
    order = {tuple(row[1:3]): -int(row[0]) for row in _rows(release, "MRRANK.RRF")}
    rows = _plain_rows(release, UmlsFilters())
    keys = [(order[row[11], row[12]], row[2] != "P", row[4] != "PF", row[6] != "Y") for row in rows]
    ranked = sorted(zip(draft.names.column("rank").to_pylist(), keys, strict=True))
    assert all((rank < more) == (key < worse) for (rank, key), (more, worse) in pairwise(ranked))


def test_a_release_says_where_names_come_from(release) -> None:
    reading, _ = read(read_umls, release)
    draft = _draft(reading)
    source = next(one for one in draft.sources if one.name == "SNOMEDCT_US")
    assert (source.title, source.release) == ("SNOMEDCT_US, the whole title", "2022")
    assert source.licence == "UMLS Metathesaurus License: personal, no redistribution; restriction level 9"
    assert source.attribution == "The authors of SNOMEDCT_US. 2022."
    assert (reading.about.name, reading.about.release) == ("UMLS", "2022AB")
    assert reading.about.licence == "UMLS Metathesaurus License: personal, no redistribution"
    assert reading.filters["restriction_levels"] == "0;1;2;9"


def test_retired_concepts_lead_to_what_stands_for_them(release) -> None:
    draft = _draft(read(read_umls, release)[0])
    found = {(cui_text(row["cui"]), row["relation"], row["now"]) for row in draft.retired.to_pylist()}
    wanted = {(row[0], row[2], int(row[5][1:]) if row[5] else 0) for row in _rows(release, "MRCUI.RRF")}
    assert found == wanted


def _atoms(folder: Path, *atoms: Atom | str | bytes, end: bytes = b"\n") -> Path:
    told = [one.line if isinstance(one, Atom) else one for one in atoms]
    data = [one.encode() if isinstance(one, str) else one for one in told]
    return write(folder / "MRCONSO.RRF", b"".join(one + end for one in data))


CHEST = Atom("C0817096", str="Chest")


def test_names_alone_are_enough(tmp_path) -> None:
    _atoms(tmp_path, CHEST, Atom("C0817096", sab="MSH", tty="MH", str="Thorax", ispref="N"))
    reading, findings = read(read_umls, tmp_path)
    draft = _draft(reading)
    assert names(draft) == {"C0817096": ["Chest", "Thorax"]}
    assert [one.name for one in draft.sources] == ["MTH", "MSH"]
    assert draft.sources[0].licence.startswith("UMLS Metathesaurus License")
    assert [code for code, _ in codes(findings)] == ["VOC107", "VOC113"]
    assert len(draft.types) == len(draft.parents) == len(draft.codes) == len(draft.retired) == 0


def test_without_mrrank_the_marks_of_the_release_decide(tmp_path) -> None:
    worst_to_best = [
        Atom("C0000001", str="a variant", ts="S", stt="VO", ispref="N"),
        Atom("C0000001", str="a synonym", ts="S"),
        Atom("C0000001", str="another form", stt="VO"),
        Atom("C0000001", str="another atom", ispref="N"),
        Atom("C0000001", str="an odd type", tty="XX"),
        Atom("C0000001", str="a synonym type", tty="SY"),
        Atom("C0000001", str="preferred", tty="PN"),
    ]
    _atoms(tmp_path, *worst_to_best)
    draft = _draft(read(read_umls, tmp_path)[0])
    assert names(draft)["C0000001"] == [one.str for one in reversed(worst_to_best)]


def test_without_hierarchy_relations_are_not_read(tmp_path) -> None:
    _atoms(tmp_path, CHEST)
    write(tmp_path / "MRREL.RRF", b"\xff broken \n")
    reading, findings = read(read_umls, tmp_path, filters=UmlsFilters(hierarchy=False))
    assert "C0817096" in names(_draft(reading))
    assert [code for code, _ in codes(findings)] == ["VOC107"]


def test_codes_of_other_sources(tmp_path) -> None:
    _atoms(
        tmp_path,
        Atom("C0000001", sab="MSH", code="D000001", sdui="D000001", scui="M0000001"),
        Atom("C0000001", sab="SNOMEDCT_US", srl="9", code="80891009", scui="80891009"),
        Atom("C0000001", sab="SNOMEDCT_US", srl="9", code="80891009", scui="80891009", str="Heart"),
        Atom("C0000001", sab="SNOMEDCT_US", srl="9", code="1", scui=""),
        Atom("C0000001", sab="MTH", code="NOCODE"),
        Atom("C0000001", sab="NCI", code=""),
        Atom("C0000002", sab="SNOMEDCT_US", srl="9", scui="2", suppress="O"),
    )

    def found(filters: UmlsFilters) -> list[tuple[str, str]]:
        draft = _draft(read(read_umls, tmp_path, filters=filters)[0])
        return sorted((draft.sources[row["source"]].name, row["code"]) for row in draft.codes.to_pylist())

    snomed = [("SNOMEDCT_US", "1"), ("SNOMEDCT_US", "80891009")]
    assert found(UmlsFilters()) == snomed
    assert found(UmlsFilters(sources=("MSH",))) == snomed  # codes do not need names of their source
    assert found(UmlsFilters(code_sources=None)) == [("MSH", "D000001"), *snomed]
    assert found(UmlsFilters(code_sources=())) == []


WRONG_ROWS = {
    "a missing column": (CHEST.line.replace("|ENG|", "|"), "VOC201"),
    "a pipe in the name": (Atom("C0000001", str="A|B").line, "VOC201"),
    "too few fields": ("C0000001|ENG|P", "VOC201"),
    "no fields at all": ("chest", "VOC201"),
    "a column too much at the end": (CHEST.line + "x", "VOC201"),
    "columns that moved": (
        rrf_line(*CHEST.line.split("|")[:1], "", *CHEST.line.split("|")[1:-1]).replace("||", "|", 1)[:-1]
        + "||",
        "VOC201",
    ),
    "an unknown suppression": (Atom("C0000001", suppress="Z").line, "VOC214"),
    "an unknown level": (Atom("C0000001", srl="x").line, "VOC214"),
    "a level of two digits": (Atom("C0000001", srl="10").line, "VOC214"),
    "a malformed CUI": (Atom("C123").line, "VOC203"),
    "a CUI of other digits": (Atom("C000000\u0661").line, "VOC203"),
    "an empty CUI": (Atom("").line, "VOC203"),
    "a CUI in small letters": (Atom("c0000001").line, "VOC204"),
    "an empty name": (Atom("C0000001", str="").line, "VOC205"),
    "a blank name": (Atom("C0000001", str=" \t\u00a0 ").line, "VOC205"),
    "Latin-1": (Atom("C0000001", str="Oedème").line.encode("latin-1"), "VOC202"),
    "an endless line": (Atom("C0000001", str="x" * (1 << 20)).line, "VOC115"),
}


@pytest.mark.parametrize(("row", "code"), WRONG_ROWS.values(), ids=WRONG_ROWS.keys())
def test_a_wrong_row_is_named_and_the_others_are_kept(tmp_path, row, code) -> None:
    _atoms(tmp_path, CHEST, row, Atom("C0024109", str="Lung"))
    reading, findings = read(read_umls, tmp_path)
    assert names(_draft(reading)) == {"C0817096": ["Chest"], "C0024109": ["Lung"]}
    assert (code, 2) in codes(findings)
    assert not findings.errors


def test_the_row_that_is_said_is_the_row_that_was_read(tmp_path) -> None:
    _atoms(tmp_path, Atom("c0000001"), Atom("C12 3"), "C0000001|ENG|", Atom("C0000001", suppress="Z"), CHEST)
    _, findings = read(read_umls, tmp_path)
    said = [str(one) for one in findings.findings if one.issue.code.startswith("VOC2")]
    assert any("c0000001 is written small" in one and one.endswith("Write C0000001.") for one in said)
    assert any("'C12 3' is no CUI" in one for one in said)
    assert any("The row has 2 fields. 18 are needed" in one for one in said)
    assert any("SUPPRESS 'Z', which is none of N, O, E, Y" in one for one in said)


KEPT_ROWS = {
    "quotes": (Atom("C0000001", str='"5" needle" \'n\''), '"5" needle" \'n\''),
    "an open quote": (Atom("C0000001", str='5" needle'), '5" needle'),
    "backslashes": (Atom("C0000001", str=r"a\nb\|".replace("|", "")), "a\\nb\\"),
    "a NUL": (Atom("C0000001", str="a\0b"), "a\0b"),
    "other scripts": (Atom("C0000001", str="肺 β"), "肺 β"),
    "a carriage return inside": (Atom("C0000001", str="a\rb"), "a\rb"),
    "blanks around": (Atom("C0000001", str="  Lung "), "Lung"),
    "no pipe at the end": (Atom("C0000001", str="Lung").line[:-1], "Lung"),
}


@pytest.mark.parametrize(("row", "name"), KEPT_ROWS.values(), ids=KEPT_ROWS.keys())
def test_odd_names_are_kept_as_they_are(tmp_path, row, name) -> None:
    _atoms(tmp_path, CHEST, row)
    reading, findings = read(read_umls, tmp_path)
    assert names(_draft(reading))["C0000001"] == [name]
    assert not {code for code, _ in codes(findings)} - {"VOC107", "VOC113", "VOC117"}


def test_rows_without_a_pipe_at_the_end_are_counted(tmp_path) -> None:
    _atoms(tmp_path, CHEST.line[:-1], Atom("C0000001", cvf="256").line[:-1], CHEST)
    _, findings = read(read_umls, tmp_path)
    assert "2 rows of MRCONSO.RRF do not end with '|'" in str(findings.findings[-2])


@pytest.mark.parametrize(
    "data", [CHEST.line.encode() + b"\r\n", b"\xef\xbb\xbf" + CHEST.line.encode() + b"\n\n"]
)
def test_line_ends_marks_and_blank_lines_are_no_matter(tmp_path, data) -> None:
    write(tmp_path / "MRCONSO.RRF", data)
    reading, findings = read(read_umls, tmp_path)
    assert names(_draft(reading)) == {"C0817096": ["Chest"]}
    assert [code for code, _ in codes(findings)] == ["VOC107", "VOC113"]


@pytest.mark.parametrize(
    ("last", "kept"), [(Atom("C0000001", str="Lung").line, True), ("C0000001|ENG|P|L", False)]
)
def test_a_last_line_without_end_is_named(tmp_path, last, kept) -> None:
    write(tmp_path / "MRCONSO.RRF", f"{CHEST.line}\n{last}".encode())
    reading, findings = read(read_umls, tmp_path)
    assert ("C0000001" in names(_draft(reading))) is kept
    assert lines(findings, "VOC110") == [2]


def test_names_that_mislead_are_named_and_kept(tmp_path) -> None:
    _atoms(tmp_path, CHEST, Atom("C0000001", str="A"), Atom("C0000001", str="Oed\ufffdme"))
    reading, findings = read(read_umls, tmp_path)
    assert names(_draft(reading))["C0000001"] == ["A", "Oed\ufffdme"]
    assert lines(findings, "VOC206") == [2]
    assert lines(findings, "VOC212") == [3]


def test_concepts_that_other_files_deny_are_named_once_on_their_first_line(tmp_path) -> None:
    _atoms(
        tmp_path,
        CHEST,
        Atom("C0000009", str="gone"),
        Atom("C0000009", str="gone too"),
        Atom("C0000002", str="without type"),
        Atom("C0000002", str="again"),
        Atom("C0000003", lat="SPA"),
    )
    write_rows(
        tmp_path / "MRSTY.RRF", [rrf_line(cui, "T029", "", "", "", "") for cui in ("C0817096", "C0000009")]
    )
    write_rows(tmp_path / "MRCUI.RRF", [rrf_line("C0000009", "2020AA", "DEL", "", "", "", "")])
    reading, findings = read(read_umls, tmp_path)
    assert set(names(_draft(reading))) == {"C0817096", "C0000009", "C0000002"}
    assert lines(findings, "VOC210") == [4]
    assert lines(findings, "VOC211") == [2]
    assert findings.counts["VOC210"] == findings.counts["VOC211"] == 1


SIDE_ROWS = {
    "a type that is none": ("MRSTY.RRF", rrf_line("C0817096", "X29", "", "", "", ""), "VOC208"),
    "a type nobody knows": ("MRSTY.RRF", rrf_line("C0817096", "T999", "", "", "", ""), "VOC209"),
    "types of a wrong CUI": ("MRSTY.RRF", rrf_line("C08", "T029", "", "", "", ""), "VOC203"),
    "types with a column less": ("MRSTY.RRF", rrf_line("C0817096", "T029", "", ""), "VOC201"),
    "a retired CUI that is none": ("MRCUI.RRF", rrf_line("X", "2020AA", "DEL", "", "", "", ""), "VOC203"),
    "a successor that is none": (
        "MRCUI.RRF",
        rrf_line("C0000009", "", "SY", "", "", "c0000001", ""),
        "VOC204",
    ),
    "a rank that is none": ("MRRANK.RRF", rrf_line("high", "MTH", "PN", "N"), "VOC217"),
    "a parent that is none": (
        "MRREL.RRF",
        rrf_line("C0817096", "", "", "PAR", "C1", *[""] * 11),
        "VOC203",
    ),
    "a source with a column less": ("MRSAB.RRF", rrf_line(*["x"] * 24)[:-1] + "", "VOC201"),
}


@pytest.mark.parametrize(("file", "row", "code"), SIDE_ROWS.values(), ids=SIDE_ROWS.keys())
def test_wrong_rows_of_other_files_are_named(tmp_path, file, row, code) -> None:
    _atoms(tmp_path, CHEST)
    write_rows(tmp_path / file, [row])
    reading, findings = read(read_umls, tmp_path)
    assert names(_draft(reading)) == {"C0817096": ["Chest"]}
    found = [one for one in findings.findings if one.issue.code == code]
    assert [(one.file, one.issue.line) for one in found] == [(file, 1)]
    assert not findings.errors


def test_names_of_sources_that_mrrank_does_not_list_come_last(tmp_path) -> None:
    _atoms(tmp_path, Atom("C0000001", sab="ODD", str="odd"), Atom("C0000001", str="Chest"))
    write_rows(
        tmp_path / "MRRANK.RRF", [rrf_line("0100", "MTH", "PN", "N"), rrf_line("0050", "MTH", "PN", "Y")]
    )
    reading, findings = read(read_umls, tmp_path)
    assert names(_draft(reading))["C0000001"] == ["Chest", "odd"]
    assert "1 names have a source and term type" in str(findings.findings[1])


def test_thousands_of_wrong_rows_are_counted_and_not_all_kept(tmp_path) -> None:
    _atoms(tmp_path, CHEST, *["broken"] * 1500, *[Atom(f"C{i:07d}", str="A") for i in range(1, 1501)])
    write_rows(tmp_path / "MRSTY.RRF", [rrf_line("C0817096", "T999", "", "", "", "")] * 1200)
    _, findings = read(read_umls, tmp_path)
    assert findings.counts["VOC201"] == 1500
    assert findings.counts["VOC206"] == findings.counts["VOC210"] == 1500
    assert findings.counts["VOC209"] == 1200
    assert len(lines(findings, "VOC201")) == len(lines(findings, "VOC206")) == 1000


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "VOC103"),
        ((CHEST.line + "\n").encode("utf-16"), "VOC106"),
        (b"\xef\xbb\xbf", "VOC112"),
        (b"%PDF-1.4", "VOC104"),
        (b"\x1f\x8b\x08 cut", "VOC104"),
    ],
    ids=["empty", "UTF-16", "a mark alone", "PDF", "gzip"],
)
def test_a_file_without_names_is_refused(tmp_path, data, code) -> None:
    write(tmp_path / "MRCONSO.RRF", data)
    _, findings = read(read_umls, tmp_path)
    assert [one.issue.code for one in findings.errors] == [code]


def test_filters_that_leave_nothing_are_refused(tmp_path) -> None:
    _atoms(tmp_path, CHEST)
    _, findings = read(read_umls, tmp_path, filters=UmlsFilters(languages=("GER",)))
    (error,) = findings.errors
    assert "no row fits languages GER, suppress N" in error.issue.message
    assert error.issue.hint == "Choose more."


def test_where_no_row_is_whole_the_rows_are_named_first(tmp_path) -> None:
    _atoms(tmp_path, CHEST.line.replace("|", ","))
    _, findings = read(read_umls, tmp_path)
    (error,) = findings.errors
    assert error.issue.hint == "See the other findings, or choose more."
    assert findings.counts["VOC201"] == 1


def test_types_cannot_be_chosen_without_mrsty(tmp_path) -> None:
    _atoms(tmp_path, CHEST)
    reading, findings = read(read_umls, tmp_path, filters=UmlsFilters(types=("T029",)))
    assert reading.draft is None
    assert [code for code, _ in codes(findings)] == ["VOC108"]


def test_a_folder_without_names_is_refused(tmp_path) -> None:
    reading, findings = read(read_umls, tmp_path)
    assert reading.draft is None
    assert [code for code, _ in codes(findings)] == ["VOC102"]
    assert "MetamorphoSys" in findings.findings[0].issue.hint


def test_packed_and_split_files_are_one(tmp_path, release) -> None:
    data = (release / "META" / "MRCONSO.RRF").read_bytes()
    cut = len(data) // 2  # in the middle of a line
    for part, piece in (("aa", data[:cut]), ("ab", data[cut:])):
        write(tmp_path / f"MRCONSO.RRF.{part}.gz", gzip.compress(piece))
    write(tmp_path / "MRSTY.RRF.gz", gzip.compress((release / "META" / "MRSTY.RRF").read_bytes()))
    whole, split = (_draft(read(read_umls, path)[0]) for path in (release, tmp_path))
    assert names(whole).keys() == names(split).keys()
    assert len(whole.names) == len(split.names)
    assert types(whole) == types(split)


def test_reading_is_told_and_leaves_nothing_behind(tmp_path, release, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    told: list[tuple[str, int]] = []
    read_umls(Input(release), Findings(), lambda *one: told.append(one))
    assert ("MRCONSO.RRF", 3000) in told
    assert not list(tmp_path.iterdir())


def test_without_duckdb_the_install_line_is_said(release, monkeypatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *more: object) -> object:
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(Missing, match=r"pip install 'radcap\[vocabulary\]'"):
        read(read_umls, release)
