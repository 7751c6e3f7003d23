"""How much of a file is read; what a hostile file does to the bounds stands in tests/hostile."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from radcap.core import Level, Task
from radcap.formats import Limits, Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_bounds_grow_with_the_number_of_images() -> None:
    small, large = Limits.for_images(10), Limits.for_images(19_267)
    assert small.rows == 1020
    assert large.rows == 39_534
    assert small.file_bytes < large.file_bytes
    assert small.rows < small.lines < small.findings


def test_nobody_says_how_many_images_there_are() -> None:
    assert Limits.for_images(None) == Limits.for_images(250_000)


def test_the_truth_is_trusted_more_than_a_run() -> None:
    assert Limits.trusted().rows > Limits.for_images(None).rows
    assert Limits.trusted().file_bytes > Limits.for_images(None).file_bytes


def packed(text: str, members: int = 1) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for number in range(members):
            writer.writestr("submission.csv" if number == 0 else f"more{number}.csv", text)
    return archive.getvalue()


ROWS = "".join(f"a{number},C1\n" for number in range(100))
BOUNDS = [
    ("bytes of the file", Limits(file_bytes=100, rows=1000), ROWS, "RUN113"),
    ("bytes of its text", Limits(file_bytes=1000, rows=1000), ROWS, "RUN113"),
    ("rows", Limits(file_bytes=10**6, rows=99), ROWS, "RUN113"),
    ("lines", Limits(file_bytes=10**6, rows=24), "\n" * 100, "RUN113"),
    ("findings", Limits(file_bytes=10**6, rows=3), "a1," + "c1;" * 40 + "\na2,C1\n", "RUN113"),
    ("bytes of a line", Limits(file_bytes=10**6, rows=1000, line_bytes=5), ROWS, "RUN113"),
    ("members", Limits(file_bytes=10**6, rows=1000, zip_members=1), packed(ROWS, 2), "RUN113"),
    ("directory", Limits(file_bytes=10**6, rows=1000, zip_directory_bytes=40), packed(ROWS), "RUN114"),
    ("expansion", Limits(file_bytes=10**8, rows=10**7), packed(("x" * 30_000 + "\n") * 200), "RUN114"),
]


@pytest.mark.parametrize(("name", "limits", "content", "code"), BOUNDS, ids=[row[0] for row in BOUNDS])
def test_what_passes_a_bound_is_one_error_or_one_per_line(
    name: str, limits: Limits, content: str | bytes, code: str, place: Callable[..., Path]
) -> None:
    reader = Reader(place(content), Task.CONCEPTS, "2025", limits=limits)
    for _ in reader.cells():
        pass
    found = [issue for issue in reader.validation().issues if issue.code == code]
    assert {issue.level for issue in found} == {Level.ERROR}
    assert len(found) == (90 if name == "bytes of a line" else 1)
