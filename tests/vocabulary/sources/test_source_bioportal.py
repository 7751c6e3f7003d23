"""Tables as BioPortal exports them."""

from __future__ import annotations

import pytest
from vocabulary.sources.source_readings import codes, read, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input
from radcap.vocabulary.sources.bioportal import read_bioportal

HEADER = "Class ID,Preferred Label,Synonyms,Definitions,Obsolete,CUI,Semantic Types,Parents,Source"
RID = "http://www.radlex.org/RID/RID"
STY = "http://purl.bioontology.org/ontology/STY/"
ROWS = f"""{HEADER}
{RID}1301,lung,lungs|pulmo,"Two
lines",false,,,{RID}3|{RID}0,x
{RID}3,thorax,,,FALSE,C0817096|C0817097,{STY}T029|{STY}T999|Body Location or Region|Odd,,x
{RID}4,old,,,true,C0000001,,,x
{RID}5,small,,,false,c0000005,,,x
{RID}6,short,,
"""


def test_radlex(tmp_path) -> None:
    reading, findings = read(read_bioportal, write(tmp_path / "RADLEX.csv", ROWS))
    assert [(one.code, one.names, one.cuis, one.types, one.parents, one.line) for one in reading.terms] == [
        ("RID1301", ("lung", "lungs", "pulmo"), (), (), ("RID3", "RID0"), 2),
        ("RID3", ("thorax",), (817096, 817097), (29, 999, 29), (), 4),
        ("RID5", ("small",), (), (), (), 6),
    ]
    assert codes(findings) == [("VOC209", 4), ("VOC215", 4), ("VOC204", 6), ("VOC201", 7), ("VOC116", 0)]
    about = reading.about
    assert (about.name, about.title) == ("RADLEX", "RadLex")
    assert about.licence.startswith("RadLex License Version 2.0")
    assert "RSNA" in about.attribution


def test_other_ontologies_and_fewer_columns(tmp_path) -> None:
    text = "Preferred Label,Class ID\nspleen,http://purl.obolibrary.org/obo/UBERON_0002106#\n"
    reading, findings = read(read_bioportal, write(tmp_path / "uberon.csv.gz", text))
    assert [(one.code, one.names) for one in reading.terms] == [("UBERON_0002106", ("spleen",))]
    assert reading.about.name == "uberon"
    assert codes(findings) == []


@pytest.mark.parametrize(("text", "missing"), [("Class ID,Label\n", 1), ("", 2), ("x,y\n", 2)])
def test_missing_columns_are_named(tmp_path, text, missing) -> None:
    reading, findings = read(read_bioportal, write(tmp_path / "x.csv", text))
    assert reading.terms == ()
    assert [code for code, _ in codes(findings)].count("VOC105") == missing


def test_reading_is_told(tmp_path) -> None:
    told: list[int] = []
    read_bioportal(Input(write(tmp_path / "x.csv", ROWS)), Findings(), lambda _, n: told.append(n))
    assert told == [0]
