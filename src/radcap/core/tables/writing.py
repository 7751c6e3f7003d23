"""From a frozen value back to TOML, and to plain values for JSON.

Invariant: what is written and read again over the same base is the same value. TOML has no null, so a key
that holds None is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from radcap.core.tables.schema import default_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["shown", "to_plain", "to_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN = 60  # letters of a value that is refused


def to_toml(
    value: object,
    base: object = None,
    *,
    full: bool = False,
    at: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
) -> str:
    """The keys that differ from `base`, else from the defaults; with `full` every key that can be written.

    `at` names the table that the value stands in: its own keys come first, under a header of yours.
    `without` names keys that you write yourself.
    """
    return "".join(f"{line}\n" for line in _lines(value, base, at, full=full, without=without))


def _lines(
    value: object, base: object, at: tuple[str, ...], *, full: bool, without: tuple[str, ...] = ()
) -> Iterator[str]:
    """The keys of a value, then its tables, then its arrays of tables."""
    held = {key: one for key, one in _differing(value, base, full=full) if key not in without}
    for key, one in held.items():
        if not _is_table(one) and not _is_array_of_tables(one):
            yield f"{_name(key)} = {_inline(one)}"
    for key, one in held.items():
        if _is_table(one):
            before = _before(value, base, key)
            yield from _table(one, before if type(before) is type(one) else None, (*at, key), full=full)
    for key, one in held.items():
        for table in one if _is_array_of_tables(one) else ():
            yield from ("", f"[[{_dotted((*at, key))}]]")
            yield from _lines(table, None, (*at, key), full=full)


def _differing(value: object, base: object, *, full: bool) -> Iterator[tuple[str, Any]]:
    for key in fields_of(type(value)):
        one = getattr(value, key)
        if one is not None and (full or one != _before(value, base, key)):
            yield key, one


def _table(value: object, base: object, at: tuple[str, ...], *, full: bool) -> Iterator[str]:
    lines = list(_lines(value, base, at, full=full))
    if not lines or lines[0]:  # keys of its own come first; a table of tables alone needs no header
        yield from ("", f"[{_dotted(at)}]")
    yield from lines


def _before(value: object, base: object, key: str) -> Any:  # noqa: ANN401 - the type of the key
    return default_of(fields_of(type(value))[key]) if base is None else getattr(base, key)


def _is_table(value: object) -> bool:
    return is_dataclass(value)


def _is_array_of_tables(value: Any) -> bool:  # noqa: ANN401 - any value
    held = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()
    return bool(held) and all(map(_is_table, held))


def _dotted(keys: tuple[str, ...]) -> str:
    return ".".join(map(_name, keys))


def _name(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    """JSON's escapes are TOML's, less that of DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any) -> str:  # noqa: ANN401 - any value
    """A value on one line."""
    plain = to_plain(value)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, str):
        return _quoted(plain)
    if isinstance(plain, list):
        return f"[{', '.join(map(_inline, cast('list[Any]', plain)))}]"
    if isinstance(plain, dict):
        held = cast("dict[str, Any]", plain).items()
        pairs = ", ".join(f"{_name(key)} = {_inline(one)}" for key, one in held if one is not None)
        return f"{{ {pairs} }}" if pairs else "{}"
    return str(plain)


def to_plain(value: Any) -> Any:  # noqa: ANN401 - any value
    """Dictionaries, lists and single values, as JSON has them."""
    if is_dataclass(value):
        return {key: to_plain(getattr(value, key)) for key in fields_of(type(value))}
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (tuple, list)):
        return [to_plain(one) for one in cast("tuple[Any, ...]", value)]
    return value.value if isinstance(value, Enum) else value


def shown(value: Any) -> str:  # noqa: ANN401 - any value
    """A value as messages have it, cut where it is long.

    >>> shown("adm"), shown([1, True])
    ("'adm'", '[1, true]')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}...")
    try:
        text = _inline(value)
    except (RecursionError, ValueError):  # arrays in arrays in arrays; thousands of digits
        return "too long to show"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
