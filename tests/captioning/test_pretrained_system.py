"""[pretrained] and the tables beside it: what can be, and what cannot."""

from __future__ import annotations

import pytest

from radcap.captioning.pretrained_settings import PRETRAINED, PretrainedSettings
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import caption_toml, read_caption_system
from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml

HEAD = 'name = "mine"\ntask = "captions"\n'
OWN = "[decoder]\nkind = 'encoder-decoder'\n[pretrained]\nmodel = 'a/b'\n"
BLIP = OWN.replace("encoder-decoder", "blip")
SEER = "[detector]\nmodel = 'zoo:concepts'\n"


def system_of(text: str) -> CaptionSystem:
    return read_caption_system(parse_toml(HEAD + text))


@pytest.mark.parametrize(
    "text",
    [
        OWN,
        BLIP + "lora = 4\nlora_layers = ['query']",
        OWN + "eyes = 'c/d'\nfreeze = ['encoder.*', 'decoder.*:300']",
        OWN + "train = false",
        OWN.replace("model = 'a/b'", "geometry = 'tiny'") + "[backbone]\nfrozen = true",
        OWN.replace("model = 'a/b'", "geometry = 'small'") + SEER,
        BLIP + "[joint]\nconcepts = 1.0",
        BLIP + SEER + "share = false\n[condition]\nconcepts = 'all'",
    ],
)
def test_what_can_be_is_read_and_written_alike(text: str) -> None:
    system = system_of(text)
    assert system.decoder.kind in PRETRAINED
    assert read_caption_system(parse_toml(caption_toml(system))) == system


CONTRADICTIONS = [
    ("[pretrained]\nmodel = 'a/b'", "pretrained", "A decoder of kind 'transformer' begins with no published"),
    ("[pretrained]\ntrain = false", "pretrained", "begins with no published captioner. Delete it"),
    *(
        (f"[decoder]\nkind = '{kind}'", "pretrained", f"The kind '{kind}' begins with a published captioner")
        for kind in PRETRAINED
    ),
    (BLIP + "eyes = 'c/d'", "pretrained", "eyes is the image encoder under the language model"),
    (
        OWN.replace("model = 'a/b'", "eyes = 'c/d'\ngeometry = 'tiny'"),
        "pretrained",
        "eyes is the image encoder under the language model",
    ),
    (
        OWN.replace("model = 'a/b'", "geometry = 'tiny'\nlora = 2"),
        "pretrained",
        "Random weights have to learn",
    ),
    (
        OWN + "lora = 2\nfreeze = ['encoder.*']",
        "pretrained",
        "With lora none of the model's own weights learn",
    ),
    (
        OWN + "lora = 2\nlora_layers = ['q_proj']\n[joint]\nconcepts = 1.0",
        "joint",
        "concepts makes a detector of the eyes, and lora_layers may put weights beside them",
    ),
    (OWN + "[backbone]\nfrozen = true", "backbone", "The published captioner has eyes of its own"),
    (OWN + SEER, "detector", "The published captioner has eyes of its own. Write share = false"),
    (OWN + "[tokenizer]\nfile = 'words'", "tokenizer", "has a tokenizer of its own. Delete file"),
    (
        OWN + "train = false\nlora = 2",
        "pretrained",
        "train is false, and nothing learns. Delete lora and freeze",
    ),
    (OWN + "train = false\neyes = 'c/d'", "pretrained", "which has new cross-attention to learn"),
    (OWN + "train = false\n[joint]\nregion = 1.0", "joint", "nothing learns. Delete [joint]"),
    (OWN + "train = false\n[scst]\nepochs = 1", "scst", "nothing learns. Delete [scst]"),
    (
        BLIP + "train = false\n[language]\nepochs = 1",
        "language",
        "[pretrained] train is false, and nothing learns. Delete [language]",
    ),
    (
        OWN + "train = false\n[condition]\nprompt = 'A picture of'",
        "condition",
        "was never told anything, and [pretrained] train is false",
    ),
]


@pytest.mark.parametrize(("text", "table", "told"), CONTRADICTIONS)
def test_what_cannot_be_is_refused(text: str, table: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        system_of(text)
    (found,) = (f"{one.code} {one.message}" for one in caught.value.issues)
    assert found.startswith("SYS205")
    assert f"[{table}]" in found
    assert told in found


def test_a_q_former_reads_prompts_as_it_is() -> None:
    text = OWN.replace("encoder-decoder", "q-former") + "train = false\n[condition]\nprompt = 'Describe it.'"
    assert system_of(text).condition.prompt == "Describe it."


@pytest.mark.parametrize("pattern", ["", "a b", "decoder:", "decoder:0", "decoder:-3", "a:b:3", "a:1234567"])
def test_a_pattern_that_means_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"freeze holds .*Write a name of weights, with \* for any part"):
        PretrainedSettings(model="a/b", freeze=("encoder.*", pattern))


def test_a_model_or_a_geometry() -> None:
    with pytest.raises(UsageError, match="one or the other"):
        PretrainedSettings(model="a/b", geometry="tiny")
