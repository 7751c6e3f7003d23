"""Made-up datasets of any size, whose images show what their labels say."""

from radcap.datasets.synthetic.dataset import synthetic
from radcap.datasets.synthetic.faults import Faults

__all__ = ["Faults", "synthetic"]
