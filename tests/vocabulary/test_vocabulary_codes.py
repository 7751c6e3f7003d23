"""The catalogue of vocabulary findings, and the list that keeps them."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import radcap.vocabulary
from radcap.core import Level
from radcap.vocabulary.codes import CATALOGUE, CODES, level_of
from radcap.vocabulary.findings import Findings

_SOURCE = Path(radcap.vocabulary.__file__).parent
_USED = re.compile(r"VOC\d{3}")


def test_codes_are_unique_and_sorted() -> None:
    codes = [code.code for code in CATALOGUE]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"VOC[123]\d\d", code) for code in codes)


@pytest.mark.parametrize("code", CATALOGUE, ids=lambda code: code.code)
def test_a_message_and_its_hint_are_sentences(code) -> None:
    fields = {name: 1 for _, name, _, _ in Formatter().parse(code.message + code.hint) if name}
    message, hint = code.message.format(**fields), code.hint.format(**fields)
    assert message[0].isupper() or not message[0].isalpha()
    assert message.endswith(".")
    assert hint


def test_every_code_is_used_and_every_used_code_is_there() -> None:
    texts = (path.read_text("utf-8") for path in _SOURCE.rglob("*.py") if path.name != "codes.py")
    used = {code for text in texts for code in _USED.findall(text)}
    assert used == set(CODES)


@pytest.mark.parametrize(
    ("code", "level"), [("VOC101", Level.ERROR), ("VOC203", Level.WARNING), ("VOC301", Level.INFO)]
)
def test_levels(code, level) -> None:
    assert level_of(code) is level


def test_findings_speak_the_catalogue() -> None:
    findings = Findings(kept_per_code=1)
    for line in (3, 4):
        findings.add("VOC204", "names.csv", line, text="c0000001", upper="C0000001")
    assert str(findings.findings[0]).startswith("names.csv:3:0: VOC204 c0000001 is written small.")
    assert findings.counts["VOC204"] == 2
    assert len(findings.findings) == 1
