"""GPT-2 in transformers (model_type gpt2). Its matrices are (in, out), and queries, keys and values are one matrix."""

from __future__ import annotations

from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.family import ACTIVATIONS, Architecture, Family, Setting, Settings, Turn
from mini_bert.models.zoo import gpt2

SETTINGS = (
    Setting("vocab_size", "vocab_size"),
    Setting("hidden_size", "n_embd"),
    Setting("num_layers", "n_layer"),
    Setting("num_heads", "n_head"),
    Setting("intermediate_size", "n_inner"),
    Setting("max_seq_length", "n_positions"),
    Setting("activation", "activation_function", ACTIVATIONS),
    Setting("norm_eps", "layer_norm_epsilon"),
    Setting("dropout", "embd_pdrop"),
    Setting("dropout", "resid_pdrop"),
    Setting("attention_dropout", "attn_pdrop"),
    Setting("tied", "tie_word_embeddings"),
    Setting("padding_id", "pad_token_id"),
)
WEIGHTS = """
embeddings.token.weight               | transformer.wte.weight
embeddings.position.weight            | transformer.wpe.weight
encoder.layers.{i}.attn.norm.weight   | transformer.h.{i}.ln_1.weight
encoder.layers.{i}.attn.norm.bias     | transformer.h.{i}.ln_1.bias
encoder.layers.{i}.attn.query.weight  | transformer.h.{i}.attn.c_attn.weight | columns 0
encoder.layers.{i}.attn.key.weight    | transformer.h.{i}.attn.c_attn.weight | columns 1
encoder.layers.{i}.attn.value.weight  | transformer.h.{i}.attn.c_attn.weight | columns 2
encoder.layers.{i}.attn.query.bias    | transformer.h.{i}.attn.c_attn.bias   | stretch 0
encoder.layers.{i}.attn.key.bias      | transformer.h.{i}.attn.c_attn.bias   | stretch 1
encoder.layers.{i}.attn.value.bias    | transformer.h.{i}.attn.c_attn.bias   | stretch 2
encoder.layers.{i}.attn.output.weight | transformer.h.{i}.attn.c_proj.weight | transposed
encoder.layers.{i}.attn.output.bias   | transformer.h.{i}.attn.c_proj.bias
encoder.layers.{i}.ffn.norm.weight    | transformer.h.{i}.ln_2.weight
encoder.layers.{i}.ffn.norm.bias      | transformer.h.{i}.ln_2.bias
encoder.layers.{i}.ffn.up.weight      | transformer.h.{i}.mlp.c_fc.weight    | transposed
encoder.layers.{i}.ffn.up.bias        | transformer.h.{i}.mlp.c_fc.bias
encoder.layers.{i}.ffn.down.weight    | transformer.h.{i}.mlp.c_proj.weight  | transposed
encoder.layers.{i}.ffn.down.bias      | transformer.h.{i}.mlp.c_proj.bias
final_norm.weight                     | transformer.ln_f.weight
final_norm.bias                       | transformer.ln_f.bias
head.decoder.weight                   | lm_head.weight
"""
TAGGER = """
head.output.weight | classifier.weight
head.output.bias   | classifier.bias
"""


def thirds(theirs: Array, number: int) -> Array:
    """Query, key or value among the columns of one matrix (H, 3H), or in one bias (3H,)."""
    H = theirs.shape[-1] // 3
    return theirs[..., number * H : (number + 1) * H]


def columns(number: int) -> Turn:
    return Turn(lambda theirs, config: thirds(theirs, number).T, lambda ours, config: (ours[1], 3 * ours[0]))


def stretch(number: int) -> Turn:
    return Turn(lambda theirs, config: thirds(theirs, number), lambda ours, config: (3 * ours[0],))


def adjusted(settings: Settings) -> Settings:
    """Four times as wide between as outside, unless told; and padding only where there is a token for it."""
    found = {name: value for name, value in settings.items() if value is not None}
    return {"intermediate_size": 4 * found.get("hidden_size", gpt2().hidden_size), **found}


def described(config: ModelConfig) -> Settings:
    """Only a classifier has to know padding. A vocabulary that is not GPT-2's has not its end-of-text either."""
    missing = [] if config.head == "classes" else ["pad_token_id"]
    if config.vocab_size != gpt2().vocab_size:
        missing += ["bos_token_id", "eos_token_id"]
    return dict.fromkeys(missing)


GPT2 = Family(
    model_type="gpt2",
    build=gpt2,
    prefix="transformer.",
    settings=SETTINGS,
    weights=WEIGHTS,
    architectures={
        "GPT2LMHeadModel": Architecture({}),
        "GPT2Model": Architecture({"head": "none"}, wraps=False),
        "GPT2ForSequenceClassification": Architecture(
            {"head": "classes"}, "head.output.weight | score.weight", counts_classes=True
        ),
        "GPT2ForTokenClassification": Architecture(
            {"head": "tags", "decoder_bias": True}, TAGGER, counts_classes=True
        ),
        "GPT2ForQuestionAnswering": Architecture(
            {"head": "tags", "decoder_bias": True, "classes": 2}, TAGGER.replace("classifier", "qa_outputs")
        ),
    },
    turns={
        **{f"columns {number}": columns(number) for number in range(3)},
        **{f"stretch {number}": stretch(number) for number in range(3)},
    },
    fixed={
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "reorder_and_upcast_attn": False,
        "add_cross_attention": False,
    },
    spare=(r"\.attn\.(masked_)?bias$",),
    adjust=adjusted,
    describe=described,
)
