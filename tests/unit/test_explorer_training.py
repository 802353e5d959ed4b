"""The explorer's answers about runs: which there are, their curves and bands, and a sentence in every checkpoint."""

import json
import socket
import time
from threading import Event

import numpy as np
import pytest

from mini_bert.analysis.attention import attention
from mini_bert.analysis.history import history_of
from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import softmax
from mini_bert.diagnosis import autopsy
from mini_bert.diagnosis.autopsy import Autopsy
from mini_bert.diagnosis.bands import bands
from mini_bert.diagnosis.museum.exhibit import Exhibit
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.limits import Limits
from mini_bert.explorer.question import Question
from mini_bert.explorer.runs.course import MOST_CHECKPOINTS, Shelf
from mini_bert.explorer.same_question import question_for
from mini_bert.explorer.views.training import (
    CheckpointsAsked,
    DiagnosisAsked,
    ProbeAsked,
    RunAsked,
    RunsAsked,
    give_checkpoints,
    give_diagnosis,
    give_probe,
    give_run,
    give_runs,
)
from mini_bert.files import cache_folder
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.training.checkpoints import SUMS, Checkpoints
from mini_bert.training.run_folder import RunFolder
from tests.tolerances import assert_close
from tests.unit.explorer_server import running
from tests.unit.runs_by_hand import FACTS, held_out, inspection, line, write_run

QUESTION = Question(text="The dog saw the [MASK].", hidden=(2,))
STEPS = (100, 200, 400)
PROMPTLY = 2.0
"""Seconds; it is some milliseconds where nothing else keeps the machine busy."""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder in which nothing is yet, as the place where the explorer was started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINI_BERT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def small(tokenizer, seed=0):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=seed)
    model.tokenizer = tokenizer
    return model


@pytest.fixture
def desk(tokenizer):
    return Desk.of(small(tokenizer, seed=1))


def write_lines(path, steps):
    lines = [
        line(step, 6 - step / 50, **(held_out(5 - step / 50) | inspection() if step % 20 == 0 else {}))
        for step in steps
    ]
    return write_run(path, lines, FACTS)


@pytest.fixture
def learned(home, tokenizer):
    """A run of three checkpoints, in which the bias of one word grows."""
    folder = RunFolder(home / "runs" / "learned")
    folder.create(
        {"preset": "debug", "corpus": ["world"], "seed": 3, "saving": {"keep": 9}, "budget": {"steps": 400}}
    )
    checkpoints = Checkpoints(folder.checkpoints, keep=9)
    with folder.open_metrics() as metrics:
        for step in STEPS:
            model = small(tokenizer, seed=3)
            model.params["head.decoder.bias"][tokenizer.token_to_id["the"]] = step / 50
            model.save(home / "model")
            tokenizer.save(home / "model")
            files = {path.name: path.read_bytes() for path in (home / "model").iterdir()}
            state = {"progress": {"spent": {"steps": step, "tokens": 1024 * step, "seconds": 1.0}}}
            checkpoints.save(step, files | {"state.json": json.dumps(state).encode()})
            metrics.write(line(step, loss=10 - step / 100))
    return folder.path


def asked_run(desk, run, after=-1):
    return give_run(desk, RunAsked(question=QUESTION, run=run, after=after))


def panel(answer, key):
    return next(one for one in answer["panels"] if one["key"] == key)


class TestWhichRuns:
    def test_none(self, home, desk):
        assert give_runs(desk, RunsAsked(question=QUESTION)) == {"runs": []}

    def test_those_of_the_folder_and_the_last_demo(self, home, desk):
        write_lines(home / "runs" / "a", (10, 20))
        write_lines(home / "runs" / "deep" / "b", (10, 20, 30))
        write_lines(cache_folder() / "demo", (10,))
        found = {one["id"]: one["steps"] for one in give_runs(desk, RunsAsked(question=QUESTION))["runs"]}
        assert found == {"a": 20, "deep/b": 30, "the last demo": 10}

    def test_the_run_of_the_model_comes_first_wherever_it_is(self, home, desk):
        write_lines(home / "runs" / "a", (10,))
        write_lines(home / "elsewhere" / "own", (10, 20))
        desk.library.model().folder = home / "elsewhere" / "own" / "checkpoints" / "best"
        first, second = give_runs(desk, RunsAsked(question=QUESTION))["runs"]
        assert (first["id"], first["of_model"]) == ("own", True)
        assert (second["id"], second["of_model"]) == ("a", False)

    def test_equal_names_are_told_apart_and_no_path_leaks(self, home, desk):
        write_lines(home / "runs" / "a", (10,))
        write_lines(home / "elsewhere" / "a", (10, 20))
        desk.library.model().folder = home / "elsewhere" / "a" / "checkpoints" / "last"
        answer = give_runs(desk, RunsAsked(question=QUESTION))
        ids = [one["id"] for one in answer["runs"]]
        assert len(set(ids)) == 2
        assert [one.split("~")[0] for one in ids] == ["a", "a"]
        assert str(home) not in json.dumps(answer)

    @pytest.mark.parametrize("run", ["../elsewhere/a", "/etc", "runs/a", ""])
    def test_no_path_is_taken_from_a_request(self, home, desk, run):
        write_lines(home / "runs" / "a", (10,))
        write_lines(home / "elsewhere" / "a", (10,))
        with pytest.raises(ValueError, match="unknown run"):
            asked_run(desk, run)

    def test_a_record_that_came_with_the_model(self, home, desk):
        desk.library.model().folder = home
        log = [{"step": 10 * i, "loss": 6.0 - i, "tokens": i, "seconds": float(i)} for i in range(1, 4)]
        record = {
            "is_finished": True,
            "steps": 30,
            "settings": {"preset": "mini"},
            "facts": FACTS,
            "log": log,
        }
        (home / "training.json").write_text(json.dumps(record))
        (found,) = give_runs(desk, RunsAsked(question=QUESTION))["runs"]
        assert found["is_record"]
        assert found["state"] == "finished"
        answer = asked_run(desk, found["id"])
        assert panel(answer, "loss")["curves"][0]["y"].tolist() == [5.0, 4.0, 3.0]
        assert not answer["diagnosis"]["judged"]
        with pytest.raises(ValueError, match="did not come with the model"):
            give_checkpoints(desk, CheckpointsAsked(question=QUESTION, run=found["id"]))
        with pytest.raises(ValueError, match="did not come with the model"):
            give_diagnosis(desk, DiagnosisAsked(question=QUESTION, run=found["id"]))


class TestCurves:
    def test_those_of_the_log(self, home, desk):
        write_lines(home / "runs" / "a", range(10, 110, 10))
        answer = asked_run(desk, "a")
        loss = {one["name"]: one for one in panel(answer, "loss")["curves"]}
        assert loss["training"]["x"].tolist() == list(range(10, 110, 10))
        assert_close(loss["training"]["y"].astype(np.float64), 6 - np.arange(10, 110, 10) / 50, rtol=1e-6)
        assert loss["held-out"]["x"].tolist() == list(range(20, 110, 20))
        perplexity = {one["name"]: one["y"] for one in panel(answer, "perplexity")["curves"]}
        assert_close(perplexity["training"], np.exp(loss["training"]["y"]), rtol=1e-6)
        assert answer["lines"] == 10
        assert answer["last"] == 100

    def test_bands_are_those_of_the_diagnosis(self, home, desk):
        write_lines(home / "runs" / "a", range(10, 110, 10))
        begin, end = panel(asked_run(desk, "a"), "loss")["bands"]
        reference = bands()["first_loss"]
        assert (begin["low"], begin["high"]) == (
            reference.low * FACTS["uniform_loss"],
            reference.high * FACTS["uniform_loss"],
        )
        gone = (FACTS["uniform_loss"] - end["high"]) / (FACTS["uniform_loss"] - FACTS["unigram_loss"])
        assert gone == pytest.approx(bands()["progress"].low)

    def test_a_run_that_goes_on_from_a_model_is_not_held_against_beginnings(self, home, desk):
        lines = [line(step, 3.0) for step in range(10, 110, 10)]
        write_run(home / "runs" / "a", lines, FACTS, init="mini")
        answer = asked_run(desk, "a")
        assert [panel(answer, key)["bands"] for key in ("loss", "norm")] == [[], []]

    def test_a_pattern_of_files_is_told_by_the_files_it_found(self, home, desk):
        facts = {**FACTS, "corpus": "books/tales.txt.gz, stories.txt.gz"}
        write_run(home / "runs" / "a", [line(10, 6.0)], facts, corpus=["corpus/*.txt.gz"])
        assert asked_run(desk, "a")["run"]["corpus"] == "tales.txt.gz, stories.txt.gz"

    def test_later_only_what_is_new_travels(self, home, desk):
        folder = write_lines(home / "runs" / "a", range(10, 60, 10))
        first = asked_run(desk, "a")
        with folder.open_metrics() as metrics:
            metrics.write(line(60, loss=1.25))
        later = asked_run(desk, "a", after=first["last"])
        (curve,) = panel(later, "loss")["curves"]
        assert curve["x"].tolist() == [60]
        assert curve["y"].tolist() == [1.25]
        assert later["before"] == first["lines"]
        assert later["lines"] == first["lines"] + 1

    def test_a_run_that_was_taken_up_from_an_earlier_step_is_noticed(self, home, desk):
        folder = write_lines(home / "runs" / "a", range(10, 60, 10))
        first = asked_run(desk, "a")
        folder.forget_after(20)
        assert asked_run(desk, "a", after=first["last"])["before"] != first["lines"]

    def test_a_long_curve_is_thinned(self, home, desk):
        write_run(home / "runs" / "a", [line(step, 6.0) for step in range(1, 3001)])
        (curve,) = panel(asked_run(desk, "a"), "loss")["curves"]
        assert len(curve["x"]) == 1000
        assert curve["y"].tolist() == [6.0] * 1000

    def test_time_left_is_that_of_the_latest_pace(self, home, desk, monkeypatch):
        """A run that has become four times slower: 80 of 100 steps, the last 20 took 4 seconds each."""
        seconds = 0.0
        lines = []
        for step in range(1, 81):
            seconds += 1.0 if step <= 60 else 4.0
            lines.append(line(step, 6.0) | {"seconds": seconds})
        write_run(home / "runs" / "a", lines, budget={"steps": 100})
        monkeypatch.setattr(RunFolder, "is_running", property(lambda self: True))
        answer = asked_run(desk, "a")
        assert answer["run"]["state"] == "running"
        assert answer["share"] == 0.8
        assert answer["seconds_left"] == pytest.approx(80.0)

    def test_a_sick_run_has_a_remedy(self, home, desk):
        rows = [line(step, 6.0 + step / 10) for step in range(10, 400, 10)]
        write_run(home / "runs" / "a", rows, FACTS, optimizer={"learning_rate": 1.0})
        found = asked_run(desk, "a")["diagnosis"]
        assert found["judged"]
        assert not found["healthy"]
        assert found["causes"][0]["cause"] == "learning-rate-too-high"
        assert all(cause["remedy"] and cause["evidence"] for cause in found["causes"])

    def test_a_thorough_look_says_whether_there_was_anything_to_open(self, home, desk):
        write_lines(home / "runs" / "a", range(10, 110, 10))
        with pytest.raises(ValueError, match="written by another version"):  # as these are, by hand
            give_diagnosis(desk, DiagnosisAsked(question=QUESTION, run="a"))
        write_run(
            home / "runs" / "b", [line(step, 6.0) for step in range(10, 110, 10)], FACTS, corpus=["world:20"]
        )
        found = give_diagnosis(desk, DiagnosisAsked(question=QUESTION, run="b"))["diagnosis"]
        assert not found["opened"]
        assert any(note.startswith("no autopsy") for note in found["notes"])
        assert str(home) not in json.dumps(found)


class TestCheckpoints:
    def test_a_run_tells_which_there_are_as_they_come(self, learned, desk):
        assert asked_run(desk, "learned")["checkpoints"] == list(STEPS)
        saved = Checkpoints(RunFolder(learned).checkpoints, keep=9)
        files = {
            path.name: path.read_bytes() for path in saved.newest().folder.iterdir() if path.name != SUMS
        }
        saved.save(500, files | {"state.json": files["state.json"].replace(b"400", b"500")})
        assert asked_run(desk, "learned", after=400)["checkpoints"] == [*STEPS, 500]
        answer = give_checkpoints(desk, CheckpointsAsked(question=QUESTION, run="learned"))
        assert answer["steps"] == [0, *STEPS, 500]

    def test_a_sentence_in_each_of_them(self, learned, desk, tokenizer):
        answer = give_checkpoints(desk, CheckpointsAsked(question=QUESTION, run="learned", layer=1, head=1))
        assert answer["steps"] == [0, *STEPS]
        models = dict(history_of(learned))
        for at, step in enumerate(answer["steps"]):
            found = attention(models[step], "The [MASK] saw the [MASK].")
            assert_close(answer["weights"][at], found.weights[1, 1])
            assert_close(answer["relative_entropy"][at], found.relative_entropy)
        hidden, masked = answer["places"]
        assert (hidden["place"], hidden["why"], hidden["answer"]["token"]) == (2, "hidden", "dog")
        assert (masked["place"], masked["why"], masked["answer"]["token"]) == (5, "best", "the")
        for at, step in enumerate(answer["steps"]):
            logits = read(models[step], QUESTION.text, hidden=QUESTION.hidden).passed.logits[0]
            expected = softmax(logits.astype(np.float64))
            assert masked["probability"][at] == pytest.approx(
                expected[5, tokenizer.token_to_id["the"]], rel=1e-4
            )
            assert hidden["probability"][at] == pytest.approx(
                expected[2, tokenizer.token_to_id["dog"]], rel=1e-4
            )
        assert masked["rank"][-1] == 0
        assert [best[0]["token"] for best in masked["best"]][-1] == "the"

    def test_nothing_hidden_has_attention_only(self, learned, desk):
        answer = give_checkpoints(desk, CheckpointsAsked(question=Question(text="The dog."), run="learned"))
        assert answer["places"] == []
        assert len(answer["weights"]) == 1 + len(STEPS)

    def test_of_a_head_that_is_not_there_the_last_one_is_shown(self, learned, desk):
        answer = give_checkpoints(desk, CheckpointsAsked(question=QUESTION, run="learned", layer=7, head=9))
        L, A = answer["layers"], answer["heads"]
        assert (answer["layer"], answer["head"]) == (L - 1, A - 1)
        last = attention(dict(history_of(learned))[STEPS[-1]], "The [MASK] saw the [MASK].")
        assert_close(answer["weights"][-1], last.weights[-1, -1])

    def test_too_few_of_them(self, home, desk):
        write_lines(home / "runs" / "a", (10,))
        with pytest.raises(ValueError, match="0 checkpoints so far"):
            give_checkpoints(desk, CheckpointsAsked(question=QUESTION, run="a"))

    def test_a_probe_of_every_layer_stands_beside_its_baseline(self, learned, desk):
        answer = give_probe(desk, ProbeAsked(question=QUESTION, run="learned", step=400))
        assert len(answer["layers"]) == 1 + MiniBERT("debug").config.num_layers
        assert all(0 < one["low"] < one["value"] < one["high"] < 1 for one in answer["layers"])
        assert answer["baseline"]["value"] > 0.5
        with pytest.raises(ValueError, match="choose from 0, 100, 200, 400"):
            give_probe(desk, ProbeAsked(question=QUESTION, run="learned", step=300))

    def test_the_shelf_holds_no_more_than_it_may(self, learned):
        models = dict(history_of(learned))
        shelf = Shelf(2 * models[0].arena.flat.nbytes)
        for number in range(len(models)):
            shelf.model(learned, ((0, 0),), number)
        assert len(shelf.models) == 2
        assert MOST_CHECKPOINTS >= 4


class TestAnotherTokenizer:
    def test_hidden_letters_stay_hidden(self, tokenizer):
        """A vocabulary of single letters cuts each word into many pieces: all of the hidden word's are hidden."""
        own, other = MiniBERT("debug"), MiniBERT("debug")
        own.tokenizer = tokenizer
        letters = [*"abcdefghijklmnopqrstuvwxyz.", *(f"##{one}" for one in "abcdefghijklmnopqrstuvwxyz")]
        other.tokenizer = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters])
        question = Question(text="The dog saw [MASK].", hidden=(2,), target={4: "cat", 2: "a"})
        found = question_for(other, question, own)
        pieces = other.tokenizer.encoding(question.text).tokens
        assert [pieces[place] for place in found.hidden] == ["d", "##o", "##g"]
        assert found.target == {found.hidden[0]: "a"}

    def test_the_same_vocabulary_changes_nothing(self, tokenizer):
        own = MiniBERT("debug")
        own.tokenizer = tokenizer
        assert question_for(own, QUESTION, own) == QUESTION


def test_a_diagnosis_is_given_up_when_whoever_asked_has_gone(home, desk, monkeypatch):
    """It would take hours here; the only thread is free again as soon as the connection is closed."""
    begun = Event()
    next_batch = Autopsy.next_batch

    def slowly(self):
        begun.set()
        return next_batch(self)

    monkeypatch.setattr(Autopsy, "next_batch", slowly)
    monkeypatch.setattr(autopsy, "REPLAYED_BATCHES", 10**9)
    Exhibit("sound", "There is none.", "").train(home / "runs" / "sound", 11, steps=10, corpus=["world:200"])
    desk.limits = Limits(threads=1)
    body = json.dumps({"question": {"text": ""}, "run": "sound"}).encode()
    request = (
        b"POST /api/run_diagnosis HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s"
    )
    with running(desk) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as asking:
            asking.sendall(request % (server.port, len(body), body))
            assert begun.wait(20)
        closed = time.monotonic()
        assert server.ask("/api/models").status == 200
        assert time.monotonic() - closed < PROMPTLY
