"""Published vision towers against transformers' own forward."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import torch
from published_samples import SIZE, backbone, model, pixels, rebuilt, saved, scaled, settings, transformers
from safetensors.torch import load_file, save_file

from radcap.core import Missing, UsageError
from radcap.vision.backbones import make_backbone, medclip, towers
from radcap.vision.backbones.tower_features import cut_patches
from radcap.vision.network import make_network
from radcap.vision.settings import HeadSettings
from radcap.vision.transformers_library import quiet
from radcap.vision.weight_files import write_weight_file

KINDS = [
    "CLIP",
    "Siglip",
    "Blip",
    "Swin",
    "ViT",
    "DeiT",
    "Dinov2",
    "Dinov2WithRegisters",
    "DINOv3ViT",
    "Beit",
]
PREFIX = {
    "CLIP": 1,
    "Blip": 1,
    "ViT": 1,
    "DeiT": 2,
    "Dinov2": 1,
    "Dinov2WithRegisters": 5,
    "DINOv3ViT": 1,
    "Beit": 1,
}


def tower(made: Any) -> Any:
    return getattr(made, "vision_model", made)


def asked(made: Any, images: torch.Tensor, **given: Any) -> Any:
    with torch.no_grad():
        return tower(made)(pixel_values=scaled(images), **given)


@pytest.mark.parametrize("kind", ["CLIP", "DeiT", "Dinov2WithRegisters", "Swin"])
def test_tokens_stand_behind_the_channels_of_each_place(kind: str, tmp_path: Path) -> None:
    made = model(kind)
    given = settings(saved(made, tmp_path), tokens=True)
    ours = make_backbone(given, size=SIZE).eval()
    hidden, count = asked(made, pixels()).last_hidden_state, PREFIX.get(kind, 0)
    with torch.no_grad():
        found, plain = ours(pixels()), backbone(tmp_path)(pixels())
    assert ours.width == found.shape[1] == (1 + count) * hidden.shape[-1]
    torch.testing.assert_close(found[:, : hidden.shape[-1]], plain)
    behind = found[:, hidden.shape[-1] :].unflatten(1, (count, hidden.shape[-1]))
    torch.testing.assert_close(
        behind, hidden[:, :count, :, None, None].expand_as(behind), atol=1e-5, rtol=1e-5
    )
    torch.testing.assert_close(rebuilt(ours, given)(pixels()), found, atol=1e-5, rtol=1e-5)


def test_tokens_need_places() -> None:
    with pytest.raises(UsageError, match="tokens stand behind every place, and pooled leaves no places"):
        settings("a/b", tokens=True, pooled=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_map_is_the_last_hidden_state_without_class_tokens(kind: str, tmp_path: Path) -> None:
    made = model(kind)
    ours = backbone(saved(made, tmp_path))
    with torch.no_grad():
        found = ours(pixels())
    tokens = asked(made, pixels()).last_hidden_state[:, PREFIX.get(kind, 0) :]
    assert found.shape == (2, 16, 4, 4)
    assert ours.width == 16
    for row in range(4):
        for column in range(4):
            torch.testing.assert_close(
                found[:, :, row, column], tokens[:, 4 * row + column], atol=1e-5, rtol=1e-4
            )
    assert found.std() > 1e-3


def clip_vector(made: Any, images: torch.Tensor) -> torch.Tensor:
    return made.visual_projection(asked(made, images).pooler_output)


VECTORS: dict[str, Any] = {
    "CLIP": clip_vector,
    "Siglip": lambda made, images: asked(made, images).pooler_output,
    "Blip": lambda made, images: made.visual_projection(asked(made, images).pooler_output),
    "Swin": lambda made, images: asked(made, images).pooler_output,
    "ViT": lambda made, images: asked(made, images).last_hidden_state[:, 0],
    "Dinov2": lambda made, images: asked(made, images).pooler_output,
}


@pytest.mark.parametrize("kind", VECTORS)
def test_pooled_is_the_models_own_image_vector(kind: str, tmp_path: Path) -> None:
    made = model(kind)
    ours = backbone(saved(made, tmp_path), pooled=True)
    with torch.no_grad():
        found, wanted = ours(pixels()), VECTORS[kind](made, pixels())
    assert found.shape == (*wanted.shape, 1, 1)
    assert ours.width == wanted.shape[1] == {"CLIP": 12, "Blip": 512}.get(kind, 16)
    torch.testing.assert_close(found[:, :, 0, 0], wanted, atol=1e-5, rtol=1e-4)


def test_the_vector_of_clip_is_what_transformers_projects(tmp_path: Path) -> None:
    """By the class for towers with a projection, saved alone: the same names at another place."""
    whole = model("CLIP")
    given = whole.config.vision_config
    given.projection_dim = 12
    alone = transformers.CLIPVisionModelWithProjection(given).eval()
    alone.vision_model.load_state_dict(whole.vision_model.state_dict())
    alone.visual_projection.load_state_dict(whole.visual_projection.state_dict())
    with torch.no_grad():
        wanted = alone(scaled(pixels())).image_embeds
        for number, made in enumerate((whole, alone)):
            found = backbone(saved(made, tmp_path / str(number)), pooled=True)(pixels())
            torch.testing.assert_close(found[:, :, 0, 0], wanted, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", ["CLIP", "Siglip", "ViT", "Swin", "Dinov2"])
def test_another_size_stretches_the_position_embeddings(kind: str, tmp_path: Path) -> None:
    made = model(kind)
    stretched = {} if kind == "Dinov2" else {"interpolate_pos_encoding": True}  # DINO does it unasked
    wanted = asked(made, pixels(48), **stretched).last_hidden_state[:, PREFIX.get(kind, 0) :]
    with torch.no_grad():
        found = backbone(saved(made, tmp_path), 48)(pixels(48))
    torch.testing.assert_close(found.flatten(2).transpose(1, 2), wanted, atol=1e-5, rtol=1e-4)


def test_maps_of_convolutional_networks_stay_maps(tmp_path: Path) -> None:
    torch.manual_seed(0)
    shape = {"hidden_sizes": [8, 16], "depths": [1, 1]}
    made = transformers.ConvNextModel(transformers.ConvNextConfig(num_stages=2, **shape)).eval()
    folder = saved(made, tmp_path)
    told = asked(made, pixels())
    with torch.no_grad():
        torch.testing.assert_close(backbone(folder)(pixels()), told.last_hidden_state)
        vector = backbone(folder, pooled=True)(pixels())
    torch.testing.assert_close(vector[:, :, 0, 0], told.pooler_output)


def test_siglip_2_is_shown_patches_as_its_processor_cuts_them(tmp_path: Path) -> None:
    from transformers.models.siglip2.image_processing_siglip2 import convert_image_to_patches

    made, images = model("Siglip2"), scaled(pixels(35))
    patches = torch.stack([convert_image_to_patches(image[:, :32, :32], 8) for image in images])
    torch.testing.assert_close(cut_patches(images, 8), patches, atol=0, rtol=0)
    with torch.no_grad():
        told = made.vision_model(patches, torch.ones(2, 16, dtype=torch.int64), torch.tensor([[4, 4]] * 2))
        folder = saved(made, tmp_path)
        found, vector = (backbone(folder, 35, pooled=one)(pixels(35)) for one in (False, True))
    wanted = told.last_hidden_state.transpose(1, 2).view(2, 16, 4, 4)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(vector[:, :, 0, 0], told.pooler_output, atol=1e-5, rtol=1e-4)


def test_the_encoder_of_a_captioner_is_a_tower_too(tmp_path: Path) -> None:
    vit = model("ViT")
    text = transformers.BertConfig(
        is_decoder=True, add_cross_attention=True, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, vocab_size=20,
    )  # fmt: skip
    made = transformers.VisionEncoderDecoderModel(encoder=vit, decoder=transformers.BertLMHeadModel(text))
    with torch.no_grad():
        found = backbone(saved(made, tmp_path))(pixels())
    wanted = asked(vit, pixels()).last_hidden_state[:, 1:]
    torch.testing.assert_close(found.flatten(2).transpose(1, 2), wanted, atol=1e-5, rtol=1e-4)


# what a folder may look like


def test_a_classifier_in_shards_and_a_pickle_give_the_same(tmp_path: Path) -> None:
    torch.manual_seed(0)
    made = transformers.ViTForImageClassification(model("ViT").config).eval()
    whole = saved(made, tmp_path / "whole")
    weights = load_file(whole / "model.safetensors")
    for name in ("shards", "pickle"):
        (tmp_path / name).mkdir()
        for part in ("config.json", "preprocessor_config.json"):
            (tmp_path / name / part).write_text((whole / part).read_text())
    torch.save(weights, tmp_path / "pickle" / "pytorch_model.bin")
    halves = {"a.safetensors": list(weights)[::2], "b.safetensors": list(weights)[1::2]}
    for file, names in halves.items():
        save_file({one: weights[one] for one in names}, tmp_path / "shards" / file)
    index = {"weight_map": {one: file for file, names in halves.items() for one in names}}
    (tmp_path / "shards" / "model.safetensors.index.json").write_text(json.dumps(index))
    with torch.no_grad():
        wanted = backbone(whole)(pixels())
        for name in ("shards", "pickle"):
            assert torch.equal(backbone(tmp_path / name)(pixels()), wanted)
        tokens = made.vit(scaled(pixels())).last_hidden_state[:, 1:]
    torch.testing.assert_close(wanted.flatten(2).transpose(1, 2), tokens, atol=1e-5, rtol=1e-4)


def test_a_vision_part_without_a_type_has_that_of_its_model(tmp_path: Path) -> None:
    folder = saved(model("CLIP"), tmp_path)
    wanted = backbone(folder)(pixels())
    held = json.loads((folder / "config.json").read_text())
    del held["vision_config"]["model_type"]
    (folder / "config.json").write_text(json.dumps(held))
    assert torch.equal(backbone(folder)(pixels()), wanted)


@pytest.mark.parametrize(
    ("given", "mean", "spread"),
    [
        ({}, [102, 127.5, 153], [51, 76.5, 102]),
        ({"do_rescale": False}, [0.4, 0.5, 0.6], [0.2, 0.3, 0.4]),
        ({"do_normalize": False}, [0, 0, 0], [255, 255, 255]),
        ({"rescale_factor": 1 / 127.5}, [51, 63.75, 76.5], [25.5, 38.25, 51]),
    ],
    ids=["usual", "unscaled", "unnormed", "other"],
)
def test_pixels_are_scaled_as_the_processor_says(given: Any, mean: Any, spread: Any, tmp_path: Path) -> None:
    ours = backbone(saved(model("ViT"), tmp_path, **given))
    assert ours.mean.flatten().tolist() == pytest.approx(mean)
    assert ours.spread.flatten().tolist() == pytest.approx(spread)


def test_a_processor_of_several_parts_will_do(tmp_path: Path) -> None:
    folder = saved(model("ViT"), tmp_path)
    held = json.loads((folder / "preprocessor_config.json").read_text())
    (folder / "preprocessor_config.json").unlink()
    (folder / "processor_config.json").write_text(json.dumps({"image_processor": held}))
    assert backbone(folder).mean.flatten().tolist() == pytest.approx([102, 127.5, 153])


def medclip_state(made: Any) -> dict[str, torch.Tensor]:
    """As the authors save their model of two towers; names inside the Swin are those of its year."""
    with tempfile.TemporaryDirectory() as folder, quiet(transformers):
        made.save_pretrained(folder)
        held = load_file(Path(folder) / "model.safetensors")
    torch.manual_seed(3)
    width = made.config.hidden_size
    return {f"vision_model.model.{name}": value for name, value in held.items()} | {
        "vision_model.projection_head.weight": torch.randn(12, width),
        "text_model.model.embeddings.word_embeddings.weight": torch.zeros(3, 4),
        "text_model.projection_head.weight": torch.zeros(12, 4),
        "logit_scale": torch.ones([]),
    }


def test_medclip_is_known_by_its_weights_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = model("Swin")
    small = {"model_type": "swin", **{one: value for one, value in made.config.to_dict().items() if one in (
        "image_size", "patch_size", "embed_dim", "depths", "num_heads", "window_size")}}  # fmt: skip
    tiny = medclip.MedClip(small, medclip.MEDCLIP.mean, medclip.MEDCLIP.spread, medclip.MEDCLIP.projection)
    monkeypatch.setattr(towers, "MEDCLIP", tiny)
    held = medclip_state(made)
    torch.save(held, tmp_path / "pytorch_model.bin")
    images = (pixels() / 255 - 0.5862785803043838) / 0.27950088968644304
    with torch.no_grad():
        told = made(images)
        wanted = told.pooler_output @ held["vision_model.projection_head.weight"].T
        vector = backbone(tmp_path, pooled=True)(pixels())
        found = backbone(tmp_path)(pixels())
    torch.testing.assert_close(vector[:, :, 0, 0], wanted, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(found.flatten(2).transpose(1, 2), told.last_hidden_state, atol=1e-5, rtol=1e-4)


def test_medclip_is_a_swin_t_with_a_projection_to_512(tmp_path: Path) -> None:
    """The published shape: transformers' own defaults of Swin are those of the Swin-T it began with."""
    config = transformers.SwinConfig()
    told = json.loads(json.dumps({one: getattr(config, one) for one in medclip.MEDCLIP.config}))
    assert told == dict(medclip.MEDCLIP.config)
    with torch.device("meta"):
        made = transformers.SwinModel(config)
    assert (config.hidden_size, sum(one.numel() for one in made.parameters())) == (768, 27_519_354)


# a trained model needs the folder no more


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("kind", ["CLIP", "Siglip", "Swin"])
def test_settings_and_weights_make_the_same_network_without_the_folder(
    kind: str, pooled: bool, tmp_path: Path
) -> None:
    given = settings(saved(model(kind), tmp_path / "a"), pooled=pooled)
    ours = make_backbone(given, size=SIZE).eval()
    for file in (tmp_path / "a").iterdir():
        file.unlink()
    again = rebuilt(ours, given)
    with torch.no_grad():
        assert torch.equal(again(pixels()), ours(pixels()))
    assert again.settings_of(given) == ours.settings_of(given)
    assert {one for one, held in again.named_parameters() if held.requires_grad} == {
        one for one, held in ours.named_parameters() if held.requires_grad
    }


def test_weights_may_be_those_of_a_model_folder_of_ours(tmp_path: Path) -> None:
    given = settings(saved(model("CLIP"), tmp_path / "a"), pooled=True)
    network = make_network(given, HeadSettings(), 3, size=SIZE)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "system.toml").write_text("")
    write_weight_file(network.state_dict(), tmp_path / "m" / "model.safetensors", "fp32")
    kept = network.backbone.settings_of(settings(tmp_path / "m", pooled=True))
    again = make_backbone(kept, size=SIZE)
    for name, value in network.backbone.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)


def test_the_folder_counts_more_than_the_geometry_where_weights_are_wanted(tmp_path: Path) -> None:
    """A trained model's settings, trained anew, begin with the published weights again."""
    given = settings(saved(model("ViT"), tmp_path / "a"))
    kept = make_backbone(given, size=SIZE).settings_of(given)
    with torch.no_grad():
        assert torch.equal(make_backbone(kept, size=SIZE).eval()(pixels()), backbone(given.weights)(pixels()))


def test_without_a_geometry_the_folder_says_what_a_trained_network_is(tmp_path: Path) -> None:
    """As the refusal of a broken geometry tells people to do: delete it, and name the published folder."""
    given = settings(saved(model("ViT"), tmp_path / "a"))
    learnt = make_backbone(given, size=SIZE)
    with torch.no_grad():
        for held in learnt.parameters():
            held.add_(0.01)
    again = make_backbone(given, size=SIZE, weights=False)
    again.load_state_dict(learnt.state_dict())
    assert again.settings_of(given) == learnt.settings_of(given)
    with torch.no_grad():
        assert torch.equal(again.eval()(pixels()), learnt.eval()(pixels()))


@pytest.mark.parametrize(
    ("kind", "idle"), [("CLIP", {"post_layernorm"}), ("Siglip", set()), ("Dinov2", {"embeddings"})]
)
def test_what_has_no_part_in_the_map_is_not_trained(kind: str, idle: set[str], tmp_path: Path) -> None:
    ours = backbone(saved(model(kind), tmp_path))
    still = {one.split(".")[2] for one, held in ours.named_parameters() if not held.requires_grad}
    assert still == idle
    ours(pixels()).sum().backward()
    assert all(held.grad is not None for held in ours.parameters() if held.requires_grad)


@pytest.mark.parametrize("kind", ["Swin", "Dinov2"])
def test_a_rate_of_dropped_branches_goes_to_towers_that_have_one(kind: str, tmp_path: Path) -> None:
    folder = saved(model(kind), tmp_path)
    assert backbone(folder, drop=0.3).body.network.config.drop_path_rate == 0.3
    assert backbone(folder).body.network.config.drop_path_rate == 0


# the cache


def cache(root: Path, folder: Path) -> None:
    """As Hugging Face's tools lay a repository out."""
    there = root / "models--someone--tower"
    (there / "refs").mkdir(parents=True)
    (there / "refs" / "main").write_text("0" * 40)
    (there / "snapshots").mkdir()
    folder.rename(there / "snapshots" / ("0" * 40))


def test_a_repository_is_found_in_the_cache_and_never_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = backbone(saved(model("ViT"), tmp_path / "a"))(pixels())
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(
        Missing, match=r"The model someone/tower is missing.*hf download someone/tower"
    ) as caught:
        backbone("someone/tower")
    assert "\n" not in str(caught.value)
    cache(tmp_path / "cache", tmp_path / "a")
    assert torch.equal(backbone("someone/tower")(pixels()), wanted)
