"""What came of each system, in a folder that is small enough to send.

    results/NAME.json   how it was trained, or why it was not
    results/NAME.log    the error that nobody foresaw, where there was one
    runs/NAME.csv       what it said of the test split
    told/WHAT/NAME.csv  what it said where it was told other concepts than its detector found
    models/NAME/        an unfinished training, or a finished one where models are kept
    networks/           what several systems train alike, until all have a result

Invariant: a result holds the fingerprint of system, data and scale, so that a changed one is made again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import traceback
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError
from radcap.core.folder_lock import alone_in
from radcap.core.tables import read_table
from radcap.formats import replacing
from radcap.systems.board.accounts import Account, read_memory, write_memory

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

__all__ = ["TOLD", "BoardFolder", "Result", "digest_of", "flat"]

TOLD = ("none", "true")  # concepts that captioners are told beside those that their detectors find
_COMMAND = "radcap systems reproduce"
_NOT_YET = "Not trained yet."
_OTHER = "Not trained yet: its result in the folder is of other settings, other data or another scale."
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
    told_sha256: Mapping[str, str] = field(default_factory=dict[str, str])  # of runs under told/

    @property
    def is_scored(self) -> bool:
        return not self.why_not

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class BoardFolder:
    """The folder of a board. A `mark` is the fingerprint that a result has to have."""

    path: Path

    def run(self, name: str) -> Path:
        return self.path / "runs" / f"{flat(name)}.csv"

    def told(self, what: str, name: str) -> Path:
        return self.path / "told" / what / f"{flat(name)}.csv"

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

    def want_networks(self, marks: Mapping[str, str]) -> None:
        """Whom the networks are for: another command in the folder then leaves them there."""
        write_memory(self._wanted, {**read_memory(self._wanted), **marks})

    def forget_networks(self) -> None:
        """Unless there are some that a system without a result could still take."""
        wanted = read_memory(self._wanted)
        left = {name: mark for name, mark in wanted.items() if not self._has(name, mark)}
        if left and any(one != self._wanted for one in self.networks.iterdir()):
            write_memory(self._wanted, left)
        else:
            shutil.rmtree(self.networks, ignore_errors=True)

    def write(self, result: Result) -> None:
        with replacing(self._result(result.name)) as part:
            part.write_text(f"{json.dumps(result.to_json(), indent=1)}\n", encoding="utf-8")

    def write_log(self, name: str, error: Exception) -> None:
        """All that is known of an error."""
        with replacing(self.log(name)) as part:
            part.write_text("".join(traceback.format_exception(error)), "utf-8", "backslashreplace")

    def known(self, name: str) -> Result | None:
        """What the file of a system says, of whatever settings, data and scale it is."""
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
        return result

    def scales(self) -> list[str]:
        """Of the scores that lie here, whatever systems, settings and data they are of."""
        known = [read_memory(one) for one in (self.path / "results").glob("*.json")]
        return sorted({str(one["scale"]) for one in known if one.get("scale") and not one.get("why_not")})

    def read(self, name: str, mark: str) -> Result | None:
        """What came of a system, or None where nothing did yet."""
        result = self.known(name)
        if result is None or result.fingerprint != mark:
            return None  # the run beside another one's result is looked at by nobody
        if not result.is_scored:
            return result
        runs = {self.run(name): result.run_sha256}
        runs |= {self.told(what, name): digest for what, digest in result.told_sha256.items()}
        if not all(run.exists() for run in runs):
            return None
        for run, digest in runs.items():
            if digest not in ("", digest_of(run)):
                raise _damaged(run, f"is not what {name} said: it was changed")
        return result

    def results(self, marks: Mapping[str, str]) -> Iterator[Result]:
        """Of each system, by its name and mark. What has none yet, or that of another mark, says so."""
        for name, mark in marks.items():
            found = self.read(name, mark)
            if found is not None:
                yield found
                continue
            known = self.known(name)
            is_other = known is not None and known.fingerprint != mark
            yield Result(name, mark, "", why_not=_OTHER if is_other else _NOT_YET)

    @contextmanager
    def begun(self, name: str, mark: str) -> Generator[Account]:
        """A training that is begun, or gone on with: another one's remains are thrown away first."""
        told = [self.told(what, name) for what in TOLD]
        for old in (self._result(name), self.log(name), self.run(name), *told):
            old.unlink(missing_ok=True)  # the result first: a kill must not leave it beside a new run
        account = Account(self._memory(name), mark)
        if self.model(name).exists() and not account.goes_on():
            shutil.rmtree(self.model(name))
        account.keep()
        try:
            yield account
        finally:
            account.close()

    def forget(self, name: str) -> None:
        """The model of a system whose result is known."""
        shutil.rmtree(self.model(name))
        self._memory(name).unlink()

    def log(self, name: str) -> Path:
        return self.path / "results" / f"{flat(name)}.log"

    def _result(self, name: str) -> Path:
        return self.path / "results" / f"{flat(name)}.json"

    def _memory(self, name: str) -> Path:
        return self.path / "models" / f"{flat(name)}.json"

    @property
    def _wanted(self) -> Path:
        return self.networks / "wanted.json"

    def _has(self, name: str, mark: str) -> bool:
        return read_memory(self._result(name)).get("fingerprint") == mark


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} {why}. Delete it, and the system is trained again.", path=str(path))


def digest_of(run: Path) -> str:
    """By which a run is known again."""
    return hashlib.sha256(run.read_bytes()).hexdigest()


def flat(name: str) -> str:
    """The name of a system as that of one file.

    >>> flat("2025/aueb-concepts"), flat("..")
    ('2025_aueb-concepts', '_')
    """
    return _UNSAFE.sub("_", name)
