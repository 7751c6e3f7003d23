"""METEOR 1.5 through its own Java program, which runs once for all captions.

Invariant: the figures are those of pycocoevalcap, to the last digit; equal pairs are scored once.
What would break the line protocol becomes a blank: `|||`, control characters (tab and line end among them),
line and paragraph separators, half surrogates. A caption ends after its first 1,000 words and marks, since
the program's memory and time grow faster than the square of the length; the longest of 22,477 published
captions has 526.
>>> as_field("a\\tmass|||at the hilum\\r\\n")
'a mass at the hilum  '
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.metrics.providers.java import ENGLISH, find_jar, find_java, talk_to

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from radcap.metrics.providers.java import JavaLines

__all__ = ["LONGEST", "MeteorScores", "as_field", "check_meteor", "meteor_scores"]

LONGEST = 1_000  # words and marks of a caption that are looked at

_JAR = "meteor/meteor-1.5.jar"
# Lines told ahead of those answered: keeps the program busy, while 20 answers of at most 200 letters fit into
# the smallest pipe there is (4 KiB), so that neither side ever waits for the other.
_AHEAD = 20
_BREAKING = re.compile(r"\|{3,}|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_STATISTICS = re.compile(r"\d[\d.E -]*")


@dataclass(frozen=True, slots=True)
class MeteorScores:
    """A value per caption, METEOR's own figure for all of them, and how many captions were cut."""

    values: tuple[float, ...]
    total: float
    cut: int = 0


def check_meteor() -> None:
    """Raise `Missing` where something is absent; starts nothing."""
    find_java()
    find_jar(_JAR)


def meteor_scores(
    candidates: Sequence[str],
    references: Sequence[str],
    *,
    progress: Callable[[int], None] | None = None,
) -> MeteorScores:
    """Score each candidate against its reference; `progress` is told how many captions are done.

    An empty caption on either side, or on both, scores 0.
    """
    if len(candidates) != len(references) or not candidates:
        raise UsageError(
            f"METEOR was given {len(candidates):,} captions and {len(references):,} references. "
            "They cannot be paired. Give one reference for every caption, and one caption at least."
        )
    fields = {text: _cut(as_field(text)) for text in {*candidates, *references}}
    lines = [
        f"SCORE ||| {fields[reference][0]} ||| {fields[candidate][0]}"
        for candidate, reference in zip(candidates, references, strict=True)
    ]
    with _start() as program:
        statistics = _statistics(program, Counter(lines), progress)
        *values, total = _evaluate(program, [statistics[line] for line in lines])
    return MeteorScores(tuple(values), total, sum(fields[text][1] for text in [*candidates, *references]))


def as_field(caption: str) -> str:
    """The caption with blanks for all that would end its field or its line."""
    return _BREAKING.sub(" ", caption)


def _cut(text: str) -> tuple[str, bool]:
    """The text up to its last word that counts, and whether that left something out."""
    beyond = next(islice(_TOKEN.finditer(text), LONGEST, None), None)
    return (text, False) if beyond is None else (text[: beyond.start()], True)


def _start() -> AbstractContextManager[JavaLines]:
    jar = find_jar(_JAR)
    # By itself it finds its paraphrases beside its jar, but not where a folder has a blank in its name.
    paraphrases = jar.parent / "data" / "paraphrase-en.gz"
    options = ["-", "-", "-stdio", "-l", "en", "-norm", "-a", str(paraphrases)]
    return talk_to(
        "METEOR 1.5", find_java(), ["-Xmx2G", "-XX:+UseSerialGC", *ENGLISH, "-jar", str(jar), *options]
    )


def _statistics(
    program: JavaLines, lines: Counter[str], progress: Callable[[int], None] | None
) -> dict[str, str]:
    """The counts that METEOR draws from each line; `lines` says how many captions share one."""
    ahead = iter(lines)
    for line in islice(ahead, _AHEAD):
        program.tell(line)
    found: dict[str, str] = {}
    done = 0
    for line, captions in lines.items():
        found[line] = program.hear()
        if _STATISTICS.fullmatch(found[line]) is None:
            program.fail(f"it answered {found[line][:80]!r}")
        for following in islice(ahead, 1):
            program.tell(following)
        done += captions
        if progress is not None:
            progress(done)
    return found


def _evaluate(program: JavaLines, statistics: Sequence[str]) -> list[float]:
    """The score of each, and the one of all; the program reads the whole line before it answers."""
    program.tell(" ||| ".join(["EVAL", *statistics]))
    answers = [program.hear() for _ in range(len(statistics) + 1)]
    try:
        return [float(answer) for answer in answers]
    except ValueError as error:
        program.fail(str(error))
