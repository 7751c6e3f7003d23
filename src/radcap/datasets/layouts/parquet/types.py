"""Which Arrow types each column may have.

Invariant: whatever holds the same values fits: large text, text in a dictionary, lists of fixed size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WANTED", "field_type", "is_binary", "plain_type"]


def plain_type(kind: Any) -> Any:
    """The type of the values, whatever way they are packed."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def field_type(kind: Any, name: str) -> Any:
    """The type of a field of a struct, or nothing if there is none of that name."""
    place = kind.get_field_index(name)
    return None if place < 0 else kind.field(place).type


def _is_text(kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def is_binary(kind: Any) -> bool:
    """Whether cells are bytes, in any of the ways Arrow has."""
    return any(
        test(kind) for test in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    )


def _is_list(kind: Any, inner: Callable[[Any], bool]) -> bool:
    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return listed and (inner(kind.value_type) or pa.types.is_null(kind.value_type))


def _is_caption(kind: Any) -> bool:
    if not pa.types.is_struct(kind):
        return _is_text(kind)
    types = {kind.field(i).name: kind.field(i).type for i in range(kind.num_fields)}
    return "text" in types and all(_is_text(one) or pa.types.is_null(one) for one in types.values())


def _is_image(kind: Any) -> bool:
    if pa.types.is_struct(kind):
        inner, path = field_type(kind, "bytes"), field_type(kind, "path")
        return inner is not None and is_binary(inner) and (path is None or _is_text(path))
    return is_binary(kind) or _is_text(kind)


WANTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "text": (_is_text, "Text"),
    "image": (_is_image, "A struct of bytes and path, bytes, or text that names a file"),
    "caption": (lambda kind: _is_text(kind) or _is_list(kind, _is_text), "Text"),
    "captions": (lambda kind: _is_list(kind, _is_caption), "A list of {text, source, language}"),
    "cui": (lambda kind: _is_text(kind) or _is_list(kind, _is_text), "A list of text, or text"),
}
