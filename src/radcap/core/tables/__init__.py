r"""Tables of a TOML file as frozen values, and back.

A schema is a frozen dataclass: its type hints say what a key may hold, its defaults what a missing key means,
and its `__post_init__` refuses what is out of range with a `UsageError`.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Loop:
...     epochs: int = 20
...     lr: float = 1e-3
>>> read_table(Loop, {"epochs": 30})
Loop(epochs=30, lr=0.001)
>>> to_toml(Loop(30))
'epochs = 30\n'
"""

from radcap.core.tables.codes import refusal
from radcap.core.tables.findings import TableFindings
from radcap.core.tables.members import (
    MemberFiles,
    are_tables,
    check_blocks,
    leads_nowhere,
    member_names,
    note_both,
    single_tables,
)
from radcap.core.tables.nearest import nearest
from radcap.core.tables.parsing import TomlText, parse_toml, read_toml
from radcap.core.tables.places import Spot, spot_name
from radcap.core.tables.reading import TableReader, read_table
from radcap.core.tables.writing import to_plain, to_toml

__all__ = [
    "MemberFiles",
    "Spot",
    "TableFindings",
    "TableReader",
    "TomlText",
    "are_tables",
    "check_blocks",
    "leads_nowhere",
    "member_names",
    "nearest",
    "note_both",
    "parse_toml",
    "read_table",
    "read_toml",
    "refusal",
    "single_tables",
    "spot_name",
    "to_plain",
    "to_toml",
]
