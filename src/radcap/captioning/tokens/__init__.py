"""Captions as numbers: a tokenizer that is learnt here, and those of Hugging Face."""

from radcap.captioning.tokens.bpe import BpeTokenizer, train_bpe
from radcap.captioning.tokens.opening import TOKENIZER, open_tokenizer, tokenizer_digest
from radcap.captioning.tokens.tokenizer import Tokenizer

__all__ = ["TOKENIZER", "BpeTokenizer", "Tokenizer", "open_tokenizer", "tokenizer_digest", "train_bpe"]
