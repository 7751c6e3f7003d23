"""Long captions and many of them: scored as any other, or refused, within bounds of time and memory."""

from __future__ import annotations

import json
import sys
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

import pytest
from corpus_captions import CAPTIONS, PLAIN, PREPARED, rouge1, truncating_bleu
from corpus_costly import IDS, rows, write
from measured import Done, measure

from radcap.metrics import score_captions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MIB = 1024 * 1024
WORDS = b"axial ct of the chest shows a large mass in the left upper lobe with an arrow "
NEW_WORDS = " ".join(f"w{number}" for number in range(50_000))


class Long(NamedTuple):
    """Images, the caption of each, a finding that answers it, and what it may cost above a tiny file."""

    images: int
    caption: bytes
    code: str
    cpu_s: float
    bytes_: int
    scored: bool = True


LONG: Mapping[str, Long] = {
    "100,000 letters": Long(3, b"x" * 100_000, "RUN103", 1, 64 * MIB),
    "one word 50,000 times": Long(3, b"a " * 50_000, "RUN407", 2, 64 * MIB),
    "19,000 words": Long(3, NEW_WORDS.encode()[:125_000], "RUN407", 2, 64 * MIB),
    "50,000 words": Long(3, NEW_WORDS.encode(), "RUN113", 1, 64 * MIB, scored=False),
    "20,000 identical captions": Long(19_267, WORDS, "RUN409", 4, 160 * MIB),
    "captions of 20,000 letters": Long(1_500, b"x" * 20_000, "RUN113", 2, 64 * MIB, scored=False),
    "20,000 captions of 900 letters": Long(19_267, WORDS * 11, "RUN409", 9, 800 * MIB),
}
SLOW = {"20,000 captions of 900 letters"}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("tiny")
    write(folder / "run.csv", [b"ID,Caption\n", *rows(b"CT", IDS[:3])])
    return measure(folder, "score", "captions", "run.csv", "run.csv", "--metrics", "rouge1")


@pytest.mark.skipif(sys.platform == "win32", reason="costs are read as Unix bills them")
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in LONG]
)
def test_what_long_captions_cost(name: str, tmp_path: Path, tiny: Done) -> None:
    images, caption, code, cpu_s, bytes_, scored = LONG[name]
    write(tmp_path / "run.csv", [b"ID,Caption\n", *rows(caption, IDS[:images])])
    truth = caption if scored else WORDS
    write(tmp_path / "truth.csv", [b"ID,Caption\n", *rows(truth, IDS[:images])])
    done = measure(tmp_path, "score", "captions", "run.csv", "truth.csv", "--metrics", "rouge1", "--json")
    found = json.loads(done.out)
    assert done.code == (0 if scored else 1), done.err
    assert code in {issue["code"] for issue in found["issues"]}
    assert [score["value"] for score in found["scores"]] == ([1.0] if scored else [])
    assert done.cpu_s - tiny.cpu_s < 5 * cpu_s  # however busy the machine
    assert done.peak_bytes - tiny.peak_bytes < bytes_


VALUES = {
    "one word 50,000 times": ("mass " * 50_000, "a mass " * 400),
    "50,000 words": (NEW_WORDS, NEW_WORDS[::-1]),
    "50,000 words beside a caption": (NEW_WORDS, PLAIN),
    "one word of 100,000 letters": ("ing" * 33_000, "ing" * 33_000),
    "100,000 marks on one letter": ("e" + "\u0301" * 100_000, "e" + "\u0301" * 99_999),
}


SLOWEST = [pytest.mark.slow]  # for the libraries


@pytest.mark.parametrize(
    ("edition", "name"),
    [
        pytest.param(edition, name, marks=SLOWEST if (edition, name) == ("2017", "50,000 words") else [])
        for edition in ("2017", "2025")
        for name in VALUES
    ],
)
def test_long_values_score_what_the_libraries_score(edition: str, name: str) -> None:
    for said, true in (VALUES[name], VALUES[name][::-1]):
        ours, theirs = PREPARED[edition](said), PREPARED[edition](true)
        report = score_captions(
            {"a": said}, {"a": true}, edition=edition, metrics=["rouge1", "rougeL", "bleu"]
        )
        assert isclose(report["rouge1"].value, rouge1(ours, theirs), rel_tol=1e-12)
        assert isclose(report["bleu"].value, truncating_bleu(ours, theirs), rel_tol=1e-9)
        assert 0 <= report["rougeL"].value <= report["rouge1"].value


@pytest.mark.slow
def test_meteor_takes_any_text() -> None:
    """One start of Java for all of them."""
    said = {**CAPTIONS, "first": PLAIN, "long": NEW_WORDS[:20_000], "last": PLAIN}
    report = score_captions(said, dict.fromkeys(said, PLAIN), metrics=["meteor"])
    values = dict(zip(report["meteor"].ids, report["meteor"].values, strict=True))
    assert report.missing == ()
    assert all(0 <= value <= 1 for value in values.values())
    assert values["first"] == values["last"] == max(values.values()) > 0.9
    assert [values[name] for name in ("nothing", "one blank", "a full stop", "plus one")] == [0.0] * 4
    assert report["meteor"].value == sum(values[name] for name in said) / len(said)
