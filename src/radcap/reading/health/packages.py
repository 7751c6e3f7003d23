"""Which packages are installed, and which extras they make whole.

Invariant: nothing is imported, so that a package that does not load is still found.
>>> requirement("torch<2.14,>=2.6; extra == 'read'")
('torch', 'read')
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires, version

from radcap.reading.health.values import Extra, Package

__all__ = ["extras", "requirement", "version_of"]

_LEFT_OUT = {"all", "dev", "challenge", "corpus", "ray"}  # for developers, or for parts still to come
_EXTRA = re.compile(r"""extra == ['"]([^'"]+)['"]""")


def version_of(package: str) -> str | None:
    """Of an installed package; None where it is absent."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def requirement(line: str) -> tuple[str, str]:
    """The package of a requirement, and the extra it belongs to: none for the base install."""
    found = _EXTRA.search(line)
    return re.split(r"[^\w.-]", line, maxsplit=1)[0], found[1] if found else ""


def extras(lines: list[str] | None = None) -> tuple[Extra, ...]:
    """The base install first, then the extras in the order they are declared in."""
    wanted: dict[str, list[str]] = {"": []}
    for package, extra in map(requirement, _declared() if lines is None else lines):
        if extra not in _LEFT_OUT:
            wanted.setdefault(extra, []).append(package)
    return tuple(
        Extra(name, tuple(Package(one, version_of(one)) for one in packages))
        for name, packages in wanted.items()
    )


def _declared() -> list[str]:
    """What radcap was installed with; a copy that was never installed declares nothing."""
    try:
        return requires("radcap") or []
    except PackageNotFoundError:
        return []
