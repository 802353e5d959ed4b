"""How each number of a pass is made, told to a page that has the numbers and no program: it adds them up itself.

js/saved/recipes.js knows the same kinds. Names are short names; what is not a number of a named array is sent along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mini_bert.analysis.graph.attending import Mixture, Scores, Shares
from mini_bert.analysis.graph.elementwise import Activated, Added, Multiplied, Opened
from mini_bert.analysis.graph.linear import LinearMap, Pooled, Rows
from mini_bert.analysis.graph.normed import Normed
from mini_bert.analysis.graph.operation import Operation
from mini_bert.analysis.graph.score_terms import ByDistance, Match, ScoreTerm, Unseen
from mini_bert.analysis.graph.turned import Turned
from mini_bert.analysis.graph.whole_terms import Whole
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.sums import called
from mini_bert.core.layers import GELU, GELUTanh, ReLU, SiLU, Tanh
from mini_bert.explorer.answers import exact
from mini_bert.explorer.mathml import mathml
from mini_bert.models.names import short

CURVES = {ReLU: "relu", GELU: "gelu", GELUTanh: "gelu_tanh", SiLU: "sigmoid", Tanh: "tanh"}
"""Of f(x), or of the share f(x)/x for those that let a share of x pass."""


def recipes(reading: Reading) -> dict[str, Any]:
    """Of all steps of a reading by name, and what weights are called and used for."""
    graph = reading.graph
    steps = [one for one in graph.order if one.kind != "loss"]
    weights = dict.fromkeys(name for one in steps for name in one.weights)
    return {
        "steps": {
            short(one.output): {
                "called": called(one.output),
                "dotted": one.output,
                "kind": one.kind,
                "equation": one.equation.whole[0],
                "mathml": mathml(one.equation.whole[1]),
                "made": made(one),
                "hooked": one.output in reading.passed.trace.hooks,
            }
            for one in steps
        },
        "weights": {
            short(name): {
                "called": called(name),
                "dotted": name,
                "used": list(dict.fromkeys(called(one.output) for one in graph.used[name])),
            }
            for name in weights
        },
    }


def made(step: Operation) -> dict[str, Any]:
    """The kind of operation, and what it takes."""
    match step:
        case LinearMap():
            return {
                "by": "linear",
                "source": short(step.source),
                "weight": short(step.weight),
                "bias": optional(step.bias),
                "heads": step.heads is not None,
                "single": step.single,
            }
        case Rows():
            tables = [{"name": short(name), "rows": row} for name, row in step.tables.items()]
            return {"by": "rows", "source": optional(step.source), "tables": tables}
        case Added():
            return {"by": "added", "inputs": names(step.inputs)}
        case Multiplied():
            return {"by": "multiplied", "inputs": names(step.inputs)}
        case Activated():
            return {
                "by": "activated",
                "source": short(step.source),
                "curve": CURVES[type(step.layer)],
                "text": step.shape.text,
                "share": step.shape.is_share,
            }
        case Opened():
            source = short(step.inputs[0])
            return {"by": "activated", "source": source, "curve": "sigmoid", "text": "σ({})", "share": False}
        case Normed():
            return {
                "by": "normed",
                "source": short(step.source),
                "gain": short(step.gain),
                "shift": optional(step.shift),
                "eps": step.eps,
                "eps_text": f"{step.eps:g}",
                "rms": step.rms,
            }
        case Scores():
            return {"by": "scores", "terms": [score_term(term) for term in step.terms]}
        case Shares():
            return {"by": "shares", "source": short(step.source)}
        case Mixture():
            return {"by": "mixture", "shares": short(step.shares), "values": short(step.values)}
        case Turned():
            places = np.asarray(step.places).reshape(-1)
            return {"by": "turned", "source": short(step.source), "places": places, "base": step.base}
        case Pooled():
            return {"by": "pooled", "source": short(step.source), "shares": exact(step.shares)}
    return {"by": "unknown"}


def score_term(term: ScoreTerm) -> dict[str, Any]:
    match term:
        case Match():
            return {
                "by": "match",
                "query": short(term.query),
                "key": short(term.key),
                "scale": float(term.scale),
                "scaling": term.scaling,
            }
        case ByDistance():
            return {"by": "distance", "table": short(term.table), "rows": term.rows}
        case Unseen() | Whole():
            return {
                "by": "whole",
                "text": term.name,
                "values": exact(term.added),
                "told_if_zero": isinstance(term, Whole),
            }
    return {"by": "unknown"}


def names(inputs: Sequence[str]) -> list[str]:
    return [short(name) for name in inputs]


def optional(name: str | None) -> str | None:
    return None if name is None else short(name)
