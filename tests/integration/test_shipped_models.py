"""The models that come with the package, as a user meets them in the first minute."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import mini_bert
from mini_bert import ModelConfig
from mini_bert.analysis.reading import read
from mini_bert.analysis.slope_checks import slope_checks
from mini_bert.cli.threads import one_blas_thread
from mini_bert.data.building.sources import SOURCES
from mini_bert.data.corpus import World
from mini_bert.data.world import texts
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.inference.fill_mask import fill_mask
from mini_bert.models.digest import weights_digest
from mini_bert.models.names import short
from mini_bert.pretrained.agreement import WANTED_AGREEMENT, agreement_of
from mini_bert.pretrained.card import card_of
from mini_bert.pretrained.given_results import renewed
from mini_bert.pretrained.shipped import BEST, GUIDE, HOME, NAMES

MOST_BYTES = 20_000_000
MOST_PARAMETERS = 4_600_000
MOST_SECONDS, MOST_TIMES_NUMPY, TRIES = 0.5, 4, 5
"""On a machine on which the import of NumPy alone takes more than an eighth of a second, so many times that."""
TOP, MOST_MISSED = 5, 2
FEWEST_UNITS = 0.9

EASY = {
    "Please open the [MASK].": "door window box gate book",
    "I want to drink some [MASK].": "water milk coffee tea wine beer juice more",
    "My brother is older than [MASK].": "me him you i mine her tom us",
    "Tom and Mary are good [MASK].": "friends people students parents swimmers teachers dancers singers children",
    "What time [MASK] it?": "is was does",
    "Once upon a [MASK] there was a king.": "time day",
    "She doesn't know how [MASK] swim.": "to",
    "He went to bed early because he was very [MASK].": "tired sick ill sleepy busy hungry young old",
    "How many [MASK] do you have?": "children books cats dogs friends people sisters brothers of times cars things",
    "The cat is sleeping on the [MASK].": "bed floor sofa chair table couch ground roof mat grass",
    "I have two brothers and one [MASK].": "sister brother son daughter child",
    "It is raining [MASK] today.": "hard heavily again here all",
}
"""Hidden words that every child could fill in, and what it might say."""

LOADED = """
import socket, sys, time
socket.socket = None
import mini_bert
model = mini_bert.load(sys.argv[1])
print(model.tokenizer.vocab_size, time.process_time())
"""
NUMPY_ALONE = "import time, numpy; print(time.process_time())"
"""The seconds are those of the whole process: Python, imports and weights. The first time compiles, as an installation
does; a machine that forbids bytecode would do so each time."""

ENTRIES = 140
"""Of which some do not matter to this text, or are too faint: a hundred are left to be compared to four digits."""


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def told(name: str, file: str) -> dict:
    return json.loads((HOME / name / file).read_text("utf-8"))


def test_loads_at_once_in_a_fresh_process_without_a_network(name, tmp_path):
    compiled = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    seconds: dict[str, list[float]] = {LOADED: [], NUMPY_ALONE: []}
    for code in [LOADED, NUMPY_ALONE] * TRIES:
        done = subprocess.run(
            [sys.executable, "-c", code, name],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env=compiled,
        )
        *pieces, took = done.stdout.split()
        assert pieces == ([str(ModelConfig().vocab_size)] if code == LOADED else [])
        seconds[code].append(float(took))
    assert min(seconds[LOADED]) < max(MOST_SECONDS, MOST_TIMES_NUMPY * min(seconds[NUMPY_ALONE]))


def test_the_size(name):
    model = mini_bert.load(name)
    assert model.num_parameters <= MOST_PARAMETERS
    assert model.config.max_seq_length == 64
    if name == GUIDE:
        assert model.config == ModelConfig(initializer=model.config.initializer)  # drawn weights are gone


def test_both_together_are_small():
    assert sum(path.stat().st_size for one in NAMES for path in (HOME / one).rglob("*")) < MOST_BYTES


def test_half_precision_was_measured_on_these_weights(name):
    measured = told(name, "evaluation.json")
    assert measured["weights"] == weights_digest(mini_bert.load(name))
    assert measured["storage"]["dtype"] == "float16"
    assert measured["storage"]["positions"] >= 5_000
    assert measured["storage"]["same_first_guess"]["value"] >= WANTED_AGREEMENT


def test_whatever_is_rounded_to_these_weights_says_the_same(name):
    stored, other = mini_bert.load(name), mini_bert.load(name)
    weights, half = stored.arena.flat, stored.arena.flat.astype(np.float16)
    lost = np.random.default_rng(0).uniform(-0.5, 0.5, len(weights)) * np.spacing(np.abs(half))
    moved = (weights + lost).astype(np.float32)
    other.arena.flat[:] = np.where(moved.astype(np.float16) == half, moved, weights)
    assert np.mean(other.arena.flat != weights) > 0.9
    found = agreement_of(other, stored, World(200, WORLD_SEEDS["test"]), most_rows=100)
    assert found.positions == 1_000
    assert found.same_first_guess.value >= WANTED_AGREEMENT


def test_the_log(name):
    training = told(name, "training.json")
    assert training["is_finished"]
    assert 50 < len(training["log"]) <= 400


def test_the_card_is_what_the_files_beside_it_say(name):
    assert (HOME / name / "README.md").read_text("utf-8") == card_of(HOME / name)


@pytest.mark.parametrize("data", ["/data/tasks", "tasks"])
def test_a_probe_that_is_asked_again_takes_the_place_of_the_shipped_result(data):
    probes = {key: one for key, one in told(BEST, "evaluation.json")["results"].items() if "source" in one}
    assert probes
    for key, one in probes.items():
        again = one | {"source": f"{data}/ud_ewt/train.conllu.gz, {data}/ud_ewt/dev.conllu.gz"}
        assert renewed({key: one}, {"again": again}) == ({"again": again}, [key])


def test_licences_are_those_that_the_corpus_is_built_under(name):
    found = {source: one["licence"] for source, one in told(name, "corpus.json")["sources"].items()}
    assert found == {source.name: source.licence for source in SOURCES}


def test_no_file_names_a_place_on_the_machine_that_made_it(name):
    for path in (HOME / name).glob("*.[jm]*"):
        if path.suffix in {".json", ".md"} and not path.name.startswith("tokenizer"):
            text = path.read_text("utf-8")
            assert not any(place in text for place in ("/root/", "/home/", "/work/", "/tmp/", "/Users/"))


def test_knows_english(name):
    model = mini_bert.load(name)
    said = {text: [guess.word for guess in fill_mask(model, text, top=TOP)[0].guesses] for text in EASY}
    missed = {text: words for text, words in said.items() if not set(words) & set(EASY[text].split())}
    assert len(missed) <= MOST_MISSED, missed


def test_units_of_every_layer_speak_in_some_story():
    model = mini_bert.load(GUIDE)
    _, cache = model.forward(np.array([model.tokenizer.encode(text)[:24] for text in texts(32)]))
    spoken = [
        (cache[f"ffn_hidden_{layer}"] > 0).any((0, 1)).mean() for layer in range(model.config.num_layers)
    ]
    assert min(spoken) >= FEWEST_UNITS


def test_is_what_commands_use_when_nothing_is_named(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "MINI_BERT_MODEL"}
    done = subprocess.run(
        [sys.executable, "-m", "mini_bert", "fill-mask", "Please open the [MASK].", "--json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stderr.strip() == f"model: {BEST}"
    assert json.loads(done.stdout)["texts"][0]["blanks"][0]["guesses"]


def test_a_hundred_weights_moved_a_little_agree_with_the_gradient():
    reading = read(mini_bert.load(GUIDE), "The cat sat on the [MASK].", target="floor")
    with one_blas_thread():
        found = slope_checks(reading, ENTRIES)
    assert found.agree, found.worst
    assert len(found.clear) >= 100
    assert found.worst.difference <= 1e-4
    assert {one.name for one in found.checks} == {short(one) for one in reading.exact.passed.gradients.arrays}
