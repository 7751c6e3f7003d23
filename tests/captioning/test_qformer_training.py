"""Published Q-Formers that learn: what is frozen, what is kept, and how others open it again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_pretrained import SIZE, system
from captioning_samples_qformer import KINDS, QUERIES, saved, whole
from captioning_samples_training import captioner, drawn, known_backbone, taught
from published_samples import pixels, scaled, transformers
from safetensors.torch import load_file

import radcap
from radcap.captioning.building import make_top, put_kept
from radcap.captioning.generation import marks_of, write
from radcap.captioning.models import CaptionAnswers, CaptionFolder, open_captioner
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.pretrained import open_published, published_tokenizer
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    ConditionSettings,
    GenerateSettings,
    JointSettings,
)
from radcap.core import InputError, UsageError
from radcap.detection.models import Answers
from radcap.vision.bridge import Bridge, make_bridge
from radcap.vision.heads.bridged import BridgedHead
from radcap.vision.pictures.streaming import stream
from radcap.vision.published_bridge import PublishedBridge
from radcap.vision.settings import BridgeSettings
from radcap.vision.transformers_library import quiet
from radcap.vision.weight_files import read_weight_file

__all__ = ["known_backbone"]

BEST, SMALL = "instructblip over t5", "blip-2 over opt"
PROMPT = "describe the ct"
# DS4DH 2025, in small
FREEZE = ("vision_model.*", "language_model.encoder.*", "language_model.decoder.*:6", "qformer.*:9")
TRAIN = CaptionTrainSettings(epochs=1, batch=16, lr=1e-2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("published")
    return {kind: saved(whole(kind), made / kind.replace(" ", "-"), kind) for kind in KINDS}


@pytest.fixture(scope="module")
def model(
    folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, known_backbone: None
) -> CaptionFolder:
    """Learnt with a prompt, concepts and modality beside the caption."""
    made = system(
        folders[BEST],
        "q-former",
        pretrained={"freeze": FREEZE},
        condition=ConditionSettings(prompt=PROMPT),
        joint=JointSettings(concepts=0.1, modality=0.1),
        data=CaptionDataSettings(min_count=2),
        train=TRAIN,
    )
    return taught(made, tmp_path_factory.mktemp("trained") / "m")


def opened(folder: CaptionFolder) -> WriterModel:
    found = open_captioner(folder.path, "cpu")
    assert isinstance(found, WriterModel)
    return found


def in_transformers(folder: Path, kind: str) -> Any:
    name = f"{KINDS[kind][0]}ForConditionalGeneration"
    with quiet(transformers):
        return getattr(transformers, name).from_pretrained(folder, dtype=torch.float32).eval()


@torch.no_grad()
def same_as_transformers(made: WriterModel, folder: Path, kind: str, prompt: str) -> None:
    """Logits, and the greedy caption, over what transformers' own processor makes of the prompt."""
    theirs = in_transformers(folder, kind)
    with quiet(transformers):
        processor = transformers.AutoProcessor.from_pretrained(folder)
    shown, marks = pixels(images=2), marks_of(made.scribe.tokenizer)
    told = processor(images=[torch.zeros(3, SIZE, SIZE)] * 2, text=[prompt] * 2, return_tensors="pt")
    told["pixel_values"] = scaled(shown)
    writer, prompter = made.scribe.writer, made.scribe.prompter
    words = None if prompter is None else prompter([[], []], [[], []])
    memory = writer.memory(made.eyes.looker(shown), None, words, rows=2)
    said = torch.tensor([[5, 9, 7]] * 2)
    encodes = theirs.language_model.config.is_encoder_decoder
    if encodes:
        begun = torch.cat([torch.zeros(2, 1, dtype=torch.long), said], dim=1)
        logits = theirs(**told, decoder_input_ids=begun).logits
    else:
        more = {"input_ids": said, "attention_mask": torch.ones_like(said)}
        logits = theirs(**told | {key: torch.cat([told[key], one], 1) for key, one in more.items()}).logits
    begun = torch.cat([torch.full((2, 1), marks.begin), said], dim=1)
    torch.testing.assert_close(writer.decoder(memory, begun), logits[:, -4:], atol=3e-4, rtol=1e-3)
    tokens = theirs.generate(**told, max_new_tokens=12, do_sample=False, suppress_tokens=list(marks.never))
    settings = GenerateSettings(method="greedy", no_repeat=0, shortest=0, longest=12)
    start = 1 if encodes else told["input_ids"].shape[1]
    for row, (one,) in zip(tokens.tolist(), write(writer.decoder, memory, settings, marks), strict=True):
        wanted = row[start:]
        assert list(one.tokens) == (wanted[: wanted.index(marks.end)] if marks.end in wanted else wanted)[:12]


def test_the_trained_folder_is_one_that_transformers_opens(
    folders: dict[str, Path], model: CaptionFolder
) -> None:
    same_as_transformers(opened(model), model.pretrained, BEST, PROMPT)
    for name in ("tokenizer.json", "processor_config.json", "qformer_tokenizer/tokenizer.json"):
        assert (model.pretrained / name).is_file()
    processor = json.loads((model.pretrained / "processor_config.json").read_text())
    assert processor["num_query_tokens"] == QUERIES
    assert processor["image_processor"]["size"] == {"height": SIZE, "width": SIZE}


def test_what_is_frozen_stays_as_it_was_and_the_rest_learns(
    folders: dict[str, Path], model: CaptionFolder
) -> None:
    old, new = (load_file(one / "model.safetensors") for one in (folders[BEST], model.pretrained))
    assert old.keys() == new.keys()
    changed = {name for name in old if not torch.equal(old[name], new[name])}
    assert not any(name.startswith(("vision_model.", "language_model.encoder.")) for name in changed)
    in_order = [name for name, _ in in_transformers(folders[BEST], BEST).named_parameters()]
    decoder = [name for name in in_order if name.startswith("language_model.decoder.")]
    qformer = [name for name in in_order if name.startswith("qformer.")]
    assert not changed & {*decoder[:5], *qformer[:9]}  # the sixth is the first again: words are tied
    assert {"query_tokens", "language_projection.weight"} <= changed
    assert changed & {*decoder[6:]}
    learns = {name for name in qformer[9:] if not QFormer_says_nothing(name)}
    assert changed & {*qformer} <= learns
    assert len(changed & learns) > len(learns) / 2


def QFormer_says_nothing(name: str) -> bool:  # noqa: N802 - of the class
    """What is made of words in the last layer is read by no query."""
    return name.startswith(("qformer.encoder.layer.2.intermediate.", "qformer.encoder.layer.2.output."))


def test_it_writes_the_same_whenever_it_is_opened(model: CaptionFolder) -> None:
    first, again = (radcap.predict(model.path, drawn(), split="test") for _ in range(2))
    assert isinstance(first, CaptionAnswers)
    assert isinstance(again, CaptionAnswers)
    assert first.captions() == again.captions()
    assert all(first.captions().values())
    held = read_weight_file(model.weights)
    assert {name.split(".")[1] for name in held if name.startswith("writer.")} == {
        "concepts",
        "kinds",
        "nothing",
    }


def test_joint_heads_look_at_queries_that_were_asked_nothing(model: CaptionFolder) -> None:
    """The detector beside the captioner needs neither the captioner nor a prompt."""
    settings = model.concepts.system().head.bridge
    assert settings.queries == QUERIES
    assert json.loads(settings.geometry)["empty"] == [2, 3]
    answers = radcap.predict(model.concepts.path, drawn(), split="test")
    assert isinstance(answers, Answers)
    made = opened(model)
    assert made.eyes.detector is not None
    head = made.eyes.detector.network.head
    assert isinstance(head, BridgedHead)
    assert isinstance(head.bridge, PublishedBridge)
    own = replace(model.system(), detector=replace(model.system().detector, model="", share=False))
    published = open_published(own, model.pretrained)
    top = make_top(own, made.scribe.tokenizer, model.labels(), made.eyes.width, published)
    put_kept(read_weight_file(model.weights), top, published=published)
    top.eval()
    theirs = in_transformers(model.pretrained, BEST)
    linear = top.heads["concepts"].get_submodule("linear")
    wanted: list[torch.Tensor] = []
    with torch.no_grad():
        for shot in stream(drawn().split("test"), made.eyes.view, 4):
            images = made.eyes.view(shot.squares, shot.boxes)
            asked = torch.tensor([[2, 3]] * len(images))
            told = theirs.get_image_features(scaled(images), qformer_input_ids=asked)
            queries = told.qformer_outputs.last_hidden_state[:, :QUERIES]
            wanted.append(linear(queries.mean(dim=1)))
            begun = torch.full((len(images), 1), made.scribe.tokenizer.begin)
            found = top(made.eyes.looker(images), begun)["concepts"]
            torch.testing.assert_close(found, wanted[-1], atol=1e-3, rtol=1e-2)
    assert answers.logits is not None
    np.testing.assert_allclose(answers.logits, torch.cat(wanted).numpy(), atol=2e-3)


def test_low_rank_weights_stand_beside_the_language_model_alone(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    base = Path(shutil.copytree(folders[SMALL], tmp_path / "base"))
    given = system(base, "q-former", pretrained={"lora": 2, "freeze": ("vision_model.*",)}, train=TRAIN)
    made = taught(given, tmp_path / "m")
    assert not made.pretrained.exists()
    held = read_weight_file(made.weights)
    theirs = {name.removeprefix("published.") for name in held if name.startswith("published.")}
    low = {name for name in theirs if ".lora_" in name}
    assert len(low) == 2 * 2  # q and v, A and B
    assert all(name.startswith("language_model.") for name in low)
    full = {name.partition(".")[0] for name in theirs - low}
    assert full == {"query_tokens", "qformer", "language_projection"}
    assert all(opened(made).answers(drawn().split("test")).captions().values())


@pytest.mark.parametrize("kind", [SMALL, "instructblip over llama"])
def test_it_can_be_asked_as_it_is(kind: str, folders: dict[str, Path], tmp_path: Path) -> None:
    given = system(
        folders[kind],
        "q-former",
        pretrained={"train": False},
        condition=ConditionSettings(prompt="ct of"),
    )
    made = taught(given, tmp_path / "m")
    same_as_transformers(opened(made), folders[kind], kind, "ct of")


def test_random_weights_write_over_any_eyes(tmp_path: Path) -> None:
    """A small T5 over queries of radcap's own."""
    given = captioner(
        "q-former",
        decoder={"queries": 3, "bridge_layers": 1},
        pretrained=PretrainedSettings(geometry="tiny"),
        joint=JointSettings(modality=0.5),
        train=TRAIN,
    )
    made = taught(given, tmp_path / "m")
    held = read_weight_file(made.weights)
    assert held["writer.bridge.queries"].shape == (3, 16)
    assert "writer.decoder.model.shared.weight" in held
    assert held["heads.modality.linear.weight"].shape[1] == 16
    first, again = (radcap.predict(made.path, drawn(), split="test") for _ in range(2))
    assert isinstance(first, CaptionAnswers)
    assert isinstance(again, CaptionAnswers)
    assert first.captions() == again.captions()
    assert isinstance(opened(made).scribe.writer.bridge, Bridge)


# folders that are not what they should be


def rewritten(path: Path, change: Any) -> None:
    held = json.loads(path.read_text())
    change(held)
    path.write_text(json.dumps(held))


def _tokens(path: Path, **ids: int) -> None:
    def change(held: dict[str, Any]) -> None:
        held["added_tokens"] += [
            {**held["added_tokens"][0], "content": name, "id": number} for name, number in ids.items()
        ]
        vocabulary = held["model"]["vocab"]
        for name, number in ids.items():
            if isinstance(vocabulary, dict):
                vocabulary[name] = number

    rewritten(path, change)


PROCESSOR = "processor_config.json"
SPOILT = {
    "queries": (
        lambda it: rewritten(it / PROCESSOR, lambda held: held.update(num_query_tokens=32)),
        r"processor_config.json is refused: it has places for 32 queries, and the model beside it has 4",
    ),
    "images": (
        lambda it: rewritten(
            it / PROCESSOR, lambda held: held["image_processor"].update(size={"height": 64, "width": 64})
        ),
        r"it makes images of 64 pixels, and the model sees 32",
    ),
    "images, in a file of their own": (
        lambda it: (it / "preprocessor_config.json").write_text(
            '{"size": 48, "image_mean": [0, 0, 0], "image_std": [1, 1, 1]}'
        ),
        r"preprocessor_config.json is refused: it makes images of 48 pixels",
    ),
    "hearing": (
        lambda it: shutil.rmtree(it / "qformer_tokenizer"),
        r"There is no tokenizer at .*qformer_tokenizer",
    ),
    "hearing too much": (
        lambda it: rewritten(it / "config.json", lambda held: held["qformer_config"].update(vocab_size=70)),
        r"qformer.embeddings.word_embeddings.weight has another shape",
    ),
    "the place of images": (
        lambda it: rewritten(it / "config.json", lambda held: held.update(image_token_index=3)),
        r"tokenizer.json is refused: its <image> is token 33, and the model beside it takes token 3",
    ),
    "another kind": (
        lambda it: rewritten(it / "config.json", lambda held: held.update(model_type="blip")),
        r"it describes a 'blip', and a 'blip-2' or an 'instructblip' is wanted",
    ),
    "no weights": (
        lambda it: (it / "model.safetensors").unlink(),
        r"model.safetensors is refused: it is not there",
    ),
    "more queries": (
        lambda it: (
            rewritten(it / "config.json", lambda held: held.update(num_query_tokens=5))
            or rewritten(it / PROCESSOR, lambda held: held.update(num_query_tokens=5))
        ),
        r"query_tokens has another shape",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_folder_is_refused_with_what_does_not_fit(
    folders: dict[str, Path], tmp_path: Path, how: str
) -> None:
    spoil, told = SPOILT[how]
    shutil.copytree(folders[BEST], tmp_path / "it")
    spoil(tmp_path / "it")
    given = system(tmp_path / "it", "q-former")
    with pytest.raises(InputError, match=told):
        open_published(given).writer(32, 2, pad=0, grid=0)


def test_a_tokenizer_of_the_queries_is_no_larger_than_their_words(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(folders[BEST], tmp_path / "it")
    _tokens(tmp_path / "it" / "qformer_tokenizer" / "tokenizer.json", more=95)
    with pytest.raises(InputError, match=r"it has 96 tokens, and the Q-Former beside it 90"):
        open_published(system(tmp_path / "it", "q-former")).writer(32, 2, pad=0, grid=0)


def test_parts_make_the_same_model_and_an_absent_one_is_named(tmp_path: Path) -> None:
    parts = saved(whole(SMALL), tmp_path / "parts", SMALL, max_shard_size="20KB")
    files = sorted(parts.glob("*.safetensors"))
    assert len(files) > 2
    given = system(parts, "q-former")
    held = open_published(given).whole.model.state_dict()
    assert all(torch.equal(held[name], one) for name, one in whole(SMALL).state_dict().items())
    files[1].unlink()
    with pytest.raises(InputError, match=rf"{files[1].name} is refused: it is not there"):
        open_published(given)


def test_marks_are_those_that_its_own_generate_goes_by(folders: dict[str, Path]) -> None:
    found = {kind: published_tokenizer(system(folders[kind], "q-former")) for kind in KINDS}
    marks = {kind: (one.pad, one.begin, one.end) for kind, one in found.items()}
    assert marks == {
        SMALL: (0, 1, 1),
        "blip-2 over t5": (0, 0, 1),
        "instructblip over llama": (0, 3, 1),
        BEST: (0, 0, 1),
    }


def test_marks_that_a_model_does_not_name_are_those_of_its_tokenizer(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(folders[SMALL], tmp_path / "it")
    names = ("bos_token_id", "eos_token_id", "pad_token_id")
    rewritten(
        tmp_path / "it" / "config.json",
        lambda held: held["text_config"].update(dict.fromkeys(names)),
    )
    found = published_tokenizer(system(tmp_path / "it", "q-former"))
    assert (found.pad, found.begin, found.end) == (0, 1, 1)


# the bridge by itself


def test_a_published_bridge_is_built_again_from_its_geometry(folders: dict[str, Path]) -> None:
    for kind in (SMALL, BEST):
        given = system(folders[kind], "q-former", decoder={"grid": 2})
        published = open_published(given)
        writer = published.writer(published.eyes.width, 2, pad=0, grid=2)
        bridge = writer.bridge
        assert isinstance(bridge, PublishedBridge)
        again = make_bridge(bridge.settings, published.eyes.width).eval()
        again.load_state_dict(bridge.state_dict())
        features = torch.randn(2, published.eyes.width, 4, 4)
        with torch.no_grad():
            torch.testing.assert_close(again(features), bridge.eval()(features))
        assert (again.before, again.width, again.grid) == (1, 12, 2)
        assert len(again.readings()) == 3
        assert len(again.lookings()) == 2  # the second layer does not look


@pytest.mark.parametrize("geometry", ["{", "{}", '{"config": {"model_type": "bert"}, "empty": []}', "[1]"])
def test_a_geometry_that_is_none_is_refused(geometry: str) -> None:
    with pytest.raises(InputError, match=r"\[head.bridge\] geometry is not what radcap writes there"):
        make_bridge(BridgeSettings(queries=2, geometry=geometry), 16)


def test_a_map_without_tokens_is_looked_at_place_by_place(folders: dict[str, Path]) -> None:
    published = open_published(system(folders[SMALL], "q-former"))
    theirs = published.whole.model
    bridge = PublishedBridge(theirs.qformer, theirs.query_tokens, 16)
    features = torch.randn(2, 16, 2, 2)
    with torch.no_grad():
        told = theirs.qformer(
            query_embeds=theirs.query_tokens.expand(2, -1, -1),
            encoder_hidden_states=features.flatten(2).transpose(1, 2),
        ).last_hidden_state
        torch.testing.assert_close(bridge(features)[..., 0].transpose(1, 2), told)
    assert bridge.before == 0


def test_a_prompt_that_is_too_long_for_the_queries_is_cut(folders: dict[str, Path]) -> None:
    given = system(folders[BEST], "q-former")
    writer: Any = open_published(given).writer(32, 2, pad=0, grid=0)
    tokenizer = published_tokenizer(given)
    long, short = (tokenizer.encode(text) for text in ("ct of the liver. " * 9, "ct"))
    words = torch.zeros(2, len(long), dtype=torch.long)
    words[0], words[1, : len(short)] = torch.tensor(long), torch.tensor(short)
    asked = writer.instructor(words)
    assert asked.tokens.shape == asked.there.shape == (2, 48)
    assert asked.there[0].all()
    assert asked.tokens[0, [0, -1]].tolist() == [2, 3]
    own = writer.instructor.own.encode("ct")
    assert asked.tokens[1, : len(own) + 2].tolist() == [2, *own, 3]
    assert asked.there[1].sum() == len(own) + 2


def test_concepts_stand_between_queries_and_words(folders: dict[str, Path]) -> None:
    given = system(folders[SMALL], "q-former")
    published = open_published(given)
    writer: Any = published.writer(published.eyes.width, 3, pad=0, grid=0)
    writer.eval()
    features = published.eyes(pixels(images=2))
    told = torch.tensor([[2, -1], [0, 1]])
    words = torch.tensor([[7, 8], [9, 0]])
    memory = writer.memory(features, told, words, rows=2)
    assert memory.there.tolist() == [
        [True] * QUERIES + [True, False] + [True] + [True, True],
        [True] * QUERIES + [True, True] + [True] + [True, False],
    ]
    torch.testing.assert_close(memory.values[1, QUERIES], writer.concepts.weight[0])
    alone = writer.memory(None, rows=2)
    assert alone.values.shape[:2] == (2, 2)  # something to look at, and the mark that begins a text
    torch.testing.assert_close(alone.values[:, 0], writer.nothing[0].expand(2, -1))


def test_lora_that_fits_no_layer_is_refused(folders: dict[str, Path]) -> None:
    given = system(folders[SMALL], "q-former", pretrained={"lora": 2, "lora_layers": ("nowhere",)})
    with pytest.raises(UsageError, match="lora_layers says 'nowhere'"):
        open_published(given)
