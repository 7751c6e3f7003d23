"""Where the files of a release lie, and what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from vocabulary.sources.source_readings import codes, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources.rrf.folder import find_meta, find_release

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vocabulary.sources.rrf.folder import Release


def _found(path: Path, given: str = "") -> tuple[Release | None, Findings]:
    findings = Findings()
    return find_release(path, given, findings), findings


@pytest.mark.parametrize("given", ["", "META", "META/MRCONSO.RRF"])
@pytest.mark.parametrize("name", ["2022AB", "umls-2022ab-full"])
def test_the_folder_is_found_and_names_the_release(tmp_path, name, given) -> None:
    write(tmp_path / name / "META" / "MRCONSO.RRF", "x")
    release, findings = _found(tmp_path / name / given)
    assert release is not None
    assert (release.meta, release.name) == (tmp_path / name / "META", "2022AB")
    assert release.paths("MRSTY.RRF") == ()
    assert codes(findings) == []


def test_the_one_release_inside_a_folder_is_found(tmp_path) -> None:
    write(tmp_path / "2022AB" / "META" / "mrconso.rrf", "x")
    assert find_meta(tmp_path) == tmp_path / "2022AB" / "META"
    write(tmp_path / "2023AA" / "META" / "MRCONSO.RRF", "x")
    assert find_meta(tmp_path) is None  # it is open which


NAMES = {
    "given": ("2020AA", {"META/release.dat": "umls.release.name=2021AA\n"}, "2020AA"),
    "release.dat": (
        "",
        {"META/release.dat": "# about\numls.release.date=1\numls.release.name = 2021AA\r\n"},
        "2021AA",
    ),
    "MRDOC": (
        "",
        {"META/MRDOC.RRF": "COL|x|y|z|\nRELEASE|umls.release.name|release_info|2021AB|\n"},
        "2021AB",
    ),
    "a short MRDOC": ("", {"META/MRDOC.RRF": "RELEASE|umls.release.name|\n"}, "2019AC"),
    "neither": ("", {"META/release.dat": "nothing\n", "META/MRDOC.RRF": "nothing\n"}, "2019AC"),
}


@pytest.mark.parametrize(("given", "files", "name"), NAMES.values(), ids=NAMES.keys())
def test_what_a_release_is_called(tmp_path, given, files, name) -> None:
    folder = tmp_path / "2019AC"
    write(folder / "META" / "MRCONSO.RRF", "x")
    for place, text in files.items():
        write(folder / place, text)
    release, _ = _found(folder, given)
    assert release is not None
    assert release.name == name


def test_a_release_may_have_no_name(tmp_path) -> None:
    write(tmp_path / "names" / "a" / "b" / "c" / "META" / "MRCONSO.RRF", "x")
    release, _ = _found(tmp_path / "names" / "a" / "b" / "c")
    assert release is not None
    assert release.name == ""


PARTS = {
    "the plain file comes first": (["MRCONSO.RRF.gz", "MRCONSO.RRF", "MRCONSO.RRF.aa"], ["MRCONSO.RRF"]),
    "then the packed one": (["MRCONSO.RRF.gz", "MRCONSO.RRF.aa.gz"], ["MRCONSO.RRF.gz"]),
    "then parts": (["MRCONSO.RRF.ab", "MRCONSO.RRF.aa.gz"], ["MRCONSO.RRF.aa.gz", "MRCONSO.RRF.ab"]),
}


@pytest.mark.parametrize(("files", "paths"), PARTS.values(), ids=PARTS.keys())
def test_what_makes_a_file(tmp_path, files, paths) -> None:
    for name in (*files, "MRCONSO.RRF.md5", "README"):
        write(tmp_path / name, "x")
    release, findings = _found(tmp_path)
    assert release is not None
    assert [one.name for one in release.paths("MRCONSO.RRF")] == paths
    assert codes(findings) == []


@pytest.mark.parametrize(("there", "missing"), [(["ab"], "aa"), (["aa", "ac"], "ab")])
def test_a_missing_part_is_named(tmp_path, there, missing) -> None:
    for part in there:
        write(tmp_path / f"MRCONSO.RRF.{part}", "x")
    release, findings = _found(tmp_path)
    assert release is None
    assert codes(findings) == [("VOC109", 0)]
    assert f"MRCONSO.RRF.{missing} is not there" in str(findings.findings[0])


@pytest.mark.parametrize(
    ("place", "code"),
    [("", "VOC102"), ("nowhere", "VOC101"), ("names.csv", "VOC102"), ("MRCONSO.RRF.backup", "VOC102")],
    ids=["folder", "none", "file", "a file that is called nearly so"],
)
def test_a_place_without_release_is_refused(tmp_path, place, code) -> None:
    (tmp_path / "MRCONSO.RRF").mkdir()  # a folder is no file, whatever it is called
    write(tmp_path / "names.csv", "CUI,Name\n")
    write(tmp_path / "MRCONSO.RRF.backup", "x")
    release, findings = _found(tmp_path / place)
    assert release is None
    assert codes(findings) == [(code, 0)]
