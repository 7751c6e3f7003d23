"""What the pixels say: one pass over all images, and which of them are the same or nearly so."""

from radcap.datasets.survey.duplicates import Duplicates, find_duplicates
from radcap.datasets.survey.near_pairs import near_pairs
from radcap.datasets.survey.survey import Survey
from radcap.datasets.survey.surveying import survey_images

__all__ = ["Duplicates", "Survey", "find_duplicates", "near_pairs", "survey_images"]
