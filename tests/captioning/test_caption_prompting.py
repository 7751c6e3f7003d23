"""Prompts: what stands in them, and how they are cut and padded."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.prompting import Prompter, make_prompter, prompt_text
from radcap.captioning.settings import ConditionSettings
from radcap.captioning.tokens import train_bpe

TOKENIZER = train_bpe(["Concepts: Liver, Chest. Caption:", "Liver and chest."], 270)
NAMES = ("Liver", "Chest", "")


@pytest.mark.parametrize(
    ("template", "concepts", "neighbours", "told"),
    [
        ("Concepts: {concepts}. Caption:", ["Liver", "CT"], [], "Concepts: Liver, CT. Caption:"),
        ("Concepts: {concepts}.", [], [], "Concepts: unknown."),
        ("Like {neighbours}:", [], ["One.", "Two."], "Like One. Two.:"),
        ("Like {neighbours}:", [], [], "Like :"),
        ("{concepts}\n\n {neighbours}", ["A"], ["b\nc"], "A b c"),
        ("Plain", ["A"], ["B"], "Plain"),
    ],
)
def test_a_prompt_is_one_line_with_its_parts(
    template: str, concepts: list[str], neighbours: list[str], told: str
) -> None:
    assert prompt_text(template, concepts, neighbours) == told


@given(st.text(), st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_no_prompt_has_a_line_break_or_a_blank_at_an_end(
    template: str, concepts: list[str], neighbours: list[str]
) -> None:
    told = prompt_text(template, concepts, neighbours)
    assert told == " ".join(told.split())


def test_rows_are_padded_at_the_end_and_numbers_below_zero_left_out() -> None:
    prompter = Prompter("{concepts}: {neighbours}", NAMES, TOKENIZER)
    words = prompter([[1, -1, 0], [-1, -1, -1]], [["One."], []])
    first, second = TOKENIZER.encode("Chest, Liver: One."), TOKENIZER.encode("unknown:")
    width = max(len(first), len(second))
    assert words.shape == (2, width)
    for row, wanted in zip(words.tolist(), (first, second), strict=True):
        assert row == [*wanted, *[TOKENIZER.pad] * (width - len(wanted))]


def test_a_prompt_that_is_too_long_loses_its_beginning() -> None:
    words = Prompter("{neighbours} Caption:", NAMES, TOKENIZER)([[]], [["x y z " * 200]])
    assert words.shape == (1, 160)
    assert TOKENIZER.decode(words[0].tolist()).endswith("x y z Caption:")


def test_nothing_to_tell_is_a_row_of_pads() -> None:
    prompter = Prompter("{neighbours}", NAMES, TOKENIZER)
    assert torch.equal(prompter([[], []], [[], []]), torch.full((2, 1), TOKENIZER.pad))
    assert prompter([], []).shape == (0, 1)
    assert not prompter.tells_concepts


@pytest.mark.parametrize(
    ("settings", "template"),
    [
        (ConditionSettings(), None),
        (ConditionSettings(concepts="all"), None),
        (ConditionSettings(neighbours=2), "{neighbours}"),
        (ConditionSettings(neighbours=2, prompt="As {neighbours}:"), "As {neighbours}:"),
        (ConditionSettings(concepts="all", prompt="{concepts}:"), "{concepts}:"),
    ],
)
def test_a_system_has_the_prompter_it_asks_for(settings: ConditionSettings, template: str | None) -> None:
    prompter = make_prompter(settings, NAMES, TOKENIZER)
    assert (None if prompter is None else prompter.template) == template
    if prompter is not None:
        assert prompter.tells_concepts == ("{concepts}" in settings.prompt)
