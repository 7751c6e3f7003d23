"""Losses over logits and labels, by name."""

from radcap.vision.losses.loss import LOSSES, Loss, make_loss

__all__ = ["LOSSES", "Loss", "make_loss"]
