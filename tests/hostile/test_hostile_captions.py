"""Hostile captions on either side: the score of the usual libraries, or a refusal with a reason."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from math import isclose
from typing import TYPE_CHECKING, Any

import pytest
from checks import assert_printable
from corpus_captions import (
    CAPTIONS,
    PLAIN,
    PREPARED,
    UNREADABLE,
    rouge1,
    truncating_bleu,
    vanishing_bleu,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import InputError, Level, Run, Task
from radcap.formats import DIALECTS, dialect
from radcap.metrics import score_captions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commands import Command
    from place import Place

    from radcap.formats import Dialect
    from radcap.metrics import ScoreReport

EDITIONS = [form.edition for form in DIALECTS.values() if form.task is Task.CAPTIONS]
EDITION = pytest.mark.parametrize("edition", EDITIONS)
IDS = ("img_1", "img_2", "img_3")
SIDES = pytest.mark.parametrize("side", ["run", "truth", "both"])


def sides(text: str, side: str) -> tuple[str, str]:
    """What is said and what is true."""
    return (PLAIN if side == "truth" else text), (PLAIN if side == "run" else text)


def expected_rouge(said: str, true: str, edition: str) -> float:
    prepare = PREPARED[edition]
    both_empty = not said and not true
    if edition in {"2017", "2018", "2021", "2022"}:
        both_empty = not prepare(said) and not prepare(true)
    return 1.0 if both_empty else rouge1(prepare(said), prepare(true))


# --- as values ---


@SIDES
@EDITION
def test_values_score_what_the_libraries_score(edition: str, side: str) -> None:
    said, true = ({name: sides(text, side)[one] for name, text in CAPTIONS.items()} for one in (0, 1))
    profile = "official" if edition == "2022" else "documented"  # 2022 needs lemmas, 2023 and 2024 break down
    report = score_captions(said, true, edition=edition, profile=profile, metrics=["rouge1"])
    found = dict(zip(report["rouge1"].ids, report["rouge1"].values, strict=True))
    assert list(found) == list(CAPTIONS)
    for name, value in found.items():
        assert isclose(value, expected_rouge(said[name], true[name], edition), rel_tol=1e-12), name


@SIDES
@pytest.mark.parametrize("rule", ["truncating", "vanishing"])
@pytest.mark.parametrize("edition", ["2017", "2022", "2025"])
def test_bleu_of_values_is_that_of_nltk(edition: str, rule: str, side: str) -> None:
    prepare, reference = PREPARED[edition], {"truncating": truncating_bleu, "vanishing": vanishing_bleu}[rule]
    said, true = ({name: sides(text, side)[one] for name, text in CAPTIONS.items()} for one in (0, 1))
    report = score_captions(said, true, edition=edition, bleu_rule=rule, metrics=["bleu"])
    for name, value in zip(report["bleu"].ids, report["bleu"].values, strict=True):
        ours, theirs = prepare(said[name]), prepare(true[name])
        nothing = not (said[name] or true[name]) if edition == "2025" else not (ours or theirs)
        assert isclose(value, 1.0 if nothing else reference(ours, theirs), rel_tol=1e-12), name


@EDITION
def test_the_order_of_images_changes_no_value(edition: str) -> None:
    metrics = ["rouge1", "rouge2", "rougeL", "bleu", "bleu4", "cider"]
    found: list[list[dict[str, float]]] = []
    for names in (list(CAPTIONS), sorted(CAPTIONS, reverse=True)):
        said, true = {name: CAPTIONS[name] for name in names}, dict.fromkeys(names, PLAIN)
        report = score_captions(said, true, edition=edition, metrics=metrics)
        found.append([dict(zip(report[one].ids, report[one].values, strict=True)) for one in metrics])
    assert found[0] == found[1]


WRONG_VALUES: Mapping[str, tuple[Any, Any, str]] = {
    "no image at all": ({}, {}, "The truth names no image."),
    "no prediction": ({}, {"a": "x"}, "Found 1 image not in the run, e.g. a."),
    "another image": (
        {"a": "x", "b": "x"},
        {"a": "x"},
        "Found 1 image in the run and not in the truth, e.g. b.",
    ),
    "the empty cell of a data frame": ({"a": float("nan")}, {"a": "x"}, "The value of 'a' is nan."),
    "a number": ({"a": 5}, {"a": "x"}, "The value of 'a' is 5."),
    "bytes": ({"a": b"x"}, {"a": "x"}, "The value of 'a' is b'x'."),
    "a list of captions": ({"a": ["x", "y"]}, {"a": "x"}, "The value of 'a' is ['x', 'y']."),
    "a list for a truth": ({"a": "x"}, {"a": ["x"]}, "The value of 'a' is ['x']."),
    "an id that is a number": ({1: "x"}, {"1": "x"}, "The image id 1 is no text."),
    "an id that is nothing": ({"a": "x"}, {None: "x"}, "The image id None is no text."),
    "rows instead of a mapping": ([("a", "x")], {"a": "x"}, "A list was given for captions."),
    "nothing": (None, {"a": "x"}, "A NoneType was given for captions."),
    "a run of concepts": (Run(Task.CONCEPTS, {"a": "C1"}, "mine"), {"a": "x"}, "mine holds concepts"),
    "a truth of concepts": ({"a": "x"}, Run(Task.CONCEPTS, {"a": "C1"}), "The run holds concepts"),
    "concepts as captions": ({"a": "C0040405;C1"}, {"a": "x"}, "The run holds concepts, e.g. C0040405;C1."),
    "concepts as true captions": ({"a": "x"}, {"a": "C0040405"}, "The truth holds concepts, e.g. C0040405."),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_values_of_the_wrong_kind_are_refused_in_a_sentence(name: str) -> None:
    run, truth, why = WRONG_VALUES[name]
    with pytest.raises(InputError) as raised:
        score_captions(run, truth)
    assert why in str(raised.value)


# --- as files ---


def written(cells: Mapping[str, str], form: Dialect) -> bytes:
    """Rows as a spreadsheet or a script would write them, whatever it does to them."""
    separator = form.separators[0]
    if not form.quoting:
        text = "".join(f"{one}{separator}{cell}\n" for one, cell in cells.items())
    else:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=separator, lineterminator="\n").writerows([form.columns, *cells.items()])
        text = out.getvalue()
    return text.encode("utf-8", "surrogatepass")


def score_files(text: str, side: str, edition: str, place: Place) -> ScoreReport:
    form = dialect(edition, Task.CAPTIONS)
    said, true = sides(text, side)
    run = place(written({"img_1": said, "img_2": PLAIN, "img_3": PLAIN}, form), "run.csv")
    truth = place(written({"img_1": true, "img_2": PLAIN, "img_3": "MRI"}, form), "truth.csv")
    return score_captions(run, truth, edition=edition, metrics=["rouge1"])


@SIDES
@EDITION
def test_files_score_what_the_libraries_score_or_are_refused(edition: str, side: str, place: Place) -> None:
    form = dialect(edition, Task.CAPTIONS)
    refused: dict[str, InputError] = {}
    for name, text in CAPTIONS.items():
        try:
            report = score_files(text, side, edition, place)
        except InputError as error:
            refused[name] = error
            continue
        if "rouge1" not in report:  # the evaluator of 2023 and 2024 fails where nothing is left of both
            assert [one.name for one in report.missing] == ["rouge1"]
            assert "TRU104" in [issue.code for issue in report.issues]
            assert not PREPARED[edition](text)
            continue
        kept = text if form.quoting else text.partition(form.separators[0])[0]
        expected = expected_rouge(*sides(kept, side), edition)
        assert isclose(report["rouge1"].values[0], expected, rel_tol=1e-12), name
    assert all(any(one.level is Level.ERROR for one in error.issues) for error in refused.values())
    assert refused.keys() >= UNREADABLE
    breaking = {name for name, text in CAPTIONS.items() if "\n" in text or "\r" in text}
    allowed = UNREADABLE | breaking if not form.quoting or form.linewise else UNREADABLE
    if side != "run" and not form.quoting:  # a label that a separator would cut is no truth
        allowed |= {name for name, text in CAPTIONS.items() if form.separators[0] in text}
    assert refused.keys() <= allowed


@pytest.mark.parametrize("name", CAPTIONS)
def test_the_command_prints_nothing_a_terminal_obeys(name: str, place: Place, radcap: Command) -> None:
    form = dialect("radcap", Task.CAPTIONS)
    run = place(written(dict.fromkeys(IDS, CAPTIONS[name]), form), "run.csv")
    truth = place(written({**dict.fromkeys(IDS, PLAIN), "img_1": CAPTIONS[name]}, form), "truth.csv")
    for output in ((), ("--json",)):
        done = radcap(
            "score", "captions", run, truth, "--edition", "radcap", "--metrics", "rouge1,bleu", *output
        )
        assert done.code == (1 if name in UNREADABLE else 0)
        assert "Traceback" not in done.err
        assert_printable(done.out.replace(str(run), "run"), done.err.replace(str(run), "run"))
        assert not output or len(json.loads(done.out)["scores"]) == (0 if done.code else 2)


@pytest.mark.parametrize("name", ["a formula", "a link as a formula", "an at sign", "plus one", "minus one"])
def test_a_formula_is_text_and_stays_as_it_is(
    name: str, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, form = CAPTIONS[name], dialect("2026", Task.CAPTIONS)
    monkeypatch.chdir(tmp_path)
    ids = ("img_1", "=1+1", "@img", "-2", "+3")
    for file in ("run.csv", "truth.csv"):
        (tmp_path / file).write_bytes(written(dict.fromkeys(ids, text), form))
    done = radcap("score", "captions", "run.csv", "truth.csv", "--edition", "2026", "--metrics", "rouge1",
                  "--per-image", "values.csv", "--json")  # fmt: skip
    assert done.code == 0
    assert json.loads(done.out)["scores"][0]["value"] == 1.0
    with (tmp_path / "values.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == list(ids)


def test_a_run_without_some_captions_is_refused_or_scored_as_empty(place: Place) -> None:
    truth = place(written(dict.fromkeys(IDS, PLAIN), dialect("2025", Task.CAPTIONS)), "truth.csv")
    run = place(f"ID,Caption\nimg_1\nimg_2,\nimg_3,{PLAIN[:20]}\n".encode())
    for edition in ("2024", "2025", "2026", "rocov2", "radcap"):
        with pytest.raises(InputError) as raised:
            score_captions(run, truth, edition=edition)
        assert "RUN203" in [issue.code for issue in raised.value.issues]
    values = score_captions({"img_1": None, "img_2": "", "img_3": PLAIN}, truth)["rouge1"].values
    assert values == (0.0, 0.0, 1.0)
    assert [issue.code for issue in score_captions(dict.fromkeys(IDS), truth).issues] == ["RUN401"] * 3


# --- damaged files ---


GOOD_RUN = b'ID,Caption\nimg_1,CT of the chest.\nimg_2,"MRI, sagittal ""T2"""\nimg_3,Plain film\n'
GOOD_TRUTH = {"img_1": "CT of a chest", "img_2": "Sagittal MRI, T2", "img_3": ""}
SCRAPS = (
    *(b",", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", b"\t", b"|", b"\0", b"\x0b", b"\x1c", b"\xff"),
    *(b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\xc2\xa0", b"\xed\xa0\x80"),
    *(b"ID", b"id", b"img_1", b"img_2", b"chest", b"CT", b"=1+1", "\u00e9\u65e5\U0001f600".encode()),
)  # fmt: skip
damages = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 6), st.one_of(st.sampled_from(SCRAPS), st.binary(max_size=3))),
    min_size=1,
    max_size=4,
)


def as_the_evaluator_reads(text: str) -> dict[str, str] | None:
    """The loader of 2025 as the specification tells it: the first row never counts; None where it stops."""
    run: dict[str, str] = {}
    for row in [*csv.reader(io.StringIO(text, newline=None))][1:]:
        if len(row) < 2 or row[0] not in GOOD_TRUTH or row[0] in run:
            return None
        run[row[0]] = row[1]
    return run if len(run) == len(GOOD_TRUTH) else None


@given(changes=damages)
@settings(max_examples=200, deadline=None)
def test_no_wrong_score_in_silence(changes: list[tuple[float, int, bytes]], place: Place) -> None:
    content = GOOD_RUN
    for where, gone, scrap in changes:
        at = int(where * len(content))
        content = content[:at] + scrap + content[at + gone :]
    with suppress(InputError):
        report = score_captions(place(content), GOOD_TRUTH, edition="2025", metrics=["rouge1"])
        read = as_the_evaluator_reads(content.decode())
        assert read is not None
        expected = [expected_rouge(read[one], true, "2025") for one, true in GOOD_TRUTH.items()]
        assert report["rouge1"].values == pytest.approx(expected, rel=1e-12)
