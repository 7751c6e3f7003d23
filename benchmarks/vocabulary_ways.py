"""Ways to find names in captions, each in a process of its own: what `bench_vocabulary.py` times.

Invariant: a way is timed inside its process, imports paid before, and nothing is remembered from another one.
`build` goes from names in memory to a file; `link` opens that file and counts what it finds.

    python benchmarks/vocabulary_ways.py radcap build FOLDER
    python benchmarks/vocabulary_ways.py radcap link FOLDER --most 10000
    python benchmarks/vocabulary_ways.py release build RELEASE
"""

from __future__ import annotations

import argparse
import gc
import json
import pickle
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from synthetic_vocabulary import Folder, labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from synthetic_vocabulary import Term

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.linking.linker import Linker

__all__ = ["WAYS", "AhoCorasick", "Radcap", "Way"]

_KIB = 1024


class Way(Protocol):
    """One way; `found` are the CUIs of a caption, in no order that counts."""

    file: str

    def build(self, terms: Sequence[Term], path: Path) -> None: ...

    def open(self, path: Path) -> Callable[[Sequence[str]], Iterator[Sequence[str]]]: ...


class Radcap:
    """Everything the linker does: variants, guard, overlaps, negation, abbreviations; mentions as values."""

    file = "radcap.vocab"

    def build(self, terms: Sequence[Term], path: Path) -> None:
        from radcap.vocabulary.concepts import cui_number, type_number
        from radcap.vocabulary.drafts import make_draft
        from radcap.vocabulary.index.compiling import compile_draft
        from radcap.vocabulary.stamps import Source, Stamp

        names = [(_known(cui_number(one.cui)), one.name, 0, 0) for one in terms]
        types = {_known(cui_number(one.cui)): _known(type_number(one.tui)) for one in terms}
        draft = make_draft([Source("made up")], names, list(types.items()))
        compile_draft(draft, Stamp("made up", "", "", ()), path)

    def open(self, path: Path) -> Callable[[Sequence[str]], Iterator[Sequence[str]]]:
        from radcap.vocabulary.linking.linker import Linker
        from radcap.vocabulary.vocabulary import Vocabulary

        return partial(_link, Linker([Vocabulary.open(path)]))


def _known(number: int | None) -> int:
    assert number is not None  # noqa: S101 - all of them were made well-formed
    return number


def _link(linker: Linker, texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return ([one.cui for one in mentions] for mentions in linker.extract(texts))


class AhoCorasick:
    """Names in small letters, at the edges of words, of overlapping ones the longest; no more than that."""

    file = "ahocorasick.pickle"

    def build(self, terms: Sequence[Term], path: Path) -> None:
        import ahocorasick

        automaton = ahocorasick.Automaton()
        for one in terms:
            automaton.add_word(one.name.lower(), (len(one.name.lower()), one.cui))
        automaton.make_automaton()
        path.write_bytes(pickle.dumps(automaton))

    def open(self, path: Path) -> Callable[[Sequence[str]], Iterator[Sequence[str]]]:
        import ahocorasick  # noqa: F401 - paid before the clock starts, not by the pickle

        with path.open("rb") as file:
            automaton = pickle.load(file)  # noqa: S301 - written by ourselves
        return partial(_search, automaton)


class _Automaton(Protocol):
    def iter(self, text: str) -> Iterator[tuple[int, tuple[int, str]]]: ...


def _search(automaton: _Automaton, texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for text in texts:
        small = text.lower()
        hits = [
            (length, last + 1 - length, cui)
            for last, (length, cui) in automaton.iter(small)
            if _at_edges(small, last + 1 - length, last + 1)
        ]
        hits.sort(key=lambda hit: (-hit[0], hit[1]))
        yield [cui for _, _, cui in _apart(hits)]


def _at_edges(text: str, start: int, end: int) -> bool:
    return not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum()


def _apart(hits: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    taken: list[tuple[int, int]] = []
    for hit in hits:
        start, end = hit[1], hit[1] + hit[0]
        if all(end <= first or last <= start for first, last in taken):
            taken.append((start, end))
            yield hit


WAYS: dict[str, Way] = {"radcap": Radcap(), "ahocorasick": AhoCorasick()}


def _build(way: Way, folder: Folder) -> dict[str, float]:
    terms = folder.read_terms()
    _pay_imports(way, folder)
    path = folder.path / way.file
    cost = _timed(lambda: way.build(terms, path))
    return {**cost, **_memory(), "bytes": path.stat().st_size}


def _open_and_link(way: Way, folder: Folder, most: int | None) -> dict[str, float]:
    texts = folder.read_captions(most)
    _pay_imports(way, folder)
    path = folder.path / way.file
    start = time.perf_counter()
    link = way.open(path)
    open_s = time.perf_counter() - start
    found: list[int] = []
    cost = _timed(lambda: found.append(sum(map(len, link(texts)))))
    return {**cost, **_memory(), "open_s": open_s, "texts": len(texts), "mentions": found[0]}


def _build_release(path: Path) -> dict[str, float]:
    """A UMLS release as `radcap vocab build` takes it: read up to the draft, then compiled."""
    import duckdb  # noqa: F401 - paid before the clock starts

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.index.compiling import compile_draft
    from radcap.vocabulary.sources.inputs import Input
    from radcap.vocabulary.sources.rrf.reading import read_umls
    from radcap.vocabulary.stamps import Stamp

    drafts: list[Draft | None] = []
    given = Input(path, release="made up")
    read = _timed(lambda: drafts.append(read_umls(given, Findings(), lambda *_: None).draft))
    read_mib = _memory()["peak_mib"]
    [draft] = drafts
    assert draft is not None  # noqa: S101 - a release that was made well-formed
    stamp = Stamp("made up", "", "", ())
    compiled = _timed(lambda: compile_draft(draft, stamp, path / Radcap.file))
    whole = {name: seconds + compiled[name] for name, seconds in read.items()}
    return {**whole, **_memory(), "read_s": read["wall_s"], "read_mib": read_mib, "names": len(draft.names)}


def _pay_imports(way: Way, folder: Folder) -> None:
    """Build and open a vocabulary of the labels alone."""
    path = folder.path / f"small-{way.file}"
    way.build(labels(), path)
    list(way.open(path)(["CT of the abdomen"]))
    path.unlink()
    gc.collect()


def _timed(work: Callable[[], object]) -> dict[str, float]:
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    work()
    return {"wall_s": time.perf_counter() - wall_s, "cpu_s": time.process_time() - cpu_s}


def _memory() -> dict[str, float]:
    """The peak of this process; what it holds now, and how much of that are pages of files."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    told = dict(line.split(":", 1) for line in text.splitlines())
    peak, now, own = (int(told[name].split()[0]) / _KIB for name in ("VmHWM", "VmRSS", "RssAnon"))
    return {"peak_mib": peak, "now_mib": now, "own_mib": own}


def main() -> None:
    parser = argparse.ArgumentParser(description="Build or use an index of names, once.")
    parser.add_argument("way", choices=(*WAYS, "release"))
    parser.add_argument("work", choices=("build", "link"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, help="captions; all, unless told")
    asked = parser.parse_args()
    folder = Folder(asked.folder)
    if asked.way == "release":
        done = _build_release(asked.folder)
    elif asked.work == "build":
        done = _build(WAYS[asked.way], folder)
    else:
        done = _open_and_link(WAYS[asked.way], folder, asked.most)
    print(json.dumps(done))


if __name__ == "__main__":
    main()
