"""From the keys of a TOML table to the frozen value of its schema.

Invariant: reading goes on to the end and keeps every problem; a value is made only of keys that are right.
>>> from dataclasses import make_dataclass
>>> read_table(make_dataclass("Train", [("lr", float, 0.1)]), {"learning_rate": 1}, "[train]")
Traceback (most recent call last):
radcap.core.errors.InputError: [train] has no key 'learning_rate'. Nearest is 'lr'. Known: lr.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_args, get_origin

from radcap.core.errors import UsageError
from radcap.core.tables.findings import TableFindings
from radcap.core.tables.places import Spot, spot_name
from radcap.core.tables.schema import (
    choices_of,
    default_of,
    fields_of,
    hints_of,
    homes_of,
    is_mapping,
    is_schema,
    union_of,
    wanted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import Enum

__all__ = ["TableReader", "read_table"]

T = TypeVar("T")
_BAD: Final = object()  # in place of a value that was refused


def read_table(
    schema: type[T],
    mapping: Mapping[str, Any],
    where: str = "",
    *,
    base: T | None = None,
    text: str = "",
    path: str = "",
) -> T:
    """The value of a table. Keys it lacks come from `base`, else from the defaults of the schema.

    `where` is the name of the table, with brackets or without; `text` is the file, for lines in findings.
    """
    findings = TableFindings(text)
    name = where.strip("[]")
    value = TableReader(findings).read(schema, mapping, tuple(name.split(".")) if name else (), base)
    findings.refuse(path)
    return cast("T", value)


class TableReader:
    """Reads tables of one file, whose schema is `root`; what is wrong with them goes to the findings."""

    def __init__(self, findings: TableFindings, root: type[Any] | None = None) -> None:
        self._findings = findings
        self._homes: Mapping[str, tuple[str, ...]] = homes_of(root) if root else {}

    def read(
        self, schema: type[T], mapping: Mapping[str, Any], at: Spot = (), base: T | None = None
    ) -> T | None:
        """The value of the table at `at`, or nothing where a key of it was refused."""
        hints, values = hints_of(schema), dict[str, Any]()
        for key, given in mapping.items():
            if key in hints:
                before = _before(schema, base, key)
                values[key] = self._value(hints[key], given, (*at, key), before)
            else:
                self._findings.note_unknown((*at, key), hints, self._homes.get(key, ()))
        lacking = [key for key in hints if key not in values and _before(schema, base, key) is MISSING]
        for key in lacking:
            self._findings.note("SYS202", at, place=spot_name(at), key=repr(key), wanted=wanted(hints[key]))
        if lacking or any(value is _BAD for value in values.values()):
            return None
        try:
            return schema(**values) if base is None else replace(cast("Any", base), **values)
        except UsageError as error:
            self._findings.note("SYS205", at, place=spot_name(at), why=error)
            return None

    def _value(self, hint: Any, given: Any, spot: Spot, before: Any = MISSING) -> Any:  # noqa: ANN401 - by hint
        """What a key holds, as its hint says; `before` is what a table goes on from."""
        kind, *others = union_of(hint)
        if others:
            return self._first_way(hint, given, spot)
        hint = kind
        if choices_of(hint):
            return self._choice(hint, given, spot)
        if is_schema(hint) and isinstance(given, dict):
            base = before if isinstance(before, hint) else None
            value = self.read(hint, cast("dict[str, Any]", given), spot, base)
            return _BAD if value is None else value
        if get_origin(hint) is tuple and isinstance(given, list):
            return self._array(hint, cast("list[Any]", given), spot)
        if is_mapping(hint) and isinstance(given, dict):
            return self._mapping(get_args(hint)[1], cast("dict[str, Any]", given), spot)
        value = _plain(hint, given)
        return self._bad(hint, given, spot) if value is _BAD else value

    def _first_way(self, hint: Any, given: Any, spot: Spot) -> Any:  # noqa: ANN401 - by hint
        for one in union_of(hint):
            attempt = TableFindings()
            value = TableReader(attempt)._value(one, given, spot)
            if value is not _BAD and not attempt.issues:
                return value
        return self._bad(hint, given, spot)

    def _choice(self, hint: Any, given: Any, spot: Spot) -> Any:  # noqa: ANN401 - by hint
        for one in choices_of(hint):
            if type(one) is type(given) and one == given:
                return cast("type[Enum]", hint)(one) if isinstance(hint, type) else one
        self._findings.note_choice(spot, given, choices_of(hint))
        return _BAD

    def _array(self, hint: Any, given: list[Any], spot: Spot) -> Any:  # noqa: ANN401 - by hint
        parts = get_args(hint)
        each = parts[:1] * len(given) if parts[-1] is ... else parts
        if len(each) != len(given):
            return self._bad(hint, given, spot)
        pairs = enumerate(zip(each, given, strict=True))
        values = tuple(self._value(one, held, (*spot, n)) for n, (one, held) in pairs)
        return _BAD if any(value is _BAD for value in values) else values

    def _mapping(self, hint: Any, given: dict[str, Any], spot: Spot) -> Any:  # noqa: ANN401 - by hint
        values = {key: self._value(hint, held, (*spot, key)) for key, held in given.items()}
        return _BAD if any(value is _BAD for value in values.values()) else values

    def _bad(self, hint: Any, given: Any, spot: Spot) -> Any:  # noqa: ANN401 - by hint
        self._findings.note_type(spot, given, wanted(hint))
        return _BAD


def _plain(hint: Any, given: Any) -> Any:  # noqa: ANN401 - by hint
    """A single value; a whole number is a number, but true is not 1."""
    if hint is float and type(given) in (int, float):
        try:
            return float(given) if math.isfinite(given) else _BAD
        except OverflowError:
            return _BAD
    if hint in (bool, int, str):
        return given if type(given) is hint else _BAD
    if hint is float or is_schema(hint) or is_mapping(hint) or get_origin(hint) is tuple:
        return _BAD
    raise TypeError(f"{hint} cannot be read from a TOML file")


def _before(schema: type[Any], base: Any, key: str) -> Any:  # noqa: ANN401 - the type of the key
    return default_of(fields_of(schema)[key]) if base is None else getattr(base, key)
