"""The tables of our pages that are computed: `python -m benchmarks.page_tables` writes them anew.

README.md             what the shipped models reach, from their evaluation.json
docs/comparison.md    what each member of the family costs, from its layers
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mini_bert.cli.units import in_bytes, in_flops
from mini_bert.marked_page import rewrite
from mini_bert.models.config import ModelConfig
from mini_bert.pretrained.card_tables import markdown_table
from mini_bert.pretrained.results_table import shipped_results
from mini_bert.profiling.family_costs import MEMBERS, cost_of

HOME = Path(__file__).parents[1]


def costs() -> str:
    rows = []
    for preset, name in MEMBERS.items():
        cost = cost_of(preset)
        rows.append(
            [
                f"{name} (`{preset}`)",
                f"{cost.parameters:,}",
                sizes(cost.config),
                f"{cost.config.max_seq_length:,}",
                f"{cost.config.vocab_size:,}",
                in_flops(cost.flops_per_token),
                in_bytes(cost.weights),
                in_bytes(cost.training),
            ]
        )
    header = ["model", "parameters", "L / H / A / I", "T", "V", "FLOPs per token", "weights", "training"]
    return markdown_table(header, rows)


def sizes(c: ModelConfig) -> str:
    return f"{c.num_layers} / {c.hidden_size} / {c.num_heads} / {c.intermediate_size}"


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"table: results": shipped_results},
    "docs/comparison.md": {"table: costs": costs},
}
"""Page → mark → what makes the table between it and the end."""


def tables_of(page: str) -> dict[str, str]:
    return {mark: make() for mark, make in TABLES[page].items()}


if __name__ == "__main__":
    for page in TABLES:
        rewrite(HOME / page, tables_of(page))
