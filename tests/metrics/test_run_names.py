"""Names of runs in a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from radcap.core import UsageError
from radcap.metrics.run_names import named_runs


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["run.csv"], ["run"]),
        (["a/first.csv", "b/second.zip"], ["first", "second"]),
        (["a/run.csv", "b/run.csv"], ["a/run", "b/run"]),
        (["run.csv", "run.csv", "run.csv"], ["run", "run (2)", "run (3)"]),
        (["a/run.csv", "a/run.zip"], ["run", "run (2)"]),
        (["a/run.csv", "b/run.csv", "b/run.csv"], ["a/run", "b/run", "b/run (2)"]),
        (["run.csv", "run (2).csv", "run.csv"], ["run", "run (2)", "run (3)"]),
        (["submission.v2.csv"], ["submission.v2"]),
    ],
)
def test_files_are_named_by_their_stems_and_told_apart(paths: list[str], names: list[str]) -> None:
    found = named_runs(paths)
    assert list(found) == names
    assert list(found.values()) == [Path(path) for path in paths]


def test_a_mapping_keeps_its_own_names() -> None:
    runs = {"ours": {"a": "CT"}, "theirs": "run.csv"}
    assert named_runs(runs) == runs


@pytest.mark.parametrize("nothing", [[], {}])
def test_no_run_is_refused(nothing: list[str] | dict[str, str]) -> None:
    with pytest.raises(UsageError, match="There is no run to compare"):
        named_runs(nothing)
