"""Records of XML files, and files that are made to hurt."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from vocabulary.sources.source_readings import codes, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import xml_records
from radcap.vocabulary.sources.xml_records import XmlRecords

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vocabulary.sources.xml_records import Node


def _read(path: Path) -> tuple[list[Node], Findings, XmlRecords]:
    findings = Findings()
    records = XmlRecords(frozenset({"r"}), path.name, findings)
    return list(records.read(path)), findings, records


def test_records_come_with_lines_attributes_and_texts(tmp_path) -> None:
    text = """<?xml version="1.0"?>
<!DOCTYPE top SYSTEM "https://example.org/top_20250101.dtd" [<!ENTITY base "http://x#">]>
<top xmlns:a="http://a"><out>left</out>
  <a:r a:id="&base;1">one <b>two</b> <b>three</b><r>inner</r></a:r>
  <r/>
</top>"""
    (first, second), findings, records = _read(write(tmp_path / "x.xml", text))
    assert (first.tag, first.attributes, first.line) == ("r", {"id": "http://x#1"}, 4)
    assert [one.text for one in first.all("b")] == ["two", "three"]
    assert (first.first("b"), first.first("r"), first.first("c", "d")) == ("two", "inner", "")
    assert (second.line, second.text) == (5, "")
    assert codes(findings) == []
    assert records.doctype == "https://example.org/top_20250101.dtd"


def test_an_entity_that_nobody_defines_is_named(tmp_path) -> None:
    text = '<!DOCTYPE top SYSTEM "x.dtd"><top>\n<r>caf&eacute;</r></top>'
    (record,), findings, _ = _read(write(tmp_path / "x.xml", text))
    assert record.text == "caf"
    assert codes(findings) == [("VOC216", 2)]


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
WRONG = {
    "not closed": ("<top><r>", "no element found"),
    "crossed": ("<top><r></top></r>", "mismatched tag"),
    "no XML": ("hello", "syntax error"),
    "an entity nobody defines": ("<top><r>&x;</r></top>", "undefined entity"),
    "an entity bomb": (f'<!DOCTYPE t [<!ENTITY l0 "ha">{LAUGHS}]><t><r>&l9;</r></t>', "is made of others"),
    "a hidden bomb": (
        '<!DOCTYPE t [<!ENTITY a "&#38;b;"><!ENTITY b "x">]><t><r>&a;</r></t>',
        "is made of others",
    ),
    "a long entity": (f'<!DOCTYPE t [<!ENTITY a "{"x" * 5000}">]><t/>', "or too long"),
    "too many entities": (
        "<!DOCTYPE t [" + "".join(f'<!ENTITY e{i} "x">' for i in range(1001)) + "]><t/>",
        "or too long",
    ),
    "a file outside": (
        '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]><t><r>&a;</r></t>',
        "outside the file",
    ),
    "a public entity": ('<!DOCTYPE t [<!ENTITY a PUBLIC "x" "http://x">]><t/>', "outside the file"),
    "a parameter outside": ('<!DOCTYPE t [<!ENTITY % a SYSTEM "http://x"> %a;]><t/>', "outside the file"),
    "endless depth": ("<t><r>" + "<a>" * 100_000, "more than 64 deep"),
    "endless depth outside": ("<a>" * 100_000, "more than 64 deep"),
}


@pytest.mark.parametrize(("text", "why"), WRONG.values(), ids=WRONG.keys())
def test_wrong_files_are_refused_at_once(tmp_path, text, why) -> None:
    path = write(tmp_path / "x.xml", text)
    start = time.perf_counter()
    _, findings, _ = _read(path)
    assert time.perf_counter() - start < 20
    assert codes(findings)[-1][0] == "VOC114"
    assert why in str(findings.findings[-1])


@pytest.mark.parametrize("inside", ["&a;" * 100_000, "<b>&a;</b>" * 100_000, '<b x="&a;"/>' * 100_000])
def test_many_copies_of_an_entity_are_bounded(tmp_path, inside) -> None:
    text = f'<!DOCTYPE t [<!ENTITY a "{"x" * 4000}">]><t><r>{inside}</r></t>'
    path = write(tmp_path / "x.xml", text)
    tracemalloc.start()
    start = time.perf_counter()
    records, findings, _ = _read(path)
    assert time.perf_counter() - start < 60
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert records == []
    assert [code for code, _ in codes(findings)] == ["VOC114"]
    assert peak < 128 << 20


def test_a_record_without_end_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(xml_records, "_LARGEST", 1000)
    _, findings, _ = _read(write(tmp_path / "x.xml", f"<t><r>{'x' * 2000}</r></t>"))
    assert "one record holds more than 1,000 letters" in str(findings.findings[0])
    records, findings, _ = _read(write(tmp_path / "x.xml", f"<t>{'<r>word</r>' * 1000}{'x' * 2000}</t>"))
    assert len(records) == 1000
    assert codes(findings) == []


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "VOC103"), (gzip.compress(b"<t>" + b" " * 9999, mtime=0)[:-8], "VOC104")],
    ids=["empty", "cut"],
)
def test_a_file_that_cannot_be_read_is_named_once(tmp_path, data, code) -> None:
    _, findings, _ = _read(write(tmp_path / "x.xml", data))
    assert [found for found, _ in codes(findings)] == [code]
