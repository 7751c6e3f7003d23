"""Other ways to write a name that follow from its form.

Invariant: a variant is found in text only; it is never shown as a name, and yields to a name as written.
>>> variants("Structure of left ovary")
('left ovary', 'left ovary Structure')
>>> variants("Pancreatitis, Acute")
('Acute Pancreatitis',)
"""

from __future__ import annotations

import csv
import re
from functools import cache

from radcap.vocabulary.words.tables import data_file

__all__ = ["variants"]

_MOST = 6  # variants of one name
_LONGEST = 120  # letters of a name that has variants
# Most names have none: signs that every pattern needs.
_HINT = re.compile(r"structure|entire |,|\(|\bof\b|\bnos\b|\[|specified", re.IGNORECASE)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = csv.reader(data_file("variants.csv").read_text("utf-8").splitlines())
    next(rows)
    return tuple((re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement, _ in rows)


def variants(name: str) -> tuple[str, ...]:
    """Every variant; those of variants too."""
    if len(name) > _LONGEST or not _HINT.search(name):
        return ()
    seen = [name.strip()]
    for one in seen:  # grows while it is walked
        for pattern, replacement in _patterns():
            match = pattern.fullmatch(one) if len(seen) <= _MOST else None
            if match and (made := match.expand(replacement)) not in seen:
                seen.append(made)
    return tuple(seen[1:])
