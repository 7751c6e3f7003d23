"""The call behind `radcap explain`: images, methods and cases as a person names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from dataset_samples import dataset_of, row
from explain_model_samples import CHEST, PNEUMONIA, detector, photo, some_images, writer
from explain_pipeline_samples import ensemble

import radcap
from radcap.core import InputError, UsageError
from radcap.explanation import Explanation
from radcap.explanation.external import provider
from radcap.explanation.methods import METHODS
from radcap.explanation.rationale import IndexedCases
from radcap.reading.explaining import chosen_images, images_of, make_explainer
from radcap.systems import predicting

torch.set_num_threads(1)  # networks this small only wait for threads


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "images" / f"{name}.png" for name in "abc"]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_bytes(photo())
    return paths


def test_images_are_a_dataset_its_name_a_folder_or_files(files: list[Path]) -> None:
    data = some_images()
    assert images_of(data) is data
    assert images_of(files).ids == ["a", "b", "c"]
    assert images_of(str(files[1])).ids == ["b"]
    assert images_of([files[2]]).ids == ["c"]
    assert sorted(images_of(files[0].parent).ids) == ["a", "b", "c"]
    named = images_of("radiology-open", "test")
    assert set(named.column("split").to_pylist()) == {"test"}


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        (["none"], InputError, "There is no"),
        (["none", "nothing"], UsageError, "2 of 2 images cannot be found"),
        ([], UsageError, "There is no image to explain"),
        (dataset_of([]), UsageError, "There is no image to explain"),
    ],
)
def test_what_is_not_there_is_refused(given: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        images_of(given)


def test_so_many_images_of_each_modality(files: list[Path]) -> None:
    assert len(chosen_images(["radiology-open"], "test", 5)) == 5
    assert chosen_images([str(one) for one in files], None, 2).ids == ["a", "b"]
    assert chosen_images([str(files[0])], None, None).ids == ["a"]
    with pytest.raises(UsageError, match="has 3 images, and 4 are to be picked"):
        chosen_images([str(one) for one in files], None, 4)
    with pytest.raises(UsageError, match="There is no split 'train'"):
        chosen_images([str(files[0])], "train", None)


# the way of explaining


def settings_of(method: str, **more: Any) -> Any:
    return make_explainer(detector(), method=method, cases=0, **more).settings


def test_a_method_by_name() -> None:
    for name in ("auto", *METHODS.names):
        found = settings_of(name, targets=[PNEUMONIA], faithfulness="none")
        assert (found.method, found.targets, found.faithfulness) == (name, (PNEUMONIA,), "none")
        assert found.external is None


def test_a_system_by_name_or_file(tmp_path: Path) -> None:
    found = settings_of("radcap/intrinsic-explain")
    assert (found.external, found.targets) == (None, ("all",))
    assert settings_of("radcap/intrinsic-explain", targets=["words"]).targets == ("words",)
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ntask = "explain"\n[explain]\nmethod = "lrp"\ntargets = ["concepts"]\n'
        "[boxes]\nthreshold = 0.25\n"
    )
    found = settings_of(str(path))
    assert (found.method, found.targets, found.boxes.threshold) == ("lrp", ("concepts",), 0.25)


def test_a_system_that_asks_another_model_has_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(provider, "make_provider", lambda system: asked.append(system.name) or "there")
    made = make_explainer(writer(), method="2025/auebnlp-explain", cases=0)
    assert made.settings.external is not None
    assert (made.provider, asked) == ("there", [made.settings.external.name])


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("grad-cma", "Nearest is 'grad-cam'"),
        ("2025/aubnlp-explain", "Nearest is '2025/auebnlp-explain'"),
        ("radcap/quick-concepts", "is a system of the task concepts, and no way to explain"),
    ],
)
def test_what_is_no_way_to_explain_is_refused(method: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        settings_of(method)


# cases


def cased() -> Any:
    """Six images of a training split."""
    return dataset_of([row(f"t{number}", cui=[PNEUMONIA]) for number in range(6)], name="cased")


def test_cases_of_a_dataset_that_was_named(tmp_path: Path) -> None:
    cased().save(tmp_path / "cased")
    seen: list[tuple[str, int]] = []
    for model in (detector(), writer(reads=detector())):
        made = make_explainer(
            model, method="grad-cam", case_data=tmp_path / "cased", progress=lambda *one: seen.append(one)
        )
        assert isinstance(made.finder, IndexedCases)
    assert ("images", 6) in seen
    made = make_explainer(detector(), method="grad-cam", case_data=tmp_path / "cased", cases=2)
    (one,) = made(images_of(some_images()[:1]))
    assert isinstance(one, Explanation)
    assert len(one.cases) == 2
    for model in (ensemble(), writer("lstm")):
        with pytest.raises(UsageError, match="need a model with a detector of its own"):
            make_explainer(model, case_data=tmp_path / "cased")


def test_cases_that_lie_beside_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "opened_model", lambda *_: detector())
    assert make_explainer(detector()).finder is None  # nobody knows where it lies
    assert make_explainer("zoo:concepts", cases=0).finder is None
    for name in ("zoo:concepts", "zoo:captions"):  # which looks with the eyes of the other
        made = make_explainer(name)
        assert isinstance(made.finder, IndexedCases)
        assert made.name == name
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "card.json").write_text("{}")
    for text in (None, "not = [toml", '[detector]\nmodel = "elsewhere"\n', "name = 'mine'\n"):
        if text is not None:
            (folder / "system.toml").write_text(text)
        assert make_explainer(folder).finder is None


def test_the_call_of_the_package(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    settings: Any = {"method": "grad-cam", "targets": [CHEST], "faithfulness": "none", "cases": 0}
    found = list(radcap.explain(detector(), files[:2], progress=lambda *done: seen.append(done), **settings))
    assert all(isinstance(one, Explanation) and one.model == "the model" for one in found)
    assert ("explained", 2) in seen
    monkeypatch.setattr(
        predicting, "opened_model", lambda *given: given == ("zoo:mine", "cpu") and detector()
    )
    (named,) = radcap.explain("zoo:mine", files[0], device="cpu", **settings)
    assert isinstance(named, Explanation)
    assert isinstance(found[0], Explanation)
    assert named.model == "zoo:mine"
    maps = [one.evidence[0].map for one in (named, found[0])]
    assert maps[0] is not None
    assert maps[1] is not None
    np.testing.assert_array_equal(maps[0], maps[1])
