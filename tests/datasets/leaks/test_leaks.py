from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from dataset_samples import dataset_of, noise, png, row

from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.datasets.leaks import Evidence, Leaks, find_leaks, leaks_within, write_pairs
from radcap.datasets.survey.surveying import survey_images
from radcap.datasets.synthetic.dataset import Faults, synthetic

if TYPE_CHECKING:
    from pathlib import Path

LONG = "Axial computed tomography of the chest shows a small nodule in the right upper lobe of a patient"


def made(name: str, *rows: dict[str, Any], prefix: str = "") -> Dataset:
    records = [
        row(f"{prefix or name}{place}", **{"group": "", "split": name, **fields})
        for place, fields in enumerate(rows)
    ]
    return dataset_of(records, {}, name)


def texts(*captions: str, name: str = "a") -> Dataset:
    return made(name, *({"captions": caption} for caption in captions))


def shared(leaks: Leaks, evidence: Evidence) -> list[tuple[str, str]]:
    return [(one.second, one.first) for one in leaks.pairs(evidence)]


def test_two_datasets_that_share_nothing_do_not_leak() -> None:
    leaks = find_leaks(
        texts(LONG), texts("Sagittal view of the knee without any sign of a fracture", name="b")
    )
    assert not leaks.leaking
    assert all(one.images == 0 for one in leaks.found)


def test_the_same_group_leaks_and_names_the_first_partner() -> None:
    first = made("a", {"group": "x"}, {"group": "x"}, {"group": "y"})
    second = made("b", {"group": "z"}, {"group": "x"}, {"group": ""})
    leaks = find_leaks(first, second)
    leak = leaks.leak(Evidence.GROUP)
    assert leaks.leaking
    assert shared(leaks, Evidence.GROUP) == [("b1", "a0")]
    assert (leak.images, leak.of, leak.matches.images_first) == (1, 3, 2)
    assert (leak.matches.keys, leak.matches.keys_second, leak.matches.asked) == (1, 2, 2)
    assert leak.share == pytest.approx(1 / 3)


def test_an_article_is_found_by_any_of_its_names() -> None:
    first = made("a", {"pmcid": "PMC77.1"}, {"doi": "10.1/ABC"})
    second = made("b", {"group": "PMC77"}, {"group": "q", "doi": "https://doi.org/10.1/abc"})
    assert shared(find_leaks(first, second), Evidence.GROUP) == [("b0", "a0"), ("b1", "a1")]


def test_the_same_id_leaks_and_makes_no_group() -> None:
    leaks = find_leaks(made("a", {"group": "x"}, prefix="i"), made("b", {"group": "y"}, prefix="i"))
    assert shared(leaks, Evidence.ID) == [("i0", "i0")]
    assert leaks.leak(Evidence.GROUP).images == 0


# captions


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (LONG, LONG, {Evidence.CAPTION, Evidence.LIKE_CAPTION, Evidence.WORDS}),
        (LONG, f" {LONG.upper()}\n", {Evidence.LIKE_CAPTION, Evidence.WORDS}),
        # too short to say anything
        ("Preoperative radiograph", "preoperative  radiograph", {Evidence.WEAK_CAPTION}),
        ("One two three", "One two three", {Evidence.WEAK_CAPTION}),
        ("One two three four", "One two three four", {Evidence.CAPTION, Evidence.LIKE_CAPTION}),
        ("", "", set()),
        ("...", "...", set()),
        # thirteen words in a row, and one fewer
        (f"Before it {' '.join(LONG.split()[:13])} and after", LONG, {Evidence.WORDS}),
        (f"Before it {' '.join(LONG.split()[:12])} and after", LONG, set()),
        # signs between the words do not matter for runs
        (LONG.replace(" ", ", "), LONG, {Evidence.WORDS}),
        # a whole caption within a longer one, either way, from eight words on
        (
            "one two three four five six seven eight",
            "a one two three four five six seven EIGHT b",
            {Evidence.INSIDE},
        ),
        (
            "a one two three four five six seven eight",
            "one two three four five six seven eight",
            {Evidence.INSIDE},
        ),
        ("one two three four five six seven", "a one two three four five six seven b", set()),
        (
            "one two three four five six seven eight nine",
            "one two three four five six seven eight ten",
            set(),
        ),
    ],
)
def test_what_two_captions_share(first: str, second: str, found: set[Evidence]) -> None:
    leaks = find_leaks(texts(first), texts(second, name="b"))
    assert {one.evidence for one in leaks.found if one.images} == found
    assert leaks.leaking == any(one.strong for one in found)


def test_composed_captions_are_weak_evidence_however_long() -> None:
    caption = [{"text": LONG, "source": "composed", "language": "en"}]
    leaks = find_leaks(made("a", {"captions": caption}), made("b", {"captions": caption}))
    assert {one.evidence for one in leaks.found if one.images} == {Evidence.COMPOSED}
    assert not leaks.leaking
    assert len(leaks.tables()) == 1  # no examples: equal labels are no news


def test_a_composed_caption_is_compared_with_composed_ones_alone() -> None:
    for text in (LONG, "Chest radiograph"):
        composed = [{"text": text, "source": "composed", "language": "en"}]
        leaks = find_leaks(texts(text), made("b", {"captions": composed}))
        assert not any(one.images for one in leaks.found)


def test_a_pair_shows_the_caption_that_both_have() -> None:
    short, composed = "Preoperative radiograph", {"text": LONG, "source": "composed", "language": "en"}
    said = {"text": f"{LONG} seen twice", "source": "original", "language": "en"}
    first = made("a", {"captions": [composed]}, {"captions": [{**said, "text": f"So {said['text']}"}]})
    second = made("b", {"captions": [{**said, "text": short}, composed]}, {"captions": [composed, said]})
    leaks = find_leaks(first, second)
    assert [one.what for one in leaks.pairs(Evidence.COMPOSED)] == [LONG, LONG]
    assert [one.what for one in leaks.pairs(Evidence.WORDS)] == [said["text"]]
    both = find_leaks(texts(short.upper()), made("c", {"captions": [composed, {**said, "text": short}]}))
    assert [one.what for one in both.pairs(Evidence.WEAK_CAPTION)] == [short]


def test_every_caption_of_a_record_counts_and_the_record_counts_once() -> None:
    captions = [{"text": text, "source": "original", "language": "en"} for text in (LONG, f"{LONG} too")]
    leaks = find_leaks(texts("Nothing here to see at all", LONG), made("b", {"captions": captions}))
    assert shared(leaks, Evidence.WORDS) == [("b0", "a1")]
    assert leaks.leak(Evidence.WORDS).images == 1


def test_the_length_of_a_run_can_be_chosen() -> None:
    first, second = texts("alpha one two three omega"), texts("beta one two three gamma", name="b")
    assert find_leaks(first, second, ngram=3).leak(Evidence.WORDS).images == 1
    assert find_leaks(first, second, ngram=4).leak(Evidence.WORDS).images == 0
    with pytest.raises(UsageError, match="ngram is 1"):
        find_leaks(first, second, ngram=1)


def test_runs_agree_with_plain_sets_of_words() -> None:
    words = ["chest", "ct", "with", "lung", "nodule", "seen", "on", "the", "left", "upper", "lobe"]
    rng = np.random.default_rng(7)
    captions = [" ".join(rng.choice(words, rng.integers(0, 10))) for _ in range(240)]
    first, second = captions[:160], captions[160:]

    def runs(text: str) -> set[tuple[str, ...]]:
        parts = text.split()
        return {tuple(parts[place : place + 4]) for place in range(len(parts) - 3)}

    known = set().union(*map(runs, first))
    expected = [f"b{place}" for place, text in enumerate(second) if runs(text) & known]
    leaks = find_leaks(texts(*first), texts(*second, name="b"), ngram=4)
    assert [pair[0] for pair in shared(leaks, Evidence.WORDS)] == expected
    assert 0 < len(expected) < len(second)


# images


def pictures(name: str, *files: bytes) -> Dataset:
    rows = [row(f"{name}{place}", name, group=f"{name}{place}") for place in range(len(files))]
    return dataset_of(rows, {f"{name}{place}.png": data for place, data in enumerate(files) if data}, name)


def surveyed(first: Dataset, second: Dataset) -> Leaks:
    surveys = (survey_images(first, keep=False, workers=1), survey_images(second, keep=False, workers=1))
    return find_leaks(first, second, surveys=surveys)


def test_images_are_the_same_by_bytes_by_pixels_or_nearly() -> None:
    picture, other = noise(1, 64, 64), noise(2, 64, 64)
    brighter = (picture.astype(int) * 9 // 10 + 12).astype("uint8")
    leaks = surveyed(
        pictures("a", png(picture), png(other)),
        pictures("b", png(picture), png(picture, "BMP"), png(brighter), png(noise(9, 64, 64))),
    )
    assert shared(leaks, Evidence.FILE) == [("b0", "a0")]
    assert shared(leaks, Evidence.PIXELS) == [("b0", "a0"), ("b1", "a0")]
    assert shared(leaks, Evidence.NEAR) == [("b2", "a0")]
    assert leaks.leaking
    assert leaks.leak(Evidence.NEAR).matches.asked == 4


def test_a_near_picture_of_either_order_and_its_copies_are_found() -> None:
    picture = noise(1, 64, 64)
    brighter = (picture.astype(int) * 9 // 10 + 12).astype("uint8")
    leaks = surveyed(
        pictures("a", png(brighter), png(brighter, "BMP")), pictures("b", png(picture), png(picture, "BMP"))
    )
    assert shared(leaks, Evidence.NEAR) == [("b0", "a0"), ("b1", "a0")]
    assert leaks.leak(Evidence.NEAR).matches.images_first == 2


def test_images_that_are_missing_or_broken_are_compared_with_nothing() -> None:
    leaks = surveyed(pictures("a", b"", b"no image"), pictures("b", b"", b"no image at all"))
    assert not leaks.leaking
    assert leaks.nearest is None
    assert not leaks.leak(Evidence.PIXELS).compared


def test_without_surveys_images_are_not_compared_and_that_is_said() -> None:
    leaks = find_leaks(made("a", {}), made("b", {}))
    assert leaks.skipped == (Evidence.FILE, Evidence.PIXELS, Evidence.NEAR)
    assert ("same pixels", "images were not looked at", "", "", "") in leaks.tables()[0].rows
    assert leaks.nearest is None


def test_the_survey_of_another_dataset_is_no_survey_of_this_one() -> None:
    first, second = pictures("a", png(noise(1))), pictures("b", png(noise(2)))
    survey = survey_images(first, keep=False, workers=1)
    with pytest.raises(UsageError, match="does not belong to b with 1 record"):
        find_leaks(first, second, surveys=(survey, survey))
    with pytest.raises(UsageError, match="does not belong"):
        leaks_within(second, survey=survey)


def test_planted_faults_are_found_all_and_only_they() -> None:
    data = synthetic(400, size=64, faults=Faults(duplicates=5, retouched=4, groups=6, broken=2, missing=1))
    survey = survey_images(data, keep=False, workers=1)
    leaks = {one.titles: one for one in leaks_within(data, survey=survey)}[
        "synthetic train", "synthetic test"
    ]
    planted: dict[str, set[tuple[str, str]]] = {}
    for one in data:
        kind, _, partner = one.details["planted"].partition(": ")
        planted.setdefault(kind, set()).add((one.id, partner))
    assert set(shared(leaks, Evidence.FILE)) == planted["duplicates"]
    assert set(shared(leaks, Evidence.NEAR)) == planted["retouched"]
    assert {one for one, _ in shared(leaks, Evidence.GROUP)} == {one for one, _ in planted["groups"]}
    n = len(data.split("test"))
    assert leaks.leak(Evidence.FILE).matches.asked == n - 1
    assert leaks.leak(Evidence.PIXELS).matches.asked == n - 1 - 2


def test_copies_are_nearer_to_train_than_chance() -> None:
    data = synthetic(300, size=48, groups=(1.0,), faults=Faults(duplicates=20))
    survey = survey_images(data, keep=False, workers=1)
    nearest = leaks_within(data, survey=survey)[1].nearest  # train and test
    assert nearest is not None
    assert nearest.second[:20] == (0,) * 20
    assert nearest.control.count(0) == 0
    told = nearest.to_json()["second"]
    assert told["n"] == 30  # type: ignore[index]
    assert sum(told["bins"].values()) == 30  # type: ignore[index]
    assert nearest.table().rows[0] == ("0", "20", "66.7%", "0.0%")
    assert leaks_within(data, survey=survey)[1].tables()[-1] == nearest.table()


def test_images_of_one_group_are_no_control() -> None:
    picture = png(noise(1, 64, 64))
    rows = [row(f"a{place}", "a", group="one") for place in range(2)]
    first = dataset_of(rows, {"a0.png": picture, "a1.png": picture}, "a")
    leaks = surveyed(first, pictures("b", picture))
    assert leaks.nearest is not None
    assert leaks.nearest.control == ()
    assert leaks.nearest.to_json()["control"]["median"] is None  # type: ignore[index]
    assert leaks.nearest.table().rows[0] == ("0", "1", "100.0%", "-")


# the report


def test_the_report_is_json_with_bounded_lists() -> None:
    first = made("a", {"group": "x"})
    second = made("b", *[{"group": "x"}] * 1200)
    told = json.loads(json.dumps(find_leaks(first, second).to_json()))
    group = told["evidence"][0]
    assert told["leaking"] is True
    assert told["second"] == {"name": "b", "records": 1200}
    assert (group["images"], group["share"], len(group["pairs"])) == (1200, 1.0, 1000)
    assert group["pairs"][0] == {"second": "b0", "first": "a0", "what": "x"}
    assert told["skipped"] == ["file", "pixels", "near"]


def test_every_pair_is_exported(tmp_path: Path) -> None:
    leaks = find_leaks(made("a", {"group": "x", "captions": LONG}), made("b", *[{"group": "x"}] * 1200))
    write_pairs([leaks], tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1200
    assert rows[7] == {
        "evidence": "group",
        "second": "b7",
        "second_split": "b",
        "first": "a0",
        "first_split": "a",
        "what": "x",
    }


def test_tables_count_and_show_examples() -> None:
    leaks = find_leaks(texts(LONG), texts(LONG, name="b"))
    counts, examples = leaks.tables()
    assert counts.title == "What b shares with a"
    assert ("same caption", "1 of 1", "100.0%", "1", "1 of 1") in counts.rows
    assert ("same article or patient", "nothing to compare", "", "", "") in counts.rows
    assert examples.rows[0] == ("same caption", "b0", "a0", f"{LONG[:80]}...")


def test_datasets_of_one_name_are_told_apart() -> None:
    data = texts(LONG)
    assert find_leaks(data, data).titles == ("first", "second")
    assert find_leaks(synthetic(40), made("b", {})).titles == ("synthetic", "b")


def test_progress_is_told() -> None:
    seen: list[tuple[str, int]] = []
    find_leaks(made("a", {}), made("b", {}), progress=lambda what, done: seen.append((what, done)))
    assert seen == [("groups", 2), ("captions", 8)]


def test_empty_datasets_share_nothing() -> None:
    empty = dataset_of([], {}, "a")
    leaks = find_leaks(empty, empty)
    assert not leaks.leaking
    assert leaks.leak(Evidence.ID).share == 0
    assert leaks_within(empty) == ()


def test_surveys_of_nothing_are_compared_too() -> None:
    empty = dataset_of([], {}, "a")
    survey = survey_images(empty, keep=False, workers=1)
    assert not find_leaks(empty, empty, surveys=(survey, survey)).leaking
