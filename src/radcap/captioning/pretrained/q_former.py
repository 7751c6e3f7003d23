"""BLIP-2 and InstructBLIP: a tower, queries that look at what it sees, and a language model of either kind.

The queries are projected and come before the words, or go through the encoder with them. InstructBLIP's hear
the prompt too, by a tokenizer of their own.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.base_models.pretrained import load_model, transformers_module
from radcap.captioning.decoders.following import Following
from radcap.captioning.decoders.seq2seq import Seq2SeqModel
from radcap.captioning.generation import Marks
from radcap.captioning.pretrained.family import Family, Told, Whole
from radcap.captioning.pretrained.query_writer import Instructor, QueryWriter, around
from radcap.captioning.tokens.documents import read_document
from radcap.captioning.tokens.hugging_face import open_hugging_face
from radcap.captioning.tokens.opening import tokenizer_file
from radcap.vision.model_folders import read_table, refused_file
from radcap.vision.published_bridge import PublishedBridge

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.decoders import Decoder
    from radcap.captioning.settings import DecoderSettings
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.tokens.hugging_face import HuggingFaceTokenizer
    from radcap.captioning.writer import AnyWriter

__all__ = ["QFormer"]

_ARCHITECTURES = {
    "blip-2": "Blip2ForConditionalGeneration",
    "instructblip": "InstructBlipForConditionalGeneration",
}
_CONFIG, _PROCESSORS = "config.json", ("preprocessor_config.json", "processor_config.json")
_HEARING = "qformer_tokenizer"
_QUERIES, _SIZE, _IMAGE = 32, 224, "<image>"  # as transformers takes them where nothing is said
_AGAIN = "Get the model again, the whole folder."
_SHAPES = {"tiny": (32, 2, 2), "small": (256, 4, 4)}  # width, layers, heads


class QFormer(Family):
    """The kind `q-former`."""

    tower = "vision_model"
    folders = (_HEARING,)
    low_rank_part = "language_model."
    low_rank = tuple(f"language_model.*.{one}" for one in ("q_proj", "v_proj", "q", "v"))

    def load(self, folder: Path) -> Whole:
        kind = str(read_table(folder / _CONFIG)["model_type"])
        model, fresh = load_model(folder, _ARCHITECTURES[kind], f"a {kind} model", attention=self.attention)
        for name, weight in model.qformer.named_parameters():
            weight.requires_grad_(not _says_nothing(model.qformer, name))
        return Whole(model, fresh)

    def check(self, folder: Path) -> None:
        kind = str(read_table(folder / _CONFIG).get("model_type"))
        if kind not in _ARCHITECTURES:
            why = f"it describes a {kind[:60]!r}, and a 'blip-2' or an 'instructblip' is wanted"
            raise refused_file(folder / _CONFIG, why, "Name the kind of [decoder] that it is of.")

    def check_processor(self, folder: Path) -> None:
        config = read_table(folder / _CONFIG)
        queries = config.get("num_query_tokens", _QUERIES)
        eyes = cast("dict[str, Any]", config.get("vision_config") or {}).get("image_size", _SIZE)
        for file in (folder / name for name in _PROCESSORS):
            held = read_table(file) if file.is_file() else {}
            told = held.get("num_query_tokens")
            if told is not None and told != queries:
                why = f"it has places for {told} queries, and the model beside it has {queries}"
                raise refused_file(file, why, _AGAIN)
            sizes = _sizes(held)
            if sizes and sizes != {eyes}:
                told = " x ".join(map(str, sorted(sizes)))
                raise refused_file(
                    file, f"it makes images of {told} pixels, and the model sees {eyes}", _AGAIN
                )

    def text(self, config: Any) -> Any:  # noqa: ANN401 - transformers' own
        return config.text_config

    def marks(self, told: Told, tokenizer: Tokenizer) -> Marks:
        """As its own `generate` has them, which asks the language model alone."""
        text = Told((), told.text)
        end, pad = text.first("eos_token_id"), text.first("pad_token_id")
        begin = text.first("decoder_start_token_id", "bos_token_id")
        return Marks(
            tokenizer.pad if pad is None else pad,
            tokenizer.begin if begin is None else begin,
            tokenizer.end if end is None else end,
        )

    def mark(self, model: Any, marks: Marks) -> None:  # noqa: ANN401 - as above
        text = model.config.text_config
        text.eos_token_id, text.pad_token_id = marks.end, marks.pad

    def decoder(self, model: Any) -> Decoder:  # noqa: ANN401 - as above
        inner, size = model.language_model, model.config.text_config.vocab_size
        return Seq2SeqModel(inner, size) if inner.config.is_encoder_decoder else Following(inner, size)

    def writer(
        self,
        model: Any,  # noqa: ANN401 - as above
        decoder: Decoder,
        seen: int,
        labels: int,
        *,
        pad: int,
        grid: int,
    ) -> QueryWriter:
        bridge = PublishedBridge(model.qformer, model.query_tokens, seen, grid=grid)
        return QueryWriter(decoder, bridge, model.language_projection, labels, pad=pad)

    def complete(self, writer: AnyWriter, folder: Path) -> None:
        words, made = _opened(folder), cast("QueryWriter", writer)
        _check_image_mark(words, folder)
        made.before, made.after = around(words.tokenizer)
        bridge = cast("PublishedBridge", made.bridge)
        if not bridge.reads:
            return
        own, config = _opened(folder / _HEARING), bridge.qformer.config
        if own.size > config.vocab_size:
            why = f"it has {own.size:,} tokens, and the Q-Former beside it {config.vocab_size:,}"
            raise refused_file(folder / _HEARING / "tokenizer.json", why, _AGAIN)
        made.instructor = Instructor(words, own, *around(own.tokenizer), config.max_position_embeddings)
        bridge.ask_nothing(made.instructor.empty)

    def drawn(self, geometry: str, settings: DecoderSettings, tokenizer: Tokenizer) -> Decoder:
        """A T5 with random weights; the queries are radcap's own."""
        transformers = transformers_module()
        width, layers, heads = _SHAPES[geometry]
        config = transformers.T5Config(
            vocab_size=tokenizer.size,
            d_model=width,
            d_kv=width // heads,
            d_ff=2 * width,
            num_layers=layers,
            num_heads=heads,
            dropout_rate=settings.drop,
            feed_forward_proj="gated-gelu",
            pad_token_id=tokenizer.pad,
            eos_token_id=tokenizer.end,
            decoder_start_token_id=tokenizer.begin,
        )
        return Seq2SeqModel(transformers.T5ForConditionalGeneration(config), tokenizer.size, own=True)


def _opened(folder: Path) -> HuggingFaceTokenizer:
    file = tokenizer_file(folder)
    return open_hugging_face(file, read_document(file))


def _check_image_mark(words: HuggingFaceTokenizer, folder: Path) -> None:
    """The place of a query in a prompt has the number that the model knows."""
    known, told = words.tokenizer.token_to_id(_IMAGE), read_table(folder / _CONFIG).get("image_token_index")
    if known is not None and told is not None and known != told:
        why = f"its {_IMAGE} is token {known}, and the model beside it takes token {told} for it"
        raise refused_file(folder / "tokenizer.json", why, _AGAIN)


def _sizes(held: dict[str, Any]) -> set[int]:
    """All sizes of images that a file on images names."""
    inner = held.get("image_processor")
    told = cast("dict[str, Any]", inner if isinstance(inner, dict) else held).get("size")
    sides = cast("dict[str, Any]", told).values() if isinstance(told, dict) else [told]
    return {one for one in sides if isinstance(one, int)}


def _says_nothing(qformer: Any, name: str) -> bool:  # noqa: ANN401 - as above
    """Whether a weight has no part in queries: what is made of words, where no query reads it after."""
    layers = qformer.config.num_hidden_layers
    reads = hasattr(qformer, "embeddings")
    idle = (layers - 1,) if reads else range(layers)
    return any(
        name.startswith((f"encoder.layer.{at}.intermediate.", f"encoder.layer.{at}.output.")) for at in idle
    )
