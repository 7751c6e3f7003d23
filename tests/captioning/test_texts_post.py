"""The end of writing: captions that can be handed in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from captioning_samples_texts import real_captions, texts
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from radcap.captioning.settings import PostSettings
from radcap.captioning.texts import cleaned, finished
from radcap.core import Run, Task
from radcap.formats import validate, write_lines, write_run

PLAIN = PostSettings()
LAST = "Radiology image."
CASES = [
    ("", LAST),
    (" \n\t", LAST),
    ("...", LAST),
    ("12 3", LAST),
    ("with the", LAST),
    ("Figure 1", LAST),
    ("axial  CT\nof the chest", "Axial CT of the chest."),
    ("CT of the chest.", "CT of the chest."),
    ("CT of the chest ...", "CT of the chest."),
    ("CT of the chest;", "CT of the chest."),
    ("Is this a mass?", "Is this a mass?"),
    ('The "mass."', 'The "mass."'),
    ("CT (arrow)", "CT (arrow)."),
    ("CT of the chest, and", "CT of the chest."),
    ("CT of the chest with", "CT of the chest."),
    ("CT of the chest showing a mass of the", "CT of the chest showing a mass."),
    ("CT of the chest, which is in the", "CT of the chest."),
    ("Hepatitis A", "Hepatitis A."),
    ("A mass (white arr", "A mass."),
    ("A mass [3", "A mass."),
    ("(CT of the chest", "CT of the chest."),
    ("CT CT of of the chest", "CT of the chest."),
    ("There is a mass. There is a mass. There is a mass", "There is a mass."),
    ("Figure 1. CT of the chest", "CT of the chest."),
    ("Figure 1: CT", "CT."),
    ("FIG. 2A-C. CT", "CT."),
    ("Fig 3 Axial CT", "Axial CT."),
    ("Figure 1 shows a mass", "Figure 1 shows a mass."),
    ("Images of the chest", "Images of the chest."),
    ("Image guided biopsy", "Image guided biopsy."),
    ("(a) CT", "CT."),
    ("(A, B) CT", "CT."),
    ("a) CT", "CT."),
    ("A) CT (b) MR", "CT (b) MR."),
    ("A CT", "A CT."),
    ("1. CT", "CT."),
    ("2.5 cm mass", "2.5 cm mass."),
    ("- CT", "CT."),
    ("\u2022 Caption: Figure 2: (a) CT", "CT."),
    ("Caption: CT", "CT."),
    ('"CT of the chest."', "CT of the chest."),
    ('"CT of the chest', "CT of the chest."),
    ('"CT" and "MR"', '"CT" and "MR".'),
    ("\u00b5m scale", "\u03bcm scale."),
    ("\u0131nfarct of the brain", "\u0131nfarct of the brain."),  # its capital would be another letter
    ("CT\ufffd of the\u2028chest\x00", "CT of the chest."),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_cases(text: str, expected: str) -> None:
    assert finished(text, PLAIN) == expected


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (6, "CT of the chest. There is a mass in it.", "CT of the chest."),
        (6, "CT of the chest with a mass, and effusion", "CT of the chest."),
        (4, "CT of chest, lungs and heart", "CT of chest."),
        (1, "CT of the chest", "CT."),
        (1, "", "Radiology."),
    ],
)
def test_long_captions_end_with_a_sentence_or_a_clause(words: int, text: str, expected: str) -> None:
    assert finished(text, PostSettings(words=words)) == expected


def test_the_fallback_is_finished_too() -> None:
    assert finished("", PostSettings(fallback="no caption")) == "No caption."
    assert finished("", PostSettings(fallback="123")) == LAST


def test_every_metric_reads_all_of_it() -> None:
    text = " ".join(f"word{i}a" for i in range(2000))
    assert len(finished(text, PostSettings(words=10_000)).split()) == 512


PIECES = """CT of the chest . , Figure_1. (a) ( ) [ " and Caption: mass 1 2. - Fig._2 A a ? = | ß I
\u01f0 \u0149"""
pieces = st.sampled_from([piece.replace("_", " ") for piece in PIECES.split()] + ["\n"])
written = st.one_of(
    st.lists(pieces, max_size=24).map(" ".join), st.lists(pieces, max_size=9).map("".join), texts
)


@given(written, st.integers(1, 12))
@example("Figure 2", 55)
@example("\u0149x \u0149x", 55)
def test_what_is_finished_is_whole_and_stays(text: str, words: int) -> None:
    settings = PostSettings(words=words)
    result = finished(text, settings)
    assert finished(result, settings) == result
    assert result == cleaned(result)
    assert len(result.split()) <= words
    assert re.search(r"[.!?][\"')\]]*$", result)
    assert re.search(r"[^\W\d_]", result)
    assert not re.search(r"(?:^|\s)(?:the|of|and)[.,;:]*$", result)


@given(captions=st.lists(written, min_size=1, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_every_run_check_takes_it(tmp_path: Path, captions: list[str]) -> None:
    cells: dict[str, str | None] = {f"i{n}": finished(text, PLAIN) for n, text in enumerate(captions)}
    ids = write_lines(["ID", *cells], tmp_path / "ids.csv")
    for edition in ("2026", "2025", "2024", "2021", "2017", "radcap"):
        suffix = "zip" if edition in {"2025", "2026"} else "csv"
        path = write_run(Run(Task.CAPTIONS, cells), tmp_path / f"run.{suffix}", edition=edition)
        found = validate(path, "captions", ids=ids, edition=edition, strict=True)
        assert not [issue.message for issue in found.issues], edition


def test_real_captions_are_left_alone() -> None:
    plain = [cleaned(text) for text in real_captions() if len(text.split()) <= 55]
    changed = [
        text for text in plain if finished(text, PLAIN).rstrip(".").lower() != text.rstrip(". ").lower()
    ]
    assert len(changed) < 0.05 * len(plain), changed
