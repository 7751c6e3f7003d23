"""The demo: what radcap does, on the data and the models that ship inside."""

from radcap.reading.demo.chapters import Chapter
from radcap.reading.demo.story import Story, run_demo

__all__ = ["Chapter", "Story", "run_demo"]
