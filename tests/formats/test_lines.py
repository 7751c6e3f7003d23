"""From bytes to lines, however the bytes arrive."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.formats.lines import recode, split_lines

CHUNKS = st.lists(st.text("ab\r\n\x0b\x85", max_size=6).map(str.encode), max_size=8)


@given(CHUNKS)
@settings(max_examples=100, deadline=None)
def test_lines_are_those_of_splitlines_whatever_the_chunks(chunks: list[bytes]) -> None:
    assert list(split_lines(chunks, most=100)) == b"".join(chunks).splitlines(keepends=True)


@given(CHUNKS, st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_a_line_that_is_too_long_is_cut_and_spoils_no_other(chunks: list[bytes], most: int) -> None:
    whole = [line.rstrip(b"\r\n") for line in b"".join(chunks).splitlines(keepends=True)]
    found = [line.rstrip(b"\r\n") for line in split_lines(chunks, most)]
    assert [line[: most + 1] for line in found] == [line[: most + 1] for line in whole]


def test_a_long_line_is_never_held_whole() -> None:
    chunks = (b"x" * 1000 for _ in range(1000))
    assert [len(line) for line in split_lines(chunks, most=10)] == [11]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_becomes_utf8(codec: str) -> None:
    data = (
        "\ufeffID,Caption\naé,日本\n".encode(codec)
        if codec != "utf-16"
        else "ID,Caption\naé,日本\n".encode(codec)
    )
    pieces, was_utf16 = recode(iter([data[:5], data[5:]]))
    assert was_utf16
    assert b"".join(pieces).decode() == "ID,Caption\naé,日本\n"


@pytest.mark.parametrize("chunks", [[], [b"a,1\n", b"b,2"], [b"\xef\xbb\xbfa,1"], [b"\xff"]])
def test_anything_else_passes_untouched(chunks: list[bytes]) -> None:
    pieces, was_utf16 = recode(iter(chunks))
    assert not was_utf16
    assert list(pieces) == chunks
