"""Bytes of files: plain, packed, broken."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import zipfile
from typing import TYPE_CHECKING

import pytest
from vocabulary.sources.source_readings import codes, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import streams
from radcap.vocabulary.sources.streams import Unreadable, first_bytes, read_chunks

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"CUI,Name\nC0000001,Chest\n" * 3


def _read(*paths: Path) -> tuple[bytes, Findings]:
    findings = Findings()
    return b"".join(read_chunks(paths, paths[0].name, findings)), findings


def _zip(*names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return held.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        gzip.compress(TEXT, mtime=0),
        _zip("a.csv"),
        _zip("folder/", "folder/a.csv", "__MACOSX/a.csv", "folder/.DS_Store"),
    ],
    ids=["plain", "gzip", "zip", "zip of a Mac"],
)
def test_content_is_unpacked_whatever_the_name(tmp_path, data) -> None:
    path = write(tmp_path / "names.csv", data)
    found, findings = _read(path)
    assert found == TEXT
    assert codes(findings) == []
    assert first_bytes(path) == TEXT


def test_parts_are_one(tmp_path) -> None:
    first = write(tmp_path / "aa.gz", gzip.compress(TEXT[:10]))
    second = write(tmp_path / "ab", TEXT[10:])
    assert _read(first, second)[0] == TEXT


BROKEN = {
    "a gzip that breaks off": (gzip.compress(TEXT * 50, mtime=0)[:-9], "ended before"),
    "a gzip with other bytes": (gzip.compress(TEXT, mtime=0)[:20] + b"\0" * 30, ""),
    "a zip that breaks off": (_zip("a.csv")[:-30], "not a zip file"),
    "a zip of two files": (_zip("a.csv", "b.csv"), "a zip of 2 files ('a.csv', 'b.csv')"),
    "an empty zip": (_zip(), "a zip of 0 files (none)"),
    "bzip2": (bz2.compress(TEXT), "it is a bzip2 file"),
    "a PDF": (b"%PDF-1.7", "it is a PDF"),
}


@pytest.mark.parametrize(("data", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_read_is_said(tmp_path, data, why) -> None:
    path = write(tmp_path / "names.csv", data)
    _, findings = _read(path)
    assert codes(findings) == [("VOC104", 0)]
    assert why in str(findings.findings[0])


def test_the_start_of_a_broken_file_is_refused(tmp_path) -> None:
    for data, why in (BROKEN["a PDF"], BROKEN["a zip that breaks off"]):
        with pytest.raises(Unreadable, match=why):
            first_bytes(write(tmp_path / "x", data))


def test_an_empty_file_is_named(tmp_path) -> None:
    assert codes(_read(write(tmp_path / "x", b""))[1]) == [("VOC103", 0)]
    assert codes(_read(write(tmp_path / "x", gzip.compress(b"")))[1]) == []


def test_a_file_that_is_not_there_is_named(tmp_path) -> None:
    _, findings = _read(tmp_path / "nowhere")
    assert "No such file" in str(findings.findings[0])


def test_a_pipe_and_a_folder_are_no_files(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        assert "it is no regular file" in str(_read(path)[1].findings[0])


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(streams, "_MOST", 1 << 22)
    path = write(tmp_path / "bomb.gz", gzip.compress(b"\0" * (1 << 24)))
    found, findings = _read(path)
    assert len(found) == 1 << 22
    assert "it holds more than 4,194,304 bytes" in str(findings.findings[0])


def test_an_error_without_words_is_named_by_its_kind(tmp_path, monkeypatch) -> None:
    def fail(*_: object) -> bytes:
        raise EOFError

    monkeypatch.setattr(gzip.GzipFile, "read", fail)
    _, findings = _read(write(tmp_path / "x", gzip.compress(TEXT)))
    assert "cannot be read: EOFError." in str(findings.findings[0])
