"""Whether an explanation is true to its model."""

from radcap.explanation.faithfulness.values import Curve, Faithfulness, Sanity

__all__ = ["Curve", "Faithfulness", "Sanity"]
