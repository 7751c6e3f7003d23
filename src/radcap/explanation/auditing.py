"""Evidence with its faithfulness: maps put to the test on the networks that made the statements.

Invariant: only statements with a map are measured; the quick level measures those that a figure shows, since
every map costs sixteen looks at the image.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.faithfulness.measuring import Level, Measuring, measure
from radcap.explanation.faithfulness.perturbing import Audience, Voice
from radcap.explanation.faithfulness.sensitivity import noisy_lens
from radcap.explanation.mapping import mapped
from radcap.explanation.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from radcap.explanation.faithfulness.sensitivity import Again
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.mapping import MethodChoice
    from radcap.explanation.subjects import Statement, Subject
    from radcap.explanation.values import Evidence

__all__ = ["audited"]

_STEPS = {"quick": 5, "full": 8}  # of a curve
_QUICK = 4  # statements of an image
_NONE, _FULL = "none", "full"


def audited(
    evidence: Sequence[Evidence],
    statements: Sequence[Statement],
    subject: Subject,
    level: str,
    choice: MethodChoice,
    seed: int,
) -> tuple[Evidence, ...]:
    """The evidence, with figures where they were asked for; statements are in the order of the evidence."""
    found = list(evidence)
    if level == _NONE:
        return tuple(found)
    for group in _groups(_measured(evidence, statements, level), statements):
        for place, figures in zip(
            group, _figures(group, found, statements, subject, level, choice, seed), strict=True
        ):
            found[place] = replace(found[place], faithfulness=figures)
    return tuple(found)


def _measured(evidence: Sequence[Evidence], statements: Sequence[Statement], level: str) -> list[int]:
    """The places of the statements that are measured: a concept that is said twice is measured once."""
    able = [
        place
        for place, (one, told) in enumerate(zip(evidence, statements, strict=True))
        if one.map is not None and told.voices and told.target is not None
    ]
    if level == _FULL:
        return able
    first: dict[str, int] = {}
    for place in sorted(able, key=lambda place: evidence[place].kind is not Kind.SPAN):
        if evidence[place].kind is not Kind.WORD:
            first.setdefault(evidence[place].cui or evidence[place].key, place)
    return sorted(first.values())[:_QUICK]


def _groups(places: Sequence[int], statements: Sequence[Statement]) -> list[list[int]]:
    """Statements of the same networks, which are asked about all of them at once."""
    found: dict[tuple[int, ...], list[int]] = {}
    for place in places:
        found.setdefault(tuple(id(lens) for lens, _ in statements[place].voices), []).append(place)
    return list(found.values())


def _figures(
    group: Sequence[int],
    evidence: Sequence[Evidence],
    statements: Sequence[Statement],
    subject: Subject,
    level: str,
    choice: MethodChoice,
    seed: int,
) -> Sequence[Any]:
    told = [statements[place] for place in group]
    lenses = [lens for lens, _ in told[0].voices]
    voices = tuple(
        Voice(lens, tuple(one.voices[number][1] for one in told)) for number, lens in enumerate(lenses)
    )
    audience = Audience(voices, tuple(one.target for one in told if one.target is not None))
    maps = [evidence[place].map for place in group]
    kept = [one for one in maps if one is not None]
    settings = Measuring(Level.FULL, _STEPS[level]) if level == _FULL else Measuring(steps=_STEPS[level])
    again = _again(told, choice, kept) if level == _FULL and all(one.paths for one in told) else None
    return measure(audience, subject.picture, kept, settings, seed=seed, again=again)


def _again(told: Sequence[Statement], choice: MethodChoice, maps: Sequence[NDArray[np.float32]]) -> Again:
    """The same statements explained once more, under a little noise."""
    height, width = maps[0].shape

    def explain(seed: int) -> list[NDArray[Any]]:
        noisy: dict[int, Lens] = {}
        for one in told:
            for path in one.paths:
                noisy.setdefault(id(path.lens), noisy_lens(path.lens, seed))
        changed = [
            replace(one, paths=tuple(replace(path, lens=noisy[id(path.lens)]) for path in one.paths))
            for one in told
        ]
        found = mapped(changed, choice, height, width)
        return [np.zeros((height, width), np.float32) if one.map is None else one.map for one in found]

    return explain
