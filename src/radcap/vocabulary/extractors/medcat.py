"""MedCAT with a model pack of the user: the extractor of the official UMLS F1, and of ROCOv2's concepts.

A pack runs code when it is opened: use packs you trust. Packs of release 1 open under MedCAT 1, and under
MedCAT 2, which converts them each time. Identifiers that are SNOMED CT codes become CUIs by a vocabulary.
Invariant: a packed file is unpacked once for each of its states, into the cache, and never beside itself.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import zipfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import InputError, Missing, cache_root
from radcap.vocabulary.extractors.entities import IsolatedExtractor
from radcap.vocabulary.extractors.isolated import Tool, check_tool, start_tool, tool_file
from radcap.vocabulary.extractors.known import Known
from radcap.vocabulary.extractors.options import WorkerOptions, read_options, variable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.extractors.entities import Entity
    from radcap.vocabulary.extractors.marks import Marks
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["MedcatOptions", "check_medcat", "open_medcat"]

_log = logging.getLogger(__name__)
_GET_PACK = (
    "MedCAT's page of models offers packs to holders of a UMLS or SNOMED CT licence. Name the zip file or "
    f"the unpacked folder with the option pack, or in {variable('medcat', 'pack')}."
)
_CDB = ("cdb.dat", "cdb")  # the concepts of a pack, by release
_EXTRAS = {"spacy": "spacy", "torch": "meta-cat", "transformers": "meta-cat"}
# What the meta annotations of published packs are called, and which of their values say what.
_NEGATED = {
    ("presence", "false"),
    ("presence", "not present (false)"),
    ("negation", "negated"),
    ("negation", "yes"),
}
_UNCERTAIN = {
    ("presence", "hypothetical"),
    ("presence", "hypothetical (n/a)"),
    ("status", "other"),  # neither affirmed nor confirmed
}
_TOLD_BY = {"presence", "negation", "status"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MedcatOptions(WorkerOptions):
    """What MedCAT can be told."""

    pack: Path | None = None


def open_medcat(vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> IsolatedExtractor:
    """MedCAT with the pack of the options."""
    chosen = read_options("medcat", MedcatOptions, options)
    folder = _folder(_pack(chosen))
    worker = start_tool(_TOOL, chosen, {"pack": str(folder), "holds": _holds(folder)})
    to_mentions = partial(Known(vocabularies).mentions, worker.title, marked=_marked)
    return IsolatedExtractor(worker, chosen, to_mentions)


def check_medcat(options: Mapping[str, str]) -> None:
    """Raise `Missing` where something is absent; unpacks and opens nothing."""
    chosen = read_options("medcat", MedcatOptions, options)
    pack = _pack(chosen)
    pack = _folder(pack) if pack.is_dir() else pack
    check_tool(_TOOL, chosen, {"pack": str(pack), "holds": _holds(pack)})


def _absent(names: Sequence[str], python: Path) -> Missing:
    if names == ["medcat"]:
        return Missing(
            "MedCAT",
            f"{python} has no package medcat.",
            "Make an environment for it (python -m venv ENV; ENV/bin/pip install medcat), and name "
            f"ENV/bin/python with the option python, or in {variable('medcat', 'python')}.",
        )
    if names == ["medcat 2"]:
        return Missing(
            "MedCAT 2",
            f"The pack was made by MedCAT 2, and {python} has MedCAT 1.",
            "Run: pip install 'medcat>=2' in an environment of its own, and name its interpreter with the "
            "option python.",
        )
    extras = ",".join(dict.fromkeys(_EXTRAS[one] for one in names if one in _EXTRAS)) or "spacy,meta-cat"
    return Missing(
        " and ".join(names).rstrip("."),
        "MedCAT needs it to open this pack.",
        f"Run: {python} -m pip install 'medcat[{extras}]'",
    )


_TOOL = Tool("MedCAT", tool_file("medcat"), _absent)


def _pack(chosen: MedcatOptions) -> Path:
    if chosen.pack is None:
        raise Missing("A MedCAT model pack", "MedCAT finds nothing without one.", _GET_PACK)
    pack = chosen.pack.expanduser().absolute()
    if not pack.exists():
        raise Missing("A MedCAT model pack", f"There is nothing at {pack}.", _GET_PACK)
    return pack


def _folder(pack: Path) -> Path:
    """The folder of a pack, unpacked if it has to be."""
    folder = pack if pack.is_dir() else _unpack(pack)
    inside = [folder, *(one for one in sorted(folder.iterdir()) if one.is_dir())]
    found = next((one for one in inside if any((one / name).exists() for name in _CDB)), None)
    if found is None:
        raise InputError(
            f"{pack} is no MedCAT model pack: it holds neither {' nor '.join(_CDB)}. {_GET_PACK}",
            path=str(pack),
        )
    return found


def _holds(pack: Path) -> list[str]:
    """The names in a pack, which tell its release and what it is made of."""
    if pack.is_dir():
        return [one.name for one in pack.iterdir()]
    try:
        with zipfile.ZipFile(pack) as packed:
            # the pack itself, or one folder that holds it
            return list(dict.fromkeys(part for name in packed.namelist() for part in name.split("/")[:2]))
    except (zipfile.BadZipFile, OSError) as error:
        raise _no_zip(pack, error) from None


def _no_zip(pack: Path, error: Exception) -> InputError:
    return InputError(f"{pack} is no zip file that can be read: {error}. {_GET_PACK}", path=str(pack))


def _unpacked(pack: Path) -> Path:
    """Where a packed file goes; another state of it goes elsewhere."""
    state = pack.stat()
    seen = hashlib.sha256(f"{pack} {state.st_size} {state.st_mtime_ns}".encode(errors="surrogateescape"))
    return cache_root() / "medcat" / f"{pack.stem}-{seen.hexdigest()[:12]}"


def _unpack(pack: Path) -> Path:
    folder = _unpacked(pack)
    if folder.is_dir():
        return folder
    _log.info("unpacking %s", pack)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(pack) as packed, _temporary(folder.parent) as temporary:
            packed.extractall(temporary)  # which keeps every name inside the folder
            Path(temporary).replace(folder)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError) as error:
        raise _no_zip(pack, error) from None
    except OSError as error:
        if folder.is_dir():
            return folder  # another process was quicker
        raise InputError(
            f"{pack} cannot be unpacked into {folder}: {error.strerror or error}. Unpack it yourself, and "
            "name the folder.",
            path=str(pack),
        ) from None
    return folder


def _temporary(parent: Path) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=parent, prefix=".unpacking-", ignore_cleanup_errors=True)


def _marked(entity: Entity, ours: Marks) -> Marks:
    """What the pack says, else what our rules say."""
    meta = {(name.casefold(), value.casefold()) for name, value in entity.meta}
    if _TOLD_BY.isdisjoint(name for name, _ in meta):
        return ours
    return not _NEGATED.isdisjoint(meta), not _UNCERTAIN.isdisjoint(meta)
