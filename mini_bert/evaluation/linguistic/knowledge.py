"""The guide's questions to a model: what it knows of grammar, of meaning, of facts. Small, on the embedded world.

    probe_syntactic_knowledge(model)["minimal_pairs"]["accuracy"]
    probe_factual_knowledge(model)["among_answers"]

Each answer has the baselines beside the score. For real sets, intervals and tables: `mini-bert evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.linguistic import agreement, analogies, facts, minimal_pairs, similarity
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.models.mini import MiniBERT

PAIRS, TWIN_PAIRS, SENTENCES = 50, 20, 1000


def probe_syntactic_knowledge(model: MiniBERT) -> dict[str, Any]:
    """Minimal pairs by paradigm, and agreement across attractors."""
    with Subject(model) as subject:
        pairs = minimal_pairs.Settings(world_pairs=PAIRS, twin_pairs=TWIN_PAIRS)
        conditions = agreement.Settings(max_pairs=PAIRS, twin_pairs=TWIN_PAIRS)
        return {
            "minimal_pairs": dict(minimal_pairs.examine(subject, None, pairs)[0].figures),
            "agreement": dict(agreement.examine(subject, None, conditions)[0].figures),
        }


def probe_semantic_knowledge(model: MiniBERT) -> dict[str, Any]:
    """Words of a kind, and analogies; what this vocabulary is too small for says so under `left_out`."""
    with Subject(model) as subject:
        kinds = similarity.Settings(sentences=SENTENCES)
        pairs = analogies.Settings(sentences=SENTENCES, max_questions=200)
        return {
            "similarity": figures_or_reason(lambda: similarity.examine(subject, None, kinds)),
            "analogies": figures_or_reason(lambda: analogies.examine(subject, None, pairs)),
        }


def probe_factual_knowledge(model: MiniBERT) -> dict[str, Any]:
    """Cloze facts of the world, by relation."""
    with Subject(model) as subject:
        return dict(facts.examine(subject, None, facts.Settings(max_patterns=3))[0].figures)


def figures_or_reason(examine: Callable[[], list[Section]]) -> dict[str, Any]:
    try:
        return dict(examine()[0].figures)
    except DoesNotApply as reason:
        return {"left_out": str(reason)}
