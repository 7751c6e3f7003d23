"""How `radcap vocab link` goes through a file of captions.

Invariant: every problem of the file is told before any caption is linked, and nothing is left half-written.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.cli.console import print_findings, print_json, print_lines, progress, say, say_warnings
from radcap.core import InputError, UsageError, counted

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from radcap.vocabulary.captions import CaptionFile, Linked
    from radcap.vocabulary.extractors import Extractor
    from radcap.vocabulary.rules import ConceptRules

__all__ = ["FileLinking", "caption_file"]

_STDIN = Path("-")
_LONGEST = 4096  # letters of a path


def caption_file(given: Sequence[str]) -> Path | None:
    """The file among the arguments, `-` for stdin; nothing where they are texts."""
    from radcap.vocabulary.captions import ENDINGS

    files = [one for one in given if one == str(_STDIN) or _is_file(one, ENDINGS)]
    if len(files) > 1 or (files and len(given) > 1):
        raise UsageError(f"{files[0]} is a file, and there is more beside it. Give one file, or texts.")
    return Path(files[0]) if files else None


def _is_file(argument: str, endings: Sequence[str]) -> bool:
    """Whether an argument is a file, or can only have been meant as one."""
    if len(argument) > _LONGEST or "\0" in argument or not argument.lower().endswith(tuple(endings)):
        return False
    return not any(map(str.isspace, argument)) or Path(argument).is_file()


@contextmanager
def _opened(path: Path) -> Generator[CaptionFile]:
    """The captions of a file; those of stdin are kept in one, since they are read twice."""
    from radcap.vocabulary.captions import CaptionFile, open_captions

    if path != _STDIN:
        yield open_captions(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "stdin.txt"
        with kept.open("wb") as file:
            if sys.stdin:  # it is None where the caller closed it, as in `radcap ... <&-`
                shutil.copyfileobj(sys.stdin.buffer, file)
        yield CaptionFile(kept, lines=True, name="stdin")


@dataclass(frozen=True, slots=True)
class FileLinking:
    """What was asked for."""

    tool: Extractor
    rules: ConceptRules | None
    cut: bool
    trace: bool
    out: Path | None
    mentions: Path | None
    workers: int
    json: bool

    def run(self, path: Path) -> None:
        """Check the file, link it, write, and tell what came of it."""
        with _opened(path) as file:
            total = _check(file)
            if self.out is None and self.mentions is None:
                linked = self._to_stdout(file, total)
            else:
                linked = self._link(file, total, self.out)
        written = [str(one) for one in (self.out, self.mentions) if one is not None]
        if self.json:
            print_json({"file": file.name, **linked.to_json(), "written": written})
        else:
            print_lines(*written)
        say(*_summary(file.name, linked))

    def _to_stdout(self, file: CaptionFile, total: int) -> Linked:
        """Rows as data, when all of them are there."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "concepts.csv"
            linked = self._link(file, total, out)
            with out.open(encoding="utf-8", newline="\n") as rows:
                for row in rows:
                    print_lines(row.removesuffix("\n"))
        return linked

    def _link(self, file: CaptionFile, total: int, out: Path | None) -> Linked:
        from radcap.vocabulary.captions import LinkWork, link_captions

        work = LinkWork(self.tool, self.rules, self.trace, tabled=self.mentions is not None)
        with progress(total) as show:
            return link_captions(
                file.captions(),
                work,
                out,
                self.mentions,
                cut=self.rules.frequency if self.rules is not None and self.cut else None,
                workers=self.workers or None,
                told=show,
            )


def _check(file: CaptionFile) -> int:
    """How many captions there are; a file with errors is refused, all of them told."""
    from radcap.vocabulary.captions import CaptionFindings

    findings = CaptionFindings()
    with progress(None) as show:
        total = file.check(findings, show)
    if findings.errors:
        in_order = sorted(findings.findings, key=lambda one: one.issue.line)
        print_findings(file.name, in_order, findings.counts)
        n = sum(findings.counts[code] for code in {one.issue.code for one in findings.errors})
        raise InputError(f"{file.name} has {counted(n, 'error')}. Nothing was linked or written.")
    say_warnings(findings.findings, more=" of this kind.")
    return total


def _summary(name: str, linked: Linked) -> list[str]:
    from radcap.vocabulary.captions import MOST_CUIS

    captions = f"{counted(linked.captions, 'caption')}, {linked.without:,} of them without a concept"
    concepts, mentions = counted(linked.concepts, "concept"), counted(linked.kept, "mention")
    lines = [f"{name}: {captions}; {concepts} in {mentions}, {linked.dropped:,} dropped"]
    if linked.rare:
        lines.append(f"{counted(linked.rare, 'concept')} too rare for the rules: --no-cut keeps them")
    if linked.crowded:
        lines.append(
            f"{counted(linked.crowded, 'caption')} with more than {MOST_CUIS} concepts,"
            f" one has {linked.most:,}: the evaluators of 2022 to 2026 refuse such rows"
        )
    return lines
