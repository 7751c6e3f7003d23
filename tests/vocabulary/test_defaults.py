from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from vocabulary_samples import draft_of, write_vocabulary

from radcap.core import VERSION, InputError
from radcap.vocabulary import defaults
from radcap.vocabulary.defaults import FREE, free_draft, open_vocabulary
from radcap.vocabulary.vocabulary import Vocabulary
from radcap.vocabulary.words import data_file, digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A free vocabulary of two concepts, and a cache that nothing is in."""
    draft = draft_of(
        {"C0000001": ["Heart"], "C0000002": ["Lung"]},
        types=[("C0000001", 23)],
        parents=[("C0000001", "C0000002")],
    )
    (tmp_path / FREE).mkdir()
    for name in ("names", "types", "parents"):
        pq.write_table(getattr(draft, name), tmp_path / FREE / f"{name}.parquet")
    about = {
        "name": "free",
        "release": "1",
        "licence": "CC0",
        "sources": [{"name": "test", "licence": "CC0"}, {"name": "other"}],
    }
    (tmp_path / FREE / "sources.json").write_text(json.dumps(about), "utf-8")
    monkeypatch.setattr(defaults, "data_file", tmp_path.joinpath)
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    defaults._free.cache_clear()
    yield tmp_path / "cache" / "vocabulary"
    defaults._free.cache_clear()


def assert_small(vocabulary: Vocabulary) -> None:
    concept = vocabulary.concept("C0000001")
    assert concept is not None
    assert (concept.name, concept.types, concept.parents, concept.sources) == (
        "Heart",
        ("T023",),
        ("C0000002",),
        ("test",),
    )
    stamp = vocabulary.stamp
    assert (stamp.name, stamp.licence, stamp.radcap, stamp.words) == ("free", "CC0", VERSION, digest())
    assert stamp.counts["concepts"] == 2


def test_the_free_one_is_compiled_once(cache: Path) -> None:
    assert_small(open_vocabulary())
    (file,) = cache.iterdir()
    written = file.stat().st_mtime_ns
    assert open_vocabulary() is open_vocabulary(FREE)
    defaults._free.cache_clear()
    assert_small(open_vocabulary())
    assert [one.stat().st_mtime_ns for one in cache.iterdir()] == [written]


def test_other_data_are_another_file(cache: Path) -> None:
    open_vocabulary()
    defaults._free.cache_clear()
    about = cache.parent.parent / FREE / "sources.json"
    about.write_text(about.read_text("utf-8").replace('"1"', '"2"'), "utf-8")
    assert open_vocabulary().stamp.release == "2"
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("left", [b"", b"half a file", bytes(100)])
def test_half_a_file_is_compiled_again(cache: Path, left: bytes) -> None:
    open_vocabulary()
    (file,) = cache.iterdir()
    file.write_bytes(left)
    defaults._free.cache_clear()
    assert_small(open_vocabulary())
    assert file.stat().st_size > 1000


def test_a_file_that_cannot_be_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_vocabulary()
    defaults._free.cache_clear()

    def refuse(path: Path) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(Vocabulary, "open", refuse)
    assert_small(open_vocabulary())


def test_without_a_cache_it_is_compiled_in_memory(cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"a file where the folder should be")
    vocabulary = open_vocabulary()
    assert vocabulary.path is None
    assert_small(vocabulary)


def test_a_file_by_its_name(tmp_path: Path) -> None:
    path = write_vocabulary(tmp_path / "mine.vocab", {"C0000009": ["Spleen"]})
    assert open_vocabulary(path).name("C0000009") == "Spleen"
    assert open_vocabulary(str(path)).path == path
    with pytest.raises(InputError, match=r"No file at .*nothing\.vocab"):
        open_vocabulary(tmp_path / "nothing.vocab")


@pytest.mark.skipif(
    not data_file(FREE, "sources.json").is_file(), reason="the free vocabulary is not built yet"
)
def test_what_ships() -> None:
    draft, stamp = free_draft()
    assert len(draft.names) > 10_000
    assert stamp.licence
    assert all(one.licence for one in draft.sources)
