"""Settings as people write them: YAML, and `key.inner=value` on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml


class Loader(yaml.SafeLoader):
    """YAML that reads 1e-3 as a number, as everybody who writes it expects; YAML 1.1 takes it for text."""


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+"), list("-+.0123456789")
)


def read_yaml(text: str, origin: str) -> dict[str, Any]:
    """The settings in a YAML text; `origin` is its name, for error messages."""
    try:
        found = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise ValueError(f"{origin}: not YAML ({' '.join(str(error).split())}); mend the file") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError(f"{origin}: expected settings by name, like `seed: 0`, found {found!r}")
    return found


def merged(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with changes laid over them, group by group."""
    result = dict(settings)
    for name, value in changes.items():
        inner = result.get(name)
        result[name] = (
            merged(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
        )
    return result


def flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Settings by their dotted names.

    >>> flat({"seed": 1, "model": {"initializer": {"kind": "normal"}, "hidden_size": 8}, "masking": {}})
    {'seed': 1, 'model.initializer.kind': 'normal', 'model.hidden_size': 8}
    """
    found: dict[str, Any] = {}
    for name, value in settings.items():
        found |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return found


def assignments(written: Iterable[str]) -> dict[str, Any]:
    """`optimizer.learning_rate=1e-3` as nested settings.

    >>> assignments(["optimizer.learning_rate=1e-3", "seed=2", "corpus=[world, my.txt]"])
    {'optimizer': {'learning_rate': 0.001}, 'seed': 2, 'corpus': ['world', 'my.txt']}
    """
    found: dict[str, Any] = {}
    for one in written:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{one!r}: write name=value, like optimizer.learning_rate=1e-3")
        change: Any = read_yaml(f"value: {value}", one)["value"]
        for key in reversed(name.strip().split(".")):
            change = {key: change}
        found = merged(found, change)
    return found
