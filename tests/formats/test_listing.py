"""Findings as people and build servers read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.core import Issue, Level, Task
from radcap.formats import Validation, github_lines, issue_lines, sarif
from radcap.formats.listing import SHOWN_PER_CODE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def issue(
    code: str = "RUN201", level: Level = Level.ERROR, line: int = 17, message: str = "Line 17 is blank."
) -> Issue:
    return Issue(code, level, line, 1 if line else 0, message, "Delete it.")


def found(*issues: Issue, path: str = "run.csv") -> Validation:
    return Validation(path, "2026", Task.CONCEPTS, 1, issues, {})


def test_an_issue_is_one_line_of_file_line_column_code_and_sentences() -> None:
    assert list(issue_lines("run.csv", [issue()])) == ["run.csv:17:1: RUN201 Line 17 is blank. Delete it."]


def test_a_real_finding_is_never_wrapped(check: Callable[..., Validation]) -> None:
    result = check('ID,Caption\na1,"x\n\ny"\na2,' + "long " * 100 + ",\n", task="captions")
    lines = list(issue_lines("run.csv", result.issues, result.counts))
    assert len(lines) == len(result.issues)
    assert all(line.startswith("run.csv:") and "\n" not in line for line in lines)


@pytest.mark.parametrize(("n", "more"), [(19, None), (20, None), (21, "1 more"), (1234, "1,214 more")])
def test_twenty_of_a_code_are_shown_and_the_rest_is_counted(n: int, more: str | None) -> None:
    lines = list(issue_lines("run.csv", [issue(line=line) for line in range(1, n + 1)]))
    assert len([line for line in lines if "is blank" in line]) == min(n, SHOWN_PER_CODE)
    assert lines[SHOWN_PER_CODE:] == ([] if more is None else [f"run.csv: RUN201 {more}"])


def test_codes_are_counted_apart() -> None:
    issues = [issue(line=line) for line in range(1, 23)] + [issue("RUN304", line=99)]
    lines = list(issue_lines("run.csv", issues))
    assert lines[-2:] == ["run.csv:99:1: RUN304 Line 17 is blank. Delete it.", "run.csv: RUN201 2 more"]


def test_what_was_counted_and_not_kept_is_in_the_rest() -> None:
    issues = [issue(line=line) for line in range(1, 1001)]
    assert list(issue_lines("run.csv", issues, {"RUN201": 5000}))[-1] == "run.csv: RUN201 4,980 more"


def test_the_number_shown_can_be_chosen() -> None:
    issues = [issue(line=line) for line in range(1, 4)]
    assert list(issue_lines("run.csv", issues, shown_per_code=1))[1:] == ["run.csv: RUN201 2 more"]


@pytest.mark.parametrize(
    ("level", "word"), [(Level.ERROR, "error"), (Level.WARNING, "warning"), (Level.INFO, "notice")]
)
def test_an_annotation_has_the_level_the_place_and_the_sentences(level: Level, word: str) -> None:
    assert list(github_lines(found(issue(level=level)))) == [
        f"::{word} file=run.csv,line=17,col=1,title=RUN201::Line 17 is blank. Delete it."
    ]


def test_an_annotation_about_the_whole_file_has_no_line() -> None:
    assert list(github_lines(found(issue(line=0)))) == [
        "::error file=run.csv,title=RUN201::Line 17 is blank. Delete it."
    ]


def test_an_annotation_escapes_what_would_end_it() -> None:
    (line,) = github_lines(found(issue(message="100 %\r\n::error::x, y."), path="C:\\a,b%\n.csv"))
    assert line == (
        "::error file=C%3A\\a%2Cb%25%0A.csv,line=17,col=1,title=RUN201"
        "::100 %25%0D%0A::error::x, y. Delete it."
    )


def test_every_finding_becomes_an_annotation(
    check: Callable[..., Validation], place: Callable[..., Path]
) -> None:
    result = check("ID,CUIs\n" + "".join(f"a{number},lung\n" for number in range(30)))
    lines = list(github_lines(result))
    assert len(lines) == len(result.issues) > 30
    assert {line.partition(" ")[0] for line in lines} == {"::error", "::notice"}


def test_the_only_error_of_a_code_is_printed_however_many_warnings_stand_before_it() -> None:
    crowd = [issue(level=Level.WARNING, line=line) for line in range(1, 40)]
    lines = list(issue_lines("run.csv", [*crowd, issue(level=Level.ERROR, line=99)]))
    assert len(lines) == 21
    assert lines[19].startswith("run.csv:99:")
    assert lines[20] == "run.csv: RUN201 20 more"


@pytest.mark.parametrize(
    ("level", "word"), [(Level.ERROR, "error"), (Level.WARNING, "warning"), (Level.INFO, "note")]
)
def test_a_sarif_result_has_rule_level_place_and_sentences(level: Level, word: str) -> None:
    log = sarif(found(issue(level=level), path="a b/run.csv"))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"] == [{"id": "RUN201"}]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("RUN201", word)
    assert result["message"] == {"text": "Line 17 is blank. Delete it."}
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b/run.csv"},
        "region": {"startLine": 17, "startColumn": 1},
    }


def test_a_sarif_result_about_the_whole_file_has_no_region() -> None:
    ((result,),) = [run["results"] for run in sarif(found(issue(line=0)))["runs"]]
    assert "region" not in result["locations"][0]["physicalLocation"]
