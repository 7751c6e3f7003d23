"""Lines of release files in pieces."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vocabulary.sources.source_readings import codes, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources.rrf import lines as rrf_lines
from radcap.vocabulary.sources.rrf.lines import read_batches

if TYPE_CHECKING:
    from pathlib import Path


def _lines(path: Path) -> tuple[list[tuple[int, str]], Findings]:
    findings = Findings()
    batches = list(read_batches([path], path.name, findings))
    return [(row["line"], row["text"]) for batch in batches for row in batch.to_pylist()], findings


@pytest.fixture
def tiny(monkeypatch) -> None:
    """Pieces and lines so small that every border is met."""
    monkeypatch.setattr("radcap.vocabulary.sources.streams._CHUNK", 4)
    monkeypatch.setattr(rrf_lines, "_BATCH", 8)
    monkeypatch.setattr(rrf_lines, "_LONGEST", 12)


@settings(max_examples=300)
@given(st.lists(st.binary(max_size=20).map(lambda one: one.replace(b"\n", b" ")), max_size=12))
def test_every_line_is_there_or_named(tmp_path_factory, some) -> None:
    path = write(tmp_path_factory.mktemp("rrf") / "x.rrf", b"".join(one + b"\n" for one in some))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("radcap.vocabulary.sources.streams._CHUNK", 4)
        patch.setattr(rrf_lines, "_BATCH", 8)
        patch.setattr(rrf_lines, "_LONGEST", 12)
        found, findings = _lines(path)
    if path.stat().st_size and path.read_bytes().startswith((b"\xff\xfe", b"\xfe\xff")):
        assert codes(findings) == [("VOC106", 0)]
        return
    named = {line for code, line in codes(findings) if code in {"VOC115", "VOC202"}}
    if any(code in {"VOC103", "VOC104"} for code, _ in codes(findings)):
        return
    read = dict(found)
    for number, one in enumerate(some, 1):
        text = one.removeprefix(b"\xef\xbb\xbf") if number == 1 else one
        assert (number in named) != (number in read)
        if number in read:
            assert read[number] == text.decode() + "\n"
        else:
            assert len(text) >= 12 or not _is_utf8(text)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_a_line_that_is_too_long_costs_itself_only(tmp_path, tiny) -> None:
    path = write(tmp_path / "x", b"a|\n" + b"x" * 100 + b"\nb|\n" + b"y" * 50)
    found, findings = _lines(path)
    assert found == [(1, "a|\n"), (3, "b|\n")]
    assert codes(findings) == [("VOC115", 2), ("VOC110", 4), ("VOC115", 4)]


def test_an_endless_line_is_not_held(tmp_path) -> None:
    path = tmp_path / "x"
    with path.open("wb") as file:
        file.truncate(200 << 20)
    tracemalloc.start()
    found, findings = _lines(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == []
    assert [code for code, _ in codes(findings)] == ["VOC110", "VOC115"]
    assert peak < 20 << 20


def test_a_wrong_byte_is_named_with_its_place(tmp_path) -> None:
    path = write(tmp_path / "x", b"gut\n" + "schön\n".encode("latin-1") + "gut|ü\n".encode())
    found, findings = _lines(path)
    assert found == [(1, "gut\n"), (3, "gut|ü\n")]
    assert str(findings.findings[0]).startswith("x:2:4: VOC202 Byte 0xF6 is no UTF-8.")
