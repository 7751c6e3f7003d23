"""The group `radcap vocab`."""

from __future__ import annotations

import typer

from radcap.cli.vocab import info_command, search_command
from radcap.cli.vocab_building import build_command
from radcap.cli.vocab_linking import link_command

__all__ = ["vocab_app"]

vocab_app = typer.Typer(
    help="From words to UMLS concepts: link texts, search names, describe and build vocabularies.",
    no_args_is_help=True,
)
_COMMANDS = {
    "link": (link_command, 'radcap vocab link "CT of the chest with left pleural effusion"'),
    "search": (search_command, "radcap vocab search pleural effusion"),
    "info": (info_command, "radcap vocab info free"),
    "build": (build_command, "radcap vocab build names.csv --out names.vocab"),
}
for _name, (_command, _example) in _COMMANDS.items():
    vocab_app.command(_name, epilog=f"Example: {_example}")(_command)
