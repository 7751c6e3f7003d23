"""The NCI Thesaurus in both of its forms."""

from __future__ import annotations

import io
import zipfile

from vocabulary.sources.source_readings import codes, names, parents, read, types, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input, ncit, ncit_flat
from radcap.vocabulary.sources.ncit import read_ncit
from radcap.vocabulary.sources.ncit_flat import read_ncit_flat
from radcap.vocabulary.sources.terms import draft_of_terms

BASE = "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl"
# In the form of Thesaurus.owl; the concepts are cut short.
OWL = f"""<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY owl "http://www.w3.org/2002/07/owl#">]>
<rdf:RDF xmlns="{BASE}#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:owl="&owl;" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <owl:Ontology rdf:about="{BASE}"><owl:versionInfo>24.07e</owl:versionInfo></owl:Ontology>
  <owl:AnnotationProperty rdf:about="{BASE}#P207"><rdfs:label>UMLS_CUI</rdfs:label></owl:AnnotationProperty>
  <owl:Class rdf:about="{BASE}#C12219">
    <P106>Anatomical Structure</P106><P108>Anatomic Structure</P108><P207>C0700276</P207>
    <rdfs:label>Anatomic Structure, System, or Substance</rdfs:label>
  </owl:Class>
  <owl:Class rdf:about="{BASE}#C12468">
    <rdfs:subClassOf rdf:resource="{BASE}#C12219"/>
    <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="{BASE}#R82"/>
      <owl:someValuesFrom rdf:resource="{BASE}#C12366"/></owl:Restriction></rdfs:subClassOf>
    <NHC0>C12468</NHC0>
    <P106>Body Part, Organ, or Organ Component</P106>
    <P106>Some Odd Thing</P106>
    <P108>Lung</P108><P207>C0024109</P207><P208>CL111</P208>
    <P90>Lung</P90><P90>Pulmonary</P90><P90>LUNG</P90>
    <rdfs:label>Lung</rdfs:label>
  </owl:Class>
  <owl:Class rdf:about="{BASE}#C1">
    <owl:equivalentClass><owl:Class><owl:intersectionOf rdf:parseType="Collection">
      <rdf:Description rdf:about="{BASE}#C12468"/>
      <owl:Restriction><owl:onProperty rdf:resource="{BASE}#R1"/></owl:Restriction>
    </owl:intersectionOf></owl:Class></owl:equivalentClass>
    <P208>C0000001</P208><rdfs:label>Left Lung</rdfs:label>
  </owl:Class>
  <owl:Class rdf:about="{BASE}#C2"><P108>Only in NCI</P108><P208>CL222</P208></owl:Class>
  <owl:Class rdf:about="{BASE}#C3"><P108>Small</P108><P207>c0000003</P207></owl:Class>
  <owl:Class rdf:about="{BASE}#C4"><P108>Old</P108><P310>Retired_Concept</P310></owl:Class>
  <owl:Class rdf:about="{BASE}#C5"><P108>Older</P108>
    <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated></owl:Class>
  <owl:Class><owl:unionOf/></owl:Class>
</rdf:RDF>
"""


def _zipped(text: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Thesaurus.owl", text)
    return held.getvalue()


def test_owl(tmp_path) -> None:
    reading, findings = read(read_ncit, write(tmp_path / "Thesaurus.OWL.zip", _zipped(OWL)))
    assert [(one.code, one.cuis, one.line) for one in reading.terms] == [
        ("C12219", (700276,), 7),
        ("C12468", (24109,), 11),
        ("C1", (1,), 22),
        ("C2", (), 29),
        ("C3", (), 30),
    ]
    draft = draft_of_terms(reading.about, reading.terms, "x", Findings())
    assert names(draft) == {
        "C0700276": ["Anatomic Structure"],
        "C0024109": ["Lung", "Pulmonary", "LUNG"],
        "C0000001": ["Left Lung"],
    }
    assert types(draft) == {("C0700276", "T017"), ("C0024109", "T023")}
    assert parents(draft) == {("C0024109", "C0700276"), ("C0000001", "C0024109")}
    assert codes(findings) == [("VOC215", 17), ("VOC204", 30), ("VOC116", 0)]
    assert "2 concepts were left out" in str(findings.findings[-1])
    about = reading.about
    assert (about.name, about.title, about.release) == ("NCIT", "NCI Thesaurus", "24.07e")
    assert about.licence == "CC BY 4.0, National Cancer Institute"


def test_owl_without_anything(tmp_path) -> None:
    reading, findings = read(read_ncit, write(tmp_path / "x.owl", '<rdf:RDF xmlns:rdf="x"/>'))
    assert reading.terms == ()
    assert codes(findings) == []


FLAT = "\n".join(
    (
        f"C12219\t<{BASE}#C12219>\t\tAnatomic Structure|Anatomy\tText\tAnatomic\t\tAnatomical Structure\tIn",
        f'C12468\t<{BASE}#C12468>\tC12219|C9\tLung|"Pulmo|LUNG\t\t\t\tFinding|Odd Thing\t',
        "C3\tOld_Name\t\tOld\t\t\tRetired_Concept\t",
        "C4\tObsolete\t\tOlder\t\t\tObsolete_Concept|x\t\t",
        "C5\ttoo\tshort",
    )
)


def test_flat(tmp_path) -> None:
    reading, findings = read(read_ncit_flat, write(tmp_path / "Thesaurus.txt", FLAT))
    first, second = reading.terms
    assert (first.code, first.names, first.types) == (
        "C12219",
        ("Anatomic Structure", "Anatomy", "Anatomic"),
        (17,),
    )
    assert (second.names, second.parents, second.types) == (
        ("Lung", '"Pulmo', "LUNG"),
        ("C12219", "C9"),
        (33,),
    )
    assert all(not one.cuis for one in reading.terms)
    assert codes(findings) == [("VOC215", 2), ("VOC201", 5), ("VOC116", 0)]
    assert (reading.about.name, reading.about.licence) == ("NCIT", "CC BY 4.0, National Cancer Institute")


def test_flat_without_anything(tmp_path) -> None:
    reading, findings = read(read_ncit_flat, write(tmp_path / "x", "\n"))
    assert reading.terms == ()
    assert codes(findings) == []


def test_reading_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(ncit, "_TOLD", 2)
    monkeypatch.setattr(ncit_flat, "_TOLD", 2)
    told: list[int] = []
    read_ncit(Input(write(tmp_path / "x.owl", OWL)), Findings(), lambda _, n: told.append(n))
    read_ncit_flat(Input(write(tmp_path / "x.txt", FLAT)), Findings(), lambda _, n: told.append(n))
    assert told == [2, 4, 2]
