"""`radcap vocab build`: tables and releases in, a vocabulary out, every finding told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from mini_vocabulary import write_rrf_folder

from radcap.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

NAMES = "CUI,name,synonyms,TUI\nC0040405,CT,computed tomography|CT scan,T060\nC0817096,Chest,thorax,T029\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.csv").write_text(NAMES, encoding="utf-8")
    return tmp_path


def test_a_table_becomes_a_vocabulary(radcap: Command, folder: Path) -> None:
    about = ("--name", "mine", "--release", "3", "--licence", "CC0 1.0")
    done = radcap("vocab", "build", "names.csv", "--out", "names.vocab", *about)
    assert (done.code, done.err) == (0, "")
    for word in ("mine", "CC0 1.0", "concepts", "names.vocab", "kB"):
        assert word in done.out
    made = Vocabulary.open(folder / "names.vocab")
    assert (made.stamp.name, made.stamp.release, made.stamp.sources[0].licence) == ("mine", "3", "CC0 1.0")
    assert json.loads(radcap("vocab", "link", "thorax", "--vocab", "names.vocab", "--json").out)[0][
        "concepts"
    ] == ["C0817096"]


def test_findings_are_told_and_the_rest_is_built(radcap: Command, folder: Path) -> None:
    (folder / "names.csv").write_text(f"{NAMES}wrong,x,,\n", encoding="utf-8")
    done = radcap("vocab", "build", "names.csv", "--out", "names.vocab")
    assert done.code == 0
    assert done.out.startswith("names.csv:4:0: VOC203 'wrong' is no CUI.")


def test_errors_of_all_files_are_told_and_nothing_is_written(radcap: Command, folder: Path) -> None:
    (folder / "empty.csv").touch()
    done = radcap("vocab", "build", "absent.csv", "names.csv", "empty.csv", "--out", "names.vocab")
    assert done.code == 1
    assert [line.split()[1] for line in done.out.splitlines()] == ["VOC101", "VOC103"]
    assert "names.vocab was not written" in done.err
    assert not (folder / "names.vocab").exists()
    said = json.loads(radcap("vocab", "build", "absent.csv", "--out", "names.vocab", "--json").out)
    assert (said["ok"], said["stamp"], said["counts"]) == (False, None, {"VOC101": 1})


def test_what_was_built_as_json(radcap: Command, folder: Path) -> None:
    said = json.loads(radcap("vocab", "build", "names.csv", "--out", "names.vocab", "--json").out)
    assert said["ok"]
    assert said["size_bytes"] == (folder / "names.vocab").stat().st_size
    assert said["stamp"]["counts"]["concepts"] == 2


def test_columns_of_other_names(radcap: Command, folder: Path) -> None:
    (folder / "odd.csv").write_text("Kennung;Wort\nC0817096;Brust\n", encoding="utf-8")
    columns = ("--column", "cui=Kennung", "--column", "name = Wort")
    done = radcap("vocab", "build", "odd.csv", "--out", "odd.vocab", *columns)
    assert done.code == 0
    assert Vocabulary.open(folder / "odd.vocab").name("C0817096") == "Brust"


def test_a_release_of_umls_is_one_command_and_personal(radcap: Command, folder: Path) -> None:
    pytest.importorskip("duckdb")
    write_rrf_folder(folder / "2025AA" / "META")
    done = radcap("vocab", "build", "2025AA", "--out", "umls.vocab")
    assert done.code == 0
    assert "do not pass the file on" in done.err
    made = Vocabulary.open(folder / "umls.vocab")
    assert made.stamp.release == "2025AA"
    assert list(made) == ["C0032227", "C0817096"]
    assert made.types("C0032227") == ("T047",)
    assert made.by_code("SNOMEDCT_US", "3") == ("C0817096",)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--sources", "MSH"), ["C0032227"]),
        (("--types", "T029, T030"), ["C0817096"]),
        (("--levels", "9"), ["C0817096"]),
        (("--suppressed",), ["C0032227", "C0040405", "C0817096"]),
        (("--language", "GER", "--levels", "all"), ["C0032227"]),
        (("--language", "all", "--no-hierarchy"), ["C0032227", "C0817096"]),
        (("--kind", "umls"), ["C0032227", "C0817096"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_filters(radcap: Command, folder: Path, options: tuple[str, ...], expected: list[str]) -> None:
    pytest.importorskip("duckdb")
    write_rrf_folder(folder / "META")
    done = radcap("vocab", "build", "META", "--out", "umls.vocab", *options, "--json")
    assert done.code == 0
    assert list(Vocabulary.open(folder / "umls.vocab")) == expected


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("names.csv", "--out", "names.csv"), "ending in .vocab"),
        (("names.csv", "--out", "x.vocab", "--levels", "0,high"), "Levels are numbers with commas, or all"),
        (("names.csv", "--out", "x.vocab", "--levels", ","), "filter levels is empty"),
        (("names.csv", "--out", "x.vocab", "--language", "english"), "three capital letters"),
        (("names.csv", "--out", "x.vocab", "--types", "disease"), "T and three digits"),
        (("names.csv", "--out", "x.vocab", "--kind", "tabel"), "Nearest is 'table'"),
        (("names.csv", "--out", "x.vocab", "--column", "cui"), "Write NAME=VALUE"),
        (
            ("names.csv", "a.obo", "--out", "x.vocab", "--kind", "table"),
            "speak of one INPUT, and there are 2",
        ),
        (("names.csv", "a.obo", "--out", "x.vocab", "--column", "cui=c"), "speak of one INPUT"),
        (("old.vocab", "--out", "old.vocab"), "It is not replaced"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_questions(radcap: Command, folder: Path, arguments: tuple[str, ...], why: str) -> None:
    (folder / "old.vocab").write_text(NAMES, encoding="utf-8")
    done = radcap("vocab", "build", *arguments)
    assert done.code == 2
    assert why in done.err
    assert not (folder / "x.vocab").exists()
    assert (folder / "old.vocab").read_text("utf-8") == NAMES
