"""The list of findings: everything is counted, a thousand of each code are kept."""

from __future__ import annotations

import pytest

from radcap.core import InputError, Issue, Level
from radcap.datasets.findings import Finding, Findings


def issue(code: str = "RUN201", level: Level = Level.WARNING, line: int = 1) -> Issue:
    return Issue(code, level, line, 1, "A line is odd.", "Mend it.")


def test_a_finding_prints_file_place_code_message_and_hint() -> None:
    findings = Findings()
    findings.add("DAT210", "train.csv", 3, 1)
    assert str(findings.findings[0]) == (
        "train.csv:3:1: DAT210 A row has no id. It names no image. Write the id, or delete the row."
    )
    assert findings.findings[0].to_json() == {
        "file": "train.csv",
        "code": "DAT210",
        "level": "error",
        "line": 3,
        "column": 1,
        "message": "A row has no id. It names no image.",
        "hint": "Write the id, or delete the row.",
    }


def test_a_finding_about_the_whole_has_no_file() -> None:
    assert str(Finding("", issue())) == "1:1: RUN201 A line is odd. Mend it."


def test_all_are_counted_and_the_first_are_kept() -> None:
    findings = Findings(kept_per_code=2)
    for n in range(5):
        findings.add("DAT302", name=f"file{n}")
    findings.add("DAT210")
    assert findings.counts == {"DAT302": 5, "DAT210": 1}
    assert [one.issue.code for one in findings.findings] == ["DAT302", "DAT302", "DAT210"]


def test_fields_are_asked_for_only_while_there_is_room() -> None:
    findings = Findings(kept_per_code=2)
    asked: list[int] = []

    def fields(place: int) -> dict[str, object]:
        asked.append(place)
        return {"name": f"file{place}"}

    findings.add_each("DAT302", [4, 7, 9], fields, lambda place: f"folder/{place}")
    assert findings.counts == {"DAT302": 3}
    assert asked == [4, 7]
    assert [one.file for one in findings.findings] == ["folder/4", "folder/7"]


def test_no_places_leave_no_trace() -> None:
    findings = Findings()
    findings.add_each("DAT302", [], lambda _: {})
    assert findings.counts == {}
    assert findings.findings == ()


def test_other_lists_are_taken_over_within_the_same_bounds() -> None:
    findings = Findings(kept_per_code=2)
    findings.take("a.csv", [issue(line=n) for n in range(1, 4)], {"RUN201": 30})
    findings.extend([Finding("b.csv", issue(line=9))], {"RUN201": 1})
    assert findings.counts == {"RUN201": 31}
    assert [(one.file, one.issue.line) for one in findings.findings] == [("a.csv", 1), ("a.csv", 2)]


def test_the_first_error_of_a_code_is_kept_behind_a_crowd_of_warnings() -> None:
    findings = Findings(kept_per_code=1)
    errors = [issue(level=Level.ERROR, line=8), issue(level=Level.ERROR, line=9)]
    findings.take("a.csv", [issue(), issue(), *errors], {"RUN201": 4})
    assert [one.issue.line for one in findings.findings] == [1, 8]
    assert [one.issue.line for one in findings.errors] == [8]


def test_errors_are_refused_together_with_their_number() -> None:
    findings = Findings(kept_per_code=2)
    findings.add("DAT302", name="extra.jpg")
    for line in range(2, 7):
        findings.add("DAT210", "train.csv", line)
    with pytest.raises(InputError) as caught:
        findings.refuse("data")
    assert str(caught.value) == (
        "data cannot be opened: train.csv: A row has no id. It names no image."
        " Write the id, or delete the row. (4 more findings)"
    )
    assert [one.code for one in caught.value.issues] == ["DAT210", "DAT210"]
    assert caught.value.path == "data"


def test_one_error_is_refused_alone() -> None:
    findings = Findings()
    findings.add("DAT210")
    with pytest.raises(InputError, match=r"cannot be opened: A row has no id.*row\.$"):
        findings.refuse("data")


def test_warnings_refuse_nothing() -> None:
    findings = Findings()
    findings.add("DAT302", name="extra.jpg")
    findings.refuse("data")
    assert findings.errors == ()
