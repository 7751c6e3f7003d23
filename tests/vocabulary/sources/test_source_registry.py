"""Kinds of sources by name and by content."""

from __future__ import annotations

import gzip
from importlib.metadata import EntryPoint, EntryPoints

import pytest
from vocabulary.rrf_samples import Atom, write_rows
from vocabulary.sources.source_readings import codes, write

from radcap.core import UsageError
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import KINDS, Input, kind, kind_of, registry
from radcap.vocabulary.sources.obo import read_obo
from radcap.vocabulary.sources.sssom import read_sssom

CONTENTS = {
    "obo": ("format-version: 1.2\n", "obo"),
    "obo with a remark first": ("ontology: hp\n\n[Term]\nid: HP:1\n", "obo"),
    "sssom": ("#curie_map:\n#  X: y\nsubject_id\tpredicate_id\tobject_id\n", "sssom"),
    "bioportal": ("Class ID,Preferred Label,Synonyms\n", "bioportal"),
    "mesh": (
        '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM "x">\n<DescriptorRecordSet>',
        "mesh",
    ),
    "ncit": ('<rdf:RDF xmlns="http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#">', "ncit"),
    "ncit flat": ("C100000\t<http://ncicb.nci.nih.gov/x#C100000>\tC9\tName\n", "ncit_flat"),
    "older ncit flat": ("C100\tSome_Name\tC9\tName\n", "ncit_flat"),
    "table": ("CUI,Canonical name\n", "table"),
    "table with its own names": ("hpo_id,name,umls_cuis\n", "table"),
    "table without header": ("C0024109\tLung\n", "table"),
    "table with the CUI last": ('"Lung","C0024109"\n', "table"),
    "table in UTF-16": ("CUI,Name\n".encode("utf-16"), "table"),
    "table with a mark": ("\ufeffCUI;Name\n", "table"),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "name"), CONTENTS.values(), ids=CONTENTS.keys())
def test_a_file_is_known_by_its_content(tmp_path, data, name, packed) -> None:
    held = data if isinstance(data, bytes) else data.encode()
    path = write(tmp_path / "file", gzip.compress(held) if packed else held)
    findings = Findings()
    found = kind_of(path, findings)
    assert found is not None
    assert found.name == name
    assert codes(findings) == []


@pytest.mark.parametrize("place", ["", "META", "META/MRCONSO.RRF"])
def test_a_release_is_known_by_its_files(tmp_path, place) -> None:
    write_rows(tmp_path / "META" / "MRCONSO.RRF", [Atom("C0000001").line])
    assert kind_of(tmp_path / place, Findings()) is KINDS["umls"]


UNKNOWN = {
    "nothing": (None, "VOC101", "Check the path"),
    "an empty file": (b"", "VOC103", "0 bytes"),
    "a text": (b"house\t34444\t0.3\n", "VOC102", "'house\\t34444\\t0.3' in its first line"),
    "another XML": (b"<html></html>", "VOC102", "Say its kind, one of umls, table, obo"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "VOC102", "no source of names"),
    "an archive": (b"7z\xbc\xaf'\x1c", "VOC104", "it is a 7z archive"),
    "blank lines": (b"\n\n", "VOC102", "''"),
}


@pytest.mark.parametrize(("data", "code", "said"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_is_not_known_is_said(tmp_path, data, code, said) -> None:
    path = tmp_path / "file"
    if data is not None:
        write(path, data)
    findings = Findings()
    assert kind_of(path, findings) is None
    assert codes(findings) == [(code, 0)]
    assert said in str(findings.findings[0])


def test_a_folder_without_release_is_refused(tmp_path) -> None:
    findings = Findings()
    assert kind_of(tmp_path, findings) is None
    assert "Give the folder with MRCONSO.RRF, or a file." in str(findings.findings[0])


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_can_be_loaded(name) -> None:
    assert callable(kind(name).load())


def test_an_unknown_kind_lists_near_ones() -> None:
    with pytest.raises(UsageError, match=r"no kind of source 'ncti'. Nearest is 'ncit'. Known: umls, table"):
        kind("ncti")


def test_plug_ins_add_kinds_and_come_first(monkeypatch) -> None:
    path = "radcap.vocabulary.sources.sssom:read_sssom"
    added = EntryPoints(EntryPoint(name, path, "radcap.source") for name in ("own", "obo"))
    monkeypatch.setattr(registry, "entry_points", added.select)
    assert kind("own").title == "own, by a plug-in"
    assert kind("own").load() is read_sssom
    assert kind("obo").load() is read_sssom
    monkeypatch.undo()
    assert kind("obo").load() is read_obo


def test_an_input_is_called_by_its_name(tmp_path) -> None:
    assert Input(tmp_path / "x.csv").file == "x.csv"
