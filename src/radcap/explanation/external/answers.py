"""Boxes out of what a vision model writes.

Invariant: what counts is JSON, with words or a fence around it or not; each box is right or is a problem in
words, and reading goes on after one. Nothing is taken that is no finite number, and boxes end at the picture.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.explanation.external.provider import FoundBox
from radcap.explanation.external.regions import clipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.explanation.values import Box

__all__ = ["Answer", "read_answer"]

_STARTS = re.compile(r"[\[{]")
_TRIES = 50  # places in a text where JSON may begin
_MOST = 200  # boxes of an answer that are looked at
_SHAPE = 0.02  # how much the told proportions may differ from the true ones, as a part
_SIDES = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What was right, and what was wrong."""

    boxes: tuple[FoundBox, ...]
    problems: tuple[str, ...]


def read_answer(text: str, phrases: Sequence[str], width: int, height: int) -> Answer:
    """Boxes for phrases, in a picture that was sent with this width and height."""
    told = _json(text)
    if told is None:
        return Answer((), ("it holds no JSON",))
    held, size = _listed(told, width, height)
    if held is None:
        return Answer((), ("its JSON has no list 'boxes'",))
    if not math.isclose(size[0] * height, size[1] * width, rel_tol=_SHAPE):
        shown = f"{size[0]:g} x {size[1]:g}"
        return Answer((), (f"it speaks of a picture of {shown}, and {width} x {height} was sent",))
    named = {_plain(one): one for one in phrases}
    read = [_box(one, n, named, size) for n, one in enumerate(held[:_MOST], 1)]
    beyond = [f"it has {len(held)} boxes, of which {_MOST} were read"] if len(held) > _MOST else []
    boxes = tuple(one for one in read if isinstance(one, FoundBox))
    return Answer(boxes, (*(one for one in read if isinstance(one, str)), *beyond))


def _json(text: str) -> object | None:
    """The first list or table in a text."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    for start in [one.start() for one in _STARTS.finditer(text)][:_TRIES]:
        try:
            return decoder.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    return None


def _no_number(name: str) -> object:
    raise ValueError(name)


def _listed(told: object, width: int, height: int) -> tuple[list[object] | None, tuple[float, float]]:
    """The list of boxes, and the size of the picture that they are told in."""
    if isinstance(told, list):
        return cast("list[object]", told), (width, height)
    table = cast("dict[str, object]", told)
    held = table.get("boxes")
    sizes = _number(table.get("width")), _number(table.get("height"))
    own = (sizes[0], sizes[1]) if sizes[0] and sizes[1] and min(sizes[0], sizes[1]) > 0 else (width, height)
    return (cast("list[object]", held) if isinstance(held, list) else None), own


def _box(one: object, n: int, named: dict[str, str], size: tuple[float, float]) -> FoundBox | str:
    """A box, or what is wrong with it."""
    if not isinstance(one, dict):
        return f"box {n} is no table"
    table = cast("dict[str, Any]", one)
    phrase = named.get(_plain(table.get("phrase")))
    wrong = [] if phrase else ["its phrase was not asked for"]
    placed = _placed(table.get("box"), size)
    wrong += [placed] if isinstance(placed, str) else []
    score = _number(table.get("score", 1.0))
    if score is None or not 0 < score <= 1:
        wrong.append("its score is no number above 0, and 1 at most")
    if wrong or phrase is None or isinstance(placed, str) or score is None:
        return f"box {n}: {', '.join(wrong)}"
    return FoundBox(phrase, placed, score)


def _placed(held: object, size: tuple[float, float]) -> Box | str:
    sides = list(_sides(held))
    if len(sides) != _SIDES or any(one is None for one in sides):
        return "its box is no list of four numbers"
    left, top, right, bottom = (cast("float", one) for one in sides)
    width, height = size
    found = clipped(left / width, top / height, right / width, bottom / height)
    return "its box has no area in the picture" if found is None else found


def _sides(held: object) -> Iterator[float | None]:
    for one in cast("list[object]", held)[: _SIDES + 1] if isinstance(held, list) else ():
        yield _number(one)


def _number(value: object) -> float | None:
    """A finite number; true is none."""
    if type(value) not in (int, float):
        return None
    try:
        number = float(cast("float", value))
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _plain(phrase: object) -> str:
    """A phrase without case and surplus blanks, as two of them are compared."""
    return " ".join(phrase.casefold().split()) if isinstance(phrase, str) else ""
