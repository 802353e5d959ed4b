"""Everything that a page may ask for one question, answered beforehand, for a page that is saved as one file.

Answers lie under what the page asks, as js/source.js spells it. Tables of arrays lie under the array's name alone, and
the page adds up the sum behind a number itself, by recipes: js/saved.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from zlib import compress

import numpy as np

from mini_bert.core.array import Array
from mini_bert.explorer.answers import all_answers
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.problems import split
from mini_bert.explorer.question import Question
from mini_bert.explorer.recipes import recipes
from mini_bert.explorer.wire import Exact, pack
from mini_bert.models.names import dotted

MOST_WEIGHTS = 2**22
"""Numbers of weights in a file; a larger model goes without them, and without the sums that they are in."""
Body = Mapping[str, Any]


class Snapshot:
    """Answers of a desk for one question, and for the few others that the page comes to from it."""

    def __init__(self, desk: Desk, question: Question, state: Mapping[str, Any]) -> None:
        self.desk, self.question, self.state = desk, question, state
        self.views = all_answers()
        self.answers: dict[str, str | dict[str, str]] = {}
        self.questions = [question]

    def collected(self) -> dict[str, Any]:
        """What stands in the file."""
        self.words()
        self.forward()
        self.attention()
        self.predictions()
        self.representations()
        self.family()
        self.backward()
        about = self.desk.library.about(self.question.model)
        return {
            "models": {"models": [about]},
            "answers": self.answers,
            "questions": [as_asked(one) for one in self.questions],
            "hash": str(self.state.get("hash", "")),
        }

    def ask(self, name: str, question: Question, more: Body | None = None, under: str | None = None) -> Any:
        """Ask a view as the page does, and keep its answer, or why there is none."""
        self.desk.go_on()
        body = {"question": as_asked(question), **(more or {})}
        key = under or key_of(name, body)
        view = self.views[name]
        try:
            found = view.give(self.desk, view.asked.model_validate(body))
        except ValueError as error:
            what, remedy = split(str(error))
            self.answers[key] = {"what": what, "remedy": remedy}
            return None
        assert isinstance(found, Mapping)
        self.keep(key, found)
        return found

    def keep(self, key: str, answer: Body) -> None:
        self.answers[key] = b64encode(compress(pack(lessened(answer)))).decode()

    def words(self) -> None:
        self.ask("words", bare(self.question))

    def forward(self) -> None:
        found = self.ask("forward", self.question)
        if found is None:
            return
        reading = self.desk.reading(self.question)
        names = dict.fromkeys(weight["name"] for step in found["steps"] for weight in step["weights"])
        sizes = {name: reading.passed.trace.params[dotted(name)].size for name in names}
        V = reading.model.config.vocab_size
        has_room = sum(size for size in sizes.values() if size % V) <= MOST_WEIGHTS
        for step in found["steps"]:
            self.tables(step["name"], "value", self.question)
        for name in names if has_room else ():
            self.tables(name, "weight", self.question)
        loss = {"name": "loss", "of": "value", "index": []}
        self.ask("cell", self.question, loss, saved("cell", loss))
        self.keep(saved("recipes", {}), recipes(reading))

    def tables(self, name: str, of: str, question: Question) -> Any:
        """An array, head by head; the first of them is returned."""
        first = self.table(name, of, 0, question)
        for chosen in first["chosen"] if first else ():
            for head in range(1, chosen["size"]) if chosen["kind"] == "head" else ():
                self.table(name, of, head, question)
        return first

    def table(self, name: str, of: str, head: int, question: Question) -> Any:
        which = {"name": name, "of": of}
        under = saved("tensor", {**which, "head": head})
        return self.ask("tensor", question, {**which, "slice": {"head": head}}, under)

    def attention(self) -> None:
        self.ask("attention", self.question)
        self.ask("effect", self.question)
        self.ask("heads-off", self.question)

    def predictions(self) -> None:
        question = self.question
        found = self.ask("predictions", question)
        if found is None or not found.get("places"):
            return
        places = [one["place"] for one in found["places"]]
        for place in places:
            if found.get("asks") in ("itself", "next"):
                self.ask("predictions", question, {"place": place})
            which: Body = {} if place == places[0] else {"place": place}
            self.ask("attribution", question.unedited, which)
            self.ask("attribution", question.unedited, {**which, "way": "integrated"})

    def representations(self) -> None:
        written = self.state.get("representations.texts")
        texts = None if written is None else {"texts": lines(str(written))}
        self.ask("representations", bare(self.question), texts)

    def family(self) -> None:
        """Every preset beside the model, and each member beside its parent."""
        found = self.ask("family", Question(model=self.question.model, text=""))
        if found is None:
            return
        standing = {one["name"]: one["preset"] for one in found["members"]}
        for one in found["members"]:
            pairs = [(preset, "") for preset in one["presets"]]
            if parent := standing.get(one["parent"]):
                pairs.append((one["preset"], parent))
            for member, beside in pairs:
                self.ask("family_member", bare(self.question), {"member": member, "beside": beside})
        model = self.question.model or self.desk.library.default
        self.ask("family_words", self.question.unedited, {"model": model, "top": 4})

    def backward(self) -> None:
        """The walk back with its gradients, and the sum behind the largest of each."""
        found = self.ask("backward", self.question)
        if found is None:
            return
        question = Question.model_validate(found["question"])
        self.questions.append(question)
        for step in found["steps"]:
            table = self.tables(step["name"], "gradient", question)
            if table is None:
                continue
            which = {"name": step["name"], "of": "gradient", "index": largest_in(table)}
            self.ask("cell", question, which, saved("cell", which))


def saved(kind: str, which: Body) -> str:
    """The key under which js/saved looks for it."""
    return key_of(f"saved {kind}", which)


def key_of(name: str, body: Body) -> str:
    """As js/source.js writes it: sorted keys, no spaces."""
    return f"{name}\n{json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(',', ':'))}"


def as_asked(question: Question) -> dict[str, Any]:
    """As the page writes it."""
    found: dict[str, Any] = json.loads(question.model_dump_json())
    return found


def bare(question: Question) -> Question:
    """For views that look at model and text alone."""
    return Question(model=question.model, text=question.text)


def lines(written: str) -> list[str]:
    """As js/representations/examples.js takes sentences apart."""
    return [line.strip() for line in written.split("\n") if line.strip()][:20]


def largest_in(table: Body) -> list[int]:
    """The index of the largest number that a table shows."""
    values: Array = np.abs(np.asarray(table["values"], np.float32))
    row, column = np.unravel_index(int(values.argmax()), values.shape)
    index = list(table["base"])
    for side, at in ((table["rows"], row), (table["columns"], column)):
        if side["axis"] >= 0:
            index[side["axis"]] = side["index"][int(at)]
    return index


def lessened(value: Any) -> Any:
    """Arrays whose numbers float16 holds exactly, as such: weights that were kept so need half the room."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        with np.errstate(over="ignore"):
            half = value.astype(np.float16)
        return half if np.array_equal(half, value) else value
    if isinstance(value, Mapping):
        return {name: lessened(one) for name, one in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, Exact):
        return [lessened(one) for one in value]
    return value
