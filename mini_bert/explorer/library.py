"""Which models there are: the one that was chosen, those that come with the package, and the presets of the family.

A request names one of them; it never names a path.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any

from mini_bert.errors import unknown
from mini_bert.explorer.limits import Limits
from mini_bert.explorer.model_facts import facts_of
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.cost import parameters
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.loading import load
from mini_bert.pretrained.places import CHECKPOINTS, LAST, VARIABLE, newest_run
from mini_bert.pretrained.shipped import GUIDE, NAMES, is_here


class Library:
    """Models by the names that pages know, each loaded when it is first asked for; the first is the default.

    `places` are what `mini_bert.load` takes. It may be used by several threads.
    """

    def __init__(self, places: dict[str, str], limits: Limits | None = None) -> None:
        self.places = places
        self.limits = limits or Limits()
        self.loaded: OrderedDict[str, MiniBERT] = OrderedDict()
        self.made: OrderedDict[str, MiniBERT] = OrderedDict()
        self.lock, self.making = Lock(), Lock()

    @classmethod
    def of(cls, model: MiniBERT, name: str = "model") -> Library:
        """Only this one, which is at hand."""
        library = cls({name: ""})
        library.loaded[name] = model
        return library

    @classmethod
    def found(cls, chosen: str | None = None, limits: Limits | None = None) -> Library:
        """The chosen model, or the best known, and those that come with the package."""
        first = chosen or default_place()
        places = {name_of(first): first}
        places |= {name: name for name in NAMES if is_here(name) and name not in places}
        return cls(places, limits)

    @property
    def default(self) -> str:
        return next(iter(self.places))

    @property
    def names(self) -> list[str]:
        return list(self.places)

    def model(self, name: str = "") -> MiniBERT:
        """The model of a name, "" for the default."""
        name = name or self.default
        if name not in self.places:
            raise ValueError(unknown("model", name, self.names))
        with self.lock:
            if name not in self.loaded:
                self.loaded[name] = load(self.places[name])
            self.loaded.move_to_end(name)
            others = [one for one in self.loaded if one != self.default and self.places[one]]
            for one in others[: len(others) - self.limits.models]:
                del self.loaded[one]
            return self.loaded[name]

    def about(self, name: str = "") -> dict[str, Any]:
        """What a page tells of a model, before anything is asked of it."""
        name = name or self.default
        return {"name": name, "default": name == self.default, "trained": True, **facts_of(self.model(name))}

    @property
    def presets(self) -> list[str]:
        """The members of the family, in their published and in small sizes."""
        return presets()

    def preset(self, name: str) -> MiniBERT:
        """A preset with random weights: its structure and shapes are real, what it would say is not."""
        config = ModelConfig.preset(name)
        with self.making:
            if name not in self.made:
                size = preset_parameters(config)
                if size > self.limits.preset:
                    raise ValueError(
                        f"{name}: {size / 1e6:,.0f} million weights, and the explorer makes up at most "
                        f"{self.limits.preset / 1e6:.0f} million; choose a smaller one of its kind, or look at its "
                        "structure only"
                    )
                self.made[name] = MiniBERT(config)
            self.made.move_to_end(name)
            while len(self.made) > self.limits.models:
                self.made.popitem(last=False)
            return self.made[name]


def preset_parameters(config: ModelConfig) -> int:
    """Counted without making them."""
    return sum(parameters(build_network(config)).values())


def default_place() -> str:
    """The one that $MINI_BERT_MODEL names, else the guide's that comes with the package, else the newest run."""
    if named := os.environ.get(VARIABLE):
        return named
    if is_here(GUIDE):
        return GUIDE
    try:
        newest_run()
    except ValueError:
        raise ValueError(
            f"there is no model yet; name one with --model or in ${VARIABLE}, or train one: `mini-bert demo` takes two "
            "minutes"
        ) from None
    return LAST


def name_of(place: str) -> str:
    """What a model is called in a page: the name of its folder, or of its run; a whole path is nobody's business."""
    if place in NAMES:
        return place
    path = newest_run() if place == LAST else Path(place).expanduser()
    parts = path.resolve().parts if path.exists() else path.parts
    if CHECKPOINTS in parts[-2:-1]:
        parts = (*parts[:-3], "/".join((parts[-3], parts[-1])))
    name = parts[-1]
    return "/".join(parts[-2:]) if name in NAMES and is_here(name) else name
