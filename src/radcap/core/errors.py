"""What can go wrong, as one tree.

    RadcapError             something radcap refuses, with the sentence to show
    ├── UsageError          the question is wrong: an unknown edition, options that exclude each other
    ├── InputError          a file a person gave cannot be used; carries the issues found in it
    │   └── RefusedRuns     several of them, in `metrics.comparing`
    ├── Missing             something absent from the environment: a package, a model, a licence
    ├── ToolFailed          another program ended before its work was done
    │   ├── JavaFailed      a Java program, in `metrics.providers`; scoring lists its metric as missing
    │   └── ExtractorFailed MedCAT, QuickUMLS or a neural linker, in `vocabulary.extractors`
    └── ProcessDied         one of our own processes ended, in `core.processes`

Every message says what was read, why it is refused and what to do. The command line turns
`InputError` into exit code 1, `UsageError` into 2, `Missing` and `ToolFailed` into 3.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.core.issues import Issue

__all__ = ["InputError", "Missing", "RadcapError", "ToolFailed", "UsageError", "unknown_name"]

_SHOWN = 60  # letters of a name that is refused
_MANY = 30  # names that a sentence still holds


class RadcapError(Exception):
    """The root of the tree above."""


class UsageError(RadcapError):
    """The call cannot be answered as it was put."""


class InputError(RadcapError):
    """A file was read and refused; `path` is the file the issues are about."""

    def __init__(self, message: str, issues: tuple[Issue, ...] = (), path: str = "") -> None:
        super().__init__(message)
        self.issues = issues
        self.path = path


class Missing(RadcapError):
    """Something the environment lacks, and how to get it."""

    def __init__(self, what: str, why: str, how: str) -> None:
        super().__init__(f"{what} is missing. {why} {how}")
        self.what = what
        self.why = why
        self.how = how

    def __reduce__(self) -> tuple[type[Missing], tuple[str, str, str]]:
        return type(self), (self.what, self.why, self.how)  # it crosses processes


class ToolFailed(RadcapError):
    """Another program did not do its work."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """The refusal of a name, with the nearest known one and the choice, or of many the likeliest.

    >>> str(unknown_name("edition", "2052", ["2022", "2025"]))
    "There is no edition '2052'. Nearest is '2025'. Known: 2022, 2025."
    """
    choice = {str(one).casefold(): str(one) for one in known}
    name = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
    near = get_close_matches(name.casefold(), choice, n=1, cutoff=0.5)
    nearest = f" Nearest is {choice[near[0]]!r}." if near else ""
    like = get_close_matches(name.casefold(), choice, n=_MANY, cutoff=0) if len(choice) > _MANY else choice
    listed = [spelt for one, spelt in choice.items() if one in like]
    more = f" and {len(choice) - len(listed)} more" if len(listed) < len(choice) else ""
    return UsageError(f"There is no {kind} {name!r}.{nearest} Known: {', '.join(listed)}{more}.")
