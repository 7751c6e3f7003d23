"""Rerankers that go by the image: published dual encoders beside transformers' own, and one learnt here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_training import CPU
from dataset_samples import dataset_of, png, row
from published_samples import SIZE, model, saved, scaled, transformers
from reranking_samples import (
    TEXTS,
    bert_folder,
    bert_model,
    biomedclip,
    clip_folder,
    letters,
    medclip,
    save_tokens,
    tokens,
)
from safetensors.torch import load_file, save_file

from radcap.captioning.joining_settings import RerankSettings
from radcap.captioning.models.eyes import Eyes, Sight
from radcap.captioning.reranking import Lessons, Reranker, Source, make_reranker
from radcap.captioning.reranking.learnt_alignment import LearntAlignment
from radcap.captioning.reranking.text_networks import TextNetwork
from radcap.core import InputError, Missing
from radcap.datasets import Dataset
from radcap.vision.backbones import make_backbone
from radcap.vision.settings import BackboneSettings
from radcap.vision.weight_files import read_weight_file, write_weight_file


def textures(images: int = 3) -> tuple[Dataset, torch.Tensor]:
    """A dataset, and its images as the towers' processor scales them."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 255, (images, SIZE, SIZE, 3), np.uint8)
    files = {f"{n}.png": png(one) for n, one in enumerate(drawn)}
    data = dataset_of([row(str(n), image=f"{n}.png") for n in range(images)], files)
    return data, scaled(torch.from_numpy(drawn).permute(0, 3, 1, 2).float())


def dual(folder: Path, place: Any = CPU) -> Any:
    return make_reranker(Source(RerankSettings("alignment", str(folder)), place, folder))


def asked(reranker: Reranker, data: Dataset, drafts: list[list[str]]) -> list[list[float]]:
    assert reranker.looks
    assert reranker.eyes is not None
    (sight,) = reranker.eyes.look(data)
    return reranker.scores(drafts, sight)


def given(texts: list[str], **options: Any) -> dict[str, torch.Tensor]:
    return tokens()(texts, return_tensors="pt", padding=True, **options)


def told(vectors: Any) -> torch.Tensor:
    """Of an answer of transformers, whatever its year."""
    return vectors if isinstance(vectors, torch.Tensor) else vectors.pooler_output


@pytest.mark.parametrize("kind", ["CLIP", "Siglip", "Siglip2"])
def test_likeness_is_that_of_transformers(kind: str, tmp_path: Path) -> None:
    reranker = dual(clip_folder(tmp_path, kind, do_center_crop=kind == "CLIP"))
    data, pixels = textures()
    made = model(kind)
    with torch.no_grad():
        if kind == "CLIP":
            given_texts = given(TEXTS)
            texts = told(
                made.get_text_features(**{n: given_texts[n] for n in ("input_ids", "attention_mask")})
            )
        else:  # SigLIP looks at what fills texts up
            read = letters() if kind == "Siglip2" else tokens()
            full = read(TEXTS, return_tensors="pt", padding="max_length", max_length=64)
            texts = told(made.get_text_features(input_ids=full["input_ids"]))
        if kind == "Siglip2":
            backbone = make_backbone(BackboneSettings("hugging-face", str(tmp_path), pooled=True), size=SIZE)
            images = backbone.eval().body(pixels)[:, :, 0, 0]
        else:
            images = told(made.get_image_features(pixel_values=pixels))
    wanted = torch.nn.functional.normalize(images) @ torch.nn.functional.normalize(texts).T
    drafts = [TEXTS, [], TEXTS[1:2]]
    found = asked(reranker, data, drafts)
    assert found[0] == pytest.approx(wanted[0].tolist(), abs=2e-4)
    assert found[1] == []
    assert found[2] == pytest.approx(wanted[2, 1:2].tolist(), abs=2e-4)
    assert np.ptp(found[0]) > 1e-3
    before = sorted(tmp_path.iterdir())
    reranker.save(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("safe", [True, False])
def test_biomedclip_reads_texts_by_the_first_token_of_a_bert(safe: bool, tmp_path: Path) -> None:
    folder = biomedclip(tmp_path / "b", safe=safe)
    held = (
        load_file(folder / "open_clip_model.safetensors")
        if safe
        else torch.load(folder / "open_clip_pytorch_model.bin", weights_only=True)
    )
    with torch.no_grad():
        first = bert_model()(**given(TEXTS)).last_hidden_state[:, 0]
        hidden = torch.nn.functional.gelu(first @ held["text.proj.0.weight"].T)
        texts = torch.nn.functional.normalize(hidden @ held["text.proj.2.weight"].T)
        tower = make_backbone(BackboneSettings("open-clip", str(folder), pooled=True), size=SIZE).eval()
        data, pixels = textures()
        images = torch.nn.functional.normalize(tower.body(pixels)[:, :, 0, 0])
    found = asked(dual(folder), data, [TEXTS] * 3)
    np.testing.assert_allclose(found, (images @ texts.T).tolist(), atol=2e-4)


def test_medclip_averages_layers_and_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = medclip(tmp_path / "m", monkeypatch)
    held = torch.load(folder / "pytorch_model.bin", weights_only=True)
    reranker = dual(folder)
    assert reranker.eyes.view.settings.fit == "pad"
    rows = []
    for one in TEXTS:  # alone, so that nothing fills it up
        with torch.no_grad():
            layers = bert_model()(**given([one]), output_hidden_states=True).hidden_states
        mean = torch.stack([layers[n] for n in (1, 2, -1)]).mean(dim=0)
        rows.append(mean[0].mean(dim=0) @ held["text_model.projection_head.weight"].T)
    wanted = torch.nn.functional.normalize(torch.stack(rows))
    np.testing.assert_allclose(reranker.texts(TEXTS), wanted.numpy(), atol=1e-5)
    assert np.shape(asked(reranker, textures()[0], [TEXTS] * 3)) == (3, 4)


def test_its_eyes_look_beside_those_of_a_captioner(tmp_path: Path) -> None:
    reranker = dual(clip_folder(tmp_path / "a"))
    backbone = make_backbone(BackboneSettings("hugging-face", str(tmp_path / "a")), size=SIZE).eval()
    data = textures(10)[0]  # in two batches
    other = Eyes(CPU, reranker.eyes.view, backbone, beside=reranker.eyes)
    both, alone = list(other.look(data)), list(reranker.eyes.look(data))
    assert [one.ids for one in both] == [one.ids for one in alone]
    for one, two in zip(both, alone, strict=True):
        drafts = [TEXTS] * len(one.ids)
        np.testing.assert_allclose(reranker.scores(drafts, one), reranker.scores(drafts, two), atol=1e-6)
        np.testing.assert_allclose(one.gist, one.features.mean(dim=(2, 3)))
        assert one.gist.shape[1] == other.gist_width != two.gist.shape[1]


def changed(path: Path, **changes: Any) -> None:
    held = json.loads(path.read_text())
    path.write_text(json.dumps({**held, **changes}))


def test_folders_that_are_no_dual_encoder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"The model nowhere is missing. It is no folder here"):
        dual(Path("nowhere"))
    vision = save_tokens(saved(model("ViT"), tmp_path / "vit"))
    with pytest.raises(InputError, match=r"its config\.json describes no text side"):
        dual(vision)
    wide = clip_folder(tmp_path / "wide")
    weights = load_file(wide / "model.safetensors")
    del weights["text_projection.weight"]
    save_file(weights, wide / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="is no dual encoder: its images have 12 numbers, and its texts 16"):
        dual(wide)
    weights["text_projection.weight"] = torch.zeros(3)
    save_file(weights, wide / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="does not fit"):
        dual(wide)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"text_cfg": {"hf_pooler_type": "max_pooler"}}, "a text side that radcap does not build"),
        ({"text_cfg": 3, "embed_dim": 12}, "a text side that radcap does not build"),
    ],
)
def test_text_sides_of_open_clip_that_are_not_built_are_refused(
    changes: dict[str, Any], why: str, tmp_path: Path
) -> None:
    folder = biomedclip(tmp_path / "b", **changes)
    held = json.loads((folder / "open_clip_config.json").read_text())
    if changes["text_cfg"] == 3:
        held["model_cfg"] = [held["model_cfg"]]
        (folder / "open_clip_config.json").write_text(json.dumps(held))
        weights = load_file(folder / "open_clip_model.safetensors")
        kept = {name: one for name, one in weights.items() if not name.startswith("text.")}
        save_file(kept, folder / "open_clip_model.safetensors")
    with pytest.raises(InputError, match=why):
        dual(folder)


def test_a_bert_without_its_layers_is_refused(tmp_path: Path) -> None:
    folder = biomedclip(tmp_path / "b")
    weights = load_file(folder / "open_clip_model.safetensors")
    kept = {name: one for name, one in weights.items() if ".encoder.layer.0.intermediate" not in name}
    save_file(kept, folder / "open_clip_model.safetensors")
    with pytest.raises(InputError, match=r"holds no BERT that reads texts \('encoder.layer.0.intermediate"):
        dual(folder)


def test_a_linear_projection_after_a_mean(tmp_path: Path) -> None:
    """As open_clip names one layer."""
    folder = biomedclip(tmp_path / "b", text_cfg={"hf_pooler_type": "mean_pooler"})
    weights = load_file(folder / "open_clip_model.safetensors")
    kept = {name: one for name, one in weights.items() if not name.startswith("text.proj.")}
    torch.manual_seed(1)
    matrix = torch.randn(12, 64)
    save_file({**kept, "text.proj.weight": matrix}, folder / "open_clip_model.safetensors")
    texts: TextNetwork = dual(folder).texts
    assert texts.longest == 24
    with torch.no_grad():
        mean = bert_model()(**given(TEXTS[:1])).last_hidden_state[0].mean(dim=0)
    wanted = torch.nn.functional.normalize(mean @ matrix.T, dim=0)
    np.testing.assert_allclose(texts(TEXTS[:1])[0], wanted, atol=1e-5)


LIGHT, DARK = "Bright CT with pneumothorax.", "Dark MRI of the abdomen."


def lessons(images: int = 60) -> tuple[Lessons, Any]:
    """Vectors on either side, and captions that say which; a number that never changes is no trouble."""
    rng = np.random.default_rng(3)
    sides = np.arange(images) % 2
    vectors = rng.normal(size=(images, 7)).astype(np.float32)
    vectors[:, 2] += 3 * sides
    vectors[:, 5] = 8
    captions = [LIGHT if side else DARK for side in sides]
    return Lessons(captions, lambda: (captions, vectors), seed=1), vectors


def sight_of(vectors: Any) -> Sight:
    maps = torch.from_numpy(vectors)[:, :, None, None]
    return Sight(tuple(map(str, range(len(vectors)))), maps, None, None, {})


def test_a_learnt_alignment_tells_captions_by_the_image(tmp_path: Path) -> None:
    learn, vectors = lessons()
    made = make_reranker(Source(RerankSettings("alignment"), CPU, tmp_path, learn))
    assert made.looks
    assert made.eyes is None
    scores = made.scores([[LIGHT, DARK]] * 60, sight_of(vectors))
    right = [(light > dark) == bool(n % 2) for n, (light, dark) in enumerate(scores)]
    assert sum(right) >= 57
    made.save(tmp_path / "kept")
    again = make_reranker(Source(RerankSettings("alignment"), CPU, tmp_path / "kept"))
    assert isinstance(again, LearntAlignment)
    assert again.scores([[LIGHT, DARK]] * 60, sight_of(vectors)) == scores
    same = make_reranker(Source(RerankSettings("alignment"), CPU, tmp_path, learn))
    assert same.scores([[LIGHT, DARK]] * 60, sight_of(vectors)) == scores


def test_a_score_is_the_cosine_of_the_two_maps(tmp_path: Path) -> None:
    learn, vectors = lessons()
    made: Any = make_reranker(Source(RerankSettings("alignment"), CPU, tmp_path, learn))
    image = (vectors[0] - made.mean) / made.spread @ made.image_map
    text = made.texts([DARK])[0] @ made.text_map
    wanted = image @ text / np.linalg.norm(image) / np.linalg.norm(text)
    ((found,),) = made.scores([[DARK]], sight_of(vectors[:1]))
    assert found == pytest.approx(float(wanted), abs=1e-5)
    assert made.scores([["unheard"]], sight_of(vectors[:1])) == [[0.0]]


@pytest.mark.parametrize("damage", ["gone", "wide", "nan", "flat", "other"])
def test_a_learnt_alignment_that_is_damaged_is_refused(damage: str, tmp_path: Path) -> None:
    make_reranker(Source(RerankSettings("alignment"), CPU, tmp_path, lessons()[0])).save(tmp_path)
    path = tmp_path / "alignment.safetensors"
    held = read_weight_file(path)
    if damage == "wide":
        held["mean"] = held["mean"][:-1]
    elif damage == "nan":
        held["text_map"][0, 0] = float("nan")
    elif damage == "flat":
        held["spread"][1] = 0
    elif damage == "other":
        held = {"mean": torch.ones([])}
    write_weight_file(held, path, "fp32")
    if damage == "gone":
        path.unlink()
    with pytest.raises(InputError, match=r"alignment\.safetensors cannot be (used|read)"):
        make_reranker(Source(RerankSettings("alignment"), CPU, tmp_path))


def test_the_samples_are_what_transformers_opens(tmp_path: Path) -> None:
    """So that what is compared is the published way."""
    folder = bert_folder(tmp_path)
    assert transformers.AutoTokenizer.from_pretrained(str(folder))(TEXTS[0])["input_ids"] == [0, 4, 6, 1]
