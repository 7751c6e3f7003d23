"""Images found by split and id, wherever below a folder they lie: as files, in zips or in tars.

Invariant: an id finds its own image or none. Two files that fit equally well are refused unless they are the
same, and a record of one split is never served from the folder of another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from radcap.datasets.refusal import ImageRefused, missing_image, refuse
from radcap.datasets.stores.file_names import cased_name, image_ending, is_image, safe_name, stem_of
from radcap.datasets.stores.folder import FolderImages, walk
from radcap.datasets.stores.pools import Place, Places, Pool
from radcap.datasets.stores.tar_members import TarImages
from radcap.datasets.stores.zip_members import ZipImages
from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from radcap.datasets.stores.store import ImageStore

__all__ = ["NamedImages"]

_FILES, _ZIPS, _TARS = range(3)


@dataclass(frozen=True)
class NamedImages:
    """Images by `split/id` below `root`. `splits` are those of the dataset; `split_of` reads one from a name.

    `records` are the keys of the dataset. Where two of them differ in case or ending alone, no id takes a
    file that is not written as it is.
    """

    root: Path
    splits: tuple[str, ...]
    split_of: Callable[[str], str]
    records: Any = field(default=None, compare=False, repr=False)
    strict: bool | None = None  # what the records say of that, in a process that does not have them

    def __reduce__(self) -> tuple[type[NamedImages], tuple[object, ...]]:
        return type(self), (self.root, self.splits, self.split_of, None, self._exact)

    def read(self, key: str) -> bytes:
        places = self._places(key)
        if not places:
            raise self._missing(key)
        data = self._read(places[0])
        for other in places[1:]:
            if self._read(other) != data:
                raise self._ambiguous(key, places[0], other)
        return data

    def has(self, key: str) -> bool:
        return bool(self._places(key))

    def name(self, key: str) -> str:
        """The file with its folder, or the key where there is none."""
        places = self._places(key)
        return self._name(places[0]) if places else key

    def path(self, key: str) -> Path | None:
        places = self._places(key)
        return self._stores[places[0][0]].path(places[0][1]) if places else None

    def stamp(self, key: str) -> str:
        return "|".join(self._stores[store].stamp(inner) for store, inner in self._places(key))

    def keys(self) -> Iterator[str]:
        """The keys of records that have an image, then one for each file that none of them has."""
        used: set[Place] = set()
        for key in () if self.records is None else self.records.to_pylist():
            places = self._places(key)
            used.update(places)
            if places:
                yield key
        yield from self._others(used)

    def _others(self, used: set[Place]) -> Iterator[str]:
        """Files by split and stem, with the ending only where the stem would not tell which is meant."""
        for split, pool in self._pools.items():
            for stem, places in pool.stems.items():
                free = [place for place in places if place not in used]
                names = dict.fromkeys(PurePosixPath(self._name(place)).name for place in free)
                whole = len(names) == 1 and len(free) == len(places)
                yield from (f"{split}/{stem}",) if whole else (f"{split}/{name}" for name in names)

    def _read(self, place: Place) -> bytes:
        return self._stores[place[0]].read(place[1])

    def _name(self, place: Place) -> str:
        store, key = place
        name = self._stores[store].name(key)
        return name if store == _FILES else f"{self._archive(place)}/{name}"

    def _archive(self, place: Place) -> str:
        paths = self._archives[place[0] - 1]
        return paths[int(place[1].partition("/")[0])].relative_to(self.root).as_posix()

    def _places(self, key: str) -> Places:
        split, image_id = self._parted(key)
        for pool in dict.fromkeys((split, "")):
            if pool in self._pools:
                found = next(filter(None, self._fitting(self._pools[pool], image_id)), ())
                if found:
                    return found
        return ()

    def _parted(self, key: str) -> tuple[str, str]:
        odd = next((one for one in self.splits if "/" in one and key.startswith(f"{one}/")), None)
        split = key.partition("/")[0] if odd is None else odd
        return split, key[len(split) + 1 :]

    def _fitting(self, pool: Pool, image_id: str) -> Iterator[Places]:
        """The files that fit an id, the better fit first."""
        stem = stem_of(image_id)
        yield pool.stems.get(cased_name(image_id), ())
        if image_ending(image_id):
            there = pool.stems.get(stem, ())
            yield tuple(one for one in there if PurePosixPath(self._name(one)).name == image_id)
        yield pool.stems.get(image_id, ())
        yield pool.stems.get(safe_name(image_id), ())
        if not self._exact:
            yield pool.stems.get(stem, ())
            yield pool.folded.get(stem.casefold(), ())

    def _missing(self, key: str) -> ImageRefused:
        """Why there is none: the archive it should lie in may be broken."""
        split = self._parted(key)[0]
        zips = self._stores[_ZIPS]
        for path, why in zips.broken.items() if isinstance(zips, ZipImages) else ():
            if self._pool_of((path.stem,)) in {split, ""}:
                return refuse("DAT104", key, file=named(path.name), why=why)
        return missing_image(key)

    def _ambiguous(self, key: str, first: Place, second: Place) -> ImageRefused:
        image_id = self._parted(key)[1]
        fields = {
            "id": named(image_id),
            "first": named(self._name(first)),
            "second": named(self._name(second)),
        }
        return refuse("DAT305", image_id, **fields)

    @cached_property
    def _exact(self) -> bool:
        if self.strict is not None or self.records is None:
            return bool(self.strict)
        keys: list[str] = self.records.to_pylist()
        return len({stem_of(key).casefold() for key in keys}) < len(keys)

    @cached_property
    def _archives(self) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        found: dict[str, list[Path]] = {".zip": [], ".tar": []}
        for folder, names in walk(self.root):
            for name in names:
                if name[-4:].lower() in found and not name.startswith("."):
                    found[name[-4:].lower()].append(self.root / folder / name)
        return tuple(found[".zip"]), tuple(found[".tar"])

    @cached_property
    def _stores(self) -> tuple[ImageStore, ...]:
        zips, tars = self._archives
        return FolderImages(self.root), ZipImages(zips), TarImages(tars)

    @cached_property
    def _pools(self) -> Mapping[str, Pool]:
        pools: dict[str, Pool] = {}
        for folder, names in walk(self.root):
            pool = pools.setdefault(self._pool_of(folder.parts), Pool())
            prefix = "" if folder == PurePosixPath() else f"{folder}/"
            for name in names:
                if is_image(name):
                    pool.add(name, (_FILES, prefix + name))
        for store in (_ZIPS, _TARS):
            self._add_members(store, self._stores[store].keys(), pools)
        return pools

    def _add_members(self, store: int, keys: Iterable[str], pools: dict[str, Pool]) -> None:
        """Members belong to the split of their archive, else to that of their folder in it."""
        known: dict[tuple[str, str], str] = {}
        for key in keys:
            member = self._stores[store].name(key)
            folder, _, name = member.rpartition("/")
            archive = self._archive((store, key))
            if (archive, folder) not in known:
                outer = self._pool_of((*PurePosixPath(archive).parent.parts, PurePosixPath(archive).stem))
                known[archive, folder] = outer or self._pool_of(PurePosixPath(folder).parts)
            pools.setdefault(known[archive, folder], Pool()).add(name, (store, key))

    def _pool_of(self, parts: Iterable[str]) -> str:
        """The split of a folder: the innermost part of its path that names one."""
        for part in reversed(tuple(parts)):
            split = self._by_name.get(part.removesuffix("_images")) or self.split_of(part)
            if split:
                return split
        return ""

    @cached_property
    def _by_name(self) -> Mapping[str, str]:
        return {safe_name(split): split for split in self.splits}
