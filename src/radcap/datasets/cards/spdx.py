"""Licences by the names people write, as SPDX knows them.

Invariant: what is not known for certain has no code; a guess would be a legal statement.
"""

from __future__ import annotations

import re

__all__ = ["hub_licence", "licence_url", "spdx"]

_PARTS = re.compile(r"cc[ -]?by((?:[ -](?:nc|nd|sa))*)[ -]?(\d\.\d)(?:[ -]?(igo|[a-z]{2}))?", re.IGNORECASE)
_ZERO = re.compile(r"cc[ -]?0(?:[ -]?1\.0)?(?:[ -]universal)?", re.IGNORECASE)
_OTHERS = {
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "mit": "MIT",
    "odbl 1.0": "ODbL-1.0",
    "odc-by 1.0": "ODC-By-1.0",
}
_URLS = {
    "Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "MIT": "https://opensource.org/license/mit",
    "ODbL-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "ODC-By-1.0": "https://opendatacommons.org/licenses/by/1-0/",
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
}
# the versions that Hugging Face lists beside 4.0
_HUB = {"CC0-1.0", "Apache-2.0", "MIT", "ODbL-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-SA-3.0"} | {
    "CC-BY-NC-2.0",
    "CC-BY-NC-3.0",
    "CC-BY-NC-ND-3.0",
    "CC-BY-NC-SA-2.0",
    "CC-BY-NC-SA-3.0",
}


def spdx(text: str) -> str:
    """The SPDX code of a licence, or nothing.

    >>> spdx("CC BY-NC-SA 4.0"), spdx("cc0 1.0"), spdx("no restrictions")
    ('CC-BY-NC-SA-4.0', 'CC0-1.0', '')
    """
    text = " ".join(text.split())
    if _ZERO.fullmatch(text):
        return "CC0-1.0"
    if found := _PARTS.fullmatch(text):
        terms = re.findall("nc|nd|sa", found[1].lower())
        where = f"-{found[3].upper()}" if found[3] else ""
        return "-".join(("CC-BY", *(term.upper() for term in terms), found[2])) + where
    return _OTHERS.get(text.casefold(), "")


def licence_url(text: str) -> str:
    """Where the licence can be read, or nothing.

    >>> licence_url("CC BY 4.0")
    'https://creativecommons.org/licenses/by/4.0/'
    """
    code = spdx(text)
    if not code.startswith("CC-BY"):
        return _URLS.get(code, "")
    terms, version, where = re.fullmatch(r"CC-(.*?)-(\d\.\d)(?:-(.*))?", code).groups()  # type: ignore[union-attr]
    tail = f"{where.lower()}/" if where else ""
    return f"https://creativecommons.org/licenses/{terms.lower()}/{version}/{tail}"


def hub_licence(text: str) -> str:
    """The licence as Hugging Face lists it; `other` where it does not.

    >>> hub_licence("CC BY 4.0"), hub_licence("CC BY 2.1"), hub_licence("")
    ('cc-by-4.0', 'other', 'unknown')
    """
    if not text:
        return "unknown"
    code = spdx(text)
    return code.lower() if code in _HUB or code.endswith("-4.0") else "other"
