"""Words for probabilities, always with the number beside them.

Invariant: one scale, in steps that do not overlap: more probable never gets a weaker word. Its seven steps
are those that analysts agreed on so that readers need not guess (ICD 203, 2015); verbal scales without
numbers are read very differently by different people (Budescu et al. 2009). A score that nobody calibrated
gets no word, since it says nothing about how often it is right.
>>> how_likely(0.83), how_likely(0.83, calibrated=False)
('very likely (p 0.83)', 'of score 0.83 (not calibrated, so no probability)')
"""

from __future__ import annotations

__all__ = ["SCALE", "how_likely", "word_for"]

SCALE: tuple[tuple[float, str], ...] = (
    (0.95, "almost certain"),
    (0.80, "very likely"),
    (0.55, "likely"),
    (0.45, "as likely as not"),
    (0.20, "unlikely"),
    (0.05, "very unlikely"),
    (0.0, "most unlikely"),
)
_LEAST, _MOST = 0.01, 0.99


def word_for(probability: float) -> str:
    """The word of a probability, as it is printed: to two digits."""
    shown = round(probability, 2)
    return next(word for least, word in SCALE if shown >= least or not least)


def how_likely(probability: float, *, calibrated: bool = True) -> str:
    """A probability as a word and a number."""
    if not calibrated:
        return f"of score {probability:.2f} (not calibrated, so no probability)"
    return f"{word_for(probability)} ({_number(probability)})"


def _number(probability: float) -> str:
    """Nothing that was predicted is printed as impossible or as certain."""
    if probability < _LEAST:
        return f"p below {_LEAST}"
    return f"p above {_MOST}" if probability > _MOST else f"p {probability:.2f}"
