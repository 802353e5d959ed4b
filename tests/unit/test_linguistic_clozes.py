"""Facts, negation and roles: what is hidden, what is denied, and what a model of known probabilities must reach."""

import json
from collections import Counter

import numpy as np
import pytest

from mini_bert.data.tasks.examples import Fact, MinimalPair
from mini_bert.data.world import FACTS
from mini_bert.data.world.facts.clozes import denied, hidden, place_of_answer
from mini_bert.data.world.pairs.roles import VOICES, role_pairs
from mini_bert.evaluation.estimate import wilson
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.linguistic import composition, facts
from mini_bert.evaluation.linguistic.cloze_answers import Cloze, cloze_answers, single_ids
from mini_bert.evaluation.linguistic.composition import Denial, measure_compositional_understanding
from mini_bert.evaluation.linguistic.fact_answers import of_facts
from mini_bert.evaluation.linguistic.fact_items import blinded
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.inference.fill_mask import fill_mask
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT


def model_with(tokenizer, seed=3, **settings):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **settings), seed=seed)
    model.tokenizer = tokenizer
    return model


def of_frequencies(tokenizer, best: str):
    """A model that says the same everywhere, `best` first."""
    model = model_with(tokenizer, seed=None)
    model.params["b_mlm"][tokenizer.token_to_id[best]] = 5.0
    return model


def test_hidden_statements_are_the_clozes_of_the_facts():
    for fact in FACTS:
        assert tuple(hidden(statement, fact) for statement in fact.statements) == fact.clozes


def test_a_hidden_subject_is_nowhere_to_be_read():
    for fact in FACTS:
        for statement in fact.statements:
            text = hidden(statement, fact, also_subject=True)
            assert fact.subject not in text.replace(".", "").split()
            assert 0 <= place_of_answer(statement, fact) < text.count("[MASK]")
            assert text.count("[MASK]") > 1


def test_a_denial_adds_a_not_and_nothing_else_but_do():
    for fact in FACTS:
        said, negated = hidden(fact.statements[0], fact), hidden(denied(fact.statements[0]), fact)
        more = Counter(negated.replace("cannot", "can not").split()) - Counter(said.split())
        assert more["not"] == 1
        assert more.total() == 1 or more["do"] + more["does"] == 1


def test_roles_are_exchanged_and_no_word_is():
    for voice in VOICES:
        for good, bad in role_pairs(voice, 50):
            assert Counter(good.lower()[:-1].split()) == Counter(bad.lower()[:-1].split())
            assert good != bad


def test_answers_are_those_of_fill_mask(tokenizer):
    model = model_with(tokenizer)
    texts = ["the man was [MASK] .", "the [MASK] was old and [MASK] .", "the man was [MASK] ."]
    with Subject(model) as subject:
        clozes = [Cloze(texts[0]), Cloze(texts[1], 1), Cloze(texts[2])]
        found = cloze_answers(subject, clozes, [[7], [8, 9], [10]], top=3)
    for answer, text, blank in zip(found, texts, (0, 1, 0), strict=True):
        guesses = fill_mask(model, text, top=20)[blank].guesses
        ordinary = [g for g in guesses if tokenizer.token_to_id[g.token] not in tokenizer.special_ids]
        assert [tokenizer.id_to_token[i] for i in answer.best] == [guess.token for guess in ordinary[:3]]
    assert [len(answer.log_p) for answer in found] == [1, 2, 1]
    with Subject(model) as subject, pytest.raises(ValueError, match="number 2"):
        cloze_answers(subject, [Cloze("a [MASK]", 1)], [[7]])


def test_only_words_of_one_piece_can_be_asked_for(tokenizer):
    assert single_ids(["man", "Velmora", "☃"], tokenizer) == {"man": tokenizer.token_to_id["man"]}


def test_a_blinded_pattern_has_a_mask_for_each_piece(tokenizer):
    size = len(tokenizer.piece_ids("Velmora"))
    fact = Fact("capital", "Velmora", "Tarnholm", ("[Y] is in [X].", "In [X] is [Y]."))
    first, second = blinded(fact, tokenizer)
    assert first.text.count("[MASK]") == second.text.count("[MASK]") == size + 1
    assert (first.number, second.number) == (0, size)


def write_facts(folder, answers):
    for part, lines in {
        "facts": [{"sub_label": f"s{i}", "obj_label": answer} for i, answer in enumerate(answers)],
        "patterns": [{"pattern": "[X] is [Y] ."}, {"pattern": "[Y] is [X] ."}],
    }.items():
        (folder / "pararel" / part).mkdir(parents=True)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "pararel" / part / "P1.jsonl").write_text(text, "utf-8")


def test_who_says_one_word_only_is_as_good_as_the_majority(tokenizer, tmp_path):
    write_facts(tmp_path, ["old", "old", "old", "man", "Velmora"])
    with Subject(of_frequencies(tokenizer, "old")) as subject:
        [section] = facts.examine(subject, TaskFolder(tmp_path), facts.Settings())
    told = section.figures
    assert told["majority"] == told["among_answers"] == told["accuracy_at_1"] == 0.75
    assert told["consistency"] == 1.0
    assert told["chance"] == 0.5
    assert told["subject_hidden"]["among_answers"] == 0.75
    assert told["relations"]["P1"]["facts"] == 4
    assert told["relations"]["P1"]["known_facts"] == 5


def test_the_interval_of_facts_is_around_their_mean():
    assert of_facts([0.5, 0.5, 0.5]) == wilson(0.5, 3)
    found = of_facts([0.5] * 5)
    assert found.high - found.value == pytest.approx(found.value - found.low)


def test_facts_need_answers_and_a_model_that_fills_gaps(tokenizer, tmp_path):
    write_facts(tmp_path, ["Velmora", "man"])
    with Subject(model_with(tokenizer)) as subject, pytest.raises(DoesNotApply, match="larger one"):
        facts.examine(subject, TaskFolder(tmp_path), facts.Settings())
    (tmp_path / "empty" / "cola").mkdir(parents=True)
    for model in (model_with(tokenizer, causal=True), model_with(tokenizer, head="classes")):
        with Subject(model) as subject:
            for module in (facts, composition):
                with pytest.raises(DoesNotApply):
                    module.examine(subject, None, module.Settings())
                with pytest.raises(DoesNotApply):
                    module.seconds(subject, None, module.Settings(), Pace(1e5, 1e4, 1e9))


def test_a_model_blind_to_words_around_gets_half(tokenizer):
    told = measure_compositional_understanding(of_frequencies(tokenizer, "old"))
    assert told["negation"]["answer_less_likely"]["value"] == 0.5
    assert told["negation"]["best_guess_changes"]["value"] == 0.0
    for voice in VOICES:
        assert told["roles"][voice]["accuracy"] == 0.5  # both sentences have the same words: all are ties
        assert told["roles"][voice]["ties"] == told["roles"][voice]["pairs"]


def test_cases_of_ones_own(tokenizer):
    cases = [
        Denial("the man is [MASK] .", "the man is not [MASK] .", "old"),
        MinimalPair("the man is old .", "old is the man .", "order"),
    ]
    told = measure_compositional_understanding(model_with(tokenizer), cases)
    assert told["negation"]["cases"] == 1
    assert set(told["roles"]) == {"order"}
    assert "negation" not in measure_compositional_understanding(model_with(tokenizer), cases[1:])
    with pytest.raises(ValueError, match="empty"):
        measure_compositional_understanding(model_with(tokenizer), [])
    with pytest.raises(ValueError, match="give a Denial or a MinimalPair"):
        measure_compositional_understanding(model_with(tokenizer), ["the man"])


def test_facts_of_the_world_have_baselines_and_are_the_same_twice(tokenizer):
    settings = facts.Settings(max_facts=5, max_patterns=2, twin_facts=2)
    with Subject(model_with(tokenizer)) as subject:
        [first] = facts.examine(subject, None, settings)
        [second] = facts.examine(subject, None, settings)
    assert first.figures == second.figures
    assert np.isfinite(first.figures["majority"])
    assert first.figures["random_model"]["consistency"] is not None
    assert {row.kind for row in first.tables[0].rows} == {"model", "baseline", "control"}
