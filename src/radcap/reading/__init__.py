"""What a person runs on images and data: the demo, and scoring of captions on files and datasets."""

from radcap.reading.demo import Story, run_demo
from radcap.reading.scoring import compare, score_captions, true_captions

__all__ = ["Story", "compare", "run_demo", "score_captions", "true_captions"]
