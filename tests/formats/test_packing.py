"""Plain file or zip; what a hostile zip does stands in tests/hostile."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from radcap.core import Level
from radcap.formats import validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.core import Issue
    from radcap.formats import Validation

GOOD = "ID,CUIs\na1,C0040405\na2,C0040405\n"


def packed(*members: tuple[str, str]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        for name, text in members:
            writer.writestr(name, text)
    return archive.getvalue()


def issues(check: Callable[..., Validation], content: bytes | str, edition: str = "2026") -> list[Issue]:
    return list(check(content, edition).issues)


def test_a_zip_with_submission_csv_alone_is_what_2025_and_2026_want(check: Callable[..., Validation]) -> None:
    for edition in ("2025", "2026"):
        assert issues(check, packed(("submission.csv", GOOD)), edition) == []
        assert check(packed(("submission.csv", GOOD)), edition, strict=True).ok


@pytest.mark.parametrize("edition", ["rocov2", "radcap"])
def test_elsewhere_a_plain_file_and_a_zip_are_equally_welcome(
    edition: str, check: Callable[..., Validation]
) -> None:
    for content in (GOOD, packed(("submission.csv", GOOD))):
        assert check(content, edition, strict=True).issues == ()


def test_a_plain_file_is_read_in_2026_and_told_how_to_be_packed(check: Callable[..., Validation]) -> None:
    (issue,) = issues(check, GOOD)
    assert (issue.code, issue.level) == ("RUN103", Level.INFO)
    assert f"{issue.message} {issue.hint}" == (
        "run.csv is a plain file. Edition 2026 takes a zip with submission.csv. "
        "Pack submission.csv alone in a zip."
    )


def test_a_zip_is_read_in_2024_and_told_to_be_unpacked(check: Callable[..., Validation]) -> None:
    (issue,) = issues(check, packed(("submission.csv", GOOD)), "2024")
    assert f"{issue.message} {issue.hint}" == (
        "run.csv is a zip. Edition 2024 takes a plain text file. Unpack it."
    )


MEMBERS = [
    [("run.csv", GOOD)],
    [("folder/", ""), ("folder/submission.csv", GOOD)],
    [("__MACOSX/._submission.csv", "junk"), ("submission.csv", GOOD)],
    [("submission.csv", GOOD), ("model.pt", "weights")],
    [("run.tsv", GOOD)],
    [("run", GOOD)],
]


@pytest.mark.parametrize("members", MEMBERS, ids=lambda members: "+".join(name for name, _ in members))
def test_the_only_table_of_a_zip_is_the_run_with_a_note(
    members: list[tuple[str, str]], check: Callable[..., Validation]
) -> None:
    found = check(packed(*members))
    assert found.rows == 2
    assert [(issue.code, issue.level) for issue in found.issues] == [("RUN104", Level.INFO)]
    assert "Exactly one member submission.csv is allowed." in found.issues[0].message


@pytest.mark.parametrize(
    "members",
    [[], [("a.csv", GOOD), ("b.csv", GOOD)], [("picture.png", "x")]],
    ids=["nothing", "two", "no table"],
)
def test_a_zip_that_leaves_the_run_open_is_refused(
    members: list[tuple[str, str]], check: Callable[..., Validation]
) -> None:
    found = check(packed(*members))
    assert found.rows == 0
    assert not found.ok


def member(name: str = "submission.csv", mode: int = 0o100644, method: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    info.compress_type = method
    return info


UNSAFE = [
    (member("../submission.csv"), "points outside the archive"),
    (member("/submission.csv"), "points outside the archive"),
    (member("C:submission.csv"), "points outside the archive"),
    (member(mode=0o120777), "is no regular file"),
    (member(), "is encrypted"),
    (member(method=zipfile.ZIP_BZIP2), "is packed by a method other than deflate"),
]


@pytest.mark.parametrize(("info", "reason"), UNSAFE)
def test_an_unsafe_member_is_not_unpacked(
    info: zipfile.ZipInfo, reason: str, check: Callable[..., Validation]
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr(info, GOOD)
    content = bytearray(archive.getvalue())
    if reason == "is encrypted":  # zipfile clears the mark; it is bit 0 of byte 8 of the directory entry
        content[content.index(b"PK\x01\x02") + 8] |= 1
    found = check(bytes(content))
    assert [one.code for one in found.issues if one.level is Level.ERROR] == ["RUN114"]
    assert reason in found.issues[-1].message


def test_an_empty_member_has_no_rows(check: Callable[..., Validation]) -> None:
    (issue,) = issues(check, packed(("submission.csv", "")))
    assert (issue.code, issue.message) == ("RUN102", "run.csv holds no rows. A run needs one row per image.")


def test_a_broken_zip_is_refused_with_the_reason(check: Callable[..., Validation]) -> None:
    found = issues(check, packed(("submission.csv", GOOD))[:-10])
    assert [issue.code for issue in found] == ["RUN114"]


@pytest.mark.parametrize(("start", "kind"), [(b"\x1f\x8b\x08", "a gzip file"), (b"%PDF-1.7", "a PDF")])
def test_another_kind_of_file_is_called_by_its_name(
    start: bytes, kind: str, check: Callable[..., Validation]
) -> None:
    for edition in ("2024", "2026"):
        (issue,) = [one for one in check(start, edition).issues if one.code == "RUN103"]
        assert issue.message.startswith(f"run.csv is {kind}. ")


def test_a_folder_is_no_run_file(place: Callable[..., Path]) -> None:
    ids = place("a1\n", "ids.csv")
    found = validate(ids.parent, "concepts", ids=ids)
    assert [issue.code for issue in found.issues] == ["RUN101"]
