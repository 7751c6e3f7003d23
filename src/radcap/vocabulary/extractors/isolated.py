"""A tool in a process of its own, under an interpreter of its own, spoken to in lines of JSON.

Other tools pin old packages, load for minutes, print what they like and may crash: none of that reaches
radcap.
Invariant: every question has an answer, or ends in a sentence about what went wrong and the tool's last
words; the process is gone when its block ends, when it fails, and when radcap itself is gone.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast

from radcap.core import Missing, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from io import BufferedReader
    from types import TracebackType

    from radcap.vocabulary.extractors.options import WorkerOptions

__all__ = ["ExtractorFailed", "Isolated", "for_tools", "start_tool", "tool_file"]

_WORKERS = Path(__file__).parent / "workers"
_LONGEST = 1 << 26  # bytes of one answer
_TAIL = 1 << 14  # bytes kept of what a tool says on its error stream
_LINES = 3  # of them that are shown
_SHOWN = 300  # letters of a line, or of an answer that makes no sense
_PATIENCE_S = 5.0  # for a process that has closed its answers to end
_UNFIT = re.compile(r"[\x00\ud800-\udfff]")


class ExtractorFailed(ToolFailed):
    """A tool ended, was silent for too long, or answered what nobody asked for."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Which program is started, and how it is called when something is said about it."""

    title: str
    file: Path
    absent: Callable[[Sequence[str], Path], Missing]  # from what the program misses to a way to get it


def tool_file(name: str) -> Path:
    """One of radcap's own programs."""
    return _WORKERS / f"{name}.py"


def for_tools(text: str) -> str:
    """The text with signs that C libraries cannot hold replaced, one for one, so that places stay."""
    return _UNFIT.sub(lambda found: " " if found[0] == "\x00" else "\ufffd", text)


def start_tool(tool: Tool, limits: WorkerOptions, options: Mapping[str, object]) -> Isolated:
    """The opened tool; `Missing` where it lacks something."""
    worker = Isolated(tool, limits)
    try:
        worker.greet(options)
    except BaseException:
        worker.close()
        raise
    return worker


def check_tool(tool: Tool, limits: WorkerOptions, options: Mapping[str, object]) -> None:
    """Raise `Missing` where the tool lacks something; opens no model."""
    with Isolated(tool, limits) as worker:
        worker.greet(options, check=True)


class Isolated:
    """A running process."""

    def __init__(self, tool: Tool, limits: WorkerOptions) -> None:
        self.about: Mapping[str, Any] = {}
        self._tool = tool
        self._limits = limits
        self._python = _interpreter(limits.python)
        self._process = _start(self._python, tool)
        self._questions: Queue[bytes | None] = Queue()
        self._answers: Queue[bytes] = Queue()
        self._one_by_one = threading.Lock()
        self._closed = False
        self._said = _Tail(cast("BufferedReader", self._process.stderr))
        self._said.start()
        self._speaker = threading.Thread(target=self._speak, daemon=True)
        self._speaker.start()

    @property
    def title(self) -> str:
        """The tool with its release, once it said so."""
        return f"{self.about.get('name', self._tool.title)} {self.about.get('version', '')}".strip()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the tool does other than a user would expect."""
        return tuple(self.about.get("notes", ()))

    def greet(self, options: Mapping[str, object], *, check: bool = False) -> None:
        """Open the tool, or only ask whether it could be."""
        answer = self._ask({"options": options, "check": check}, self._limits.start_s)
        missing = answer.get("missing")
        if isinstance(missing, list):
            raise self._tool.absent([str(one) for one in cast("list[object]", missing)], self._python)
        ready = self._part(
            answer, "ready", "It was not opened. Check its files, its release and its options."
        )
        if not isinstance(ready, dict):
            self._fail(f"answered {answer!r:.{_SHOWN}}")
        self.about = cast("dict[str, Any]", ready)

    def ask(self, do: str, given: object) -> Any:
        """What the tool answers."""
        answer = self._ask({"do": do, "given": given}, self._limits.timeout_s)
        return self._part(answer, "answer", f"It cannot do {do!r}. Check what it was given.")

    def misunderstood(self, answer: object) -> NoReturn:
        """End the process after an answer that makes no sense."""
        self._fail(f"answered {answer!r:.{_SHOWN}}")

    def _part(self, answer: dict[str, Any], key: str, why: str) -> object:
        if "failed" in answer:
            raise ExtractorFailed(f"{self.title} under {self._python} failed: {answer['failed']!s}. {why}")
        if key not in answer:
            self._fail(f"answered {answer!r:.{_SHOWN}}")
        return answer[key]

    def _ask(self, question: Mapping[str, object], limit_s: float) -> dict[str, Any]:
        line = self._answer(json.dumps(question).encode("ascii") + b"\n", limit_s)
        if not line:
            self._fail(self._death())
        if len(line) >= _LONGEST:
            self._fail(f"answered with more than {_LONGEST:,} bytes")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            self._fail(f"answered {line[:_SHOWN]!r}")
        if not isinstance(answer, dict):
            self._fail(f"answered {line[:_SHOWN]!r}")
        return cast("dict[str, Any]", answer)

    def _answer(self, question: bytes, limit_s: float) -> bytes:
        with self._one_by_one:
            if self._closed:
                raise ExtractorFailed(f"{self.title} was closed. It cannot be asked. Open it again.")
            self._questions.put(question)
            try:
                return self._answers.get(timeout=limit_s)
            except Empty:
                self._fail(
                    f"gave no answer for {limit_s:g} s", "Give it more time, or fewer and shorter texts."
                )
            except BaseException:  # interrupted: the answer would be taken for that of the next question
                self.close()
                raise

    def _speak(self) -> None:
        """Ask and listen in turn, in a thread of its own: a pipe that nobody serves cannot be timed."""
        told, heard = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        for question in iter(self._questions.get, None):
            try:
                told.write(question)
                told.flush()
                self._answers.put(heard.readline(_LONGEST))
            except OSError:  # it does not listen any more
                self._answers.put(b"")

    def _death(self) -> str:
        """What the process ended of."""
        try:
            code = self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            return "closed its answers"
        if code >= 0:
            return f"ended with exit status {code}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"

    def _fail(self, what: str, do: str = "Look at the tool by itself, or use another extractor.") -> NoReturn:
        self.close()
        said = self._said.lines()
        words = f" Its last words: {said}" if said else " It said nothing else."
        raise ExtractorFailed(f"{self.title} under {self._python} {what}. Its work was stopped. {do}{words}")

    def close(self) -> None:
        """End the process."""
        if self._closed:
            return
        self._closed = True
        self._questions.put(None)
        self._process.kill()
        self._process.wait()
        self._speaker.join()
        self._said.join(_PATIENCE_S)
        streams = [self._process.stdin, self._process.stdout]
        if not self._said.is_alive():  # a child of the tool may hold the error stream open
            streams.append(self._process.stderr)
        for stream in streams:
            with suppress(OSError):  # a question the tool did not take is thrown away
                cast("IO[bytes]", stream).close()

    def __enter__(self) -> Isolated:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Tail(threading.Thread):
    """Reads the error stream, so that it never fills, and keeps its end."""

    def __init__(self, stream: BufferedReader) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._kept = b""

    def run(self) -> None:
        for part in iter(lambda: self._stream.read1(_TAIL), b""):
            self._kept = (self._kept + part)[-_TAIL:]

    def lines(self) -> str:
        """The last lines, in one."""
        said = self._kept.decode("utf-8", "replace").splitlines()
        told = [line.strip()[:_SHOWN] for line in said if line.strip()]
        return " | ".join(told[-_LINES:])


def _interpreter(named: Path | None) -> Path:
    """The interpreter a user named, by its path or by a name that PATH knows, else this one."""
    wanted = str(named.expanduser()) if named is not None else sys.executable
    found = shutil.which(wanted) if wanted else None
    if found is None:
        raise Missing(
            f"The Python interpreter {wanted or 'of this program'}",
            "There is no program of that name.",
            "Name another one with the option python, as in python=envs/tool/bin/python.",
        )
    return Path(found).absolute()


def _start(python: Path, tool: Tool) -> subprocess.Popen[bytes]:
    # isolated: neither the user's packages nor the folder radcap runs in reach the tool
    command = [str(python), "-I", "-X", "utf8", str(_WORKERS / "conversation.py"), str(tool.file)]
    try:
        return subprocess.Popen(  # noqa: S603 - the interpreter is the user's choice
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise Missing(
            f"A Python interpreter for {tool.title}",
            f"{python} cannot be started: {error.strerror}.",
            "Name another one with the option python.",
        ) from None
