"""Losses over logits and labels, by name."""

from radcap.vision.losses.demands import check_loss
from radcap.vision.losses.loss import InnerLoss, Loss, make_loss

__all__ = ["InnerLoss", "Loss", "check_loss", "make_loss"]
