"""The group of all commands: a command is imported when it is called, or when its own help is asked for.

Invariant: listing the commands imports none of them; a command that was loaded is not loaded again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from radcap.cli.command_table import ENTRIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.cli.command_table import Entry

__all__ = ["LazyCommands", "LazyGroup"]

AnyCommand: TypeAlias = TyperCommand | TyperGroup


class LazyCommands(MutableMapping[str, AnyCommand]):
    """Commands by name, in the order of the table; each is loaded when it is looked up."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {one.name: one for one in entries}
        self._loaded: dict[str, AnyCommand] = {}

    def line_of(self, name: str) -> TyperCommand | None:
        """What the list of commands shows of one, without loading it."""
        entry = self._entries.get(name)
        return entry and TyperCommand(name, help=entry.line, rich_help_panel=entry.panel)

    def __getitem__(self, name: str) -> AnyCommand:
        if name not in self._loaded:
            self._loaded[name] = _load(self._entries[name])
        return self._loaded[name]

    def __setitem__(self, name: str, command: AnyCommand) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _load(entry: Entry) -> AnyCommand:
    module, _, name = entry.target.partition(":")
    found = getattr(import_module(module), name)
    holder, epilog = typer.Typer(), f"Example: {entry.example}"
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=entry.name, epilog=epilog)
    else:
        holder.command(entry.name, epilog=epilog)(found)
    loaded = get_group(holder).commands[entry.name]
    if not isinstance(loaded, AnyCommand):
        raise TypeError(f"{entry.target} makes no command of Typer but {type(loaded).__name__}.")
    _unwrap(loaded)
    return loaded


def _unwrap(command: AnyCommand) -> None:
    """Let the terminal break the lines of the help: breaks of the source are no breaks of the text."""
    command.help = command.help and re.sub(r"(?<!\n)\n(?!\n)", " ", command.help)
    if isinstance(command, TyperGroup):
        for one in command.commands.values():
            if isinstance(one, AnyCommand):
                _unwrap(one)


class LazyGroup(TyperGroup):
    """`radcap` itself."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - those of Typer
        super().__init__(**settings)
        self._table = LazyCommands(ENTRIES)
        self.commands: Any = self._table  # click asks for a mapping of its own command class

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - a context of click
        return list(self._table)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:  # noqa: ANN401, ARG002
        """For the list of commands and its completion; what is run is found by `resolve_command`."""
        return self._table.line_of(cmd_name)

    def resolve_command(
        self,
        ctx: Any,  # noqa: ANN401
        args: list[str],
    ) -> tuple[str | None, AnyCommand | None, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else self._table[name], rest
