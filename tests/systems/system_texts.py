"""System files for tests."""

from __future__ import annotations

from radcap.core.tables import parse_toml
from radcap.detection.system_reading import read_concept_system

__all__ = ["HEAD", "system_of"]

HEAD = 'name = "mine"\ntask = "concepts"\n'


def system_of(text: str):
    """The system of a text, under the two keys that every file has."""
    return read_concept_system(parse_toml(HEAD + text))
