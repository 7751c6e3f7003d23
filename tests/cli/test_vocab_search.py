"""`radcap vocab info` and `radcap vocab search`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from mini_vocabulary import NOTICE, write_mini, write_small

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mini(tmp_path_factory.mktemp("vocab") / "mini.vocab")


def test_info_tells_origin_licence_notices_counts_and_types(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "info", mini)
    assert done.code == 0
    for word in (
        "2025AA",
        "for tests",
        "LABELS",
        "12",
        "filter: language",
        "T047",
        "Disease or Syndrome",
        "kB",
    ):
        assert word in done.out
    assert done.out.splitlines()[-1] == f"LABELS, RADCAP: {NOTICE}"


def test_info_of_several_as_json(radcap: Command, mini: Path, tmp_path: Path) -> None:
    own = write_small(tmp_path / "own.vocab", ("C0000001", "One"))
    found = json.loads(radcap("vocab", "info", mini, own, "--json").out)
    assert [one["name"] for one in found] == ["mini", "own"]
    assert found[0]["types"]["T060"] == 3
    assert found[0]["sources"][0]["attribution"] == NOTICE


def test_info_without_a_name_is_about_the_free_vocabulary(radcap: Command) -> None:
    done = radcap("vocab", "info", "--json")
    (found,) = json.loads(done.out)
    assert found["name"] == "free"
    assert found["counts"]["concepts"] > 10_000


def test_a_file_that_is_no_vocabulary(radcap: Command, tmp_path: Path) -> None:
    (tmp_path / "x.vocab").write_text("nothing")
    done = radcap("vocab", "info", tmp_path / "x.vocab")
    assert done.code == 1
    assert "is no compiled vocabulary" in done.err
    assert radcap("vocab", "info", tmp_path / "absent.vocab").code == 1


def test_search_by_words(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "search", "pleura", "effusion", "--vocab", mini)
    assert done.code == 0
    first = next(line for line in done.out.splitlines() if "C0032227" in line)
    for word in ("Pleural effusion", "effusion of pleura", "T047 Disease or Syndrome", "LABELS, RADCAP"):
        assert word in first


def test_search_as_json_with_a_limit_and_a_type(radcap: Command, mini: Path) -> None:
    found = json.loads(radcap("vocab", "search", "effusion", "--vocab", mini, "--limit", "1", "--json").out)
    assert [one["cui"] for one in found] == ["C0013687"]
    typed = radcap("vocab", "search", "effusion", "--type", "t047", "--vocab", mini, "--json")
    assert [one["found"] for one in json.loads(typed.out)] == ["Pleural effusion"]


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--type", "T047")])
def test_nothing_found_ends_with_1(radcap: Command, mini: Path, arguments: tuple[str, ...]) -> None:
    done = radcap("vocab", "search", "qqqqqqqqqq", "--vocab", mini, *arguments)
    assert done.code == 1
    assert "in mini. Try other words." in done.err
    assert done.out == ("[]\n" if "--json" in arguments else "")


def test_an_unknown_type_is_refused(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "search", "lung", "--type", "T0470", "--vocab", mini)
    assert done.code == 2
    assert "Nearest is" in done.err


@pytest.mark.parametrize("cui", ["C0032227", "c0032227"])
def test_a_cui_prints_everything(radcap: Command, mini: Path, cui: str) -> None:
    done = radcap("vocab", "search", cui, "--vocab", mini)
    assert done.code == 0
    for word in ("effusion of pleura", "T047 Disease or Syndrome", "RADCAP", "C0013687 Effusion"):
        assert word in done.out
    assert json.loads(radcap("vocab", "search", cui, "--vocab", mini, "--json").out)["parents"] == [
        "C0013687"
    ]


def test_a_cui_nobody_knows(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "search", "C7777777", "--vocab", mini)
    assert (done.code, done.out) == (1, "")
    assert "C7777777 is not in mini." in done.err


def test_a_note_says_when_spelling_is_not_understood(
    radcap: Command, mini: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radcap.vocabulary.searching.can_correct", lambda: False)
    assert "radcap[vocabulary]" in radcap("vocab", "search", "lung", "--vocab", mini).err
    monkeypatch.setattr("radcap.vocabulary.searching.can_correct", lambda: True)
    assert radcap("vocab", "search", "lung", "--vocab", mini).err == ""
