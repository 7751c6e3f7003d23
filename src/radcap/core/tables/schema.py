"""What the type hints of a schema allow, in code and in words.

Invariant: a hint that no TOML value can fill is a mistake in the schema, and is a `TypeError`.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = [
    "choices_of",
    "default_of",
    "fields_of",
    "hints_of",
    "homes_of",
    "is_mapping",
    "is_schema",
    "union_of",
    "wanted",
]

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
_MANY = {bool: "true or false values", int: "whole numbers", float: "numbers", str: "texts in quotes"}


@cache
def hints_of(schema: type[Any]) -> Mapping[str, Any]:
    """The type of every key. `Mapping` may stand under TYPE_CHECKING in the module of the schema."""
    hints = get_type_hints(schema, localns={"Mapping": Mapping})
    return {one.name: hints[one.name] for one in fields(schema) if one.init}


@cache
def fields_of(schema: type[Any]) -> Mapping[str, Field[Any]]:
    """The fields that a file may set, by name."""
    return {one.name: one for one in fields(schema) if one.init}


@cache
def homes_of(schema: type[Any], table: str = "") -> Mapping[str, tuple[str, ...]]:
    """The tables below a schema that have a key of each name, as a person calls them."""
    here = (f"[{table}]" if table else "the top of the file",)
    homes: dict[str, tuple[str, ...]] = dict.fromkeys(hints_of(schema), here)
    for key, hint in hints_of(schema).items():
        below = [one for one in union_of(hint) if is_schema(one)]
        for name, tables in homes_of(below[0], f"{table}.{key}" if table else key).items() if below else ():
            homes[name] = (*homes.get(name, ()), *tables)
    return homes


def default_of(field: Field[Any]) -> Any:  # noqa: ANN401 - the type of the key
    """What a missing key means; `MISSING` where it must be written."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def is_schema(hint: Any) -> bool:  # noqa: ANN401 - a hint
    """Whether a type is a table of its own."""
    return isinstance(hint, type) and is_dataclass(hint)


def is_mapping(hint: Any) -> bool:  # noqa: ANN401 - a hint
    """Whether a type is a table with keys of the user's choice."""
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def union_of(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a hint
    """The ways to fill a hint; `None` is a missing key and no way."""
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(one for one in get_args(hint) if one is not type(None))
    return (hint,)


def choices_of(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a hint
    """The values that a choice names."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(one.value for one in hint)
    return ()


def wanted(hint: Any) -> str:  # noqa: ANN401 - a hint
    """A hint in words.

    >>> wanted(tuple[float, float]), wanted(int | None)
    ('an array of 2 numbers', 'a whole number')
    """
    if len(union_of(hint)) > 1:
        return " or ".join(wanted(one) for one in union_of(hint))
    (hint,) = union_of(hint)
    if choices_of(hint):
        return f"one of {', '.join(map(str, choices_of(hint)))}"
    if get_origin(hint) is tuple:
        return _array(get_args(hint))
    return _WORDS.get(hint, "a table")


def _array(parts: tuple[Any, ...]) -> str:
    many = _MANY.get(parts[0], "tables" if is_schema(parts[0]) else "values")
    return f"an array of {many}" if parts[-1] is ... else f"an array of {len(parts)} {many}"
