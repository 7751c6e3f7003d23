"""METEOR: the figures of pycocoevalcap, whatever captions hold, and clear words when the program fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from meteor_pairs import GIVEN, ODD, PLAIN, SENT
from stand_in import hide, is_gone, put_java

from radcap.core import Missing, UsageError
from radcap.metrics.providers.java import JavaFailed, find_java
from radcap.metrics.providers.meteor import MeteorScores, check_meteor, meteor_scores

EXPECTED: dict[str, Any] = json.loads(
    Path(__file__).with_name("meteor_expected.json").read_text(encoding="utf-8")
)


def test_the_real_program_says_what_pycocoevalcap_says() -> None:
    """All that needs the real program in one test, since it takes seconds to start."""
    seen: list[int] = []
    scores = meteor_scores(*zip(*GIVEN, strict=True), progress=seen.append)
    assert scores.values == pytest.approx(EXPECTED["values"], abs=1e-12)
    assert scores.total == pytest.approx(EXPECTED["total"], abs=1e-12)

    of = dict(zip(GIVEN, scores.values, strict=True))
    same = "Axial CT image of the chest (lung window)."
    assert of[same, same] == 1
    assert of["", "Chest X-ray."] == of["Chest X-ray.", ""] == of["", ""] == 0
    assert 0 < of["MRI of the brain.", PLAIN[2][1]] < of[PLAIN[8]] < 1

    assert max(len(text) for pair in GIVEN for text in pair) > 100_000
    assert scores.cut == 3

    assert seen == sorted(set(seen))
    assert seen[-1] == len(GIVEN)
    assert len(seen) == len(set(GIVEN)) < len(GIVEN)


@pytest.mark.slow
def test_the_expected_figures_are_what_pycocoevalcap_says_today(monkeypatch: pytest.MonkeyPatch) -> None:
    from pycocoevalcap.meteor.meteor import Meteor  # pyright: ignore[reportMissingTypeStubs]

    monkeypatch.setenv("PATH", str(find_java().parent))  # it looks nowhere else
    theirs = Meteor()
    true = {place: [reference] for place, (_, reference) in enumerate(SENT)}
    said = {place: [candidate] for place, (candidate, _) in enumerate(SENT)}
    total, values = theirs.compute_score(true, said)
    assert EXPECTED["values"] == pytest.approx(values, abs=1e-12)
    assert EXPECTED["total"] == pytest.approx(total, abs=1e-12)
    for pipe in (theirs.meteor_p.stdout, theirs.meteor_p.stderr):  # which it leaves open
        assert pipe is not None
        pipe.close()


# What the tests below say instead of METEOR: each line it is told goes to a file beside it.
LISTENER = """
log = open(os.path.join(os.path.dirname(sys.argv[0]), "told"), "wb", buffering=0)
log.write(f"{os.getpid()} {sys.argv[1:]}\\n".encode())
for raw in sys.stdin.buffer:
    log.write(raw)
    line = raw.decode()
    if line.startswith("SCORE"):
        print("1.0 2.0", flush=True)
    else:
        n = line.count("|||")
        print("0.25\\n" * n + "0.5", flush=True)
"""


def told(java: Path) -> list[str]:
    return java.with_name("told").read_text(encoding="utf-8").splitlines()


def test_a_pair_that_repeats_is_sent_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, LISTENER, monkeypatch)
    seen: list[int] = []
    scores = meteor_scores(["a", "b", "a", "a"], ["r", "r", "r", "q"], progress=seen.append)
    assert scores == MeteorScores((0.25, 0.25, 0.25, 0.25), 0.5)
    assert told(java)[1:] == [
        "SCORE ||| r ||| a",
        "SCORE ||| r ||| b",
        "SCORE ||| q ||| a",
        "EVAL ||| 1.0 2.0 ||| 1.0 2.0 ||| 1.0 2.0 ||| 1.0 2.0",
    ]
    assert seen == [2, 3, 4]


def test_the_program_gets_the_options_of_pycocoevalcap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = put_java(tmp_path, LISTENER, monkeypatch)
    meteor_scores(["a"], ["b"])
    started = told(java)[0]
    for words in (
        "'-', '-', '-stdio', '-l', 'en', '-norm'",
        "'-Xmx2G'",
        "user.language=en",
        "encoding=UTF-8",
    ):
        assert words in started


def test_no_caption_can_end_its_line_or_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, LISTENER, monkeypatch)
    meteor_scores([candidate for candidate, *_ in ODD], [reference for _, reference, *_ in ODD])
    *lines, last = told(java)[1:]
    assert len(lines) == len(ODD)
    assert all(line.startswith("SCORE ||| ") and line.count("|||") == 2 for line in lines)
    assert last.count("|||") == len(ODD)


def test_many_captions_go_through_without_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_java(tmp_path, LISTENER, monkeypatch)
    n = 5_000
    scores = meteor_scores([f"caption {place} " + "x" * 300 for place in range(n)], ["truth"] * n)
    assert scores == MeteorScores((0.25,) * n, 0.5)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "sys.exit('Exception in thread \"main\" OutOfMemoryError: Java heap space\\n\\tat x')",
            "Java heap space",
        ),
        (
            "print('Error: specify hypothesis', flush=True); sys.stdin.read()",
            "it answered 'Error: specify hyp",
        ),
        ("print('', flush=True); sys.stdin.read()", "it answered ''"),
        (LISTENER.replace("0.25", "NaN?"), "could not convert string to float"),
        (LISTENER.replace('print("0.25\\n" * n', "sys.exit('killed') or print(\"0.25\\n\" * n"), "killed"),
    ],
    ids=["it ends", "it complains", "it says nothing", "it evaluates nonsense", "it ends at the evaluation"],
)
def test_a_program_that_fails(body: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, body, monkeypatch)
    with pytest.raises(JavaFailed) as caught:
        meteor_scores(["a", "b"], ["c", "d"])
    assert str(caught.value).startswith(f"METEOR 1.5 failed under {java}: ")
    assert why in str(caught.value)


def test_an_interrupt_ends_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, LISTENER, monkeypatch)

    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        meteor_scores(["a"], ["b"], progress=interrupt)
    assert is_gone(int(told(java)[0].split()[0]))


@pytest.mark.parametrize(("candidates", "references"), [([], []), (["a"], []), (["a"], ["b", "c"])])
def test_captions_that_cannot_be_paired(candidates: list[str], references: list[str]) -> None:
    with pytest.raises(UsageError, match="cannot be paired"):
        meteor_scores(candidates, references)


def test_the_check_is_silent_when_all_is_there() -> None:
    check_meteor()


@pytest.mark.parametrize("ask", [check_meteor, lambda: meteor_scores(["a"], ["b"])])
def test_what_is_missing_is_said_before_anything_starts(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    hide("pycocoevalcap", "radcap.metrics.providers.java", monkeypatch)
    with pytest.raises(Missing, match="pycocoevalcap is missing"):
        ask()
