"""Neighbours by embedding: exact and approximate search, what neighbours say, fusion, near duplicates."""

from radcap.detection.retrieval.config import Engine, Metric, Retrieval
from radcap.detection.retrieval.duplicates import NearDuplicates, near_duplicates
from radcap.detection.retrieval.faiss_engine import has_faiss
from radcap.detection.retrieval.fusing import fit_fusion, fuse, fuse_logits, fuse_shares
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.learned import learn_ranks, with_ranks
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.rank_weights import RankWeights
from radcap.detection.retrieval.rules import RETRIEVALS, answer, answer_of
from radcap.detection.retrieval.storing import load_index, save_index
from radcap.detection.retrieval.tags import Tags

__all__ = [
    "RETRIEVALS",
    "Engine",
    "Metric",
    "NearDuplicates",
    "NeighbourIndex",
    "Neighbours",
    "RankWeights",
    "Retrieval",
    "Tags",
    "answer",
    "answer_of",
    "fit_fusion",
    "fuse",
    "fuse_logits",
    "fuse_shares",
    "has_faiss",
    "learn_ranks",
    "load_index",
    "near_duplicates",
    "save_index",
    "with_ranks",
]
