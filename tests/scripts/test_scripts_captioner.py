"""The script that measures shipped captioners, on made-up answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dataset_samples import dataset_of, row
from script_files import script

from radcap.captioning.models import CaptionAnswers, Line
from radcap.captioning.system import CaptionSystem
from radcap.systems import read_system

build = script("build_captioner")
examples, why = (getattr(script("captioner.examples"), name) for name in ("examples", "why"))
measured, paired, speed = (
    getattr(script("captioner.measuring"), name) for name in ("measured", "paired", "speed")
)

CT, MRI, PNEUMONIA = "C0040405", "C0024485", "C0032285"
TRUE = ("CT of the chest showing pneumonia.", "MRI of the brain.")
COMPOSED = [{"text": text, "source": "composed", "language": "en"} for text in TRUE]
ORIGINAL = {"text": "A mass of 5 cm.", "source": "original", "language": "en"}


def data(n: int = 12):
    rows = []
    for place in range(n):
        captions = [COMPOSED[place % 2]]
        captions = [ORIGINAL, *captions] if place == 0 else captions
        manual = [CT if place % 2 == 0 else MRI]
        rows.append(row(f"i{place:02d}", captions=captions, cui_manual=manual, group=f"g{place // 2}"))
    return dataset_of(rows)


def answers(captions: list[str]) -> CaptionAnswers:
    known = {CT: 0.9, PNEUMONIA: 0.6}
    return CaptionAnswers(
        tuple(Line(f"i{place:02d}", one, "beam", concepts=known) for place, one in enumerate(captions)), "-"
    )


def test_figures_of_each_source_and_tests_against_others() -> None:
    said = [TRUE[0]] * 12
    others = {"same": {f"i{place:02d}": TRUE[0] for place in range(12)}}
    found = measured(answers(said), data(), others)
    assert found["test"]["composed"]["captioner"]["n"] == 12
    assert found["test"]["original"]["captioner"]["n"] == 1
    assert found["tests"]["rouge1"]["same"]["difference"] == 0
    assert found["tests"]["rouge1"]["same"]["p"] == 1
    assert found["modality"] == {
        **{"n": 12, "captioner": 0.5, "captioner_wrong": 6},
        **{"detector": 0.5, "detector_wrong": 6},
    }
    assert found["support"]["claims_unsupported"] == 0
    assert found["support"]["names_a_finding"] == 12
    assert found["support"]["distinct_captions"] == 1


def test_a_better_captioner_is_found_better() -> None:
    truth = [TRUE[place % 2] for place in range(24)]
    groups = [str(place) for place in range(24)]
    found = paired({"captioner": truth, "worse": ["Ultrasound."] * 24}, truth, groups)
    for metric in ("rouge1", "cider", "concepts"):
        one = found[metric]["worse"]
        assert one["difference"] > 0
        assert one["low"] <= one["difference"] <= one["high"]
        assert one["p"] < 0.01
        assert one["p_holm"] >= one["p"]


def test_examples_are_picked_by_a_rule() -> None:
    said = [TRUE[0] if place % 2 == 0 else "CT of the chest." for place in range(12)]
    shown = examples(answers(said), data())
    assert shown["good"][0]["caption"] == TRUE[0]
    assert shown["bad"][0] == {
        "image": "i01",
        "caption": "CT of the chest.",
        "truth": TRUE[1],
        "why": "names another modality",
    }


@pytest.mark.parametrize(
    ("caption", "truth", "reason"),
    [
        ("CT showing pneumonia.", "CT of the chest.", "names a finding that the label does not"),
        ("CT.", "CT showing pneumonia.", "misses the finding"),
        ("CT.", "CT of the chest.", "says it in other words, or says less"),
    ],
)
def test_why_a_caption_is_wrong(caption: str, truth: str, reason: str) -> None:
    assert why({"caption": caption, "truth": truth}) == reason


def test_speed_counts_all_images() -> None:
    class Model:
        def answers(self, dataset, progress=None):
            return answers(["CT."] * len(dataset))

    found, told = speed(Model(), data())  # pyright: ignore[reportArgumentType]
    assert len(found.lines) == told["images"] == 12
    assert told["images_per_s"] > 0


def test_what_ships_names_no_file_of_the_trainer() -> None:
    system = read_system("radcap/captioner-captions")
    assert isinstance(system, CaptionSystem)
    trained = build.replace(system, language=build.replace(system.language, text="mine.csv"))
    assert build.shipped(trained, package=False) == system
    assert build.shipped(trained, package=True).backbone.weights == "package"


def test_a_fixed_seed_draws_the_images() -> None:
    whole = data()
    assert build.picked(whole, 0) is whole
    assert build.picked(whole, 99) is whole
    some = build.picked(whole, 5)
    assert some.ids == build.picked(whole, 5).ids
    assert len(some) == 5
    assert np.all(np.diff([whole.ids.index(one) for one in some.ids]) > 0)


def test_runs_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('ID,Caption\ni1,"CT, axial."\n', encoding="utf-8")
    assert build.read_run(tmp_path / "a.csv") == {"i1": "CT, axial."}
