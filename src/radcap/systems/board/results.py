"""What came of each system, in a folder that is small enough to send.

    results/NAME.json   how it was trained, or why it was not
    runs/NAME.csv       what it said of the test split
    models/NAME/        an unfinished training, or a finished one where models are kept
    networks/           what several systems train alike, until all have a result

Invariant: a result holds the fingerprint of system, data and scale, so that a changed one is made again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError
from radcap.core.folder_lock import alone_in
from radcap.core.tables import read_table
from radcap.detection.training.spending import Spent
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

__all__ = ["BoardFolder", "Result", "digest_of", "flat"]

_COMMAND = "radcap systems reproduce"
_UNSAFE = re.compile(r"[/\\:\0]|^\.*$|^\.+")  # a name may be that of a path, or lead out of the folder


@dataclass(frozen=True, slots=True)
class Result:
    """How a system was trained and asked. One that could not be trained has a reason and no figures."""

    name: str
    fingerprint: str
    scale: str
    changes: tuple[str, ...] = ()
    borrowed: bool = False
    why_not: str = ""
    train_s: float = 0.0
    images_per_s: float = 0.0
    parameters: int = 0
    members: int = 1
    device: str = ""
    held_out: Mapping[str, float] = field(default_factory=dict[str, float])
    run_sha256: str = ""

    @property
    def is_scored(self) -> bool:
        return not self.why_not

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class BoardFolder:
    """The folder of a board."""

    path: Path

    def run(self, name: str) -> Path:
        return self.path / "runs" / f"{flat(name)}.csv"

    def model(self, name: str) -> Path:
        return self.path / "models" / flat(name)

    @property
    def networks(self) -> Path:
        return self.path / "networks"

    @contextmanager
    def mine(self) -> Generator[None]:
        """A block in which no other command works in the folder. What locks a killed one left are gone."""
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with alone_in(self.path, _COMMAND):
                for pattern in ("*.lock", "*.taking"):
                    for lock in self.networks.glob(pattern):
                        lock.unlink(missing_ok=True)
                yield
        finally:
            with suppress(OSError):  # it holds something, as a rule
                self.path.rmdir()

    def forget_networks(self) -> None:
        """No system is left that could want one."""
        shutil.rmtree(self.networks, ignore_errors=True)

    def write(self, result: Result) -> None:
        with replacing(self._result(result.name)) as part:
            part.write_text(f"{json.dumps(result.to_json(), indent=1)}\n", encoding="utf-8")

    def read(self, name: str) -> Result | None:
        """What came of a system, or None where nothing did yet."""
        path = self._result(name)
        if not path.exists():
            return None
        try:
            told: Any = json.loads(path.read_text(encoding="utf-8"))
            known = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
            result = read_table(Result, known) if known else None
        except (OSError, ValueError, RecursionError, InputError) as error:
            raise _damaged(path, f"cannot be read as a result: {str(error).rstrip('.')}") from error
        if result is None or result.name != name:
            raise _damaged(path, f"is no result of {name}")
        if not result.is_scored:
            return result
        run = self.run(name)
        if not run.exists():
            return None
        if result.run_sha256 not in ("", digest_of(run)):
            raise _damaged(run, f"is not what {name} said: it was changed")
        return result

    def results(self, names: Iterable[str]) -> Iterator[Result]:
        for name in names:
            found = self.read(name)
            if found is not None:
                yield found

    @contextmanager
    def begun(self, name: str, fingerprint: str) -> Generator[Spent]:
        """A training that is begun, or gone on with: another one's remains are thrown away first.

        The seconds of all its pieces are counted, also of those that were cut off.
        """
        memory, spent = self.path / "models" / f"{flat(name)}.json", Spent()
        if self.model(name).exists():
            known = _memory(memory)
            if known.get("fingerprint") == fingerprint:
                spent = Spent(float(known["seconds"]), set(known.get("networks", ())))
            else:
                shutil.rmtree(self.model(name))
        _remember(memory, fingerprint, spent)
        began = time.monotonic()
        try:
            yield spent
        finally:
            spent.seconds += time.monotonic() - began
            _remember(memory, fingerprint, spent)

    def forget(self, name: str) -> None:
        """The model of a system whose result is known."""
        shutil.rmtree(self.model(name))
        (self.path / "models" / f"{flat(name)}.json").unlink()

    def _result(self, name: str) -> Path:
        return self.path / "results" / f"{flat(name)}.json"


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} {why}. Delete it, and the system is trained again.", path=str(path))


def digest_of(run: Path) -> str:
    """By which a run is known again."""
    return hashlib.sha256(run.read_bytes()).hexdigest()


def _memory(path: Path) -> dict[str, Any]:
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def _remember(path: Path, fingerprint: str, spent: Spent) -> None:
    told = {"fingerprint": fingerprint, "seconds": spent.seconds, "networks": sorted(spent.networks)}
    with replacing(path) as part:
        part.write_text(json.dumps(told), encoding="utf-8")


def flat(name: str) -> str:
    """The name of a system as that of one file.

    >>> flat("2025/aueb-concepts"), flat("..")
    ('2025_aueb-concepts', '_')
    """
    return _UNSAFE.sub("_", name)
