"""Model folders: what is written reads the same, and what is damaged is refused with a sentence."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_samples import drawn, member, predict_concepts, tiny, trained

from radcap.core import InputError, RadcapError, UsageError
from radcap.detection.ensembles import Ensemble
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.models.texts import Texts
from radcap.detection.retrieval import Retrieval
from radcap.vision.weight_files import read_weight_file, write_weight_file

KINDS = {
    "network": tiny(),
    "neighbours": tiny(retrieval=Retrieval(rule="probabilistic", k=3)),
    "ensemble": tiny("two", member=(member("a"), member("b", 1)), ensemble=Ensemble()),
}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {name: trained(system, folder / name).path for name, system in KINDS.items()}


@pytest.fixture
def copy(kinds: dict[str, Path], tmp_path: Path) -> Any:
    def copied(kind: str) -> ModelFolder:
        return ModelFolder(Path(shutil.copytree(kinds[kind], tmp_path / kind)))

    return copied


NEEDED = [
    *(
        ("network", name)
        for name in ("card.json", "decision.json", "labels.csv", "model.safetensors", "system.toml")
    ),
    *(("neighbours", f"neighbours/{name}") for name in ("index.json", "index.safetensors")),
    *(("ensemble", name) for name in ("card.json", "decision.json", "labels.csv", "system.toml")),
    *(("ensemble", f"members/b/{name}") for name in ("card.json", "model.safetensors", "system.toml")),
]
DAMAGES = {
    "missing": None,
    "empty": lambda _: b"",
    "half": lambda held: held[: len(held) // 2],
    "most": lambda held: held[: len(held) - len(held) // 20 - 1],
    "garbage": lambda held: bytes(range(256)) * 8,
    "zeros": lambda held: bytes(len(held)),
    "list": lambda _: b"[1, 2]\n",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("kind", "name"), NEEDED, ids=[f"{kind} {name}" for kind, name in NEEDED])
def test_a_damaged_part_is_refused_with_a_sentence(kind: str, name: str, damage: str, copy: Any) -> None:
    path = copy(kind).path / name
    change: Any = DAMAGES[damage]
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
    with pytest.raises((InputError, UsageError)) as caught:
        open_model(path.parents[len(Path(name).parts) - 1], "cpu")
    told = str(caught.value)
    assert Path(name).name.partition(".")[0] in told or damage == "missing"
    assert told.endswith((".", ")"))


def test_a_damaged_held_file_or_log_keeps_no_model_from_answering(copy: Any) -> None:
    folder = copy("network")
    for name in ("held.safetensors", "log.csv"):
        (folder.path / name).write_bytes(b"x")
    answers = open_model(folder.path, "cpu").answers(drawn().split("test"))
    assert answers.labels == folder.labels()
    assert len(answers.ids) == len(drawn().split("test"))


def test_labels_of_another_model_are_refused(copy: Any) -> None:
    folder = copy("network")
    names = folder.names()
    folder.write_labels(tuple(reversed(tuple(names))), names)
    with pytest.raises(InputError, match=r"labels.csv cannot be used: it is not the file that card.json was"):
        open_model(folder.path)
    card = folder.card()
    del card["files"]  # as of a card that was written by hand
    (folder.path / "card.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match=r"fitted for other labels than those of labels.csv"):
        open_model(folder.path)
    folder.write_labels(tuple(names)[:-1], names)
    folder.write_decision(None, None)
    with pytest.raises(InputError, match=r"does not fit system.toml and labels.csv .*head.linear.weight"):
        open_model(folder.path)


def test_weights_of_another_network_are_refused(copy: Any) -> None:
    folder = copy("network")
    write_weight_file({"a": torch.ones(3)}, folder.weights)
    with pytest.raises(InputError, match=r"conv_stem.weight is another"):
        open_model(folder.path)
    exact = copy("neighbours")
    write_weight_file({**read_weight_file(exact.weights), "more": torch.ones(1)}, exact.weights)
    with pytest.raises(InputError, match="more is another"):
        open_model(exact.path)


@pytest.mark.parametrize("files", [3, [], {"labels.csv": 3}, {"decision.json": "x"}])
def test_what_a_card_says_of_its_files_may_be_nonsense(files: Any, copy: Any) -> None:
    folder = copy("network")
    (folder.path / "card.json").write_text(json.dumps({"files": files}))
    if isinstance(files, dict):
        with pytest.raises(InputError, match=r"not the file that card.json was written for"):
            open_model(folder.path)
    else:
        assert open_model(folder.path).labels == folder.labels()


def test_texts_may_have_other_line_ends(copy: Any, kinds: dict[str, Path]) -> None:
    folder = copy("network")
    for name in ("labels.csv", "system.toml"):
        path = folder.path / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = ModelFolder(kinds["network"])
    assert folder.system() == before.system()
    assert open_model(folder.path).names == before.names()


@pytest.mark.parametrize(
    "text",
    [
        "cui,name,index\n",
        "cui,name\nC1,a\n",
        "cui,name,index\nC1,a,0\nC2,b,2\n",
        "cui,name,index\nC1,a,x\n",
        "cui,name,index\nC1,a,0\nC1,b,1\n",
        "cui,name,index\nC1,a\n",
        'cui,name,index\nC1,"' + "a" * 200_000 + '",0\n',
        "",
    ],
    ids=["header", "column", "gap", "no number", "twice", "short", "long", "empty"],
)
def test_labels_that_are_no_labels_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(InputError, match=r"labels.csv cannot be used"):
        ModelFolder(tmp_path).labels()


@pytest.mark.parametrize("text", ["[]", "3", "{}", '{"rule": null}', '{"rule": {}, "calibration": null}'])
def test_decisions_that_are_none_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "decision.json").write_text(text)
    with pytest.raises(InputError, match=r"decision.json cannot be used"):
        ModelFolder(tmp_path).decision()


def test_json_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="it is no JSON"):
        Texts(tmp_path).read_json("card.json")


@pytest.mark.parametrize(
    ("name", "folder"),
    [("a", "a"), ("2025/x", "2025-x"), ("..", "-"), ("../../x", "--..-x"), ("a\\b:c", "a-b-c")],
)
def test_the_folder_of_a_member_stays_inside(name: str, folder: str, tmp_path: Path) -> None:
    path = ModelFolder(tmp_path).member(name).path
    assert path.name == folder
    assert path.resolve().parent == (tmp_path / "members").resolve()


def test_a_gate_tells_radiology_images_from_others(copy: Any) -> None:
    folder = copy("network")
    plain = predict_concepts(folder.path, drawn(), split="test")
    assert plain.radiology is None
    write_weight_file({"weight": torch.zeros(1280), "bias": torch.tensor([-3.0])}, folder.gate, "fp32")
    gated = predict_concepts(folder.path, drawn(), split="test")
    assert gated.radiology is not None
    np.testing.assert_allclose(gated.radiology, 1 / (1 + np.exp(3)), rtol=1e-5)
    np.testing.assert_array_equal(gated.decided, plain.decided)
    assert set(gated.to_json()["radiology"]) == set(gated.ids)
    near = copy("neighbours")
    shutil.copy(folder.gate, near.gate)
    assert predict_concepts(near.path, drawn(), split="test").radiology is not None
    for wrong in ({"weight": torch.zeros(3), "bias": torch.zeros(1)}, {"weight": torch.zeros(1280)}):
        write_weight_file(wrong, folder.gate, "fp32")
        with pytest.raises(InputError, match=r"gate.safetensors cannot be used"):
            open_model(folder.path)
    folder.gate.write_bytes(b"x")
    with pytest.raises(InputError, match=r"gate.safetensors cannot be read as weights"):
        open_model(folder.path)


def test_an_opened_model_is_asked_again_without_being_opened_again(kinds: dict[str, Path]) -> None:
    model = open_model(kinds["network"], "cpu")
    assert isinstance(model, NetworkModel)
    one, other = (
        predict_concepts(model, drawn(), split="test"),
        predict_concepts(kinds["network"], drawn(), split="test"),
    )
    np.testing.assert_array_equal(one.decided, other.decided)
    assert model.names[model.labels[0]]


def test_a_dataset_of_no_image_has_no_answer(kinds: dict[str, Path]) -> None:
    for path in kinds.values():
        answers = predict_concepts(path, drawn()[:0])
        assert answers.ids == ()
        assert answers.decided.shape == (0, len(answers.labels))
        assert answers.run([]).cells == {}


def test_images_that_cannot_be_read_are_named_and_the_rest_answered(kinds: dict[str, Path]) -> None:
    data = drawn(100, broken=2, missing=1).split("test")
    for path in kinds.values():
        seen: list[int] = []
        answers = predict_concepts(path, data, progress=lambda _, done, seen=seen: seen.append(done))
        assert len(answers.refused) == 3
        assert set(answers.ids) | set(answers.refused) == set(data.ids)
        assert seen[-1] == len(data)
    broken = data.filter(np.array([fault != "" for fault in data.column("planted").to_pylist()]))
    nothing = predict_concepts(kinds["network"], broken)
    assert nothing.ids == ()
    assert len(nothing.refused) == 3


def test_a_dataset_is_no_model_though_it_has_a_card(tmp_path: Path) -> None:
    path = tmp_path / "data"
    drawn()[:5].save(path)
    assert (path / "card.json").is_file()
    with pytest.raises(UsageError, match=r"data holds no model: it has no system.toml\. Give .*zoo:concepts"):
        open_model(path)
    weights = replace(tiny().backbone, weights=str(path))
    with pytest.raises(UsageError, match=r"data holds no model: it has no system.toml"):
        trained(tiny(backbone=weights), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_captioner_is_no_concept_model(tmp_path: Path) -> None:
    told = r"captions is a captioner and not a concept model\. Give .*zoo:concepts\.$"
    with pytest.raises(UsageError, match=told):
        open_model("zoo:captions")
    weights = replace(tiny().backbone, weights="zoo:captions")
    with pytest.raises(UsageError, match=told):
        trained(tiny(backbone=weights), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "none", "zoo:no-such", "zoo:../concepts"):
        with pytest.raises(RadcapError, match="no model"):
            open_model(wrong)
