"""What the folder of every model holds: weights, labels, a card that knows the texts beside it.

Invariant: the card is written last and knows the texts, so a folder with a card is whole, and one whose parts
come from different models is refused.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from radcap.detection.models.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.core import Cui

__all__ = ["AnyFolder"]

_COLUMNS = ["cui", "name", "index"]
_UNSAFE = re.compile(r"[/\\:\0]|^\.+")  # a member's name may be that of a file or a path


@dataclass(frozen=True, slots=True)
class AnyFolder(Texts):
    """Reading and writing the parts; each reader says what is wrong with a part."""

    TEXTS: ClassVar[tuple[str, ...]] = ()  # that the card knows, where they are there

    @property
    def weights(self) -> Path:
        return self.path / "model.safetensors"

    @property
    def training(self) -> Path:
        """Where the state of an unfinished training lies."""
        return self.path / "training"

    def member_path(self, name: str) -> Path:
        """Of the folder of a member, where there are several."""
        return self.path / "members" / _UNSAFE.sub("-", name)

    @property
    def is_whole(self) -> bool:
        return (self.path / "card.json").is_file()

    def write_labels(self, labels: tuple[Cui, ...], names: Mapping[Cui, str]) -> None:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows([cui, names.get(cui, ""), number] for number, cui in enumerate(labels))
        self.write("labels.csv", out.getvalue())

    def labels(self) -> tuple[Cui, ...]:
        return tuple(self.names())

    def names(self) -> dict[Cui, str]:
        """The labels with their names, in the order of the logits."""
        try:
            rows = list(csv.DictReader(io.StringIO(self.read("labels.csv"))))
            ordered = sorted((int(row["index"]), row["cui"], row["name"]) for row in rows)
        except (KeyError, TypeError, ValueError, csv.Error) as error:
            wanted = ", ".join(_COLUMNS)
            raise self.broken("labels.csv", f"its columns must be {wanted} ({error})") from error
        if not ordered or [number for number, _, _ in ordered] != list(range(len(rows))):
            raise self.broken("labels.csv", "its indices are not 0, 1, 2 and so on")
        names = {cui: name for _, cui, name in ordered}
        if len(names) < len(rows):
            raise self.broken("labels.csv", "a CUI stands in it twice")
        return names

    def write_card(self, card: Mapping[str, Any]) -> None:
        """The end of writing. The card knows the texts that it was written for."""
        texts = {name: self.digest(name) for name in self.TEXTS if (self.path / name).exists()}
        told = json.dumps({**card, "files": texts}, indent=1, ensure_ascii=False)
        self.write("card.json", f"{told}\n")

    def card(self) -> dict[str, Any]:
        return self.read_json("card.json")

    def check(self) -> None:
        """Refuse texts that are not those of the card: cut off, changed, or of another model."""
        told = self.card().get("files")  # a card without them was written by hand
        known = cast("dict[str, object]", told) if isinstance(told, dict) else {}
        changed = [name for name in self.TEXTS if name in known and known[name] != self.digest(name)]
        if changed:
            raise self.broken(changed[0], "it is not the file that card.json was written for")
