"""BLIP: a vision transformer, and a text decoder like BERT that looks at it."""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.base_models.pretrained import transformers_module
from radcap.captioning.decoders.cross_decoder import cross_decoder
from radcap.captioning.generation import Marks
from radcap.captioning.pretrained.family import Family, Told
from radcap.captioning.pretrained.writer import PretrainedWriter

if TYPE_CHECKING:
    import torch

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

    def eyes(self, model: Any) -> Any:  # noqa: ANN401 - transformers' own
        """The vision tower; transformers would write its attention out as tables of all pairs of places."""
        tower = super().eyes(model)
        quick = _quick_attention()
        for layer in tower.encoder.layers:
            layer.self_attn.__class__ = quick  # a copy of the model has it too, and its file nothing of it
        return tower

    def text(self, config: Any) -> Any:  # noqa: ANN401 - as above
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


@cache
def _quick_attention() -> type[Any]:
    """Transformers' attention of BLIP's tower, by torch's own function: the same but for rounding."""
    theirs: type[Any] = transformers_module().models.blip.modeling_blip.BlipAttention

    class QuickAttention(theirs):
        def forward(self, hidden_states: torch.Tensor, **_: object) -> tuple[torch.Tensor, None]:
            parts = self.qkv(hidden_states).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
            drop = self.dropout.p if self.training else 0.0
            queries, keys, values = parts.unbind(0)
            views = F.scaled_dot_product_attention(queries, keys, values, None, drop, scale=self.scale)
            return self.projection(views.transpose(1, 2).flatten(2)), None

    return QuickAttention
