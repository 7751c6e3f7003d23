"""Detectors and segmenters in the files that transformers writes, tiny and untrained."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from external_samples import Told

from radcap.core import InputError, Missing
from radcap.explanation.external import FoundBox, make_provider
from radcap.explanation.external.detector_boxes import LabelDetector, WordDetector
from radcap.explanation.external.local_models import check_folder, opened, transformers_module
from radcap.explanation.external.segmenter_boxes import Masked, Segmenter, open_segmenter
from radcap.explanation.external.settings import ProviderSettings, SegmenterSettings
from radcap.explanation.system import ExplainSettings, ExplainSystem
from radcap.explanation.values import Box

torch.set_num_threads(1)
PICTURE = np.random.default_rng(1).integers(0, 255, (40, 60, 3), np.uint8)
LETTERS = [chr(97 + n) for n in range(26)]


def system(model: object, sam: object = "", points: int = 0, threshold: float = 0.0) -> ExplainSystem:
    own = ProviderSettings(kind="detector", model=str(model), threshold=threshold, most=100)
    return ExplainSystem(
        name="a",
        task="explain",
        explain=ExplainSettings("external"),
        provider=own,
        segmenter=SegmenterSettings(str(sam), points),
    )


@pytest.fixture(scope="module")
def package() -> Any:
    return transformers_module()


@pytest.fixture(scope="module")
def yolos(package: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Knows lungs and hearts."""
    folder = tmp_path_factory.mktemp("yolos")
    torch.manual_seed(0)
    config = package.YolosConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, image_size=[32, 48],
        patch_size=8, num_detection_tokens=6, id2label={0: "Lung", 1: "heart muscle"}, initializer_range=0.5,
    )  # fmt: skip
    package.YolosForObjectDetection(config).save_pretrained(folder)
    package.YolosImageProcessor(size={"shortest_edge": 32, "longest_edge": 48}).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def owl(package: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes any words, letter by letter."""
    folder = tmp_path_factory.mktemp("owl")
    torch.manual_seed(0)
    pieces = [*LETTERS, *(f"{one}</w>" for one in LETTERS), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {one: n for n, one in enumerate(pieces)}
    words = package.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=16)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    marks = {"bos_token_id": 52, "eos_token_id": 53, "pad_token_id": 53}
    text = package.OwlViTTextConfig(vocab_size=len(pieces), max_position_embeddings=16, **size, **marks)
    sight = package.OwlViTVisionConfig(image_size=32, patch_size=8, **size)
    config = package.OwlViTConfig(
        text_config=text.to_dict(), vision_config=sight.to_dict(), projection_dim=16
    )
    package.OwlViTForObjectDetection(config).save_pretrained(folder)
    images = package.OwlViTImageProcessor(size={"height": 32, "width": 32})
    package.OwlViTProcessor(images, words).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def sam(package: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sam")
    torch.manual_seed(0)
    sight = package.SamVisionConfig(
        hidden_size=16, output_channels=8, num_hidden_layers=1, num_attention_heads=2, image_size=64,
        patch_size=8, mlp_ratio=2.0, num_pos_feats=4, window_size=4, global_attn_indexes=[0], mlp_dim=32,
    )  # fmt: skip
    prompts = package.SamPromptEncoderConfig(
        hidden_size=8, image_size=64, patch_size=8, mask_input_channels=4
    )
    masks = package.SamMaskDecoderConfig(
        hidden_size=8, mlp_dim=16, num_hidden_layers=1, num_attention_heads=2, attention_downsample_rate=1,
        iou_head_depth=2, iou_head_hidden_dim=8,
    )  # fmt: skip
    parts = {"vision_config": sight, "prompt_encoder_config": prompts, "mask_decoder_config": masks}
    config = package.SamConfig(**{name: one.to_dict() for name, one in parts.items()})
    package.SamModel(config).save_pretrained(folder)
    images = package.SamImageProcessor(
        size={"longest_edge": 64}, pad_size={"height": 64, "width": 64},
        mask_size={"longest_edge": 16}, mask_pad_size={"height": 16, "width": 16},
    )  # fmt: skip
    package.SamProcessor(images).save_pretrained(folder)
    return folder


def test_a_detector_with_labels_answers_for_phrases_that_hold_them(yolos: Path) -> None:
    provider = make_provider(system(yolos))
    assert isinstance(provider, LabelDetector)
    phrases = ["the left lung", "heart muscle", "liver"]
    found = provider.boxes(PICTURE, phrases)
    with torch.inference_mode():
        out = provider.model(**provider.processor(images=PICTURE, return_tensors="pt"))
    wanted: dict[str, list[tuple[float, list[float]]]] = {}
    for logits, (x, y, w, h) in zip(out.logits[0], out.pred_boxes[0].tolist(), strict=True):
        label = int(logits.softmax(-1)[:-1].argmax())
        sides = [max(x - w / 2, 0), max(y - h / 2, 0), min(x + w / 2, 1), min(y + h / 2, 1)]
        wanted.setdefault(phrases[label], []).append((float(logits.softmax(-1)[label]), sides))
    told = {one: [] for one in wanted}
    for one in found:
        box = one.box
        sides = [box.left, box.top, box.left + box.width, box.top + box.height]
        told[one.phrase].append((one.score, sides))
    for phrase, boxes in wanted.items():
        order = sorted(boxes, reverse=True)
        assert [score for score, _ in told[phrase]] == pytest.approx([score for score, _ in order])
        assert np.allclose([one for _, one in told[phrase]], [one for _, one in order], atol=1e-5)
    assert provider.boxes(PICTURE, ["liver"]) == []


def test_a_threshold_leaves_weak_boxes_out(yolos: Path) -> None:
    assert make_provider(system(yolos, threshold=1.0)).boxes(PICTURE, ["lung"]) == []


def test_a_detector_that_takes_words_is_asked_for_the_phrases(owl: Path) -> None:
    provider = make_provider(system(owl))
    assert isinstance(provider, WordDetector)
    phrases = ["heart", "left lower lobe of the lung and more words than fit"]
    found = provider.boxes(PICTURE, phrases)
    given = provider.processor(text=[phrases], images=PICTURE, return_tensors="pt", truncation=True)
    with torch.inference_mode():
        out = provider.model(**given)
    scores, labels = out.logits[0].sigmoid().max(-1)
    centres, sizes = out.pred_boxes[0].split(2, dim=-1)
    seen = ((centres + sizes / 2).clamp(0, 1) > (centres - sizes / 2).clamp(0, 1)).all(dim=-1)
    assert 0 < int(seen.sum()) < len(seen)  # some lie beyond the picture
    wanted = sorted(zip([phrases[one] for one in labels[seen]], scores[seen].tolist(), strict=True))
    assert sorted((one.phrase, one.score) for one in found) == [
        (name, pytest.approx(one)) for name, one in wanted
    ]
    assert all(0 <= one.box.left < 1 and one.box.left + one.box.width <= 1 + 1e-6 for one in found)


@pytest.mark.parametrize("points", [(), ((0.4, 0.5), (0.3, 0.4))], ids=["box", "box and points"])
def test_a_mask_is_the_one_that_sam_trusts_most(sam: Path, points: tuple[tuple[float, float], ...]) -> None:
    segmenter = open_segmenter(str(sam))
    mask = segmenter.mask(PICTURE, Box(0.25, 0.25, 0.5, 0.5, 0), points)
    assert (mask.shape, mask.dtype) == ((40, 60), np.bool_)
    wide, high = 64 / 60, 43 / 40  # the longer side fills the network's picture
    sides = torch.tensor([[[15.0 * wide, 10 * high, 45 * wide, 30 * high]]])
    prompt: dict[str, Any] = {"input_boxes": sides}
    if points:
        placed = [[x * 60 * wide, y * 40 * high] for x, y in points]
        prompt["input_points"] = torch.tensor([[placed]])
        prompt["input_labels"] = torch.ones(1, 1, len(points), dtype=torch.long)
    pixels = segmenter.processor(images=PICTURE, return_tensors="pt")["pixel_values"]
    with torch.inference_mode():
        out = segmenter.model(pixel_values=pixels, **prompt)
    best = out.pred_masks[0, 0, int(out.iou_scores[0, 0].argmax())]
    large = torch.nn.functional.interpolate(best[None, None], (64, 64), mode="bilinear")[..., :43, :]
    wanted = torch.nn.functional.interpolate(large, (40, 60), mode="bilinear")[0, 0] > 0
    assert (mask == wanted.numpy()).mean() > 0.99


class HalfSeer(Segmenter):
    """Sees the upper half of the picture, or nothing."""

    def mask(self, picture, box, points=()):
        mask = np.zeros(picture.shape[:2], np.bool_)
        mask[: int(len(points) > 0) * 20] = True
        return mask


def test_a_box_becomes_that_of_its_mask_and_an_empty_mask_leaves_it() -> None:
    found = FoundBox("heart", Box(0.25, 0.25, 0.5, 0.5, 0), 0.7)
    (told,) = Masked(Told((found,)), HalfSeer(None, None), points=2).boxes(PICTURE, ["heart"])
    assert (told.box, told.score) == (Box(0, 0, 1, 0.5, 0), 0.7)
    assert told.mask is not None
    assert told.mask.sum() == 20 * 60
    assert Masked(Told((found,)), HalfSeer(None, None)).boxes(PICTURE, ["heart"]) == [found]


def test_a_system_with_a_segmenter_gives_masks(yolos: Path, sam: Path) -> None:
    provider = make_provider(system(yolos, sam, points=3))
    assert isinstance(provider, Masked)
    found = provider.boxes(PICTURE, ["lung", "heart muscle"])
    assert len(found) == 6
    assert any(one.mask is not None for one in found)


def test_what_is_named_and_not_there_is_missing(tmp_path: Path) -> None:
    for model, told in (
        ("", r"The model of \[provider\] is missing"),
        (tmp_path / "no", "nothing is fetched"),
    ):
        with pytest.raises(Missing, match=told):
            make_provider(system(model))


def test_folders_that_are_no_model_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"a pickle")
    with pytest.raises(InputError, match=r"holds no model.safetensors, and no other weights are opened"):
        check_folder(str(tmp_path), "provider")
    (tmp_path / "model.safetensors").write_bytes(b"")
    for text in (None, "{", "[]", "{}", '{"model_type": 3}', "[" * 100_000):
        if text is not None:
            (tmp_path / "config.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"no config.json that names a model_type"):
            check_folder(str(tmp_path), "provider")


@pytest.mark.parametrize("kind", ["yolos", "no-such-network"])
def test_a_damaged_model_is_refused(kind: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}), encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"cannot be opened: .* Save it anew"):
        make_provider(system(tmp_path))


def test_damaged_weights_are_refused(yolos: Path, tmp_path: Path) -> None:
    for one in yolos.iterdir():
        (tmp_path / one.name).write_bytes(one.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"cannot be opened: "):
        make_provider(system(tmp_path))


def test_code_in_a_folder_is_not_run(yolos: Path, tmp_path: Path) -> None:
    for one in yolos.iterdir():
        (tmp_path / one.name).write_bytes(one.read_bytes())
    told = json.loads((tmp_path / "config.json").read_text("utf-8"))
    told |= {
        "model_type": "evil",
        "auto_map": {"AutoConfig": "evil.Config", "AutoModelForObjectDetection": "evil.M"},
    }
    (tmp_path / "config.json").write_text(json.dumps(told), encoding="utf-8")
    (tmp_path / "evil.py").write_text("raise SystemExit('run')", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be opened: "):
        make_provider(system(tmp_path))


def test_only_sam_segments(yolos: Path) -> None:
    with pytest.raises(
        InputError, match=r"is a model of the type 'yolos'. \[segmenter\] model is a folder of SAM"
    ):
        open_segmenter(str(yolos))


def test_transformers_is_missing_where_it_is_not_installed(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(Missing, match=r"transformers is missing.*pip install 'radcap\[train\]'"):
        transformers_module()


def test_a_model_that_lacks_a_weight_is_refused(yolos: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for one in yolos.iterdir():
        (tmp_path / one.name).write_bytes(one.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    del weights["class_labels_classifier.layers.0.weight"]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"lacks 1 weights, class_labels_classifier.layers.0.weight for one"):
        make_provider(system(tmp_path))


def test_nothing_is_fetched_or_run() -> None:
    class Maker:
        def __init__(self) -> None:
            self.options: dict[str, Any] = {}

        def from_pretrained(self, folder: Path, **options: Any) -> Any:
            self.options = options
            return torch.nn.Identity(), {"missing_keys": set()}

    processors, models = Maker(), Maker()
    opened(Path("x"), processors, models)
    for one in (processors, models):
        assert (one.options["local_files_only"], one.options["trust_remote_code"]) == (True, False)
    assert models.options["use_safetensors"]
