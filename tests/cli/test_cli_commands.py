"""The list of commands: quick, true to the commands, and loading none of them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import typer
from typer.core import TyperCommand
from typer.main import get_command

from radcap.cli.command_table import ENTRIES, Entry
from radcap.cli.lazy_group import LazyCommands, LazyGroup
from radcap.cli.main import app

if TYPE_CHECKING:
    from commands import Command

HEAVY = {"numpy", "torch", "pyarrow", "PIL", "pydantic"}


def loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("entry", ENTRIES, ids=[one.name for one in ENTRIES])
def test_the_line_of_a_command_is_the_first_of_its_own_help(entry: Entry) -> None:
    command = LazyCommands(ENTRIES)[entry.name]
    assert command.help is not None
    assert entry.line == command.help.partition("\n")[0]
    assert command.epilog == f"Example: {entry.example}"


def test_no_command_is_listed_twice() -> None:
    assert len({one.name for one in ENTRIES}) == len(ENTRIES)


def test_the_list_of_commands_loads_none_of_them() -> None:
    help_only = "import sys; sys.argv = ['radcap', '--help']\nfrom radcap.cli.main import main"
    loaded = loaded_after(f"{help_only}\ntry:\n    main()\nexcept SystemExit:\n    pass")
    assert not HEAVY & loaded
    assert not {one.target.partition(":")[0] for one in ENTRIES} & loaded


def test_importing_radcap_loads_nothing_of_it() -> None:
    assert {one for one in loaded_after("import radcap") if one.startswith("radcap")} == {"radcap"}


def test_a_command_that_is_nearly_right_is_suggested(process: Command) -> None:
    done = process("valdate")
    assert done.code == 2
    assert "'validate'" in done.err


def test_commands_are_loaded_once_and_can_be_added_and_removed() -> None:
    table = LazyCommands(ENTRIES)
    assert table["editions"] is table["editions"]
    table["editions"] = other = TyperCommand("editions")
    assert table["editions"] is other
    del table["editions"]
    assert "editions" not in set(table)
    assert len(table) == len(ENTRIES) - 1


def test_a_target_that_is_no_command_is_refused() -> None:
    table = LazyCommands([Entry("x", "radcap.core:no_such_name", "", "", "")])
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = table["x"]


def test_the_root_is_lazy_and_a_plain_application_is_not() -> None:
    assert isinstance(get_command(app), LazyGroup)
    assert not isinstance(get_command(typer.Typer(callback=lambda: None)), LazyGroup)


def test_waiting_threads_of_torch_do_not_spin_long() -> None:
    code = "import os; from radcap.cli.main import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "print(os.environ['GOMP_SPINCOUNT'])"
    unset = {name: value for name, value in os.environ.items() if name != "GOMP_SPINCOUNT"}
    for given, expected in (({}, "10000"), ({"GOMP_SPINCOUNT": "7"}, "7")):
        command = [sys.executable, "-c", code, "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=unset | given)
        assert done.stdout.splitlines()[-1] == expected
