"""What a person runs on images and data: for now the demo."""

from radcap.reading.demo import Story, run_demo

__all__ = ["Story", "run_demo"]
