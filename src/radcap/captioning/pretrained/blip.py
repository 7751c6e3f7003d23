"""BLIP: a vision transformer, and a text decoder like BERT that looks at it."""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.captioning.base_models.pretrained import transformers_module
from radcap.captioning.decoders.cross_decoder import cross_decoder
from radcap.captioning.generation import Marks
from radcap.captioning.pretrained.family import Family, Told
from radcap.captioning.pretrained.writer import PretrainedWriter

if TYPE_CHECKING:
    from radcap.captioning.decoders import Decoder
    from radcap.captioning.settings import DecoderSettings
    from radcap.captioning.tokens import Tokenizer

__all__ = ["Blip"]

_SHAPES = {"tiny": (32, 2, 2), "small": (256, 4, 4)}  # width, layers, heads


class Blip(Family):
    """The kind `blip`."""

    model_type = "blip"
    architecture = "BlipForConditionalGeneration"
    attention = "eager"  # transformers has no other for it; radcap runs the text side by torch's own
    tower = "vision_model"
    low_rank = ("text_decoder.*.query", "text_decoder.*.value")

    def text(self, config: Any) -> Any:  # noqa: ANN401 - transformers' own
        return config.text_config

    def marks(self, told: Told, tokenizer: Tokenizer) -> Marks:  # noqa: ARG002 - the model says it all
        """As its own `generate` has them: its end is the separator of BERT."""
        return Marks(told.text.pad_token_id, told.text.bos_token_id, told.text.sep_token_id)

    def mark(self, model: Any, marks: Marks) -> None:  # noqa: ANN401 - as above
        """Its `generate` asks the configuration, where they are already."""

    def decoder(self, model: Any) -> Decoder:  # noqa: ANN401 - as above
        text = model.config.text_config
        return cross_decoder(model.text_decoder, text.vocab_size, text.encoder_hidden_size)

    def writer(
        self,
        model: Any,  # noqa: ARG002, ANN401 - as above
        decoder: Decoder,
        seen: int,
        labels: int,
        *,
        pad: int,
        grid: int,
    ) -> PretrainedWriter:
        return PretrainedWriter(decoder, seen, labels, pad=pad, grid=grid)

    def drawn(self, geometry: str, settings: DecoderSettings, tokenizer: Tokenizer) -> Decoder:
        transformers = transformers_module()
        width, layers, heads = _SHAPES[geometry]
        config = transformers.BlipTextConfig(
            vocab_size=tokenizer.size,
            hidden_size=width,
            encoder_hidden_size=width,
            intermediate_size=4 * width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            max_position_embeddings=settings.longest + 2,
            hidden_dropout_prob=settings.drop,
            attention_probs_dropout_prob=settings.drop,
            pad_token_id=tokenizer.pad,
            bos_token_id=tokenizer.begin,
            eos_token_id=tokenizer.end,
            sep_token_id=tokenizer.end,
            is_decoder=True,
        )
        model = transformers.models.blip.modeling_blip_text.BlipTextLMHeadModel(config)
        return cross_decoder(model, tokenizer.size, width)
