"""The concept system that [detector] system names, of which a captioner's detector is made.

Invariant: it is one network that looks, as a detector must be; whoever knows a catalogue of systems gives
another reader than that of files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.core.tables import read_toml
from radcap.detection.system_reading import read_concept_system

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.captioning.system import CaptionSystem
    from radcap.detection.system import ConceptSystem

__all__ = ["concept_file", "read_detector"]


def concept_file(name: str) -> ConceptSystem:
    """The system of a file."""
    return read_concept_system(read_toml(Path(name), name))


def read_detector(system: CaptionSystem, read: Callable[[str], ConceptSystem]) -> ConceptSystem | None:
    """Nothing where none is named; what is no single network is refused."""
    name = system.detector.system
    if not name:
        return None
    found = read(name)
    if found.member or found.text is not None:
        kind = "an ensemble" if found.member else "a reader of words"
        raise UsageError(
            f"[detector] system is {name!r}, which is {kind}. A captioner leans on one network: name such a"
            " system."
        )
    return found
