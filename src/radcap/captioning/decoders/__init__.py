"""What writes: one kind of decoder a file, over one protocol."""

from radcap.captioning.decoders.decoder import Decoder, State, make_decoder
from radcap.captioning.decoders.memory import Memory

__all__ = ["Decoder", "Memory", "State", "make_decoder"]
