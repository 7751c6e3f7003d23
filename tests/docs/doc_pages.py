"""Pages of the documentation as programs: their blocks are run in order and what they print is compared.

A page has one folder and one Python namespace. `shell` blocks run under `bash -e`, `console` blocks command
by command, `python` blocks in the namespace. A `text` block right behind such a block is what it prints,
stdout and stderr together; blanks at the ends of lines and radcap's version in signatures are not compared.
A block under the line `<!-- needs Java -->` may start Java, and is left out where METEOR is absent; under
every other block Java refuses to start. Models that the reader of a page may have are not seen.

What takes long says so in the line above its fence; the usual tests are in a hurry, a slow one is not:

    <!-- slow -->           in a hurry the block is left out
    <!-- slow: COMMAND -->  in a hurry the command is run in its place, and its output is not compared
    <!-- slow output -->    in a hurry the output is not compared, since it hangs on a block above

Two machines do not train the same network: figures of such blocks may differ by a twentieth, and by 0.02.

    .venv/bin/python tests/docs/doc_pages.py          runs every page and writes its outputs into it
    .venv/bin/python tests/docs/doc_pages.py PAGE...  these pages
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from radcap.core import Missing
from radcap.metrics.providers.meteor import check_meteor

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "docs" / "benchmarks.md"  # its commands take minutes; `make bench` runs them
PAGES = (ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {BENCHMARKS}))

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
_RUN = ("python", "shell", "console")
_SET_UP = re.compile(r"(make|pip|git|cd|\.) ")  # lines for a fresh checkout: not run here
_FIGURE = r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)"  # not the digits of a name
_VERSION = re.compile(r"(?<=radcap:)\d+\.\d+\.\d+")
_NEEDS_JAVA = "<!-- needs Java -->\n"
_SLOW = re.compile(r"^<!-- slow(?P<kind>| output|: (?P<instead>[^\n]+)) -->\n\Z", re.MULTILINE)
_NO_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:+RefuseToStart"}  # no Java knows this option, so none starts
_OF_THE_READER = ("RADCAP_CORENLP", "RADCAP_SPACY_MODEL", "JAVA_TOOL_OPTIONS", "COLUMNS")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, and the output shown behind it."""

    language: str
    text: str
    line: int
    shown: str | None = None
    shown_at: tuple[int, int] = (0, 0)  # where that output stands in the page
    needs_java: bool = False
    slow: bool = False  # takes long, or shows what hangs on a block that does
    instead: str | None = None  # what is run in a hurry; nothing is "", the block itself None

    @property
    def can_run(self) -> bool:
        """Whether this machine has what it needs."""
        return not self.needs_java or has_meteor()

    @property
    def environment(self) -> dict[str, str]:
        """What the block sees of the environment."""
        seen = {name: value for name, value in os.environ.items() if name not in _OF_THE_READER}
        return seen if self.needs_java else {**seen, **_NO_JAVA}

    @property
    def hurried(self) -> Block:
        """The block as the usual tests run it."""
        text = self.text if self.instead is None else self.instead
        return replace(self, text=text, shown=None) if self.slow else self

    @property
    def lines(self) -> list[str]:
        return [line for line in self.text.splitlines() if line and not line.startswith("#")]

    @property
    def sets_up(self) -> bool:
        """Whether all of it belongs to a fresh checkout."""
        return self.language == "shell" and all(map(_SET_UP.match, self.lines))


def read_blocks(page: str) -> list[Block]:
    """The blocks of a page that can be run, each with its output."""
    fences = list(_FENCE.finditer(page))
    found: list[Block] = []
    for n, fence in enumerate(fences):
        if fence["language"] not in _RUN:
            continue
        behind = fences[n + 1] if n + 1 < len(fences) else None
        is_output = (
            behind is not None
            and behind["language"] == "text"
            and not page[fence.end() : behind.start()].strip()
        )
        line = page.count("\n", 0, fence.start()) + 1
        needs_java = page.endswith(_NEEDS_JAVA, 0, fence.start())
        slow, instead = _in_a_hurry(page[: fence.start()])
        block = Block(
            fence["language"], fence["text"], line, needs_java=needs_java, slow=slow, instead=instead
        )
        if is_output and behind is not None:
            block = replace(block, shown=behind["text"], shown_at=behind.span("text"))
        found.append(block)
    return found


def _in_a_hurry(above: str) -> tuple[bool, str | None]:
    """Whether the line above a fence calls it slow, and what is run in its place."""
    mark = _SLOW.search(above)
    if mark is None:
        return False, None
    return True, None if mark["kind"] == " output" else mark["instead"] or ""


def has_meteor() -> bool:
    """Whether Java and the files of METEOR are here."""
    try:
        check_meteor()
    except Missing:
        return False
    return True


@dataclass
class Session:
    """A reader who follows one page in one folder."""

    folder: Path
    hurried: bool = False
    namespace: dict[str, Any] = field(default_factory=dict)

    def run(self, block: Block) -> str:
        """Do what a block says and return what is printed."""
        if block.sets_up:
            return self._set_up(block)
        if block.language == "python":
            return self._python(block)
        return self._bash(block.text, block.environment)

    def console(self, block: Block) -> Iterator[tuple[str, str, str]]:
        """Each command of a console block with the output shown for it and the one it has."""
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown, self._bash(command, block.environment)

    def _set_up(self, block: Block) -> str:
        """Of the lines for a fresh checkout only `make demo` leaves files that the rest of a page needs."""
        demo = recipe("demo") + (" --no-models" if self.hurried else "")
        return "".join(
            self._bash(demo, block.environment) for line in block.lines if line.startswith("make demo")
        )

    def _python(self, block: Block) -> str:
        printed = io.StringIO()
        code = compile(block.text, f"block at line {block.line}", "exec")
        with (
            contextlib.chdir(self.folder),
            patch.dict(os.environ, block.environment, clear=True),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            exec(code, self.namespace)  # noqa: S102, our own pages
        return printed.getvalue()

    def _bash(self, script: str, seen: dict[str, str]) -> str:
        path = os.pathsep.join([str(Path(sys.executable).parent), seen["PATH"]])
        environment = {
            **seen,
            "PATH": path,
            "PYTHONUNBUFFERED": "1",
            "NO_COLOR": "1",
            "PYTHONUTF8": "1",
        }
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],  # noqa: S607, the reader's own bash
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode} of\n{script}\n{done.stdout}")
        return done.stdout


def recipe(target: str) -> str:
    """What `make TARGET` runs, for a shell that has the environment's programs on its path."""
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"{target}:"))
    body: list[str] = []
    for line in lines[start + 1 :]:
        if not line.startswith("\t"):
            break
        if not line.startswith("\t@echo"):  # words for a person
            body.append(line.strip().replace("$(BIN)/", ""))
    return "\n".join(body)


def make_targets() -> set[str]:
    """The targets of the Makefile that a person may type."""
    text = (ROOT / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))


def tidy(output: str) -> str:
    """An output as it is compared."""
    lines = [line.rstrip() for line in output.splitlines()]
    return _VERSION.sub("VERSION", "\n".join(lines).strip("\n"))


def agrees(printed: str, block: Block) -> bool:
    """Whether a block printed what its page shows; figures of a slow one may be a little off."""
    texts = (tidy(printed), tidy(block.shown or ""))
    if texts[0] == texts[1] or not block.slow:
        return texts[0] == texts[1]
    words, shown = ("".join(re.sub(_FIGURE, "#", text).split()).replace("─", "") for text in texts)
    figures = zip(*(map(float, re.findall(_FIGURE, text)) for text in texts), strict=False)
    return words == shown and all(isclose(*pair, rel_tol=0.05, abs_tol=0.02) for pair in figures)


def rewrite(page: Path, folder: Path) -> None:
    """Run a page and put what its blocks print where its outputs stand."""
    text = page.read_text("utf-8")
    session = Session(folder)
    blocks = [block for block in read_blocks(text) if block.language != "console" and block.can_run]
    printed = [(block, session.run(block)) for block in blocks]
    for block, output in reversed(printed):
        if block.shown is not None and not agrees(output, block):
            start, end = block.shown_at
            lines = [line.rstrip() for line in output.splitlines()]
            text = text[:start] + "\n".join(lines).strip("\n") + "\n" + text[end:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for one in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as temporary:
            rewrite(one, Path(temporary))
