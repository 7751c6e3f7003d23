"""The options of an extractor: named on the command line or in the environment, each with its type.

Invariant: an option that is given wins over the variable `RADCAP_EXTRACTOR_OPTION`, and that over the
default; a name or a value that cannot be meant is refused.
>>> read_options("medcat", WorkerOptions, {"timeout_s": "20"}).timeout_s
20.0
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_type_hints

from radcap.core import UsageError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["WorkerOptions", "check_among", "check_between", "read_options", "variable"]

T = TypeVar("T")
_FOREVER = 1e6  # seconds
_ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """What every tool with a process of its own can be told."""

    python: Path | None = None  # the interpreter that has the tool; radcap's own unless one is named
    start_s: float = 900.0  # a large model is read from a slow disk
    timeout_s: float = 600.0  # for one batch of texts
    on_error: str = "stop"  # or 'skip': a text the tool cannot take has no mentions then

    def __post_init__(self) -> None:
        check_between("start_s", self.start_s, 0.001, _FOREVER)
        check_between("timeout_s", self.timeout_s, 0.001, _FOREVER)
        check_among("on_error", self.on_error, ("stop", "skip"))


def read_options(extractor: str, kind: type[T], given: Mapping[str, str]) -> T:
    """The options of that kind, from texts."""
    hints = {one.name: get_type_hints(kind)[one.name] for one in fields(kind)}  # pyright: ignore[reportArgumentType]
    for name in given:
        if not hints:
            raise UsageError(f"{extractor} has no options. {name!r:.60} means nothing to it. Leave it out.")
        if name not in hints:
            raise unknown_name(f"option of {extractor}", name, hints)
    texts = {name: given.get(name, os.environ.get(variable(extractor, name)) or None) for name in hints}
    return kind(**{name: _value(name, text, hints[name]) for name, text in texts.items() if text is not None})


def variable(extractor: str, option: str) -> str:
    """The environment variable of an option."""
    return f"RADCAP_{extractor}_{option}".upper()


def _value(name: str, text: str, hint: object) -> object:
    if not text.strip():
        raise UsageError(f"The option {name} is empty. Give it a value, or leave it out.")
    readers: dict[object, tuple[str, Callable[[str], object]]] = {
        int: ("a whole number", int),
        float: ("a number", _number),
        bool: ("yes or no", _answer),
        str: ("a text", str),
        str | None: ("a text", str),
    }
    called, reader = readers.get(hint, ("a path", Path))
    try:
        return reader(text)
    except ValueError:
        raise UsageError(f"{name}={text!r:.60} is not {called}. Change it, or leave it out.") from None


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _answer(text: str) -> bool:
    if text.lower() not in _ANSWERS:
        raise ValueError(text)
    return _ANSWERS[text.lower()]


def check_between(name: str, value: float, low: float, high: float) -> None:
    """Refuse a number that lies outside."""
    if not low <= value <= high:
        raise UsageError(f"{name}={value:g} is not between {low:g} and {high:g}. Change it, or leave it out.")


def check_among(name: str, value: str, choice: Collection[str]) -> None:
    """Refuse a word that is not among those known."""
    if value not in choice:
        raise unknown_name(f"{name}", value, choice)
