"""Tasks, baselines, controls and the runner of probes."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.probing import baselines, exam, runner
from mini_bert.evaluation.probing.annotation import annotated
from mini_bert.evaluation.probing.bank import Bank
from mini_bert.evaluation.probing.classifier import Gathered, fit
from mini_bert.evaluation.probing.columns import from_columns, read_columns
from mini_bert.evaluation.probing.control import controlled
from mini_bert.evaluation.probing.findings import Answers, Findings
from mini_bert.evaluation.probing.linguistic_probes import analyze_linguistic_probes
from mini_bert.evaluation.probing.settings import Settings
from mini_bert.evaluation.probing.sources import Files, from_files, from_world
from mini_bert.evaluation.probing.task import Annotated, Given, task_of
from mini_bert.evaluation.section import shown
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.evaluation.word_states import WordStates, word_states
from mini_bert.reports import silent

QUICK = Settings(seeds=1, epochs=3, everywhere=False, mdl=False)


def tagged(*sentences: str) -> list[Annotated]:
    """ "The/D dog/N" """
    found = []
    for sentence in sentences:
        words, labels = zip(*(word.split("/") for word in sentence.split()), strict=True)
        found.append(Annotated(words, np.arange(len(words))[:, None], labels))
    return found


def given(train, test, dev=()) -> Given:
    return Given("here", tagged(*train), tagged(*dev), tagged(*test))


def conllu(*sentences: str) -> str:
    """ "The/DET/2/det dog/NOUN/0/root" """
    blocks = []
    for sentence in sentences:
        rows = [word.split("/") for word in sentence.split()]
        blocks.append(
            "".join(f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(rows, 1))
        )
    return "\n".join(blocks)


@pytest.fixture(scope="module")
def subject(tokenizer):
    with Subject(debug_model(tokenizer)) as made:
        yield made


def debug_model(tokenizer) -> MiniBERT:
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=0)
    model.tokenizer = tokenizer
    return model


def test_majority_by_hand():
    """Lower case; ties to the label seen first; unknown words get the most frequent label, here N."""
    task = task_of(
        "pos",
        given(["The/D run/N The/D run/V", "Run/V dog/N dog/N cat/N saw/N"], ["the/D RUN/V saw/V new/N"]),
    )
    told = [task.classes[label] for label in baselines.majority(task)]
    assert told == ["D", "V", "N", "N"]
    task = task_of("pos", given(["x/N saw/V saw/N x/N", "y/N y/N"], ["saw/V"]))
    assert [task.classes[label] for label in baselines.majority(task)] == ["V"]
    assert baselines.ambiguous(task).tolist() == [True]
    assert baselines.unseen(task).tolist() == [False]


def test_majority_is_over_all_of_train_though_dev_is_split_off():
    train = [f"w{i}/A x/B" for i in range(40)]
    task = task_of("pos", given(train, [f"w{i}/A" for i in range(40)]))
    assert task.dev_is_split
    assert len(task.dev.sentences) == 10, "a quarter, as train is small"
    assert not set(task.dev.sentences) & set(task.train.sentences)
    assert (baselines.majority(task) == task.test.labels).all()


def test_majority_of_relations_backs_off_to_the_word():
    def tree(words, heads, names):
        return DependencySentence(tuple(words), ("X",) * 3, heads, names, (True,) * 3, "")

    train = [
        tree(["a", "b", "c"], (2, 0, 2), ("det", "root", "obj")),
        tree(["a", "d", "c"], (2, 0, 2), ("nsubj:pass", "root", "obl")),
        tree(["a", "d", "c"], (2, 0, 2), ("nsubj", "root", "obl")),
    ]
    test = [
        tree(["A", "d", "c"], (2, 0, 2), ("nsubj", "root", "obl")),
        tree(["a", "e", "q"], (2, 0, 2), ("nsubj", "root", "obl")),
    ]
    task = task_of(
        "relations",
        Given(
            "",
            annotated("relations", "train", train, 0),
            annotated("relations", "dev", train, 0),
            annotated("relations", "test", test, 0),
        ),
    )
    assert task.classes == ("det", "nsubj", "obj", "obl")
    assert task.test.places.tolist() == [[0, 1], [2, 1], [3, 4], [5, 4]]
    told = [task.classes[label] for label in baselines.majority(task)]
    assert told[:3] == ["nsubj", "obl", "nsubj"]
    assert baselines.unseen(task).tolist() == [False, False, True, True]


def test_edges_are_half_true_never_of_a_word_with_itself_and_drawn_by_seed():
    found = from_world("edges", 300, seed=0)
    pairs = Counter()
    for sentence in found.train:
        pairs.update(sentence.labels)
        assert (sentence.places[:, 0] != sentence.places[:, 1]).all()
        assert len(set(sentence.places[:, 0].tolist())) == len(sentence.labels)
    assert abs(pairs["head"] / pairs.total() - 0.5) < 0.03
    heads = dict(from_tree(found.train))
    for number, sentence in enumerate(found.train):
        for (word, other), label in zip(sentence.places.tolist(), sentence.labels, strict=True):
            assert (heads[number][word] == other) == (label == "head")
    again, other = from_world("edges", 300, seed=0), from_world("edges", 300, seed=1)
    assert all((a.places == b.places).all() for a, b in zip(found.train, again.train, strict=True))
    assert not all((a.places == b.places).all() for a, b in zip(found.train, other.train, strict=True))


def from_tree(train):
    """The head of each word of the same sentences, from the probe of relations."""
    for number, sentence in enumerate(from_world("relations", len(train), seed=0).train):
        yield number, dict(sentence.places.tolist())


def test_control_labels_are_one_for_each_type_and_follow_the_frequencies():
    task = task_of("pos", from_world("pos", 400, 0))
    control = controlled(task, seed=3)
    of_type: dict[str, set[int]] = {}
    for part in (control.train, control.dev, control.test):
        words = [word.lower() for sentence in part.sentences for word in sentence]
        for word, label in zip(words, part.labels.tolist(), strict=True):
            of_type.setdefault(word, set()).add(label)
    assert all(len(labels) == 1 for labels in of_type.values())
    shares = np.bincount(task.train.labels) / len(task.train)
    drawn = np.bincount([labels.pop() for labels in of_type.values()], minlength=len(shares)) / len(of_type)
    assert abs(shares - drawn).max() < 0.05
    assert (controlled(task, 3).test.labels == control.test.labels).all()
    assert (controlled(task, 4).test.labels != control.test.labels).any()


def test_control_edges_can_be_told_by_the_type_alone():
    task = task_of("edges", from_world("edges", 200, 0))
    control = controlled(task, 0)
    rule: dict[str, set[bool]] = {}
    words = [word.lower() for sentence in control.train.sentences for word in sentence]
    starts = set(control.train.starts.tolist())
    for (word, end), label in zip(control.train.places.tolist(), control.train.labels.tolist(), strict=True):
        is_edge = task.classes[label] == "head"
        rule.setdefault(words[word], set()).add((end in starts) == is_edge)
    assert all(len(found) == 1 for found in rule.values())
    assert 0.45 < control.train.labels.mean() < 0.55


def test_a_probe_of_edges_can_learn_their_control_task():
    """Vectors tell the word type and whether it stands first: all that is needed, but not by a sum of two words'."""
    task = controlled(task_of("edges", from_world("edges", 400, 0)), 0)
    types = sorted({word.lower() for words in task.train.sentences for word in words})
    lots = np.random.default_rng(0).standard_normal((len(types), 64)).astype(np.float32)
    code = dict(zip(types, lots, strict=True))
    reached = {}
    for kind in ("linear", "mlp"):
        parts = []
        for part in (task.train, task.dev):
            vectors = np.stack([code.get(w.lower(), 0 * lots[0]) for s in part.sentences for w in s])
            vectors = np.hstack([vectors, np.zeros((len(vectors), 1), np.float32)])
            vectors[part.starts[:-1], -1] = 9
            parts.append(Gathered(vectors, part.places))
        learned = fit(parts[0], task.train.labels, 2, kind, 0, (parts[1], task.dev.labels), epochs=8)
        reached[kind] = float((learned.log_probs(parts[1]).argmax(1) == task.dev.labels).mean())
    assert reached["mlp"] > 0.75
    assert reached["linear"] < 0.6


def test_the_mlp_speaks_for_edges(subject):
    settings = QUICK.model_copy(update={"tasks": ["edges"], "world_sentences": 40})
    (section,) = exam.examine(subject, None, settings, silent)
    assert section.figures["probe"] == "mlp"
    assert [column.name for column in section.tables[0].columns] == ["layer", "MLP", "linear"]
    on_dev = [layer["dev"] for layer in section.figures["layers"]]
    assert on_dev[section.figures["layer"]] == max(on_dev)
    assert {"linear", "linear_control", "linear_selectivity"} <= section.figures.keys()


def test_the_layer_is_chosen_on_dev_and_not_on_test():
    task = task_of("pos", given(["a/A b/B"] * 4, ["a/A b/B"], dev=["a/A b/B"]))
    wrong, fine = np.array([1, 0]), np.array([0, 1])
    found = Findings(
        task,
        [task],
        {"linear": {0: [Answers(0.9, wrong)], 1: [Answers(0.5, fine)], 2: [Answers(0.9, fine)]}},
    )
    assert found.layer == 0
    assert found.accuracy(found.speaking[found.layer]).value == 0


def test_a_planted_layer_is_chosen_and_the_rest_stands_beside(subject, monkeypatch):
    """Layer 1 tells the labels of dev best, layer 2 alone those of test: the score is that of layer 1 on test."""
    rng = np.random.default_rng(0)
    words = [[f"{'ab'[i]}{rng.integers(10**6)}/{'AB'[i]}" for i in rng.integers(0, 2, 8)] for _ in range(120)]
    lines = [" ".join(sentence) for sentence in words]
    task = task_of("pos", given(lines[:80], lines[100:], dev=lines[80:100]))
    dev, test = ({word for sentence in part.sentences for word in sentence} for part in (task.dev, task.test))

    def planted(subject, sentences, pooling, layers, report):
        flat = [word for sentence in sentences for word in sentence]
        states = np.random.default_rng(1).standard_normal((3, len(flat), 4)).astype(np.float32)
        for i, word in enumerate(flat):
            states[1, i, 0] += 0 if word in test else 9 * (word[0] == "a")
            is_lost = word in dev and int(word[1:]) % 5 == 0
            states[2, i, 0] += 0 if is_lost else 9 * (word[0] == "a")
        starts = np.cumsum([0, *map(len, sentences)])
        return WordStates(states[list(layers)], starts)

    monkeypatch.setattr("mini_bert.evaluation.word_states.word_states", planted)
    (found,) = runner.probe(subject, [task], QUICK, silent)
    assert found.layer == 1
    linear = found.probes["linear"]
    assert linear[1][0].dev > 0.95
    assert found.accuracy(linear[1]).value < 0.75
    assert found.accuracy(linear[2]).value > 0.9
    assert set(found.probes["mlp"]) == set(found.controls["linear"]) == {1}


def test_a_bank_reads_each_sentence_once_and_in_parts_where_memory_is_short(subject, monkeypatch):
    tasks = [task_of(name, from_world(name, 40, 0)) for name in ("pos", "entities")]
    wide = Bank(subject, tasks, "mean")
    layers = list(range(subject.model.config.num_layers + 1))
    (together,) = [dict(group) for group, _ in wide.groups(layers, silent)]
    assert len(together[0]) == sum(
        map(len, {s for part in (tasks[0].train, tasks[0].dev, tasks[0].test) for s in part.sentences})
    )
    monkeypatch.setattr("mini_bert.evaluation.word_states.MOST_AT_ONCE", 1)
    apart = [dict(group) for group, _ in Bank(subject, tasks, "mean").groups(layers, silent)]
    assert [list(group) for group in apart] == [[layer] for layer in layers]
    for group in apart:
        for layer, vectors in group.items():
            np.testing.assert_allclose(vectors, together[layer], rtol=1e-4, atol=1e-6)
    test = tasks[0].test
    expected = word_states(subject, test.sentences).layers[1]
    np.testing.assert_allclose(together[1][wide.numbers(test)], expected, rtol=1e-4, atol=1e-5)


def test_the_exam_has_its_baselines_and_is_the_same_again(subject):
    settings = Settings(tasks=["entities"], seeds=2, everywhere=False, mdl=False, world_sentences=20)
    (section,) = exam.examine(subject, None, settings, silent)
    figures = section.figures
    assert {
        "accuracy",
        "majority",
        "random_model",
        "layer",
        "control",
        "selectivity",
        "mlp",
    } <= figures.keys()
    assert {"f1", "majority_f1", "random_model_f1"} <= figures.keys()
    assert figures["f1_interval"][0] <= figures["f1"] <= figures["f1_interval"][1]
    assert [one["layer"] for one in figures["layers"]] == list(range(subject.model.config.num_layers + 1))
    assert figures["selectivity"] == pytest.approx(figures["accuracy"] - figures["control"])
    assert figures["interval"][0] <= figures["accuracy"] <= figures["interval"][1]
    assert section.tables[0].columns[1].name == "F1 of linear", "what the layer is chosen by comes first"
    beside = {row.cells[0]: row.kind for row in section.tables[0].rows if row.kind != "model"}
    assert beside == {
        "per-word majority": "baseline",
        "most frequent label": "baseline",
        f"random weights, layer {figures['random_layer']}": "control",
    }
    for table in section.tables:
        for row in table.rows:
            assert all(shown(cell, column) for cell, column in zip(row.cells, table.columns, strict=True))
    assert section.pictures[0].draw().axes[0].get_ylabel() == "accuracy (%)"
    (again,) = exam.examine(subject, None, settings, silent)
    assert again.figures == figures


def test_code_lengths_stand_beside_those_of_control_and_random_weights(subject):
    settings = Settings(tasks=["pos"], seeds=1, layer=1, world_sentences=20)
    (section,) = exam.examine(subject, None, settings, silent)
    code = section.figures["mdl"]
    assert code["compression"] == pytest.approx(code["uniform_kbit"] / code["kbit"])
    assert {"control_compression", "random_model_compression"} <= code.keys()
    kinds = [row.kind for row in section.tables[-1].rows]
    assert kinds == ["model", "control", "baseline", "baseline"]


def test_the_guides_shorthand(tokenizer):
    found = analyze_linguistic_probes(
        debug_model(tokenizer), ["pos"], settings=QUICK.model_copy(update={"world_sentences": 20, "layer": 0})
    )
    assert list(found) == ["pos"]
    assert 0 <= found["pos"]["accuracy"] <= 1


def test_seconds_grow_with_what_is_asked(subject):
    pace = Pace(1e5, 1e4, 1e10)
    quick = exam.seconds(subject, None, QUICK, pace)
    assert 0 < quick < exam.seconds(subject, None, Settings(), pace)


def test_what_a_folder_lacks(tmp_path: Path, subject):
    (tmp_path / "sst2").mkdir()
    with pytest.raises(DoesNotApply, match="ud_ewt has no train file"):
        exam.examine(subject, TaskFolder(tmp_path), QUICK, silent)


def test_a_folder_without_test_is_judged_by_dev(tmp_path: Path):
    folder = tmp_path / "ud_ewt"
    folder.mkdir()
    (folder / "train.conllu").write_text(conllu(*["The/DET/2/det dog/NOUN/0/root"] * 5), encoding="utf-8")
    (folder / "dev.conllu").write_text(conllu("A/DET/2/det cat/NOUN/0/root"), encoding="utf-8")
    (task,) = exam.chosen_tasks(TaskFolder(tmp_path), Settings(tasks=["pos"]))
    assert task.test.sentences == (("A", "cat"),)
    assert task.dev_is_split


def test_an_unknown_label_at_test_time_is_named_with_its_line(tmp_path: Path):
    train, test = tmp_path / "train.conllu", tmp_path / "test.conllu"
    train.write_text(conllu("The/DET/2/det dog/NOUN/0/root", "A/DET/2/det cat/NOUN/0/root"), encoding="utf-8")
    test.write_text(
        "# a comment\n" + conllu("The/DET/2/det dog/NOUN/0/root", "Oh/INTJ/0/root"), encoding="utf-8"
    )
    with pytest.raises(ValueError, match=r"test\.conllu:5: label 'INTJ' does not occur in train"):
        task_of("pos", from_files("pos", Files(train, test), 0))


def test_few_sentences_keep_the_classes_of_all():
    train = [f"a/A{i}" for i in range(30)]
    task = task_of("pos", given(train, ["a/A29"], dev=["a/A3"]), max_sentences=5)
    assert len(task.classes) == 30
    assert len(task.train.sentences) == 5


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        (["a/A", "b/A"], ["a/A"], "nothing to tell apart"),
        (["a/A b/B"], ["a/A"], "cannot be split"),
        (["a/A", "b/B"], [], "test part has no labels"),
    ],
)
def test_tasks_that_cannot_be(train, test, message):
    with pytest.raises(ValueError, match=message):
        task_of("custom", given(train, test))


def test_columns_of_ones_own(tmp_path: Path):
    file = tmp_path / "words.txt"
    file.write_text("The D x\n# P y\n\n-DOCSTART- O O\n\ndog N z\n", encoding="utf-8")
    found = read_columns(file, 1)
    assert [(one.words, one.labels) for one in found] == [(("The", "#"), ("D", "P")), (("dog",), ("N",))]
    assert read_columns(file, -1)[1].labels == ("z",)
    assert read_columns(file, 0, word_column=1)[1].words == ("N",)
    file.write_text("# c\n1-2\tdu\tX\n1\tde\tA\n2\tle\tB\n2.1\t_\t_\n", encoding="utf-8")
    (only,) = read_columns(file, 2)
    assert (only.words, only.labels) == (("de", "le"), ("A", "B"))


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a\tX\nb\t_\n", 1, r":2: no label in column 1, which is '_'"),
        ("a\tX\nb\t\n", 1, r":2: no label in column 1"),
        ("a X\n", 2, r":1: no column 2 for the label: there are 2 columns; they are numbered from 0"),
        ("a X\n", 0, r":1: column 0 holds the words themselves"),
        ("1\ta\tX\n", 1, r":1: column 1 holds the words themselves"),
        ("a X\n", -2, r":1: column -2 holds the words themselves"),
    ],
)
def test_columns_that_are_no_labels(tmp_path: Path, text: str, column: int, message: str):
    file = tmp_path / "words.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_columns(file, column)


def test_an_unknown_label_of_ones_own_is_named_with_its_line(tmp_path: Path):
    train, test = tmp_path / "train.txt", tmp_path / "test.txt"
    train.write_text("a X\nb Y\n\na X\n", encoding="utf-8")
    test.write_text("a X\n\n\nb Y\nc Z\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"test\.txt:5: label 'Z'"):
        task_of("custom", from_columns(Files(train, test), 1))
