"""Why, in plain sentences: from the parts of an explanation to a text.

Invariant: the text claims nothing that the model did not: every concept in it is a label of the evidence, or
stands in a quotation with the case or the caption that it is taken from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.rationale.cautions import cautions
from radcap.explanation.rationale.nearest import nearest
from radcap.explanation.rationale.quoting import quoted
from radcap.explanation.rationale.statements import statements
from radcap.explanation.values import Kind, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.faithfulness.values import Sanity
    from radcap.explanation.values import Case, Evidence

__all__ = ["rationale"]

_NOTHING = "The model says nothing of this image that could be explained."


def rationale(
    caption: str,
    evidence: Sequence[Evidence],
    cases: Sequence[Case] = (),
    *,
    calibrated: bool = True,
    origin: Origin = Origin.MODEL,
    sanity: Sanity | None = None,
) -> str:
    """One statement a line: what is said, what to be wary of, and the nearest cases.

    `calibrated` tells whether the probabilities were calibrated; `origin` whose maps they are.
    """
    labels = [one.label for one in evidence if one.kind in (Kind.CONCEPT, Kind.SPAN)]
    lines = [f"Caption: {quoted(caption)}"] if caption else []
    lines += statements(caption, evidence, calibrated=calibrated)
    if not lines:
        lines = [_NOTHING]
    lines += cautions(evidence, origin, sanity)
    lines += nearest(cases, labels)
    return "\n".join(lines)
