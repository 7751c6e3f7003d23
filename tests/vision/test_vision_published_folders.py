"""Published folders that cannot be used: one sentence each, and nothing is run."""

from __future__ import annotations

import builtins
import json
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from published_samples import SIZE, VISION, backbone, model, pixels, saved, settings, transformers
from safetensors.torch import load_file, save_file

from radcap.core import InputError, Missing, RadcapError, UsageError
from radcap.vision.backbones import make_backbone, probing
from radcap.vision.backbones.probing import first_line, probe
from radcap.vision.backbones.published_folder import transformers_module
from radcap.vision.transformers_library import quiet


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(model("CLIP"), tmp_path_factory.mktemp("published"))


@pytest.fixture
def folder(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(published, tmp_path / "a"))


def refused(folder: Path | str, kind: type[RadcapError], why: str, **given: Any) -> str:
    with pytest.raises(kind, match=why) as caught:
        backbone(folder, **given)
    told = str(caught.value)
    assert "\n" not in told
    assert len(told) < 600
    return told


def configured(folder: Path, held: Any) -> Path:
    (folder / "config.json").write_text(held if isinstance(held, str) else json.dumps(held))
    return folder


# what describes


def test_a_folder_that_is_not_there_is_missing(tmp_path: Path) -> None:
    refused(tmp_path / "none", Missing, r"The folder .* is missing. \[backbone\] weights names it")
    refused("package", Missing, r"The folder 'package' is missing")


def test_weights_of_nothing_need_a_geometry() -> None:
    refused("none", UsageError, r"is what a published folder says it is, and \[backbone\] weights is 'none'")


def test_a_folder_without_configuration_is_refused(folder: Path) -> None:
    (folder / "config.json").unlink()
    refused(
        folder, InputError, r"config.json cannot be read as JSON: .*No such file.* Get the published folder"
    )


@pytest.mark.parametrize(
    "held", ["{", "", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass")], ids=range(4)
)
def test_a_configuration_that_is_no_json_is_refused(folder: Path, held: str | bytes) -> None:
    (folder / "config.json").write_bytes(held if isinstance(held, bytes) else held.encode())
    refused(folder, InputError, r"config.json cannot be read as JSON")


@pytest.mark.parametrize(
    ("held", "why"),
    [
        ([1], r"holds no table"),
        ({}, r"describes a 'model without model_type', which is no vision tower"),
        (
            {"model_type": "bert"},
            r"describes a 'bert', which is no vision tower that radcap knows. Known: beit",
        ),
        ({"model_type": "bert", "vision_config": {}}, r"describes a 'bert_vision_model'"),
        ({"model_type": 7}, r"describes a '7'"),
        ({"model_type": "x" * 900}, r"describes a 'x{60}'"),
        ({"model_type": "vit", "hidden_size": "wide"}, r"describes no ViTModel: "),
    ],
    ids=["list", "nothing", "bert", "vision", "number", "long", "type"],
)
def test_a_configuration_of_no_tower_is_refused(folder: Path, held: Any, why: str) -> None:
    refused(configured(folder, held), InputError, why)


def test_a_folder_cannot_ask_for_code_or_kernels(folder: Path) -> None:
    """What it says beside the shape is not looked at."""
    wanted = backbone(folder)(pixels())
    held = json.loads((folder / "config.json").read_text())
    asked = {"auto_map": {"AutoModel": "x.Y"}, "_attn_implementation": "someone/kernel"}
    asked |= {"attn_implementation": "someone/kernel", "torch_dtype": "float16", "return_dict": False}
    held["vision_config"] |= asked
    configured(folder, {**held, **asked})
    assert torch.equal(backbone(folder)(pixels()), wanted)


@pytest.mark.parametrize(
    "held",
    [
        {},
        {"image_mean": 0.5, "image_std": 0.5},
        {"image_mean": [0.5] * 3, "image_std": [0.5, 0.5, 0]},
        {"image_mean": [0.5] * 2, "image_std": [0.5] * 3},
        {"image_mean": [0.5, 0.5, "x"], "image_std": [0.5] * 3},
        {"image_mean": [0.5] * 3, "image_std": [1e400] * 3},
        {"image_mean": [0.5] * 3, "image_std": [0.5] * 3, "rescale_factor": 0},
    ],
    ids=["nothing", "one", "zero", "two", "word", "infinite", "factor"],
)
def test_a_processor_that_says_no_scaling_is_refused(folder: Path, held: Any) -> None:
    (folder / "preprocessor_config.json").write_text(json.dumps(held))
    refused(folder, InputError, r"gives no image_mean and image_std of three numbers")


def test_a_folder_without_processor_is_refused(folder: Path) -> None:
    (folder / "preprocessor_config.json").unlink()
    refused(folder, InputError, r"has no preprocessor_config.json, which says how pixels are scaled")


@pytest.mark.parametrize(
    "geometry",
    ["x", "{}", "[]", '{"config": 3}', '{"config": {}, "mean": [1], "spread": [1], "projection": 0}'],
)
def test_a_geometry_that_radcap_did_not_write_is_refused(geometry: str) -> None:
    refused("none", InputError, r"\[backbone\] geometry is not what radcap writes there", geometry=geometry)


# sizes


def test_a_size_that_does_not_fit_is_refused(folder: Path) -> None:
    refused(folder, UsageError, r"CLIPVisionModel .*images of 4 pixels.*", size=4)
    larger = saved(model("Dinov2"), folder.parent / "b")
    refused(larger, UsageError, r"Dinov2Model .*images of 7 pixels.* Give a", size=7)


def test_a_network_that_no_machine_holds_is_refused(folder: Path) -> None:
    vast = {"model_type": "vit", **VISION, "hidden_size": 400_000, "intermediate_size": 400_000}
    refused(
        configured(folder, vast),
        UsageError,
        r"described with [\d,]+ weights, and 10,000,000,000 are the most",
    )


def test_a_network_that_gives_no_map_is_refused() -> None:
    with pytest.raises(UsageError, match=r"It gives no map for images of 8 pixels"):
        probe(Flat, 8, "It")


class Flat(torch.nn.Linear):
    def __init__(self) -> None:
        super().__init__(8, 3)

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - named so by torch
        return super().forward(input).mean(dim=(1, 2))


def test_a_complaint_is_told_in_one_short_line() -> None:
    assert first_line(ValueError("one.\ntwo")) == "one"
    assert first_line(ValueError()) == "ValueError"
    assert len(first_line(ValueError("x" * 900))) == probing._TOLD


def test_branches_of_a_tower_without_a_rate_are_not_dropped(folder: Path) -> None:
    refused(
        folder, UsageError, r"A clip_vision_model drops no branches, and \[backbone\] drop is 0.2", drop=0.2
    )


# weights


class Hostile:
    """Runs a command when it is unpickled carelessly."""

    def __reduce__(self) -> Any:
        return (sys.exit, ("it ran",))


def test_a_pickle_with_code_inside_is_refused(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for write in (
        lambda path: torch.save({"x": Hostile()}, path),
        lambda path: path.write_bytes(pickle.dumps(Hostile())),
    ):
        write(folder / "pytorch_model.bin")
        refused(folder, InputError, r"pytorch_model.bin cannot be read as weights")


def test_truncated_weights_are_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    refused(folder, InputError, r"model.safetensors cannot be read as weights")
    path.write_text("version https://git-lfs.github.com/spec/v1\n")  # fetched without git lfs
    refused(folder, InputError, r"model.safetensors cannot be read as weights")


def test_a_folder_without_weights_is_refused(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    refused(folder, InputError, r"holds no weights: model.safetensors, .*pytorch_model.bin")


@pytest.mark.parametrize(
    "held", [{}, {"weight_map": {}}, {"weight_map": {"a": "../a.safetensors"}}, {"weight_map": 3}]
)
def test_an_index_that_names_no_files_beside_it_is_refused(folder: Path, held: Any) -> None:
    (folder / "model.safetensors").rename(folder / "a.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps(held))
    refused(folder, InputError, r"index.json names no files beside it")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"vision_model.post_layernorm.weight": None},
            r"1 weights are absent or of another shape, post_layernorm",
        ),
        (
            {"vision_model.embeddings.class_embedding": torch.zeros(3)},
            r"another shape, embeddings.class_embedding",
        ),
        ({"visual_projection.weight": torch.zeros(12, 3)}, r"1 of 1 weights are absent or of another shape"),
        ({"visual_projection.weight": torch.zeros([])}, r"1 of 1 weights are absent or of another shape"),
    ],
    ids=["absent", "shape", "projection", "scalar"],
)
def test_weights_that_do_not_fit_are_refused(folder: Path, change: Any, why: str) -> None:
    path = folder / "model.safetensors"
    held = load_file(path) | change
    save_file({name: value for name, value in held.items() if value is not None}, path)
    refused(folder, InputError, why, pooled=True)


def test_weights_of_another_model_are_refused(folder: Path) -> None:
    save_file({"y": torch.zeros(3)}, folder / "model.safetensors")
    refused(folder, InputError, r"does not fit the vision tower that is described beside it: \d+ weights")


def test_what_transformers_cannot_load_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no.\nnever")

    monkeypatch.setattr(transformers.CLIPVisionModel, "from_pretrained", fails)
    refused(folder, InputError, r"does not fit the vision tower that is described beside it: no. Get")


# transformers itself


def test_without_transformers_it_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = builtins.__import__

    def absent(name: str, *others: Any) -> Any:
        if name == "transformers":
            raise ImportError(name)
        return there(name, *others)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(Missing, match=r"pip install 'radcap\[train\]'"):
        make_backbone(settings(folder), size=SIZE)


@pytest.mark.parametrize("shown", [True, False])
def test_bars_and_advice_come_back_afterwards(shown: bool) -> None:
    logging = transformers_module().utils.logging
    before, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    (logging.enable_progress_bar if shown else logging.disable_progress_bar)()
    with quiet(transformers_module()):
        assert not logging.is_progress_bar_enabled()
    assert (logging.is_progress_bar_enabled(), logging.get_verbosity()) == (shown, level)
    (logging.enable_progress_bar if before else logging.disable_progress_bar)()
