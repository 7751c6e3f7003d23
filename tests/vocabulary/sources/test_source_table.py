"""Plain tables of CUIs and names."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary.sources.source_readings import codes, names, read, silent, types, write

from radcap.core import UsageError
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input
from radcap.vocabulary.sources.table import read_table

if TYPE_CHECKING:
    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.sources import Reading


def _draft(reading: Reading) -> Draft:
    assert reading.draft is not None
    return reading.draft


TABLES = {
    "by hand": (
        "CUI,name,synonyms,TUI\nC0024109,Lung,Pulmo|Lungs,T023\nC0032227,Pleural effusion,,T046;T047\n",
        {"C0024109": ["Lung", "Pulmo", "Lungs"], "C0032227": ["Pleural effusion"]},
    ),
    "cui_mapping.csv": ("CUI,Canonical name\nC0024109,Lung\n", {"C0024109": ["Lung"]}),
    "cui_to_name": ('"cui","Name"\n"C0024109","Lung, left"\n', {"C0024109": ["Lung, left"]}),
    "string_concepts.csv": (
        "C0024109\tLung\nC0000001\tA, b, c\n",
        {"C0000001": ["A, b, c"], "C0024109": ["Lung"]},
    ),
    "a header with the name first": ("Preferred Name;Concept\nLung;C0024109\n", {"C0024109": ["Lung"]}),
    "no header, the name first": (
        "Lung,C0024109\nHeart,C0018787\n",
        {"C0024109": ["Lung"], "C0018787": ["Heart"]},
    ),
    "MedCAT": (
        """cui,name,ontologies,name_status,type_ids,description
C0000039,"Virus M |Virus K",,,T123,
C0000039,"Virus",MSH,P,T109,long text
C0000040,Second
""",
        {"C0000039": ["Virus", "Virus M", "Virus K"], "C0000040": ["Second"]},
    ),
    "several CUIs": (
        "cuis,label\nC0000001|C0000002,Both\nC0000002,Second\n",
        {"C0000001": ["Both"], "C0000002": ["Both", "Second"]},
    ),
    "a second row of a concept": (
        "cui,name,synonyms\nC0000001,Zebra,\nC0000001,Ape,Horse\n",
        {"C0000001": ["Zebra", "Ape", "Horse"]},
    ),
}


@pytest.mark.parametrize(("text", "found"), TABLES.values(), ids=TABLES.keys())
def test_tables_people_keep(tmp_path, text, found) -> None:
    reading, findings = read(read_table, write(tmp_path / "names.csv", text))
    assert names(_draft(reading)) == found
    assert {code for code, _ in codes(findings)} <= {"VOC111"}


def test_types_are_numbers_or_names(tmp_path) -> None:
    text = "cui,name,semantic types\nC0000001,Lung,T023; T029|Disease or Syndrome|T999|T9|Odd Thing\n"
    reading, findings = read(read_table, write(tmp_path / "names.csv", text))
    assert types(_draft(reading)) == {("C0000001", one) for one in ("T023", "T029", "T047", "T999")}
    assert codes(findings) == [("VOC209", 2), ("VOC208", 2), ("VOC215", 2)]


def test_columns_can_be_named(tmp_path) -> None:
    text = "hpo_id,name,exact_synonyms,umls_cuis\nHP:1,All,Everything,C0000001|C0000002\nHP:2,None,,\n"
    said = {"cui": "umls_cuis", "code": "hpo_id"}
    reading, findings = read(read_table, write(tmp_path / "hpo.csv", text), name="HPO", columns=said)
    draft = _draft(reading)
    assert names(draft) == {"C0000001": ["All", "Everything"], "C0000002": ["All", "Everything"]}
    assert [row["code"] for row in draft.codes.to_pylist()] == ["HP:1", "HP:1"]
    assert draft.sources[0].name == "HPO"
    assert codes(findings) == [("VOC203", 3)]


def test_a_column_that_was_named_and_is_not_there_is_refused(tmp_path) -> None:
    reading, findings = read(
        read_table, write(tmp_path / "x.csv", "cui,label\nC0000001,Lung\n"), columns={"cui": "id"}
    )
    assert reading.draft is None
    assert codes(findings) == [("VOC119", 1), ("VOC111", 1)]
    assert "no column 'id', which stands for cui. It has 'cui', 'label'" in str(findings.findings[0])


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("cui,beside\nC0000001,Lung\n", ["name"]),
        ("name,beside\nLung,x\n", ["cui"]),
        ("TUI,Semantic type\nT001,Organism\n", ["cui", "name"]),
        ("C0000001\nC0000002\n", ["name"]),
        ('"cui,name\nC0000001,Lung\n', ["cui", "name"]),
        ('"open', ["cui", "name"]),
    ],
)
def test_a_table_without_its_columns_is_refused(tmp_path, text, missing) -> None:
    reading, findings = read(read_table, write(tmp_path / "x.csv", text))
    assert reading.draft is None
    said = [str(one) for one in findings.errors]
    assert len(said) == len(missing)
    assert all(f"A column for {column} is needed" in one for column, one in zip(missing, said, strict=True))


def test_what_is_wrong_in_a_row_is_named(tmp_path) -> None:
    rows = [
        "cui,name,synonyms,tui",
        "C1,Lung,,",
        "c0000001,Lung,,",
        ",Lung,,",
        "C0000001,,Pulmo,",
        "C0000001,X,,",
        "C0000001,Pulmo,,",
        "C0000001",
        "C0000001,a,b,c,d",
        'C0000002,"open,,',
        "C0000003,Heart,,T023",
    ]
    reading, findings = read(read_table, write(tmp_path / "x.csv", "\n".join(rows)))
    assert names(_draft(reading)) == {"C0000001": ["Pulmo", "X", "Pulmo"], "C0000003": ["Heart"]}
    assert codes(findings) == [
        ("VOC203", 2),
        ("VOC204", 3),
        ("VOC203", 4),
        ("VOC205", 5),
        ("VOC206", 6),
        ("VOC207", 7),
        ("VOC201", 8),
        ("VOC201", 9),
        ("VOC213", 10),
    ]
    assert not findings.errors


def test_other_columns_of_a_table_without_header_are_told(tmp_path) -> None:
    reading, findings = read(read_table, write(tmp_path / "x.csv", "C0024109,Lung,Pulmo,T023\n"))
    assert names(_draft(reading)) == {"C0024109": ["Lung"]}
    assert codes(findings) == [("VOC120", 1)]
    assert "start with 'Pulmo', 'T023' were left alone" in findings.findings[0].issue.message


def test_a_column_nobody_knows_is_refused(tmp_path) -> None:
    path = write(tmp_path / "x.csv", "cui,name\nC0000001,Lung\n")
    with pytest.raises(UsageError, match=r"no column of a vocabulary 'nam'\. Nearest is 'name'"):
        read(read_table, path, columns={"nam": "name"})


def test_other_columns_are_told(tmp_path) -> None:
    _, findings = read(read_table, write(tmp_path / "x.csv", "cui,name,onto,desc\nC0000001,Lung,MSH,x\n"))
    assert "The columns 'onto', 'desc' were left alone" in str(findings.findings[0])


@pytest.mark.parametrize("data", [b"", b"\n  \n", gzip.compress(b"")], ids=["empty", "blank", "packed"])
def test_an_empty_table_gives_nothing(tmp_path, data) -> None:
    assert read(read_table, write(tmp_path / "x.csv", data))[0].draft is None


def test_the_source_is_called_as_its_file_or_as_said(tmp_path) -> None:
    path = write(tmp_path / "cui_mapping.csv.gz", gzip.compress(b"CUI,Name\nC0000001,Lung\n"))
    told: list[int] = []
    findings = Findings()
    reading = read_table(Input(path, licence="CC BY 4.0"), findings, lambda _, n: told.append(n))
    assert (reading.about.name, reading.about.licence) == ("cui_mapping", "CC BY 4.0")
    assert told == [0]


_CELLS = st.text(
    st.characters(exclude_characters="|\r\n\0", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1
)


@given(
    st.lists(
        st.tuples(st.integers(1, 9_999_999), _CELLS, st.lists(_CELLS, max_size=3), st.sampled_from([23, 47]))
    )
)
def test_rows_come_back(tmp_path_factory, rows) -> None:
    held = io.StringIO(newline="")
    writer = csv.writer(held)
    writer.writerow(["cui", "name", "synonyms", "tui"])
    for cui, name, synonyms, tui in rows:
        writer.writerow([f"C{cui:07d}", name, "|".join(synonyms), f"T{tui:03d}"])
    path = write(tmp_path_factory.mktemp("table") / "x.csv", held.getvalue())
    findings = Findings()
    reading = read_table(Input(path), findings, silent)
    draft = _draft(reading)
    found = [(row["cui"], row["name"]) for row in draft.names.to_pylist()]
    assert found == [(cui, one) for cui, name, synonyms, _ in rows for one in (name, *synonyms)]
    assert types(draft) == {(f"C{cui:07d}", f"T{tui:03d}") for cui, _, _, tui in rows}
    assert not findings.errors
