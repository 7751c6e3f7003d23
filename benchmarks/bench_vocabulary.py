"""Concepts in captions: radcap's linker against an automaton of names, and against names that are alike.

Invariant: what the ways find differs, since they do not do the same work; how much each finds stands beside
how fast it is. QuickUMLS needs packages of its own: where RADCAP_QUICKUMLS_PYTHON names an interpreter that
has it, it is measured; else a stand-in of ours is (`quickumls_ways.py`), and the table says so.

    python benchmarks/bench_vocabulary.py [--quick]
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report
from stopwatch import Failed
from tables import Goal, goal_table, often, ratio, seconds, table
from vocabulary_runs import EXACT, QUICKUMLS, USUAL, Runs, Sizes

if TYPE_CHECKING:
    from settings import Settings
    from stopwatch import Measured
    from vocabulary_runs import Cost

__all__ = ["report"]

RELEASE = 17_000_000  # rows of a whole UMLS release
IN_MEMORY = 10_000  # captions that are linked before memory is read
_MIB, _MB = 1024 * 1024, 1_000_000
_TITLES = {"radcap": "radcap", "ahocorasick": "pyahocorasick"}

TEXT = """## Linking captions to concepts

{terms:,} names in the shape of UMLS's English ones, and captions of some 20 words with {density:.1f}
mentions each, all of them made up (`benchmarks/synthetic_vocabulary.py`). Every way is one process on one
core that starts with nothing remembered; it is timed inside, imports paid before, and captions/s are those of
its CPU time. radcap ran {often}, the median counts; the others ran once. radcap and pyahocorasick linked
{captions:,} captions, the others {alike:,}.
"""
DIFFERENT = """
They do not do the same. **pyahocorasick** finds names in small letters at the edges of words and keeps the
longest: no plurals, spellings or variants of names, no guard for abbreviations (the name 'AND' is found in
every 'and'), no negation, no abbreviations that the text explains. **QuickUMLS** looks up every run of up to
five words by the three-letter pieces it shares with names (Jaccard), so it finds misspellings too; alike by
{exact:g} it finds equal letters only.
"""
REAL = """
QuickUMLS is the package itself, in an interpreter of its own, without the tagger it would also run. Its
databases of the same names took {install_s} s to make and are {install_mb:,.0f} MB.
"""
STAND_IN = f"""
QuickUMLS was not there ({QUICKUMLS} names no interpreter that has it). **A stand-in was
measured**: the same search in Python and NumPy, in memory. QuickUMLS searches in C++, so the ratio to it is
smaller.
"""
INDEX = """### The index

From names in memory to a file, and from the file to linked captions. Memory is the highest of a process that
opened the file and linked {linked:,} captions, Python and packages included; in brackets what is its own at
the end, without the pages of files that processes share. An automaton is pickled, the quicker of its two
forms.
"""
RRF = """### A release of UMLS

`MRCONSO.RRF` and `MRSTY.RRF` in the shape of a release (`benchmarks/synthetic_release.py`), once: read up to
the names that the default filters keep, then compiled. Memory is the highest of the whole process when all is
read, and at the end; in brackets what a row adds to it, in bytes, from one size to the next.
"""
EXTRAPOLATED = """
Figures in italics are not measured but extrapolated: the last two sizes are continued to the rows of a whole
release.
"""
COMMAND = """### The whole command

`radcap vocab link` of a file of {captions:,} captions with {terms:,} names, {often}, from the start of the
process to the written run: the file is checked, read and linked, and a row of concepts is written for each
caption. The processes map the same vocabulary. Both runs are equal, byte for byte.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where a way finds nothing, or two processes find less."""
    full = settings == FULL
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(Path(folder), Sizes.of(settings))
        built = {(way, terms): runs.build(way, terms) for terms in runs.sizes.terms for way in runs.ways}
        parts = [
            *_speed(runs, full=full),
            *_index(runs, built, full=full),
            *_release(runs, full=full),
            *_command(runs),
        ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _speed(runs: Runs, *, full: bool) -> list[str]:
    alike = runs.alike()
    linked = {way: runs.link(way, runs.large, runs.sizes.captions) for way in runs.ways}
    ours = linked["radcap"]
    if not all(one["mentions"] for one in (*linked.values(), *alike.values())):
        raise Failed("A way found no name in any caption.")
    other = "QuickUMLS" if runs.quickumls else "stand-in for QuickUMLS"
    rows = {f"{other}, alike by {threshold:g}": one for threshold, one in alike.items()}
    rows |= {_TITLES[way]: one for way, one in reversed(linked.items())}
    header = (f"{runs.large:,} names", "Captions/s", "µs each", "Mentions each", "radcap is faster by")
    said = TEXT.format(
        terms=runs.large,
        captions=runs.sizes.captions,
        density=ours["mentions"] / ours["texts"],
        often=often(runs.sizes.times),
        alike=int(alike[USUAL]["texts"]),
    )
    faster = _per_s(ours) / _per_s(alike[USUAL])
    goals = [
        Goal("one core", _per_s(ours), 10_000, "captions/s", at_least=True),
        Goal(f"faster than {other}, alike by {USUAL:g}", faster, 20, "times", at_least=True),
    ]
    return [
        said,
        table(header, [_speed_row(way, one, ours) for way, one in rows.items()]),
        DIFFERENT.format(exact=EXACT),
        _which(alike[USUAL]) if runs.quickumls else STAND_IN,
        goal_table(goals, judged=full),
    ]


def _which(cost: Cost) -> str:
    return REAL.format(install_s=seconds(cost["install_s"]), install_mb=cost["install_bytes"] / _MB)


def _per_s(cost: Cost) -> float:
    return cost["texts"] / cost["cpu_s"]


def _speed_row(way: str, one: Cost, ours: Cost) -> tuple[str, ...]:
    faster = "" if one is ours else ratio(_per_s(ours) / _per_s(one))
    each = f"{1e6 / _per_s(one):,.0f}", f"{one['mentions'] / one['texts']:.1f}"
    return way, f"{_per_s(one):,.0f}", *each, faster


def _index(runs: Runs, built: dict[tuple[str, int], Cost], *, full: bool) -> list[str]:
    most = min(IN_MEMORY, runs.sizes.captions)
    used = {key: runs.link(*key, most) for key in built}
    rows = [_index_row(*key, made, used[key]) for key, made in built.items()]
    header = ("Names", "Build, s", "File, MB", "Open, ms", "Memory, MiB", f"Captions/s, first {most:,}")
    ours = "radcap", runs.large
    resident = used[ours]["peak_mib"] * _MIB / _MB
    goals = [
        Goal(f"build of {runs.large:,} names", built[ours]["wall_s"], 60, "s"),
        Goal(f"memory with {runs.large:,} names", resident, 600, "MB"),
    ]
    return [INDEX.format(linked=most), table(header, rows), goal_table(goals, judged=full)]


def _index_row(way: str, terms: int, made: Cost, used: Cost) -> tuple[str, ...]:
    return (
        f"{_TITLES[way]}, {terms:,}",
        seconds(made["wall_s"]),
        f"{made['bytes'] / _MB:,.1f}",
        f"{used['open_s'] * 1000:,.1f}",
        f"{used['peak_mib']:,.0f} ({used['own_mib']:,.0f})",
        f"{_per_s(used):,.0f}",
    )


def _release(runs: Runs, *, full: bool) -> list[str]:
    built = {rows: runs.build_release(rows) for rows in runs.sizes.rows}
    rows = [_release_row(n, one) for n, one in list(built.items())[:1]]
    rows += [_release_row(*other, _added(*one, *other)) for one, other in pairwise(built.items())]
    if full:  # small sizes lie on no line
        last = _release_row(RELEASE, _continued(*list(built.items())[-2:]))
        rows.append(tuple(f"*{cell}*" for cell in last))
    header = ("Rows", "MB", "Names kept", "Read, s", "Memory, MiB", "Whole, s", "Memory, MiB")
    return [RRF, table(header, rows), *([EXTRAPOLATED] if full else [])]


def _added(few: int, less: Cost, many: int, more: Cost) -> Cost:
    """What each row more costs."""
    return {name: (value - less[name]) / (many - few) for name, value in more.items()}


def _continued(one: tuple[int, Cost], other: tuple[int, Cost]) -> Cost:
    """The cost of a whole release, if it goes on as from one size to the other."""
    many, more = other
    added = _added(*one, *other)
    return {name: value + added[name] * (RELEASE - many) for name, value in more.items()}


def _release_row(rows: int, one: Cost, added: Cost | None = None) -> tuple[str, ...]:
    memory = [
        f"{one[name]:,.0f}" + (f" ({added[name] * _MIB:,.0f})" if added else "")
        for name in ("read_mib", "peak_mib")
    ]
    size, kept = f"{one['bytes'] / _MB:,.0f}", f"{one['names']:,.0f}"
    return f"{rows:,}", size, kept, seconds(one["read_s"]), memory[0], seconds(one["wall_s"]), memory[1]


def _command(runs: Runs) -> list[str]:
    one, two = runs.command(1), runs.command(2)
    if one.output != two.output:
        raise Failed("Two processes wrote another run than one.")
    rows = [_command_row("one process", one, one, runs), _command_row("two processes", two, one, runs)]
    said = COMMAND.format(captions=runs.sizes.captions, terms=runs.large, often=often(one.times))
    header = ("`radcap vocab link`", "Wall, s", "CPU, s", "Captions/s, wall", "Ratio, wall")
    return [said, table(header, rows)]


def _command_row(name: str, done: Measured, one: Measured, runs: Runs) -> tuple[str, ...]:
    per_s = f"{runs.sizes.captions / done.wall_s:,.0f}"
    return name, seconds(done.wall_s), seconds(done.cpu_s), per_s, ratio(one.wall_s / done.wall_s)


if __name__ == "__main__":
    print_report(report, __doc__)
