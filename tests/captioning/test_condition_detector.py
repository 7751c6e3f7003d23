"""A detector that is made first, of a concept system that a captioner names."""

from __future__ import annotations

from pathlib import Path

import pytest
from captioning_samples_training import (
    SIZE,
    TINY,
    Heard,
    Killed,
    captioner,
    detector,
    drawn,
    killer,
    known_backbone,
    same_weights,
    taught,
)

import radcap
from radcap.captioning.models import CaptionAnswers
from radcap.captioning.settings import ConditionSettings, DetectorSettings, GenerateSettings
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import read_caption_system
from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml

__all__ = ["known_backbone"]

SEER = f"""
name = "seer"
task = "concepts"
[image]
size = {SIZE}
[backbone]
name = "{TINY}"
[train]
epochs = 2
batch = 16
lr = 1e-2
"""
TWO = """
name = "two"
task = "concepts"
[[member]]
name = "a"
[[member]]
name = "b"
[ensemble]
rule = "union"
"""
WORDS = """
name = "words"
task = "concepts"
[text]
words = "classifier"
"""


def file_of(folder: Path, text: str = SEER) -> str:
    path = folder / "seer.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def leaning(system: str, *, share: bool = True, kind: str = "gru") -> CaptionSystem:
    return captioner(
        kind,
        detector=DetectorSettings(system=system, share=share),
        condition=ConditionSettings(concepts="all"),
        generate=GenerateSettings(method="greedy", longest=6),
    )


@pytest.mark.parametrize("share", [True, False])
def test_it_is_as_if_it_had_been_trained_before(share: bool, tmp_path: Path) -> None:
    heard = Heard()
    folder = taught(leaning(file_of(tmp_path), share=share), tmp_path / "m", talk=heard.talk)
    assert heard.has("Detector: seer")
    before = detector(tmp_path / "d")
    assert same_weights(folder.concepts.weights, before.weights)
    model = DetectorSettings(str(before.path), share)
    other = taught(
        captioner(
            "gru",
            detector=model,
            condition=ConditionSettings(concepts="all"),
            generate=GenerateSettings(method="greedy", longest=6),
        ),
        tmp_path / "o",
    )
    assert same_weights(folder.weights, other.weights)
    assert folder.system().detector == DetectorSettings("concepts", share)
    assert folder.card()["detector"]["model"] == file_of(tmp_path)
    answers, others = (radcap.predict(one.path, drawn(), split="test") for one in (folder, other))
    assert isinstance(answers, CaptionAnswers)
    assert isinstance(others, CaptionAnswers)
    assert answers.captions() == others.captions()


def test_after_a_kill_it_is_not_made_again_and_another_is_refused(tmp_path: Path) -> None:
    system = leaning(file_of(tmp_path))
    with pytest.raises(Killed):
        taught(system, tmp_path / "m", talk=killer("captions", 1))
    file_of(tmp_path, SEER.replace("epochs = 2", "epochs = 1"))
    with pytest.raises(UsageError, match="was begun with other settings"):
        taught(system, tmp_path / "m")
    file_of(tmp_path)
    heard = Heard()
    folder = taught(system, tmp_path / "m", talk=heard.talk)
    assert not heard.has("Detector: seer")
    assert folder.is_whole


def test_a_captioner_by_the_catalogue_names_one_of_it(tmp_path: Path) -> None:
    folder = radcap.train(leaning(file_of(tmp_path), kind="template"), drawn(), tmp_path / "m")
    assert radcap.predict(folder.path, drawn(), split="test")
    wrong = leaning("2017/nlm-cnn-concept")
    with pytest.raises(UsageError, match=r"Nearest is '2017/nlm-cnn-concepts'"):
        radcap.train(wrong, drawn(), tmp_path / "n")
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize(("text", "told"), [(TWO, "an ensemble"), (WORDS, "a reader of words")])
def test_what_is_no_single_network_is_refused_before_the_folder_is_begun(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"which is {told}. A captioner leans on one network"):
        taught(leaning(file_of(tmp_path, text)), tmp_path / "m")
    with pytest.raises(InputError, match=r"none.toml"):
        taught(leaning(str(tmp_path / "none.toml")), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def issues(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml(f'name = "x"\ntask = "captions"\n{text}'))
    return [one.message for one in caught.value.issues]


def test_a_system_and_a_model_are_one_too_many_and_one_is_a_detector() -> None:
    both = "[detector]\nsystem = 'radcap/quick-concepts'\nmodel = 'zoo:concepts'"
    (found,) = issues(both)
    assert "It names a model, and a system that one is made of first" in found
    alone = "[detector]\nsystem = 'radcap/quick-concepts'\n"
    (found,) = issues(alone + "[joint]\nregion = 1.0")
    assert "The encoder is the detector's, and is not trained" in found
    text = f'name = "x"\ntask = "captions"\n{alone}[decoder]\nkind = "template"'
    assert read_caption_system(parse_toml(text)).detector.is_there
