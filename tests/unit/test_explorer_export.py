"""The page as one file: it loads nothing, holds the numbers of its question, and adds up any of them itself."""

import json
import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from zlib import decompress

import numpy as np
import pytest

from mini_bert.explorer.desk import Desk
from mini_bert.explorer.one_file import as_json
from mini_bert.explorer.question import Question
from mini_bert.explorer.snapshot import Snapshot, key_of, lessened
from mini_bert.explorer.views.attention import AttentionAsked, give_attention
from mini_bert.explorer.views.cell import CellAsked, give_cell
from mini_bert.explorer.views.export import STATIC, ExportAsked, give_export
from mini_bert.explorer.wire import unpack
from mini_bert.models.config import ModelConfig
from mini_bert.models.zoo import MEMBERS
from tests.unit.analysed_models import OWN, SIZES, lively, member
from tests.unit.variants import MODERN

TEXT = "the dog saw the [MASK] ."
NODE = shutil.which("node")
SCRIPTS = re.compile(r"<script(?P<told>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


@pytest.fixture(scope="module")
def desk(tokenizer):
    return Desk.of(member("mini", tokenizer))


@pytest.fixture(scope="module")
def page(desk):
    asked = ExportAsked(question=Question(text=TEXT), state={"hash": "#view=forward"})
    return give_export(desk, asked).content.decode()


@pytest.fixture(scope="module")
def snapshot(page):
    (held,) = (one["text"] for one in SCRIPTS.finditer(page) if "snapshot" in one["told"])
    return json.loads(held)


def opened(packed):
    return unpack(decompress(b64decode(packed)))


def test_the_file_loads_nothing_and_runs_only_its_own_scripts(page):
    assert re.findall(r"<(?:link|script|img)[^>]*(?:src|href)=\"(?!data:)[^\"]*\"", page) == []
    assert "url(" not in page.replace("url(data:", "")
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    for script in SCRIPTS.finditer(page):
        if "application/json" not in script["told"]:
            digest = b64encode(sha256(script["text"].encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy


def test_every_import_leads_to_a_module_in_the_file(page):
    (table,) = (one["text"] for one in SCRIPTS.finditer(page) if "importmap" in one["told"])
    modules = json.loads(table)["imports"]
    assert "mini-bert/js/main.js" in modules
    assert "mini-bert/js/saved/cell.js" in modules
    for url in modules.values():
        text = b64decode(url.removeprefix("data:text/javascript;base64,")).decode()
        imported = re.findall(r"""(?:from|import\(?)\s*["'](\S+?)["']""", text)
        assert set(imported) <= set(modules), imported
        assert 'from "./' not in text


def test_a_text_cannot_end_the_script_that_holds_it(snapshot):
    assert "<" not in as_json({"text": "</script><!--"})
    assert json.loads(as_json({"text": "</script><!--"})) == {"text": "</script><!--"}
    assert snapshot["hash"] == "#view=forward"


def test_the_file_holds_the_answers_of_its_question(desk, snapshot):
    question = Question(text=TEXT)
    asked = json.loads(question.model_dump_json())
    weights = give_attention(desk, AttentionAsked(question=question))["weights"]
    held = opened(snapshot["answers"][key_of("attention", {"question": asked})])
    assert np.array_equal(held["weights"], weights.astype(np.float32))
    table = opened(snapshot["answers"]['saved tensor\n{"head":1,"name":"Q_0","of":"value"}'])
    assert np.array_equal(table["values"], desk.reading(question).passed["Q_0"][0, 1].astype(np.float32))
    walked, best = snapshot["questions"]
    assert walked == asked
    assert list(best["target"]) == ["5"]  # the walk back asks for a word at the [MASK]
    names = {key.split("\n")[0] for key in snapshot["answers"]}
    assert names >= {"words", "forward", "predictions", "representations", "family_member", "backward"}
    assert [told for told in snapshot["answers"].values() if not isinstance(told, str)] == []


def test_a_view_that_refuses_is_told_as_such(tokenizer):
    found = Snapshot(Desk.of(member("electra", tokenizer)), Question(text="the dog saw the cat ."), {})
    found.backward()
    ((key, told),) = found.answers.items()
    assert key.startswith("backward\n")
    assert "choose a model" in told["remedy"]


def test_halves_are_taken_only_where_they_are_exact():
    x = np.arange(8, dtype=np.float32)
    held = lessened({"half": x / 4, "not": x / 3, "large": x * 1e5, "whole": np.arange(3)})
    assert [held[name].dtype.name for name in held] == ["float16", "float32", "float32", "int64"]
    assert np.array_equal(held["half"], x / 4)


@pytest.mark.skipif(NODE is None, reason="node is not installed: nothing else runs the page's own sums here")
@pytest.mark.parametrize("name", ["mini", "modern", "albert", "deberta", "gpt2", "electra"])
def test_the_page_adds_up_any_number_as_the_program_does(tokenizer, tmp_path, name):
    desk = Desk.of(small(name, tokenizer))
    question = Question(text="the dog saw the cat .")
    snapshot = Snapshot(desk, question, {})
    snapshot.forward()
    rng = np.random.default_rng(0)
    asked = list(some_cells(question, snapshot, rng))
    assert len({body["name"] for body in asked}) > 20
    for body, told in zip(asked, told_by_page(snapshot, asked, tmp_path), strict=True):
        wanted = give_cell(desk, CellAsked.model_validate(body))
        assert told is not None, body
        assert told.keys() == wanted.keys()
        compare(told, json.loads(json.dumps(wanted)), body["name"])


def small(name, tokenizer):
    """In float32, as numbers travel."""
    if name == "modern":
        return lively(
            ModelConfig(**SIZES | MODERN | {"vocab_size": tokenizer.vocab_size}), tokenizer, dtype=np.float32
        )
    sizes = SIZES | OWN.get(name, {}) | {"vocab_size": tokenizer.vocab_size}
    return lively(MEMBERS[name].build(**sizes), tokenizer, dtype=np.float32)


def some_cells(question, snapshot, rng):
    """Two of each activation, and one of each weight."""
    for key in snapshot.answers:
        kind, which = key.split("\n")
        which = json.loads(which)
        if kind != "saved tensor" or which["head"]:
            continue
        table = opened(snapshot.answers[key])
        for _ in range(2 if which["of"] == "value" else 1):
            index = list(table["base"])
            for side in (table["rows"], table["columns"]):
                if side["axis"] >= 0:
                    index[side["axis"]] = int(rng.choice(side["index"]))
            yield {
                "question": json.loads(question.model_dump_json()),
                "name": which["name"],
                "of": which["of"],
                "index": index,
                "most": 4,
            }


def told_by_page(snapshot, asked, folder: Path):
    (folder / "snapshot.json").write_text(json.dumps({"answers": snapshot.answers}), encoding="utf-8")
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    script = Path(__file__).parent / "saved_page.mjs"
    command = [NODE, script, STATIC, folder / "snapshot.json", folder / "asked.json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout)


def compare(told, wanted, where):
    """Texts alike; numbers but for the order in which they were added."""
    if isinstance(wanted, dict):
        assert told.keys() == wanted.keys(), where
        for key in wanted:
            compare(told[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(told) == len(wanted), where
        for number, (one, other) in enumerate(zip(told, wanted, strict=True)):
            compare(one, other, f"{where}[{number}]")
    elif isinstance(wanted, float):
        assert told == pytest.approx(wanted, rel=1e-9, abs=1e-9), where
    else:
        assert told == wanted, where
