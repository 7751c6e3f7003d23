"""Towers of open_clip folders: timm's against timm, open_clip's own against CLIP of transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from published_samples import (
    PLAIN,
    SIZE,
    TIMM,
    backbone,
    model,
    open_clip_folder,
    pixels,
    rebuilt,
    scaled,
    settings,
)
from torch import nn

from radcap.core import InputError, Missing, UsageError
from radcap.vision.backbones import make_backbone
from radcap.vision.backbones.timm_networks import timm_module

NAME = "open-clip"
timm: Any = timm_module()


def trunk(name: str = "test_vit", **given: Any) -> Any:
    torch.manual_seed(0)
    made = timm.create_model(name, num_classes=0, img_size=SIZE, **given).eval()
    with torch.no_grad():
        for value in made.parameters():
            value.add_(torch.randn_like(value) * 0.05)
    return made


def named(made: nn.Module, prefix: str = "visual.trunk.") -> dict[str, torch.Tensor]:
    return {f"{prefix}{name}": value for name, value in made.state_dict().items()}


def folder_of(path: Path, **vision: Any) -> tuple[Any, torch.Tensor, Path]:
    """BiomedCLIP's layout: a vision transformer of timm, its class token, and a projection without bias."""
    made = trunk()
    weight = torch.randn(12, made.num_features)
    held = named(made) | {"visual.head.proj.weight": weight}
    return made, weight, open_clip_folder(path, held, {**TIMM, **vision})


@pytest.mark.parametrize("safe", [True, False])
def test_the_layout_of_biomedclip_gives_timms_features(safe: bool, tmp_path: Path) -> None:
    made, weight, _ = folder_of(tmp_path / "a")
    held = named(made) | {"visual.head.proj.weight": weight}
    folder = open_clip_folder(tmp_path / "b", held, TIMM, safe=safe)
    with torch.no_grad():
        tokens = made.forward_features(scaled(pixels()))
        found, vector = (backbone(folder, name=NAME, pooled=one)(pixels()) for one in (False, True))
        wanted = made(scaled(pixels())) @ weight.T
    assert found.shape == (2, made.num_features, 2, 2)
    torch.testing.assert_close(found.flatten(2).transpose(1, 2), tokens[:, 1:], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(wanted, tokens[:, 0] @ weight.T, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(vector[:, :, 0, 0], wanted, atol=1e-4, rtol=1e-4)


def test_names_may_have_been_wrapped(tmp_path: Path) -> None:
    made, weight, folder = folder_of(tmp_path / "a")
    held = named(made, "module.visual.trunk.") | {"module.visual.head.proj.weight": weight}
    again = open_clip_folder(tmp_path / "b", held, TIMM)
    with torch.no_grad():
        one, other = (backbone(where, name=NAME, pooled=True)(pixels()) for where in (folder, again))
    assert torch.equal(one, other)


@pytest.mark.parametrize("how", ["mlp", "biased", "own", "none"])
def test_other_projections(how: str, tmp_path: Path) -> None:
    """A layer of two steps, one with a bias, the network's own classifier, or none."""
    made = trunk()
    vision: dict[str, Any] = {**TIMM, "timm_pool": "avg", "timm_proj": {"own": ""}.get(how, how)}
    made.reset_classifier(0, global_pool="avg")
    held, width = named(made), made.num_features
    torch.manual_seed(1)
    if how == "mlp":
        project: nn.Module = nn.Sequential(nn.Linear(width, 24), nn.GELU(), nn.Linear(24, 12, bias=False))
        words = {"0": "mlp.fc1", "2": "mlp.fc2"}
        for name, value in project.state_dict().items():
            number, _, kind = name.partition(".")
            held[f"visual.head.{words[number]}.{kind}"] = value
    elif how == "biased":
        vision |= {"timm_proj": "linear", "timm_proj_bias": True}
        project = nn.Linear(width, 12)
        held |= named(project, "visual.head.proj.")
    else:
        project = nn.Identity()
        made = timm.create_model(
            "test_vit", num_classes=12 if how == "own" else 0, global_pool="avg", img_size=SIZE
        ).eval()
        held = named(made)
    folder = open_clip_folder(tmp_path / "a", held, vision)
    with torch.no_grad():
        wanted = project(made(scaled(pixels())))
        found = backbone(folder, name=NAME, pooled=True)(pixels())
        assert backbone(folder, name=NAME)(pixels()).shape == (2, width, 2, 2)
    torch.testing.assert_close(found[:, :, 0, 0], wanted, atol=1e-4, rtol=1e-4)


def test_another_size_stretches_the_position_embeddings(tmp_path: Path) -> None:
    """As timm does it to a network that was made at a size and is then given another."""
    made, _, folder = folder_of(tmp_path / "a")
    made.set_input_size(img_size=(48, 48))
    with torch.no_grad():
        tokens = made.forward_features(scaled(pixels(48)))[:, 1:]
        found = backbone(folder, 48, name=NAME)(pixels(48))
    torch.testing.assert_close(found.flatten(2).transpose(1, 2), tokens, atol=1e-5, rtol=1e-4)


def test_a_network_without_position_embeddings(tmp_path: Path) -> None:
    torch.manual_seed(0)
    made = timm.create_model("test_convnext", num_classes=0).eval()
    held = named(made) | {"visual.head.proj.weight": torch.randn(12, made.num_features)}
    folder = open_clip_folder(tmp_path / "a", held, {**TIMM, "timm_model_name": "test_convnext"})
    with torch.no_grad():
        found = backbone(folder, 64, name=NAME, drop=0.2)(pixels(64))
        torch.testing.assert_close(found, made.forward_features(scaled(pixels(64))))


# open_clip's own


WORDS = {
    "embeddings.class_embedding": "class_embedding",
    "embeddings.position_embedding.weight": "positional_embedding",
    "embeddings.patch_embedding": "conv1",
    "pre_layrnorm": "ln_pre",
    "post_layernorm": "ln_post",
    "encoder.layers": "transformer.resblocks",
    "layer_norm1": "ln_1",
    "layer_norm2": "ln_2",
    "self_attn.out_proj": "attn.out_proj",
    "mlp.fc1": "mlp.c_fc",
    "mlp.fc2": "mlp.c_proj",
}


def plain_state(made: Any) -> dict[str, torch.Tensor]:
    """CLIP of transformers by open_clip's names; query, key and value are one weight there."""
    held: dict[str, torch.Tensor] = {"visual.proj": made.visual_projection.weight.detach().T}
    for name, value in made.vision_model.state_dict().items():
        for word, other in WORDS.items():
            name = name.replace(word, other)  # noqa: PLW2901 - one word after the other
        if "self_attn" not in name:
            held[f"visual.{name}"] = value
        elif "q_proj" in name:
            kind = name.rpartition(".")[2]
            layer = name.partition("resblocks.")[2].partition(".")[0]
            inner = made.vision_model.encoder.layers[int(layer)].self_attn
            parts = [getattr(getattr(inner, one), kind) for one in ("q_proj", "k_proj", "v_proj")]
            held[f"visual.transformer.resblocks.{layer}.attn.in_proj_{kind}"] = torch.cat(parts).detach()
    return held


@pytest.mark.parametrize("quick", [True, False])
def test_the_plain_transformer_gives_what_clip_gives(quick: bool, tmp_path: Path) -> None:
    made = model("CLIP", hidden_act="quick_gelu" if quick else "gelu", intermediate_size=64)
    folder = open_clip_folder(tmp_path / "a", plain_state(made), PLAIN, quick_gelu=quick)
    with torch.no_grad():
        told = made.vision_model(scaled(pixels()))
        wanted = made.visual_projection(told.pooler_output)
        places = made.vision_model.post_layernorm(told.last_hidden_state)[:, 1:]
        found, vector = (backbone(folder, name=NAME, pooled=one)(pixels()) for one in (False, True))
    torch.testing.assert_close(vector[:, :, 0, 0], wanted, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(found.flatten(2).transpose(1, 2), places, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"layers": [1, 1, 1, 1]}, "a ResNet of its own"),
        ({"attentional_pool": True}, "attentional_pool"),
        ({"no_ln_pre": True, "pool_type": "avg"}, "no_ln_pre, pool_type"),
        ({"strange": 3}, "strange"),
    ],
)
def test_what_is_not_plain_is_refused(changes: dict[str, Any], told: str, tmp_path: Path) -> None:
    folder = open_clip_folder(tmp_path / "a", {"visual.proj": torch.zeros(16, 12)}, {**PLAIN, **changes})
    with pytest.raises(InputError, match=rf"asks for {told} in vision_cfg, which radcap does not build"):
        backbone(folder, name=NAME)


def test_usual_answers_spelled_out_change_nothing(tmp_path: Path) -> None:
    state = plain_state(model("CLIP", intermediate_size=64))
    usual = {"pool_type": "tok", "attentional_pool": False, "ls_init_value": None, "patch_dropout": 0.5}
    one, other = (
        backbone(open_clip_folder(tmp_path / str(len(vision)), state, vision), name=NAME)(pixels())
        for vision in (PLAIN, {**PLAIN, **usual, "timm_pool": "avg"})
    )
    assert torch.equal(one, other)


# a trained model needs the folder no more


@pytest.mark.parametrize("pooled", [True, False])
def test_settings_and_weights_make_the_same_network_without_the_folder(pooled: bool, tmp_path: Path) -> None:
    _, _, folder = folder_of(tmp_path / "a")
    given = settings(folder, NAME, pooled=pooled)
    ours = make_backbone(given, size=SIZE).eval()
    for file in folder.iterdir():
        file.unlink()
    with torch.no_grad():
        assert torch.equal(rebuilt(ours, given)(pixels()), ours(pixels()))


def test_pixels_are_scaled_as_open_clip_does_where_nothing_is_said(tmp_path: Path) -> None:
    _, _, folder = folder_of(tmp_path / "a")
    held = json.loads((folder / "open_clip_config.json").read_text())
    del held["preprocess_cfg"]
    (folder / "open_clip_config.json").write_text(json.dumps(held))
    ours = backbone(folder, name=NAME)
    told = timm.data.constants
    assert ours.mean.flatten().tolist() == pytest.approx([255 * one for one in told.OPENAI_CLIP_MEAN])
    assert ours.spread.flatten().tolist() == pytest.approx([255 * one for one in told.OPENAI_CLIP_STD])


# refused


@pytest.mark.parametrize(
    "held",
    [
        {},
        {"model_cfg": 7},
        {"model_cfg": {"embed_dim": "x", "vision_cfg": {}}},
        {"model_cfg": {"embed_dim": 12, "vision_cfg": 3}},
        {"model_cfg": {"embed_dim": 12, "vision_cfg": {}}, "preprocess_cfg": {"std": [0, 0, 0]}},
        {"model_cfg": {"embed_dim": 12, "vision_cfg": {}}, "preprocess_cfg": {"mean": [1]}},
        {"model_cfg": {"embed_dim": 12, "vision_cfg": {}}, "preprocess_cfg": []},
    ],
)
def test_a_configuration_that_says_nothing_is_refused(held: Any, tmp_path: Path) -> None:
    _, _, folder = folder_of(tmp_path / "a")
    (folder / "open_clip_config.json").write_text(json.dumps(held))
    with pytest.raises(InputError, match=r"has no model_cfg with embed_dim and vision_cfg, or a preprocess"):
        backbone(folder, name=NAME)


@pytest.mark.parametrize(
    "changes", [{"timm_model_name": "hf-hub:someone/tower"}, {"timm_pool": "abs_attn"}], ids=["name", "pool"]
)
def test_networks_and_poolings_that_are_not_there_are_refused(changes: Any, tmp_path: Path) -> None:
    _, _, folder = folder_of(tmp_path / "a", **changes)
    with pytest.raises(InputError, match=r"timm has no such network, or radcap no such pooling"):
        backbone(folder, name=NAME)


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    made, weight, folder = folder_of(tmp_path / "a")
    for broken in (
        named(made) | {"visual.head.proj.weight": weight[:, 1:]},
        named(made) | {"visual.trunk.pos_embed": torch.zeros(3)},
        {"visual.proj": weight[0], "visual.class_embedding": torch.zeros([])},
        {"visual.proj": torch.zeros(2, 2, 2)},
    ):
        open_clip_folder(folder, broken, TIMM)
        with pytest.raises(InputError, match=r"weights are absent or of another shape, .* first") as caught:
            backbone(folder, name=NAME, pooled=True)
        assert "\n" not in str(caught.value)


def test_a_size_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    _, _, folder = folder_of(tmp_path / "a")
    with pytest.raises(UsageError, match=r"tower of open_clip .*images of 8 pixels.* Give a"):
        backbone(folder, 8, name=NAME)


def test_a_folder_without_weights_or_configuration_is_refused(tmp_path: Path) -> None:
    _, _, folder = folder_of(tmp_path / "a")
    (folder / "open_clip_model.safetensors").unlink()
    with pytest.raises(InputError, match=r"holds no weights: open_clip_model.safetensors, open_clip_pytorch"):
        backbone(folder, name=NAME)
    (folder / "open_clip_config.json").unlink()
    with pytest.raises(InputError, match=r"open_clip_config.json cannot be read as JSON"):
        backbone(folder, name=NAME)
    with pytest.raises(Missing, match=r"does not hold its open_clip_config.json. Fetch it .*hf download a/b"):
        backbone("a/b", name=NAME)
