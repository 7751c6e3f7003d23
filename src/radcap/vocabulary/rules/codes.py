"""The catalogue of findings in files of concept rules.

Invariant: a code is never reused and its meaning never changes; new ones are appended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.formats import Code

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATALOGUE", "CODES"]

CATALOGUE = (
    Code("RUL101", "E", False, "It cannot be read: {why}.", "Check the path."),
    Code("RUL102", "E", False, "Byte {byte} is no UTF-8.", "Save the file as UTF-8."),
    Code("RUL103", "E", False, "It is no TOML: {why}.", "Correct the line."),
    Code("RUL201", "E", False, "There is no key {key} in {place}.{nearest}", "Known: {known}."),
    Code("RUL202", "E", False, "{place} has no {key}. {why}", "Write it."),
    Code("RUL203", "E", False, "{key} is {value}. {wanted} is needed.", "Correct it."),
    Code("RUL204", "E", False, "{key} is {text}. A CUI is C and seven digits.", "Correct or drop it."),
    Code(
        "RUL205",
        "E",
        False,
        "{key} is {text}, written small. Label files compare it as another.",
        "Write {upper}.",
    ),
    Code("RUL206", "E", False, "{key} is {text}. That is no semantic type.{nearest}", "Correct or drop it."),
    Code("RUL207", "E", False, "{key} lists {text} again. One of them would be ignored.", "Delete one."),
    Code(
        "RUL208",
        "E",
        False,
        "{key} leads from {text} to itself, or to a concept that is remapped too.",
        "Name the last one.",
    ),
    Code(
        "RUL209",
        "E",
        False,
        "{key} lists {text}, which is always remapped. The blacklist would never see it.",
        "Delete one.",
    ),
)
CODES: Mapping[str, Code] = {code.code: code for code in CATALOGUE}
