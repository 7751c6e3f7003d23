"""--help and --version: every command ends its help with an example, and every example runs."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import typer.main
from typer.testing import CliRunner

from radcap.cli.main import app
from radcap.core import VERSION
from radcap.datasets import load_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commands import Command


def every_command(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The root, each command and each subcommand."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from every_command(below, (*path, name))


COMMANDS = list(every_command(typer.main.get_command(app)))
NAMES = [" ".join(["radcap", *path]) for path in COMMANDS]
BY_COMMAND = pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
# minutes, and half a minute each; the example of radcap itself is that of the demo
LONG = {(), ("train",), ("demo",), ("predict",), ("explain",), ("read",), ("systems", "reproduce")}
BY_EXAMPLE = pytest.mark.parametrize(
    "command", [pytest.param(path, marks=[pytest.mark.slow] * (path in LONG)) for path in COMMANDS], ids=NAMES
)


def help_of(*command: str) -> str:
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert result.exit_code == 0
    return result.stdout


def example_of(*command: str) -> str:
    """The last line of the help, as a user would copy it."""
    return help_of(*command).strip().splitlines()[-1].strip()


def test_the_walk_finds_the_commands_of_the_design() -> None:
    images = {("read",), ("explain",), ("predict",), ("train",), ("demo",)}
    single = {*images, ("validate",), ("editions",), ("compare",), ("doctor",), ("completion",)}
    below = {("score",), ("score", "concepts"), ("score", "captions"), ("metrics",), ("metrics", "status")}
    kinds = ("info", "check", "stats", "report", "compare", "concepts", "leaks", "convert", "split", "synth")
    data = {("dataset",), *(("dataset", kind) for kind in (*kinds, "cache"))}
    vocab = {("vocab",), *(("vocab", kind) for kind in ("build", "info", "search", "link"))}
    models = {("models",), ("models", "list"), ("models", "get")}
    systems = {("systems",), ("systems", "list"), ("systems", "show"), ("systems", "reproduce")}
    assert set(COMMANDS) == {(), *single, *below, *data, *vocab, *models, *systems}


@BY_COMMAND
def test_help_ends_with_an_example_on_one_line(command: tuple[str, ...]) -> None:
    assert example_of(*command).startswith(" ".join(["Example: radcap", *command]).strip())


@BY_EXAMPLE
def test_the_example_of_the_help_runs(
    command: tuple[str, ...], folder: Path, request: pytest.FixtureRequest
) -> None:
    if "captions" in command:
        request.getfixturevalue("captions")  # a run.csv of captions instead of concepts
    if command == ("read",):
        (folder / "scan.png").write_bytes(next(iter(load_dataset("radiology-open"))).image.bytes)
    program, *arguments = shlex.split(example_of(*command).removeprefix("Example: "))
    assert program == "radcap"
    done = subprocess.run(
        [sys.executable, "-m", "radcap", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    shared = command == ("dataset", "leaks")  # two short captions of the data inside stand in two splits
    assert done.returncode == (1 if shared else 0), done.stderr
    assert done.stdout or done.stderr


@BY_COMMAND
def test_help_says_what_the_command_does_and_what_every_option_does(command: tuple[str, ...]) -> None:
    found = typer.main.get_command(app)
    for name in command:
        found = getattr(found, "commands")[name]  # noqa: B009, click's own attribute
    assert found.help
    assert all(getattr(one, "help", None) for one in found.params), [one.name for one in found.params]


def test_version_is_one_line_of_data(process: Command) -> None:
    assert process("--version") == (0, f"{VERSION}\n", "")


@pytest.mark.parametrize(
    "command", [(), ("score",), ("metrics",)], ids=["radcap", "radcap score", "radcap metrics"]
)
def test_without_a_command_the_help_is_shown_and_the_usage_is_wrong(
    command: tuple[str, ...], process: Command
) -> None:
    done = process(*command)
    assert done.code == 2
    assert "Usage: python -m radcap" in done.out + done.err
    assert "Example: radcap " in done.out + done.err
