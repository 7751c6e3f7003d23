"""`radcap doctor`: what is installed, and what works with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from radcap.cli.console import print_json, print_lines, print_table, say
from radcap.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.reading.health import Extra, Health
    from radcap.report import Table

__all__ = ["doctor_command"]

_GB, _MB = 1e9, 1e6


def doctor_command(json: Json = False) -> None:
    """What is installed here, what each part of radcap can do with it, and how to get the rest.

    The files that ship inside are compared with their digests. Nothing is downloaded or changed. Exit code 3:
    the installation is broken, and the last line says how to repair it.
    """
    from radcap.reading.health import examine

    health = examine()
    if json:
        print_json(health.to_json())
    else:
        print_lines(*_machine_lines(health))
        if health.features:  # else the packages that tables are made with may be missing too
            for table in _tables(health):
                print_table(table)
    say(*(f"Broken: {one}" for one in health.problems))
    raise typer.Exit(3 if health.problems else 0)


def _machine_lines(health: Health) -> Iterator[str]:
    machine = health.machine
    yield f"radcap {health.radcap}, Python {machine.python}, {machine.system}"
    memory = "unknown" if machine.memory_bytes is None else f"{machine.memory_bytes / _GB:.1f} GB"
    yield f"Cores: {machine.cores}. Memory: {memory}"
    yield f"GPU: {machine.gpu}"
    yield f"Java: {machine.java}"
    for one in machine.places:
        rights = "" if one.writable else ", NOT WRITABLE"
        yield f"{one.what.capitalize()}: {one.path}, {one.free_bytes / _GB:.1f} GB free{rights}"


def _tables(health: Health) -> Iterator[Table]:
    from radcap.report import Table

    packages = tuple((_install(one), _here(one), _versions(one)) for one in health.extras)
    yield Table(("install", "here", "packages"), packages)
    assets = tuple(
        (one.name, one.kind, f"{one.size_bytes / _MB:.1f}", one.licence, one.state) for one in health.assets
    )
    yield Table(("name", "kind", "MB", "licence", "state"), assets, right=frozenset({"MB"}))
    rows = tuple((one.name, str(one.verdict), one.why, one.how) for one in health.features)
    yield Table(("what radcap does", "here", "why not", "how to get it"), rows)


def _install(extra: Extra) -> str:
    return f"radcap[{extra.name}]" if extra.name else "radcap"


def _here(extra: Extra) -> str:
    if not extra.missing:
        return "ready"
    return "missing" if len(extra.missing) == len(extra.packages) else "in part"


def _versions(extra: Extra) -> str:
    return ", ".join(f"{one.name} {one.version or '-'}" for one in extra.packages)
