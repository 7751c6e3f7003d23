"""Writing: greedy, beam, sampling and consensus, under rules."""

from radcap.captioning.generation.candidate import Candidate
from radcap.captioning.generation.consensus import Agreement, agreement, consensus, consensus_of_many, mbr
from radcap.captioning.generation.controls import FORBIDDEN, Control, Weight
from radcap.captioning.generation.longest import Longest
from radcap.captioning.generation.marks import Marks, marks_of
from radcap.captioning.generation.phrase_ban import PhraseBan, phrase_ban
from radcap.captioning.generation.repeat_ban import RepeatBan
from radcap.captioning.generation.rows import Rows
from radcap.captioning.generation.sampling import draw, image_seed
from radcap.captioning.generation.shortest import Shortest
from radcap.captioning.generation.support import Support
from radcap.captioning.generation.word_list import Lexicon, WordList
from radcap.captioning.generation.writing import draws, write

__all__ = [
    "FORBIDDEN",
    "Agreement",
    "Candidate",
    "Control",
    "Lexicon",
    "Longest",
    "Marks",
    "PhraseBan",
    "RepeatBan",
    "Rows",
    "Shortest",
    "Support",
    "Weight",
    "WordList",
    "agreement",
    "consensus",
    "consensus_of_many",
    "draw",
    "draws",
    "image_seed",
    "marks_of",
    "mbr",
    "phrase_ban",
    "write",
]
