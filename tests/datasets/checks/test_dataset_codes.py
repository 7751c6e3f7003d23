"""The catalogue of dataset codes: each once, with its level, its words and texts that can be filled."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from radcap.core import Level
from radcap.datasets.checks.code_words import WORDS, words_of
from radcap.datasets.codes import CATALOGUE, CODES, level_of
from radcap.formats import CATALOGUE as RUN_CATALOGUE
from radcap.formats import Code


def test_a_code_stands_once() -> None:
    codes = [entry.code for entry in CATALOGUE]
    assert len(codes) == len(set(codes)) == len(CODES)
    assert not set(codes) & {entry.code for entry in RUN_CATALOGUE}


def test_codes_of_a_group_are_in_order() -> None:
    for group in ("IMG1", "DAT1", "DAT2", "DAT3", "DAT4"):
        inside = [entry.code for entry in CATALOGUE if entry.code.startswith(group)]
        assert inside == sorted(inside)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.code)
def test_an_entry_is_whole(entry: Code) -> None:
    assert re.fullmatch(r"(?:IMG|DAT)\d{3}", entry.code)
    assert level_of(entry.code) in Level
    assert all(name is None or name.isidentifier() for _, name, _, _ in Formatter().parse(entry.message))
    assert entry.message[-1] in ".}"
    assert not entry.hint or entry.hint[-1] in ".?}"


def test_every_code_has_its_few_words() -> None:
    assert set(WORDS) == set(CODES)
    assert all(len(words) <= 40 for words in WORDS.values())


def test_a_code_of_run_files_has_its_first_sentence() -> None:
    assert words_of("DAT301") == "labels without image"
    assert words_of("RUN201") == "Line ... is blank"


@pytest.mark.parametrize(
    ("code", "level"), [("DAT301", Level.ERROR), ("DAT302", Level.WARNING), ("DAT206", Level.INFO)]
)
def test_levels_are_errors_warnings_and_information(code: str, level: Level) -> None:
    assert level_of(code) is level
