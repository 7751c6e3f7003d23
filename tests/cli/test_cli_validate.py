"""`radcap validate`: findings as text, JSON and GitHub annotations; a repaired copy."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

VALIDATE = ("validate", "run.csv", "--task", "concepts", "--truth", "truth")
BROKEN = "ID,CUIs\nimg_2,c2\nimg_1,C1;C1\n\nimg_3.jpg,C3\n"
ISSUE_LINE = re.compile(r"run\.csv:\d+:\d+: RUN\d{3} .+")


def shape(value: dict[str, Any]) -> dict[str, type]:
    return {key: type(item) for key, item in value.items()}


@pytest.fixture
def broken(folder: Path) -> Path:
    (folder / "run.csv").write_text(BROKEN, encoding="utf-8")
    return folder


def test_json_has_the_shape_of_the_interface(radcap: Command, broken: Path) -> None:
    done = radcap(*VALIDATE, "--json")
    told = json.loads(done.out)
    assert (done.code, done.err) == (1, "")
    shapes = {"ok": bool, "edition": str, "task": str, "rows": int, "issues": list, "counts": dict}
    assert shape(told) == shapes
    assert list(told) == list(shapes)
    issue = {"code": str, "level": str, "line": int, "column": int, "message": str, "hint": str}
    assert all(shape(one) == issue and list(one) == list(issue) for one in told["issues"])
    assert {one["level"] for one in told["issues"]} <= {"error", "warning", "info"}
    codes = [one["code"] for one in told["issues"]]
    assert told["counts"] == {code: codes.count(code) for code in codes}
    assert (told["ok"], told["edition"], told["task"], told["rows"]) == (False, "2026", "concepts", 3)


def test_format_json_is_the_same_as_json(radcap: Command, broken: Path) -> None:
    assert radcap(*VALIDATE, "--format", "json") == radcap(*VALIDATE, "--json")


def test_text_is_one_line_per_issue_on_stdout_and_the_verdict_on_stderr(
    radcap: Command, broken: Path
) -> None:
    done = radcap(*VALIDATE)
    lines = done.out.splitlines()
    assert all(ISSUE_LINE.fullmatch(line) for line in lines)
    assert len(lines) == len(json.loads(radcap(*VALIDATE, "--json").out)["issues"])
    assert {line.split()[1] for line in lines} >= {"RUN201", "RUN208", "RUN211", "RUN302", "RUN305"}
    assert re.search(r"run\.csv: 3 rows, would be refused by edition 2026 \(\d+ error", done.err)


def test_a_good_run_passes_and_the_verdict_says_so(radcap: Command, folder: Path) -> None:
    done = radcap(*VALIDATE)
    assert done.code == 0
    assert "passes edition 2026" in done.err
    assert json.loads(radcap(*VALIDATE, "--json").out)["ok"] is True


def test_at_most_20_of_a_code_are_shown_as_text_and_all_in_json(radcap: Command, folder: Path) -> None:
    ids = [f"img_{n}" for n in range(1, 31)]
    (folder / "ids.csv").write_text("".join(f"{one}\n" for one in ["ID", *ids]), encoding="utf-8")
    rows = "".join(f"{one},c1\n" for one in ids)
    (folder / "run.csv").write_text(f"ID,CUIs\n{rows}", encoding="utf-8")
    arguments = ("validate", "run.csv", "--task", "concepts", "--ids", "ids.csv")
    lines = [line for line in radcap(*arguments).out.splitlines() if "RUN305" in line]
    assert len(lines) == 21
    assert lines[-1] == "run.csv: RUN305 10 more"
    told = json.loads(radcap(*arguments, "--json").out)
    assert sum(one["code"] == "RUN305" for one in told["issues"]) == told["counts"]["RUN305"] == 30


def test_github_annotations_name_file_line_and_code(radcap: Command, broken: Path) -> None:
    lines = radcap(*VALIDATE, "--format", "github").out.splitlines()
    assert any(line.startswith("::error file=run.csv,line=4,col=1,title=RUN201::") for line in lines)
    assert all(re.match(r"::(error|warning|notice) file=run\.csv[,\w=]*::.+", line) for line in lines)


def test_the_edition_decides_what_is_an_error(radcap: Command, folder: Path) -> None:
    (folder / "run.csv").write_text("ID,CUIs\nimg_2,c2\nimg_1,C1\nimg_3,C3\n", encoding="utf-8")
    assert radcap(*VALIDATE, "--edition", "2026").code == 1
    assert radcap(*VALIDATE, "--edition", "2025").code == 0
    assert radcap(*VALIDATE, "--edition", "2025", "--strict").code == 1  # no zip
    assert radcap(*VALIDATE, "--edition", "radcap").code == 0


def test_a_repaired_copy_passes_and_the_changes_are_listed(radcap: Command, broken: Path) -> None:
    done = radcap(*VALIDATE, "--fix", "fixed.csv")
    assert done.code == 0
    assert (broken / "fixed.csv").read_text("utf-8") == "ID,CUIs\nimg_1,C1\nimg_2,C2\nimg_3,C3\n"
    assert (broken / "run.csv").read_text("utf-8") == BROKEN
    assert "img_3.jpg,C3" in done.out
    assert "RUN302" in done.err
    assert radcap("validate", "fixed.csv", "--task", "concepts", "--truth", "truth").code == 0


def test_a_file_is_overwritten_by_force_only(radcap: Command, broken: Path) -> None:
    (broken / "fixed.csv").write_text("mine", encoding="utf-8")
    assert radcap(*VALIDATE, "--fix", "fixed.csv").code == 2
    assert (broken / "fixed.csv").read_text("utf-8") == "mine"
    assert radcap(*VALIDATE, "--fix", "fixed.csv", "--force").code == 0
    assert (broken / "fixed.csv").read_text("utf-8").startswith("ID,CUIs\nimg_1")


def test_a_repair_that_leaves_errors_is_a_finding(radcap: Command, folder: Path) -> None:
    (folder / "run.csv").write_text("ID,CUIs\nimg_1,c1\nimg_2,C2\n", encoding="utf-8")
    done = radcap(*VALIDATE, "--fix", "fixed.csv")
    assert done.code == 1
    assert "RUN207" in done.out  # no prediction is invented for img_3
    assert "img_3" not in (folder / "fixed.csv").read_text("utf-8")


def test_a_repair_as_json_is_one_value_and_nothing_else(radcap: Command, broken: Path) -> None:
    done = radcap(*VALIDATE, "--fix", "fixed.csv", "--json")
    assert (done.code, done.err) == (0, "")
    assert isinstance(json.loads(done.out), dict)


def test_at_most_20_changed_lines_are_shown_and_the_rest_is_counted(radcap: Command, folder: Path) -> None:
    ids = [f"img_{n}" for n in range(1, 31)]
    (folder / "ids.csv").write_text("".join(f"{one}\n" for one in ["ID", *ids]), encoding="utf-8")
    rows = "".join(f"{one},c1\n" for one in ids)
    (folder / "run.csv").write_text(f"ID,CUIs\n{rows}", encoding="utf-8")
    done = radcap("validate", "run.csv", "--task", "concepts", "--ids", "ids.csv", "--fix", "fixed.csv")
    assert done.code == 0
    assert sum("->" in line for line in done.out.splitlines()) == 20
    assert "run.csv: 10 more lines changed" in done.out


def test_format_sarif_is_a_log_that_names_every_finding(radcap: Command, broken: Path) -> None:
    done = radcap(*VALIDATE, "--format", "sarif")
    results = json.loads(done.out)["runs"][0]["results"]
    assert done.code == 1
    assert [one["ruleId"] for one in results] == [
        one["code"] for one in json.loads(radcap(*VALIDATE, "--json").out)["issues"]
    ]


def test_fix_with_sarif_tells_what_is_left(radcap: Command, broken: Path) -> None:
    done = radcap(*VALIDATE, "--fix", "mended.csv", "--format", "sarif")
    rules = {one["ruleId"] for one in json.loads(done.out)["runs"][0]["results"]}
    assert "RUN305" not in rules
    assert (broken / "mended.csv").is_file()


def test_fix_and_vocabulary_exclude_each_other(radcap: Command, broken: Path) -> None:
    done = radcap(*VALIDATE, "--fix", "mended.csv", "--vocabulary", "truth/concepts.csv")
    assert (done.code, done.out) == (2, "")
    assert not (broken / "mended.csv").exists()


def test_fix_with_strict_minds_the_packing_of_the_copy(radcap: Command, folder: Path) -> None:
    plain = radcap(*VALIDATE, "--fix", "mended.csv", "--strict")
    packed = radcap(*VALIDATE, "--fix", "mended.zip", "--strict")
    assert (plain.code, packed.code) == (1, 0)
