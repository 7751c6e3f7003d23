"""Runs and labels as Python values: what is taken, and what is refused by name."""

from __future__ import annotations

import math

import pytest

from radcap.core import InputError, Run, Task
from radcap.metrics import score_captions
from radcap.metrics.run_values import as_run


def test_captions_are_strings_or_nothing() -> None:
    run = as_run({"a": "CT", "b": "", "c": None}, Task.CAPTIONS)
    assert (run.task, dict(run.cells)) == (Task.CAPTIONS, {"a": "CT", "b": "", "c": None})


@pytest.mark.parametrize(
    "cuis", [["C1", "C2"], ("C1", "C2"), iter(["C1", "C2"]), {"C1": 1, "C2": 2}, "C1;C2"]
)
def test_concepts_are_a_string_or_any_number_of_them(cuis: object) -> None:
    assert as_run({"a": cuis}, Task.CONCEPTS).cells == {"a": "C1;C2"}


def test_a_run_keeps_its_name() -> None:
    run = Run(Task.CAPTIONS, {"a": "CT"}, "ours")
    assert as_run(run, Task.CAPTIONS) == run


@pytest.mark.parametrize(
    ("value", "task", "why"),
    [
        (
            {"a": math.nan},
            Task.CAPTIONS,
            r"The value of 'a' is nan\. It cannot be scored\. Give a string, or None",
        ),
        ({"a": ["CT"]}, Task.CAPTIONS, r"The value of 'a' is \['CT'\]"),
        ({"a": b"CT"}, Task.CAPTIONS, r"The value of 'a' is b'CT'"),
        ({"a": 40405}, Task.CONCEPTS, r"The value of 'a' is 40405.* Give a string or a set of CUIs, or None"),
        ({"a": ["C1", None]}, Task.CONCEPTS, r"The value of 'a' is \['C1', None\]"),
        ({7: "CT"}, Task.CAPTIONS, r"The image id 7 is no text\. It matches no id of a file\. Give a string"),
        (["CT"], Task.CAPTIONS, r"A list was given for captions\. It names no images"),
        (None, Task.CONCEPTS, r"A NoneType was given for concepts"),
        (
            Run(Task.CONCEPTS, {"a": "C1"}, "ours"),
            Task.CAPTIONS,
            "ours holds concepts, and captions are wanted",
        ),
        (Run(Task.CAPTIONS, {"a": "CT"}), Task.CONCEPTS, "The run holds captions, and concepts are wanted"),
    ],
)
def test_anything_else_is_refused_by_name(value: object, task: Task, why: str) -> None:
    with pytest.raises(InputError, match=why):
        as_run(value, task)


def test_the_empty_cell_of_a_data_frame_never_becomes_a_caption() -> None:
    with pytest.raises(InputError, match="is nan"):
        score_captions({"a": math.nan}, {"a": "CT"}, metrics=["rouge1"])  # type: ignore[dict-item]
    with pytest.raises(InputError, match="is nan"):
        score_captions({"a": "CT"}, {"a": math.nan}, metrics=["rouge1"])  # type: ignore[dict-item]
