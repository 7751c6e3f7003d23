"""Why an image is refused, as a typed error.

Invariant: every refusal has a code of the catalogue, so that broken files can be counted by reason.
"""

from __future__ import annotations

from radcap.core import InputError, Issue, Level
from radcap.datasets.codes import CODES
from radcap.formats import named

__all__ = ["ImageRefused", "missing_image", "refuse"]


class ImageRefused(InputError):
    """An image that cannot be used; `code` tells the reason."""

    def __init__(self, issue: Issue, name: str) -> None:
        super().__init__(f"{issue.message} {issue.hint}", (issue,), name)
        self.code = issue.code

    def __reduce__(self) -> tuple[type[ImageRefused], tuple[Issue, str]]:
        return type(self), (self.issues[0], self.path)  # it crosses processes


def refuse(code: str, name: str, **fields: object) -> ImageRefused:
    """The error of a code; `name` is what the image is called."""
    entry = CODES[code]
    values = {"name": named(name), **fields}
    message, hint = entry.message.format(**values), entry.hint.format(**values)
    return ImageRefused(Issue(code, Level.ERROR, 0, 0, message, hint), name)


def missing_image(name: str) -> ImageRefused:
    """The error for an image that is not there."""
    return refuse("IMG101", name)
