"""What a chat is asked, and what cannot be said of one in a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.chats.freezing import frozen_names
from radcap.captioning.chats.instruction import INSTRUCTION, template_of
from radcap.captioning.chats.questions import Brief, questions_of
from radcap.captioning.settings import ConditionSettings, DecoderSettings
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import caption_toml, read_caption_system
from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.detection.text.vlm import Question

NAMES = {"C0040405": "X-ray computed tomography", "C0817096": "Chest", "C0032285": "Pneumonia"}
CT, CHEST, PNEUMONIA = range(3)
CHAT = 'name = "a"\ntask = "captions"\n[decoder]\nkind = "chat"\n[pretrained]\ngeometry = "tiny"\n'


def condition(prompt: str = "", concepts: str = "none", neighbours: int = 0) -> ConditionSettings:
    return ConditionSettings(prompt=prompt, concepts=concepts, neighbours=neighbours)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("prompt", "decided", "near", "asked"),
    [
        (
            "{modality} image: {image}. Describe the medical image.",
            [CT, CHEST],
            [],
            Question("CT image:", ". Describe the medical image."),
        ),
        ("{modality} image: {image}", [CHEST], [], Question("unknown image:", "")),
        ("{image} Found: {concepts}.", [], [], Question("", "Found: unknown.")),
        (
            "{image} Found: {concepts}.",
            [CT, PNEUMONIA],
            [],
            Question("", "Found: X-ray computed tomography, Pneumonia."),
        ),
        (
            "Like: {neighbours} Now {image} is:",
            [CT],
            ["One.", "Two {image}."],
            Question("Like: One. Two {image}. Now", "is:"),
        ),
        ("  {image}  ", [CT], [], Question("", "")),
    ],
)
def test_what_is_known_stands_around_the_image(
    prompt: str, decided: list[int], near: list[str], asked: Question
) -> None:
    questions = questions_of(condition(prompt, "all", len(near)), NAMES)
    assert questions.question(questions.brief(decided, near)) == asked


@pytest.mark.parametrize(
    ("wanted", "prompt", "told"),
    [
        ("all", "{image} {concepts}", Brief((CT, PNEUMONIA))),
        ("modality", "{image} {concepts}", Brief((CT,))),
        ("none", "{image}", Brief()),
        ("all", "{image} {modality}", Brief((), CT)),
        ("all", "{image} {modality} {concepts}", Brief((CT, PNEUMONIA), CT)),
    ],
)
def test_no_more_is_told_than_the_settings_and_the_prompt_ask_for(
    wanted: str, prompt: str, told: Brief
) -> None:
    assert questions_of(condition(prompt, wanted), NAMES).brief([CT, PNEUMONIA, -1]) == told


def test_a_brief_can_do_without_a_label() -> None:
    brief = Brief((CT, CHEST), CT, ("Near.",))
    assert brief.told == (CT, CHEST)
    assert Brief((), CHEST).told == (CHEST,)
    assert brief.only([CHEST]) == Brief((CHEST,), -1, ("Near.",))
    assert brief.only([CT]) == Brief((CT,), CT, ("Near.",))


@pytest.mark.parametrize(
    ("given_", "slots"),
    [
        (condition(), ()),
        (condition(concepts="all"), ("{concepts}",)),
        (condition(concepts="modality", neighbours=2), ("{concepts}", "{neighbours}")),
    ],
)
def test_without_a_prompt_the_instruction_is_asked_with_all_that_is_told(
    given_: ConditionSettings, slots: tuple[str, ...]
) -> None:
    template = template_of(given_)
    assert template.startswith(f"{{image}} {INSTRUCTION}")
    assert template.count("{") == 1 + len(slots)
    assert all(one in template for one in slots)
    for words in ("expert", "figure", "modality", "concepts", "anatomy", "arrows", "abnormal"):
        assert words in INSTRUCTION
    for words in ("abbreviation", "no title", "no figure number", "no reference", "list", "nothing else"):
        assert words in INSTRUCTION


def test_the_whole_file_of_a_chat_says_what_is_asked() -> None:
    system = read_caption_system(parse_toml(CHAT))
    assert "prompt" not in caption_toml(system)
    whole = caption_toml(system, full=True)
    assert INSTRUCTION in whole
    again = read_caption_system(parse_toml(whole))
    assert again.condition.prompt == template_of(system.condition)
    assert caption_toml(again, full=True) == whole
    other = CaptionSystem(name="b", task="captions", decoder=DecoderSettings(kind="gru"))
    assert INSTRUCTION not in caption_toml(other, full=True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            f'{CHAT}[condition]\nprompt = "Describe it."\n',
            r"line 7: \[condition\]: The .* {image} stands there not at all. Write it once, like",
        ),
        (f'{CHAT}[condition]\nprompt = "{{image}} {{image}}"\n', r"{image} stands there 2 times. Write it"),
        (f"{CHAT}[joint]\nmodality = 0.5\n", r"\[joint\]: A chat learns captions alone. Delete \[joint\]."),
        (f"{CHAT}[language]\nepochs = 1\n", r"\[language\]: A chat has learnt its language already. Delete"),
        (f"{CHAT}[scst]\nepochs = 1\n", r"\[scst\]: A chat learns by cross-entropy alone. Delete"),
        (
            'name = "a"\ntask = "captions"\n[decoder]\nkind = "prefix"\n[condition]\nprompt = "{image}: "\n',
            r"{image} stands in the prompt of a chat alone. Delete it",
        ),
        (f'{CHAT}[condition]\nprompt = "{{image}} {{modality}}"\n', r"and there is none. Give \[detector\]"),
    ],
)
def test_what_cannot_be_is_refused_when_the_file_is_read(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        read_caption_system(parse_toml(text))
    assert {one.code for one in caught.value.issues} == {"SYS205"}


WEIGHTS = ("eyes.0.w", "eyes.1.w", "eyes.10.w", "words.0.w", "words.0.b")


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["eyes.*"], WEIGHTS[:3]),
        (["eyes.*:2"], WEIGHTS[:2]),
        (["*.b", "words*:1"], (WEIGHTS[4], WEIGHTS[3])),
        (["*:9", "*.b"], WEIGHTS),
        ([], ()),
    ],
)
def test_patterns_meet_weights_by_name(patterns: list[str], found: tuple[str, ...]) -> None:
    assert tuple(frozen_names(WEIGHTS, patterns)) == found


@pytest.mark.parametrize("pattern", ["eye.*", "words.0.c", "eyes.*:x", "", ":3"])
def test_a_pattern_that_meets_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(
        UsageError, match=r"freeze holds .*, which meets no weight of the model. .* Write a name"
    ):
        frozen_names(WEIGHTS, [pattern])


def test_a_model_without_weights_has_none_to_name() -> None:
    with pytest.raises(UsageError, match=r"no weight of the model. Write a name"):
        frozen_names((), ["a"])


@given(st.lists(st.sampled_from([*WEIGHTS, "*", "eyes*", "*w:2", "words*:1"]), max_size=4))
def test_weights_are_named_once_and_in_the_model(patterns: list[str]) -> None:
    found = frozen_names(WEIGHTS, patterns)
    assert len({*found}) == len(found)
    assert {*found} <= {*WEIGHTS}
    assert all(found[: len(earlier)] == earlier for earlier in [frozen_names(WEIGHTS, patterns[:-1])])
