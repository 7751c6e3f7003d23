"""From a caption system and a dataset to a captioner: stages, rewards, joint tasks, cards."""

from radcap.captioning.training.system_training import train_captions

__all__ = ["train_captions"]
