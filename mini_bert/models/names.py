"""One table ties the names of every weight and activation: dotted, short, LaTeX, HuggingFace; and its equation.

Dotted names say where a number lives (`encoder.layers.0.attn.query.weight`). Short names are the mathematics of
the guide (`W_Q_0`). A `{i}` is a layer number. Weights are stored (out, in); the short name of a linear map's
weight is its transpose, so that the guide's `x @ W + b` holds as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from mini_bert.core.array import Array
from mini_bert.errors import unknown


@dataclass(frozen=True)
class Name:
    """One row of the table."""

    dotted: str
    short: str
    latex: str
    equation: str
    huggingface: str = ""

    @property
    def transposed(self) -> bool:
        """Whether the short name's view is the transpose of what is stored."""
        return self.short.startswith("W")


WEIGHTS = r"""
embeddings.token.weight                | token_embeddings      | E                | one row per word piece        | bert.embeddings.word_embeddings.weight
embeddings.position.weight             | position_embeddings   | P                | one row per position          | bert.embeddings.position_embeddings.weight
embeddings.token_type.weight           | token_type_embeddings | S                | one row per segment           | bert.embeddings.token_type_embeddings.weight
embeddings.norm.weight                 | gamma_e               | \gamma_e         | gain of the embeddings        | bert.embeddings.LayerNorm.weight
embeddings.norm.bias                   | beta_e                | \beta_e          | shift of the embeddings       | bert.embeddings.LayerNorm.bias
embeddings.project.weight              | W_E                   | W_E              | x = e W_E + b_E, from the width of the tables to H
embeddings.project.bias                | b_E                   | b_E              | x = e W_E + b_E, from the width of the tables to H
encoder.layers.{i}.attn.query.weight   | W_Q_{i}               | W_Q^{({i})}      | Q = x W_Q + b_Q               | bert.encoder.layer.{i}.attention.self.query.weight
encoder.layers.{i}.attn.query.bias     | b_Q_{i}               | b_Q^{({i})}      | Q = x W_Q + b_Q               | bert.encoder.layer.{i}.attention.self.query.bias
encoder.layers.{i}.attn.key.weight     | W_K_{i}               | W_K^{({i})}      | K = x W_K + b_K               | bert.encoder.layer.{i}.attention.self.key.weight
encoder.layers.{i}.attn.key.bias       | b_K_{i}               | b_K^{({i})}      | K = x W_K + b_K               | bert.encoder.layer.{i}.attention.self.key.bias
encoder.layers.{i}.attn.value.weight   | W_V_{i}               | W_V^{({i})}      | V = x W_V + b_V               | bert.encoder.layer.{i}.attention.self.value.weight
encoder.layers.{i}.attn.value.bias     | b_V_{i}               | b_V^{({i})}      | V = x W_V + b_V               | bert.encoder.layer.{i}.attention.self.value.bias
encoder.layers.{i}.attn.output.weight  | W_O_{i}               | W_O^{({i})}      | attention = context W_O + b_O | bert.encoder.layer.{i}.attention.output.dense.weight
encoder.layers.{i}.attn.output.bias    | b_O_{i}               | b_O^{({i})}      | attention = context W_O + b_O | bert.encoder.layer.{i}.attention.output.dense.bias
encoder.layers.{i}.attn.gate.weight    | W_A_{i}               | W_A^{({i})}      | opening = σ(x W_A + b_A)
encoder.layers.{i}.attn.gate.bias      | b_A_{i}               | b_A^{({i})}      | opening = σ(x W_A + b_A)
encoder.layers.{i}.attn.norm.weight    | gamma1_{i}            | \gamma_1^{({i})} | gain after attention          | bert.encoder.layer.{i}.attention.output.LayerNorm.weight
encoder.layers.{i}.attn.norm.bias      | beta1_{i}             | \beta_1^{({i})}  | shift after attention         | bert.encoder.layer.{i}.attention.output.LayerNorm.bias
encoder.layers.{i}.attn.relative.table | relative_bias_{i}     | b_R^{({i})}      | scores + b_R[i − j]
encoder.layers.{i}.attn.content.bias   | u_K_{i}               | u_K^{({i})}      | scores = (Q + u_K) Kᵀ / √D + …
encoder.layers.{i}.attn.positions.bias | u_R_{i}               | u_R^{({i})}      | scores + (Q + u_R) rᵀ / √D
encoder.layers.{i}.attn.positions.weight | W_R_{i}             | W_R^{({i})}      | r = R W_R, R the waves of i − j
encoder.layers.{i}.attn.segments.bias  | u_S_{i}               | u_S^{({i})}      | scores + (Q + u_S) Sᵀ / √D
encoder.layers.{i}.attn.segments.table | segment_vectors_{i}   | S_R^{({i})}      | same segment, or another
encoder.blank                          | blank                 | \mathbf{b}       | asks for a word that is not seen
encoder.layers.{i}.ffn.gate.weight     | W_G_{i}               | W_G^{({i})}      | gate = f(x W_G + b_G)
encoder.layers.{i}.ffn.gate.bias       | b_G_{i}               | b_G^{({i})}      | gate = f(x W_G + b_G)
encoder.layers.{i}.ffn.up.weight       | W1_{i}                | W_1^{({i})}      | hidden = f(x W1 + b1)         | bert.encoder.layer.{i}.intermediate.dense.weight
encoder.layers.{i}.ffn.up.bias         | b1_{i}                | b_1^{({i})}      | hidden = f(x W1 + b1)         | bert.encoder.layer.{i}.intermediate.dense.bias
encoder.layers.{i}.ffn.down.weight     | W2_{i}                | W_2^{({i})}      | ffn = hidden W2 + b2          | bert.encoder.layer.{i}.output.dense.weight
encoder.layers.{i}.ffn.down.bias       | b2_{i}                | b_2^{({i})}      | ffn = hidden W2 + b2          | bert.encoder.layer.{i}.output.dense.bias
encoder.layers.{i}.ffn.norm.weight     | gamma2_{i}            | \gamma_2^{({i})} | gain after feed-forward       | bert.encoder.layer.{i}.output.LayerNorm.weight
encoder.layers.{i}.ffn.norm.bias       | beta2_{i}             | \beta_2^{({i})}  | shift after feed-forward      | bert.encoder.layer.{i}.output.LayerNorm.bias
encoder.relative.weight                | relative_embeddings   | R                | one row per distance i − j
encoder.relative.norm.weight           | gamma_r               | \gamma_r         | gain of the distances
encoder.relative.norm.bias             | beta_r                | \beta_r          | shift of the distances
encoder.layers.{i}.attn.content_to_position.project.weight | W_KR_{i} | W_{K,r}^{({i})} | k_r = R W_KR
encoder.layers.{i}.attn.position_to_content.project.weight | W_QR_{i} | W_{Q,r}^{({i})} | q_r = R W_QR + b_QR
encoder.layers.{i}.attn.position_to_content.project.bias   | b_QR_{i} | b_{Q,r}^{({i})} | q_r = R W_QR + b_QR
encoder.position.weight                | decoder_positions     | P_D              | one row per position, added before the last layer asks
final_norm.weight                      | gamma_f               | \gamma_f         | gain before the head
final_norm.bias                        | beta_f                | \beta_f          | shift before the head
head.transform.dense.weight            | W_T                   | W_T              | norm(f(x W_T + b_T))          | cls.predictions.transform.dense.weight
head.transform.dense.bias              | b_T                   | b_T              | norm(f(x W_T + b_T))          | cls.predictions.transform.dense.bias
head.transform.norm.weight             | gamma_t               | \gamma_t         | gain of the head              | cls.predictions.transform.LayerNorm.weight
head.transform.norm.bias               | beta_t                | \beta_t          | shift of the head             | cls.predictions.transform.LayerNorm.bias
head.decoder.weight                    | W_mlm                 | W_{\text{mlm}}   | logits = x W_mlm + b_mlm      | cls.predictions.decoder.weight
head.decoder.bias                      | b_mlm                 | b_{\text{mlm}}   | logits = x W_mlm + b_mlm      | cls.predictions.bias
head.pooler.dense.weight               | W_C                   | W_C              | pooled = f(x_0 W_C + b_C)
head.pooler.dense.bias                 | b_C                   | b_C              | pooled = f(x_0 W_C + b_C)
head.dense.weight                      | W_D                   | W_D              | f(x W_D + b_D), before it is told whether a token was replaced
head.dense.bias                        | b_D                   | b_D              | f(x W_D + b_D), before it is told whether a token was replaced
head.output.weight                     | W_out                 | W_{\text{out}}   | logits = x W_out + b_out
head.output.bias                       | b_out                 | b_{\text{out}}   | logits = x W_out + b_out
second_head.dense.weight               | W_pooler              | W_{\text{pool}}  | pooled = tanh(x_0 W_pooler + b_pooler)
second_head.dense.bias                 | b_pooler              | b_{\text{pool}}  | pooled = tanh(x_0 W_pooler + b_pooler)
second_head.pooler.dense.weight        | W_P                   | W_P              | pooled = tanh(x_0 W_P + b_P)  | bert.pooler.dense.weight
second_head.pooler.dense.bias          | b_P                   | b_P              | pooled = tanh(x_0 W_P + b_P)  | bert.pooler.dense.bias
second_head.output.weight              | W_2nd                 | W_{\text{2nd}}   | answers = pooled W_2nd + b_2nd | cls.seq_relationship.weight
second_head.output.bias                | b_2nd                 | b_{\text{2nd}}   | answers = pooled W_2nd + b_2nd | cls.seq_relationship.bias
"""

ACTIVATIONS = r"""
embeddings.tokens                | token_vectors         | E_{\text{ids}} | E[ids]
embeddings.sum                   | embedding_sum         | X_{\text{sum}} | E[ids] + P
embeddings.out                   | embeddings            | X              | what the encoder reads
encoder.layers.{i}.attn.q        | Q_{i}                 | Q^{({i})}      | x W_Q + b_Q, in A heads
encoder.layers.{i}.attn.k        | K_{i}                 | K^{({i})}      | x W_K + b_K, in A heads
encoder.layers.{i}.attn.v        | V_{i}                 | V^{({i})}      | x W_V + b_V, in A heads
encoder.layers.{i}.attn.scores   | scores_{i}            | S^{({i})}      | Q Kᵀ / √D + the other terms
encoder.layers.{i}.attn.probs    | attention_weights_{i} | A^{({i})}      | softmax(scores)
encoder.layers.{i}.attn.context  | context_{i}           | C^{({i})}      | attention_weights V, heads side by side
encoder.layers.{i}.attn.out      | attention_output_{i}  | Z^{({i})}      | context W_O + b_O
encoder.layers.{i}.attn.residual | residual1_{i}         | R_1^{({i})}    | x + attention_output
encoder.layers.{i}.attn.normed   | norm1_{i}             | N_1^{({i})}    | γ₁ (x − μ)/σ + β₁
encoder.layers.{i}.ffn.pre       | ffn_pre_{i}           | U^{({i})}      | x W1 + b1
encoder.layers.{i}.ffn.hidden    | ffn_hidden_{i}        | F^{({i})}      | f(x W1 + b1)
encoder.layers.{i}.ffn.out       | ffn_output_{i}        | G^{({i})}      | hidden W2 + b2
encoder.layers.{i}.ffn.residual  | residual2_{i}         | R_2^{({i})}    | x + ffn_output
encoder.layers.{i}.ffn.normed    | norm2_{i}             | N_2^{({i})}    | γ₂ (x − μ)/σ + β₂
encoder.layers.{i}.out           | layer_output_{i}      | X^{({i})}      | what the next layer reads
hidden                           | hidden_states         | \hat X         | γ_f (x − μ)/σ + β_f
head.transformed                 | head_transformed      | \hat X_T       | what the decoder reads
head.logits                      | logits                | Y              | x W_mlm + b_mlm
"""


def rows(table: str) -> tuple[Name, ...]:
    return tuple(Name(*(cell.strip() for cell in line.split(" | "))) for line in table.strip().splitlines())


def of_generator(row: Name) -> Name:
    """The same weight in the model that makes ELECTRA's exercises."""
    return Name(
        dotted=f"generator.{row.dotted}",
        short=f"{row.short}_gen",
        latex=rf"\tilde{{{row.latex}}}",
        equation=f"in the generator, {row.equation}",
    )


TABLE = rows(WEIGHTS) + rows(ACTIVATIONS) + tuple(map(of_generator, rows(WEIGHTS)))


@cache
def patterns(column: str) -> list[tuple[re.Pattern[str], Name]]:
    """Each row's name in one column, as a pattern that finds its layer number."""
    named = [(getattr(row, column), row) for row in TABLE if getattr(row, column)]
    return [(re.compile(re.escape(text).replace(r"\{i\}", r"(?P<i>\d+)")), row) for text, row in named]


@lru_cache(4096)
def find(name: str, column: str) -> tuple[Name, str] | None:
    """The row in which `name` stands in `column`, and its layer number."""
    for pattern, row in patterns(column):
        if match := pattern.fullmatch(name):
            return row, match.groupdict().get("i", "")
    return None


def translate(name: str, source: str, target: str) -> str | None:
    """A name in another column of the table; None where there is none. `translate("W_Q_0", "short", "dotted")`"""
    found = find(name, source)
    return getattr(found[0], target).replace("{i}", found[1]) or None if found else None


def dotted(name: str) -> str:
    """The dotted name of a short one; a name that is dotted already stays."""
    return translate(name, "short", "dotted") or name


def short(name: str) -> str:
    """The short name of a dotted one; a name without a short form stays."""
    return translate(name, "dotted", "short") or name


def as_short(name: str, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape, or an index, of a stored weight as its short name sees it."""
    found = find(name, "dotted")
    return axes[::-1] if found and found[0].transposed else axes


class ByAnyName(Mapping[str, Array]):
    """Arrays by dotted or short name. Short names of linear weights are transposed views: writing changes the array."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    def __getitem__(self, name: str) -> Array:
        found = find(name, "short")
        key = dotted(name)
        if key not in self.arrays:
            raise KeyError(unknown("name", name, [*self.arrays, *map(short, self.arrays)]))
        array = self.arrays[key]
        return array.T if found and found[0].transposed else array

    def __setitem__(self, name: str, values: Array) -> None:
        """Write into the array, so that `params["W_Q_0"] -= step` changes the model."""
        array = self[name]
        if np.shape(values) != array.shape:
            raise ValueError(f"{name}: shape {np.shape(values)} does not match {array.shape}")
        array[...] = values

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} {self[name].shape}" for name in self)
        return f"{type(self).__name__}({listed})"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and dotted(name) in self.arrays

    def __iter__(self) -> Iterator[str]:
        """Short names where there are any."""
        return map(short, self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)
