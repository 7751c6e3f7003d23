"""Scores on captions of two sources: marked, kept apart, and scored on the images that have one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from radcap.core import InputError, Level, Run, Score, Task, UsageError
from radcap.metrics import compare, load_captions, score_captions

IMAGES = ("a", "b", "c", "d")
CAPTIONS = {"a": "CT of the chest", "b": "MRI of the brain", "c": "X-ray of the hand", "d": "US of the liver"}
ORIGINAL = Run(Task.CAPTIONS, {"b": "MRI of a brain", "d": "liver"}, "set", "original", IMAGES)
COMPOSED = Run(Task.CAPTIONS, dict.fromkeys(IMAGES, "CT of the chest"), "set", "composed", IMAGES)
PLAIN = replace(ORIGINAL, source="", images=())


def written(folder: Path, cells: dict[str, str]) -> Path:
    path = folder / "run.csv"
    path.write_text("ID,Caption\n" + "".join(f"{key},{cell}\n" for key, cell in cells.items()))
    return path


def rouge(run: object, truth: Run, **options: str) -> Score:
    return score_captions(run, truth, metrics="rouge1", **options)["rouge1"]  # type: ignore[arg-type]


def test_the_signature_tells_whose_captions_are_true() -> None:
    original, composed = (rouge(CAPTIONS, truth) for truth in (ORIGINAL, COMPOSED))
    assert "|captions:original|truth:" in original.signature
    assert "|captions:composed|truth:" in composed.signature
    assert (original.captions, composed.captions) == ("original", "composed")
    with pytest.raises(UsageError, match="measure different things"):
        original.difference(composed)


def test_a_truth_that_names_no_source_is_signed_as_before() -> None:
    score = rouge({one: CAPTIONS[one] for one in PLAIN.cells}, PLAIN)
    assert "captions:" not in score.signature
    assert score.captions == ""
    assert score.value == rouge(CAPTIONS, ORIGINAL).value


def test_equal_texts_of_two_sources_are_still_two_truths() -> None:
    other = replace(ORIGINAL, source="translated")
    with pytest.raises(UsageError, match="measure different things"):
        rouge(CAPTIONS, ORIGINAL).difference(rouge(CAPTIONS, other))


def test_the_constant_score_of_2018_is_marked_too() -> None:
    report = score_captions(CAPTIONS, COMPOSED, edition="2018")
    assert report["secondary"].is_constant
    assert report["secondary"].captions == "composed"
    assert score_captions({"a": "ct"}, {"a": "ct"}, edition="2018")["secondary"].captions == ""


@pytest.mark.parametrize("edition", ["2025", "2026", "radcap"])
@pytest.mark.parametrize("as_file", [False, True])
def test_a_run_on_all_images_is_scored_on_those_that_have_a_caption(
    edition: str, as_file: bool, tmp_path: Path
) -> None:
    run = written(tmp_path, CAPTIONS) if as_file else CAPTIONS
    report = score_captions(run, ORIGINAL, edition=edition, metrics="rouge1")
    assert (report.n, report["rouge1"].ids) == (2, ("b", "d"))
    (note,) = [issue for issue in report.issues if issue.code == "TRU105"]
    assert note.level is Level.INFO
    assert note.message == ("2 of 4 images of the run have no original caption in set. It is scored on 2.")
    alone = score_captions(
        {one: CAPTIONS[one] for one in ("b", "d")}, PLAIN, edition=edition, metrics="rouge1"
    )
    assert report["rouge1"].values == alone["rouge1"].values
    assert report.habits == alone.habits


@pytest.mark.parametrize("as_file", [False, True])
def test_a_run_on_the_captioned_images_alone_is_enough(as_file: bool, tmp_path: Path) -> None:
    cells = {one: CAPTIONS[one] for one in ("b", "d")}
    loaded = load_captions(written(tmp_path, cells) if as_file else cells, ORIGINAL, edition="2026")
    assert dict(loaded.run.cells) == cells
    assert "TRU105" not in {issue.code for issue in loaded.issues}


def test_a_truth_without_a_name_is_called_the_truth() -> None:
    (note,) = load_captions(CAPTIONS, replace(ORIGINAL, name="")).issues
    assert "no original caption in the truth." in note.message


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize(
    ("cells", "code", "words"),
    [
        ({"a": "CT", "b": "MRI"}, "RUN207", "Found 1 image not in the run, e.g. d"),
        ({**CAPTIONS, "e": "CT"}, "RUN205", "Found 1 image in the run and not in the truth, e.g. e"),
    ],
)
def test_an_image_with_a_caption_must_be_named_and_no_other_set(
    as_file: bool, cells: dict[str, str], code: str, words: str, tmp_path: Path
) -> None:
    run = written(tmp_path, cells) if as_file else cells
    with pytest.raises(InputError) as raised:
        load_captions(run, ORIGINAL, edition="2026")
    if as_file:
        assert code in {one.code for one in raised.value.issues if one.level is Level.ERROR}
    else:
        assert words in str(raised.value)


def test_runs_are_compared_on_the_captions_of_one_source() -> None:
    runs = {"good": CAPTIONS, "poor": dict.fromkeys(IMAGES, "nothing")}
    for truth, n in ((ORIGINAL, 2), (COMPOSED, 4)):
        found = compare(runs, truth, "captions", metrics=["rouge1"])
        assert found.to_json()["n"] == n
        assert f"|captions:{truth.source}|" in found.comparison.primary.signature


def test_a_figure_made_of_metrics_is_marked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from radcap.metrics import comparing

    monkeypatch.setattr(comparing, "parts_of", lambda _: ("rouge1", "bleu"))
    monkeypatch.setattr(comparing, "aggregate", lambda _, parts: sum(parts.values()) / 2)
    for truth, mark in ((ORIGINAL, "|captions:original|truth:"), (PLAIN, "|truth:")):
        run = CAPTIONS if truth.images else {one: CAPTIONS[one] for one in truth.cells}
        report = score_captions(run, truth, metrics=["rouge1", "bleu"])
        figure = comparing._figure("overall", 0.5, report)
        assert f"parts:rouge1+bleu{mark}" in figure.signature
        assert len(figure.values) == 2
