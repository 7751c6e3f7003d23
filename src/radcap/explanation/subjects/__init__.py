"""What a model said of an image, ready to be explained."""

from radcap.explanation.subjects.subject import Path, Statement, Subject

__all__ = ["Path", "Statement", "Subject"]
