"""The catalogue: one TOML file per system, published ones by edition and team, and our own.

>>> read_concepts("rocov2/baseline-b0-concepts").backbone.name
'efficientnet_b0.ra_in1k'
"""

from radcap.systems.catalogue import (
    read_captions,
    read_concepts,
    read_system,
    system_names,
    systems,
    systems_of,
)
from radcap.systems.showing import captions_table, concepts_table, system_row, systems_table, written

__all__ = [
    "captions_table",
    "concepts_table",
    "read_captions",
    "read_concepts",
    "read_system",
    "system_names",
    "system_row",
    "systems",
    "systems_of",
    "systems_table",
    "written",
]
