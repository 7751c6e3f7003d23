"""Training a system on a dataset: one network, a grid of them, or the members of an ensemble."""

from radcap.detection.talk import SILENT, Talk
from radcap.detection.training.system_training import leave_networks, train_system

__all__ = ["SILENT", "Talk", "leave_networks", "train_system"]
