"""MeSH descriptors."""

from __future__ import annotations

import gzip

import pytest
from vocabulary.sources.source_readings import codes, read, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input, mesh
from radcap.vocabulary.sources.mesh import read_mesh


def _concept(ui: str, name: str, *terms: str, first: str = "N", more: str = "") -> str:
    listed = "".join(
        f'<Term ConceptPreferredTermYN="N" IsPermutedTermYN="N" LexicalTag="NON"><TermUI>T1</TermUI>'
        f"<String>{term}</String></Term>"
        for term in terms
    )
    return (
        f'<Concept PreferredConceptYN="{first}"><ConceptUI>{ui}</ConceptUI>'
        f"<ConceptName><String>{name}</String></ConceptName>{more}<TermList>{listed}</TermList></Concept>\n"
    )


def _descriptor(ui: str, trees: tuple[str, ...], *concepts: str) -> str:
    numbers = "".join(f"<TreeNumber>{tree}</TreeNumber>" for tree in trees)
    listed = f"<TreeNumberList>{numbers}</TreeNumberList>" if trees else ""
    return (
        f'<DescriptorRecord DescriptorClass="1"><DescriptorUI>{ui}</DescriptorUI>\n'
        f"<DescriptorName><String>x</String></DescriptorName>{listed}"
        f"<ConceptList>{''.join(concepts)}</ConceptList></DescriptorRecord>\n"
    )


_NARROWER = """<ConceptRelationList>
<ConceptRelation RelationName="NRW"><Concept1UI>M2</Concept1UI><Concept2UI>M3</Concept2UI></ConceptRelation>
<ConceptRelation RelationName="REL"><Concept1UI>M2</Concept1UI><Concept2UI>M4</Concept2UI></ConceptRelation>
</ConceptRelationList>"""
_OLD = """<ConceptUMLSUI>C0024109</ConceptUMLSUI><SemanticTypeList><SemanticType>
<SemanticTypeUI>T023</SemanticTypeUI></SemanticType><SemanticType><SemanticTypeUI>x</SemanticTypeUI>
</SemanticType></SemanticTypeList>"""
SAMPLE = (
    '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM '
    '"https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20250101.dtd">\n'
    '<DescriptorRecordSet LanguageCode="eng">\n'
    + _descriptor("D1", ("A04",), _concept("M1", "Respiratory System", first="Y"))
    + _descriptor(
        "D2",
        ("A04.411", "C99.1"),
        _concept("M3", "Left Lung", "Lung, Left"),
        _concept("M4", "Something near"),
        _concept("M2", "Lung", "Lung", "Lungs", "Pulmo &amp; more", first="Y", more=_NARROWER),
    )
    + _descriptor("D3", (), _concept("M5", "Loose", first="Y"))
    + _descriptor("D4", ("Z01",))
    + "</DescriptorRecordSet>"
)


def test_descriptors_hold_concepts_in_trees(tmp_path) -> None:
    reading, findings = read(read_mesh, write(tmp_path / "desc2024.xml.gz", gzip.compress(SAMPLE.encode())))
    assert [(one.code, one.names, one.parents) for one in reading.terms] == [
        ("D1", ("Respiratory System",), ()),
        ("D2", ("Lung", "Lungs", "Pulmo & more"), ("D1",)),
        ("M3", ("Left Lung", "Lung, Left"), ("D2",)),
        ("M4", ("Something near",), ()),
        ("D3", ("Loose",), ()),
    ]
    assert all(not one.cuis for one in reading.terms)
    assert codes(findings) == []
    assert (reading.about.name, reading.about.release) == ("MSH", "2024")


@pytest.mark.parametrize(
    ("name", "text", "release"),
    [
        ("mesh.xml", SAMPLE, "2025"),
        ("mesh.xml", "<DescriptorRecordSet/>", ""),
        ("desc2023.xml", SAMPLE, "2023"),
    ],
)
def test_the_year_is_in_the_name_or_the_document_type(tmp_path, name, text, release) -> None:
    assert read(read_mesh, write(tmp_path / name, text))[0].about.release == release


def test_older_files_name_cuis_and_types(tmp_path) -> None:
    old = _concept("M2", "Lung", first="Y", more=_OLD)
    wrong = _concept("M3", "Left", more="<ConceptUMLSUI>c1</ConceptUMLSUI>")
    text = f"<DescriptorRecordSet>{_descriptor('D2', (), old, wrong)}</DescriptorRecordSet>"
    reading, findings = read(read_mesh, write(tmp_path / "desc2008.xml", text))
    assert [(one.cuis, one.types) for one in reading.terms] == [((24109,), (23,)), ((), ())]
    assert [code for code, _ in codes(findings)] == ["VOC208", "VOC203"]


def test_reading_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(mesh, "_TOLD", 2)
    told: list[int] = []
    read_mesh(Input(write(tmp_path / "x.xml", SAMPLE)), Findings(), lambda _, n: told.append(n))
    assert told == [2, 4]
