"""What a caption score hides: lengths, repeated captions, vocabulary, empty captions."""

from __future__ import annotations

import pytest

from radcap.metrics import score_captions
from radcap.metrics.caption_habits import CaptionHabits, caption_habits
from radcap.metrics.score_tables import habits_table

SAID = ["CT scan", "CT scan", "ct-scan of 3.5 cm", " ", ""]
TRUE = ["Axial CT", "MRI", "MRI", "MRI", "X-ray"]


def test_counts_of_run_and_truth() -> None:
    assert caption_habits(SAID, TRUE) == CaptionHabits(
        words_per_caption=10 / 5,  # 2 + 2 + 6: ct, scan, of, 3, 5, cm
        words_per_caption_truth=7 / 5,
        distinct_captions=4,
        distinct_captions_truth=3,
        most_frequent_share=2 / 5,
        most_frequent_share_truth=3 / 5,
        vocabulary=6,
        vocabulary_truth=5,
        empty_captions=2,
        empty_captions_truth=0,
    )


def test_counts_for_people() -> None:
    assert habits_table(caption_habits(SAID, TRUE)).rows == (
        ("words per caption", "2.0", "1.4"),
        ("distinct captions", "4", "3"),
        ("images with the most frequent caption", "40.0%", "60.0%"),
        ("vocabulary", "6", "5"),
        ("empty captions", "2", "0"),
    )


def test_a_run_of_one_word_list_gives_itself_away() -> None:
    ids = [str(place) for place in range(1200)]
    truth = {one: f"finding number{one} of the lung" for one in ids}
    report = score_captions(dict.fromkeys(ids, "ct lung left mass"), truth, metrics=["rouge1"])
    assert report.habits is not None
    told = report.habits.to_json()
    assert (told["distinct_captions"], told["most_frequent_share"], told["vocabulary"]) == (1, 1.0, 4)
    assert told["distinct_captions_truth"] == 1200
    assert ("distinct captions", "1", "1,200") in report.habits.rows()


def test_habits_are_those_of_captions_as_written_in_every_profile() -> None:
    found = [
        score_captions({"a": "The CT"}, {"a": "A CT"}, edition="2017", profile=profile).habits
        for profile in ("official", "documented")
    ]
    assert found[0] == found[1]
    assert found[0] is not None
    assert found[0].to_json()["words_per_caption"] == pytest.approx(2.0)  # the stop word counts
