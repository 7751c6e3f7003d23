"""What the reference shows of a docstring and of a value's fields.

Invariant: nothing is said here that the source does not say. Doctests are shown as code, because Markdown
takes `>>>` for a quotation. The comment behind a field becomes a line under its class, and the field is not
listed again, because the signature above names it already.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from griffe import Class, Docstring, Extension, Module, Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from griffe import Attribute

DOCTEST = re.compile(r"(?<!```pycon\n)^>>> .*(?:\n.+)*", re.MULTILINE)
COMMENT = re.compile(r" {2}# (?!noqa|pyright|type:)(.+)$")


class ReadableObjects(Extension):
    def on_package(self, *, pkg: Module, **_: Any) -> None:  # noqa: ANN401 - what griffe passes on
        for described in _walk(pkg):
            if isinstance(described, Class):
                fold_fields(described)
            fence_doctests(described)


def _walk(described: Object) -> Iterator[Object]:
    yield described
    for member in list(described.members.values()):
        if not member.is_alias and isinstance(member, Object):
            yield from _walk(member)


def fence_doctests(described: Object) -> None:
    docstring = described.docstring
    if docstring is not None:
        docstring.value = DOCTEST.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", docstring.value)


def fold_fields(described: Class) -> None:
    """Fields of a dataclass and members of an enum become a list in the docstring of their class."""
    is_enum = any(str(base).endswith("Enum") for base in described.bases)
    if not is_enum and "dataclass" not in described.labels:
        return
    lines: list[str] = []
    for name, field in list(described.attributes.items()):
        inherited = name not in described.members  # told where it is defined
        if inherited or "property" in field.labels or name.startswith("_"):
            continue
        comment = _comment(field)
        if is_enum:
            lines.append(f"- `{name}`, written {field.value}" + (f": {comment}" if comment else ""))
        elif comment:
            lines.append(f"- `{name}`: {comment}")
        described.del_member(name)
    if lines:
        text = described.docstring.value if described.docstring else ""
        described.docstring = Docstring("\n".join([text, "", *lines]), parent=described)


def _comment(field: Attribute) -> str:
    found = COMMENT.search(field.lines[-1]) if field.lines else None
    return found[1] if found else ""
