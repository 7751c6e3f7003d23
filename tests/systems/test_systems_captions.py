"""Caption systems by name or file: read, shown, changed, trained, asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from captioning_samples_training import captioner, drawn, known_backbone, taught

from radcap.captioning.models import CaptionAnswers, CaptionFolder
from radcap.captioning.system import CaptionSystem
from radcap.core import InputError, Missing, UsageError
from radcap.systems import read_system, system_row, systems_table, written
from radcap.systems.predicting import opened_model, predict, task_of
from radcap.systems.training import changed, train

__all__ = ["known_backbone"]


def quick() -> CaptionSystem:
    system = read_system("radcap/quick-captions")
    assert isinstance(system, CaptionSystem)
    return system


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("decoder.kind", "gru", "gru"),
        ("decoder.width", "64", 64),
        ("generate.method", "mbr", "mbr"),
        ("image.augment.rotate", "5", 5.0),
        ("language.text", "some/file.txt", "some/file.txt"),
        ("condition.prompt", '"Say it:"', "Say it:"),
        ("scst.epochs", "2", 2),
        ("joint.concepts", "1", 1.0),
        ("name", "mine", "mine"),
    ],
)
def test_a_setting_is_changed(key: str, text: str, value: object) -> None:
    found: object = changed(quick(), {key: text})
    assert isinstance(found, CaptionSystem)
    for name in key.split("."):
        found = getattr(found, name)
    assert found == value


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"decoder.layer": "3"}, "layers"),
        ({"decodr.layers": "3"}, "decoder"),
        ({"decoder.kind": "transfomer"}, "transformer"),
        ({"decoder.layers": "many"}, "layers"),
        ({"ensemble.rule": "votes"}, "ensemble"),
        ({"decoder.width": "0"}, "width is 0"),
        ({"generate.supported": "true"}, "supported asks a detector"),
        ({"task": "concepts"}, "captions"),
    ],
)
def test_a_wrong_setting_is_refused_as_that_of_a_file(change: dict[str, str], told: str) -> None:
    with pytest.raises(InputError) as caught:
        changed(quick(), change)
    (issue,) = caught.value.issues
    assert issue.code.startswith("SYS")
    assert told in issue.message + issue.hint
    assert caught.value.path == "radcap/quick-captions with its changes"


def test_a_key_below_a_value_and_what_is_no_value_are_refused() -> None:
    with pytest.raises(UsageError, match=r"name.x cannot be set: name is no table"):
        changed(quick(), {"name.x": "1"})
    with pytest.raises(UsageError, match="is no value of a TOML file"):
        changed(quick(), {"train.epochs": "[1"})


def test_a_system_is_shown_as_a_row_and_as_its_file(tmp_path: Path) -> None:
    system = quick()
    assert system_row(system)["needs"] == list(system.needs)
    (line,) = systems_table([system]).rows
    assert line[:4] == ("radcap/quick-captions", "radcap", "radcap", "captions")
    assert "[scst]" not in written(system)
    assert "[scst]" in written(system, full=True)
    for full in (False, True):
        (tmp_path / "mine.toml").write_text(written(system, full=full), encoding="utf-8")
        assert read_system(tmp_path / "mine.toml") == system


def test_a_system_is_trained_by_path_with_a_change_and_asked_by_path(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(written(captioner()), encoding="utf-8")
    drawn().save(tmp_path / "data")
    folder = train(
        tmp_path / "mine.toml", tmp_path / "data", str(tmp_path / "m"), changes={"decoder.kind": "gru"}
    )
    assert isinstance(folder, CaptionFolder)
    assert folder.card()["decoder"] == "gru"
    assert task_of(folder.path) == "captions"
    seen: list[int] = []
    answers = predict(
        folder.path, tmp_path / "data", split="test", device="cpu", progress=lambda _, done: seen.append(done)
    )
    assert isinstance(answers, CaptionAnswers)
    assert len(answers.ids) == len(drawn().split("test")) == seen[-1]
    again = predict(opened_model(folder.path), drawn())
    assert isinstance(again, CaptionAnswers)
    assert len(again.ids) == len(drawn())


@pytest.mark.parametrize(("module", "extra"), [("training", "train"), ("models", "read")])
def test_what_is_needed_and_lacks_is_missing(
    module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = taught(captioner("frequent"), tmp_path / "m").path
    calls = {
        "train": lambda: train(captioner(), drawn(), tmp_path / "no"),
        "read": lambda: predict(folder, drawn()),
    }
    monkeypatch.setitem(sys.modules, f"radcap.captioning.{module}", None)
    with pytest.raises(Missing, match=rf"is missing. .*radcap\[{extra}\]"):
        calls[extra]()
    assert not (tmp_path / "no").exists()


def test_a_folder_without_a_word_of_its_task_is_taken_for_a_concept_model(tmp_path: Path) -> None:
    assert task_of(taught(captioner("frequent"), tmp_path / "m").path) == "captions"
    other = tmp_path / "other"
    other.mkdir()
    for text in ("{", "[]", "{}", '{"task": 3}', '{"task": "dreams"}', "[" * 100_000):
        (other / "card.json").write_text(text, encoding="utf-8")
        assert task_of(other) == "concepts"
