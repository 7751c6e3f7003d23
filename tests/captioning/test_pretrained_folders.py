"""Folders that are no published captioner, or not the whole of one: each is refused, with a way out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_pretrained import WORDS, composed, published, saved, system, whole, write_words
from published_samples import transformers
from safetensors.torch import load_file, save_file

from radcap.captioning.pretrained import open_published, published_tokenizer
from radcap.captioning.pretrained.learning import frozen_names
from radcap.captioning.system import CaptionSystem
from radcap.core import InputError, Missing, RadcapError, UsageError
from radcap.vision.transformers_library import quiet


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    for kind in ("GPT2", "Blip"):
        published(folder / kind, kind)
    return folder


@pytest.fixture
def folder(folders: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folders / "GPT2", tmp_path / "model"))


def opened(made: CaptionSystem) -> None:
    published_tokenizer(made)
    open_published(made)


def refused(made: CaptionSystem, why: str, kind: type[RadcapError] = InputError) -> None:
    with pytest.raises(kind, match=why) as caught:
        opened(made)
    told = str(caught.value)
    assert "\n" not in told
    assert len(told) < 900


def reweighted(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    held = load_file(folder / "model.safetensors")
    change(held)
    save_file(held, folder / "model.safetensors", {"format": "pt"})


def rewritten(folder: Path, name: str, **keys: Any) -> None:
    held = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(held | keys))


WEIGHT = "decoder.transformer.h.0.attn.c_attn.weight"


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("no/such/folder", r"The folder 'no/such/folder' is missing. \[pretrained\] model names it"),
        (
            "nobody/nothing",
            r"nobody/nothing is missing. .* cache does not hold its config.json. .* hf download",
        ),
        ("gpt2", r"The model gpt2 is missing. .* or name its folder"),
    ],
)
def test_what_is_not_here_is_missing(named: str, why: str) -> None:
    refused(system(named), why, Missing)


def test_eyes_that_are_not_here_are_missing(folder: Path) -> None:
    made = system(folder, pretrained={"eyes": "no/such/eyes"})
    refused(made, r"\[pretrained\] eyes names it", Missing)


DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no config": (lambda it: (it / "config.json").unlink(), r"config.json"),
    "no json": (lambda it: (it / "config.json").write_text("{"), r"config.json"),
    "another kind": (
        lambda it: rewritten(it, "config.json", model_type="bert"),
        r"config.json is refused: it describes a 'bert', and a 'vision-encoder-decoder' is wanted",
    ),
    "no kind": (lambda it: (it / "config.json").write_text("{}"), r"config.json|cannot be loaded"),
    "quantised": (
        lambda it: rewritten(it, "config.json", quantization_config={}),
        r"its weights are quantised. Give a model in fp32",
    ),
    "adapter": (
        lambda it: (it / "adapter_config.json").write_text("{}"),
        r"it is an adapter's. Give",
    ),
    "no weights": (
        lambda it: (it / "model.safetensors").unlink(),
        r"model.safetensors is refused: it is not there. Give a folder with safetensors",
    ),
    "pickled": (
        lambda it: (it / "model.safetensors").rename(it / "pytorch_model.bin"),
        r"pytorch_model.bin is refused: its weights are pickled .* Get the same model in safetensors",
    ),
    "cut": (
        lambda it: (it / "model.safetensors").write_bytes((it / "model.safetensors").read_bytes()[:-9]),
        r"model.safetensors is refused: it cannot be opened",
    ),
    "a weight less": (
        lambda it: reweighted(it, lambda held: held.pop(WEIGHT)),
        rf"the weight {WEIGHT} is absent, and 0 more. Get the model again",
    ),
    "a weight more": (
        lambda it: reweighted(it, lambda held: held.update({"decoder.odd": torch.zeros(1)})),
        r"the weight decoder.odd is none of the model",
    ),
    "another shape": (
        lambda it: reweighted(it, lambda held: held.update({WEIGHT: torch.zeros(3, 3)})),
        rf"the weight {WEIGHT} has another shape than config.json says",
    ),
    "no tokenizer": (
        lambda it: (it / "tokenizer.json").unlink(),
        r"There is no tokenizer at",
    ),
    "a larger tokenizer": (
        lambda it: write_words(it, [*WORDS, "more"]),
        r"tokenizer.json has 80 tokens, and the model beside it 79. Get the model again",
    ),
    "a mark beyond": (
        lambda it: rewritten(it, "generation_config.json", eos_token_id=79),
        r"config.json names a mark that is none of the 79 tokens of the model",
    ),
    "no processor": (
        lambda it: (it / "preprocessor_config.json").unlink(),
        r"has no preprocessor_config.json, which says how pixels are scaled",
    ),
    "an odd processor": (
        lambda it: rewritten(it, "preprocessor_config.json", image_std=[0, 1, 1]),
        r"preprocessor_config.json gives no image_mean and image_std of three numbers",
    ),
    "unknown eyes": (
        lambda it: rewritten(it, "config.json", encoder={"model_type": "whisper", "vocab_size": 9}),
        r"cannot be loaded as a vision-encoder-decoder model|no vision tower that radcap knows",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused(damage: str, folder: Path) -> None:
    change, why = DAMAGES[damage]
    change(folder)
    refused(system(folder), why)


def test_shards_are_read_and_missed(folders: Path, tmp_path: Path) -> None:
    folder = saved(whole("Blip"), tmp_path / "shards", max_shard_size="20KB")
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    shards = sorted(set(index["weight_map"].values()))
    assert len(shards) > 2
    opened(system(folder, "blip"))
    (folder / shards[1]).unlink()
    refused(system(folder, "blip"), rf"{shards[1]} is refused: it is not there. .* names {len(shards)} files")


def test_what_older_versions_wrote_beside_the_weights_is_left_out(folder: Path) -> None:
    held = {
        "decoder.transformer.h.0.attn.bias": torch.ones(1, 1, 4, 4),
        "decoder.transformer.h.1.crossattention.masked_bias": torch.tensor(-1e4),
    }
    reweighted(folder, lambda weights: weights.update(held))
    opened(system(folder))


def test_no_code_of_a_folder_is_run(folder: Path) -> None:
    (folder / "evil.py").write_text("raise SystemExit('the folder was run')")
    kinds = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}
    rewritten(folder, "config.json", auto_map=kinds)
    opened(system(folder))  # the type is known, and what it says of code is not asked
    rewritten(folder, "config.json", model_type="made-up")
    refused(system(folder), r"cannot be loaded|it describes a 'made-up'")


def test_a_text_side_that_cannot_look_is_refused(tmp_path: Path) -> None:
    made = composed(tmp_path)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    marks = {"vocab_size": len(WORDS), "bos_token_id": 2, "eos_token_id": 3}
    plain = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **marks))
    with quiet(transformers):
        plain.save_pretrained(tmp_path / "text")
    refused(made, r"a LlamaForCausalLM without cross-attention, so it cannot look .* kind = \"lm\"")


def test_a_text_side_that_transformers_does_not_know_is_refused(tmp_path: Path) -> None:
    made = composed(tmp_path)
    rewritten(tmp_path / "text", "config.json", model_type="made-up")
    refused(made, r"text cannot be loaded as a model of transformers: .* without code of its own")


def test_nothing_is_begun_with_where_no_model_is_named() -> None:
    refused(
        system(""), r"kind is 'encoder-decoder', and no model is named. Give \[pretrained\] model", UsageError
    )


def test_a_whole_without_cross_attention_is_refused(tmp_path: Path) -> None:
    sides = whole().config
    config = transformers.VisionEncoderDecoderConfig(
        encoder=sides.encoder.to_dict(), decoder=sides.decoder.to_dict() | {"add_cross_attention": False}
    )
    folder = saved(transformers.VisionEncoderDecoderModel(config), tmp_path / "model")
    refused(system(folder), r"a GPT2LMHeadModel without cross-attention")


def test_captions_longer_than_the_model_reads_are_refused(folder: Path) -> None:
    made = system(folder, decoder={"longest": 40})
    refused(made, r"\[decoder\] longest is 40.* reads 40 tokens.* Lower them to 39 or less", UsageError)
    opened(system(folder, decoder={"longest": 39}))


def test_names_that_no_weight_has_are_refused(folder: Path) -> None:
    made = system(folder, pretrained={"freeze": ("encoder.*", "decoder.*.self_attention.*")})
    refused(made, r"\[pretrained\] freeze says 'decoder.\*.self_attention.\*', and no weight", UsageError)
    made = system(folder, pretrained={"lora": 2, "lora_layers": ("o_proj_of_nothing",)})
    refused(made, r"lora_layers says 'o_proj_of_nothing', and no layer of the model", UsageError)


@pytest.mark.parametrize(
    ("layers", "count"),
    [(("c_proj",), 6), (("encoder.*.q_proj", "lm_head"), 3), (("*.h.0.*.c_attn",), 2)],
    ids=str,
)
def test_low_rank_weights_stand_where_they_are_asked_for(
    layers: tuple[str, ...], count: int, folder: Path
) -> None:
    """Attention, looking and thinking of two layers each have a c_proj."""
    mine = open_published(system(folder, pretrained={"lora": 2, "lora_layers": layers}))
    assert len(mine.own_weights()) == 2 * count
    learns = {name for name, one in mine.whole.model.named_parameters() if one.requires_grad}
    assert all(".lora_" in name for name in learns)


def test_the_first_of_some_names() -> None:
    names = ["eyes.a", "eyes.b", "text.a", "text.b", "text.c"]
    assert list(frozen_names(names, ["text.*:2"])) == ["text.a", "text.b"]
    assert list(frozen_names(names, ["*.a"])) == ["eyes.a", "text.a"]
    assert list(frozen_names(names, ["eyes.b", "*:1"])) == ["eyes.b", "eyes.a"]
    with pytest.raises(UsageError, match="no weight of the model is called so"):
        list(frozen_names(names, ["eyes.[ab]"]))
