"""What commands wrote with --json, as a model card shows it."""

import doctest

from mini_bert.pretrained import card_results, plain_names
from mini_bert.pretrained.card_results import results_of
from tests.unit.packing.samples import EXAM

RIVALS = [
    {"name": "random weights", "kind": "control", "value": 0.7, "low": 0.69, "high": 0.71},
    {"name": "majority", "kind": "baseline", "value": 0.861, "low": None, "high": None},
]
ABILITY = {
    "title": "Parts of speech",
    "measure": "right",
    "is_share": True,
    "score": {"value": 0.91, "low": 0.9, "high": 0.92},
    "rivals": RIVALS,
    "beats_its_baselines": "yes",
}
CONTEST = {
    "task": "sst2",
    "origin": "SST-2",
    "metric": "accuracy",
    "judged_on": "dev",
    "accuracy": 0.825,
    "interval": [0.8, 0.85],
    "by_seed": [0.82, 0.825, 0.83],
    "random_model": 0.8,
    "bag_of_words": 0.801,
    "intervals": {"random_model": [0.78, 0.82], "bag_of_words": [0.77, 0.83]},
    "ahead_of": {
        "random_model": {"value": 0.025, "low": 0.001, "high": 0.049},
        "bag_of_words": {"value": 0.024, "low": None, "high": None},
    },
    "random_model_by_seed": [0.8, 0.79, 0.81],
    "examples": {"train": 1000, "dev": 872, "test": 0},
    "epochs": [{}, {}, {}],
    "settings": {"learning_rate": 0.001, "pooling": "mean"},
    "sweep": {
        "judged_on": "held-back train",
        "model": {"chosen": 0.001, "tried": [{"rate": 0.0003}, {"rate": 0.001}]},
        "random_model": {"chosen": 0.0003, "tried": [{"rate": 0.0003}, {"rate": 0.001}]},
    },
}


def test_docstring_examples():
    for module in (card_results, plain_names):
        found = doctest.testmod(module)
        assert found.attempted
        assert not found.failed


def rows(told: str) -> list[str]:
    return [line for line in told.splitlines() if line.startswith("|")]


def test_an_ability_stands_beside_all_its_rivals_in_its_own_unit():
    similarity = ABILITY | {"title": "Similarity", "measure": "Spearman", "is_share": False}
    assert rows(results_of("full", {"summary": [ABILITY, similarity]}))[2:] == [
        "| Parts of speech (right) | 91.0 % (90.0–92.0) | random weights 70.0 % (69.0–71.0); majority 86.1 % | yes |",
        "| Similarity (Spearman) | 0.910 (0.900–0.920) | random weights 0.700 (0.690–0.710); majority 0.861 | yes |",
    ]


def test_an_evaluation_without_rivals_has_no_table():
    told = results_of("full", {"summary": []})
    assert rows(told) == []
    assert told.endswith("evaluation.json has its figures.")


def test_fine_tuning_shows_every_seed_and_both_rates():
    told = results_of("sst2", CONTEST)
    assert rows(told)[2:] == [
        "| this model | 82.5 % (80.0–85.0) | 82.0 %, 82.5 %, 83.0 % | 0.001 | – |",
        "| same network, not pretrained | 80.0 % (78.0–82.0) | 80.0 %, 79.0 %, 81.0 % | 0.0003 | +2.5 (+0.1 to +4.9) |",
        "| bag of words | 80.1 % (77.0–83.0) | – | – | +2.4 |",
    ]
    assert "among 0.0003, 0.001, on held-back train" in " ".join(told.split())
    assert "3 epochs, pooling: mean. Either" in " ".join(told.split())
    assert "That of this model is the highest that was tried" in " ".join(told.split())
    assert "That of the network that was not pretrained is the lowest" in " ".join(told.split())
    assert "this model ahead, points |" in told
    assert "this model ahead" not in results_of("sst2", {**CONTEST, "ahead_of": {}})
    tags = results_of("names", CONTEST | {"settings": {"learning_rate": 0.001, "pooling": None}})
    assert "3 epochs. Either" in " ".join(tags.split())


def test_minimal_pairs_show_every_paradigm():
    one = {"accuracy": 0.6, "low": 0.5, "high": 0.7, "pairs": 10, "baselines": {"words counted": 0.4}}
    names = [f"paradigm_{number}" for number in range(70)]
    result = one | {"set": "BLiMP", "chance": 0.5, "paradigms": dict.fromkeys(names, one)}
    scored = results_of("blimp", result | {"scored_by": "log-likelihood"})
    assert "Sentences are scored by log-likelihood." in " ".join(scored.split())
    assert "the mean over 70 paradigms, and each one." in " ".join(scored.split())
    told = rows(results_of("blimp", result | {"counted_in": "train.txt"}))
    assert "| words counted | 40.0 % |" in told
    assert told[-1] == "| paradigm_69 | 10 | 60.0 % (50.0–70.0) | 40.0 % |"
    assert sum("paradigm_" in row for row in told) == 70
    both = results_of(
        "pairs", {"paradigms": {}, "sets": {"BLiMP": result, "Zorro": result | {"set": "Zorro"}}}
    )
    assert "### Minimal pairs: BLiMP" in both
    assert "### Minimal pairs: Zorro" in both


def pairs_of(name: str, count: int, **more) -> str:
    one = {"accuracy": 0.6, "low": 0.5, "high": 0.7, "pairs": 10, "baselines": {}}
    paradigms = {f"paradigm_{number}": one for number in range(count)}
    told = results_of("pairs", one | {"set": name, "chance": 0.5, "paradigms": paradigms, **more})
    return " ".join(told.split())


def test_minimal_pairs_tell_how_many_of_the_published_paradigms_were_asked():
    assert "the mean over 23 of BLiMP's 67 paradigms, and each one." in pairs_of("BLiMP", 23)
    assert "the mean over all of Zorro's 23 paradigms, and each one." in pairs_of("Zorro", 23)
    assert "the mean over 9 of Marvin & Linzen's 22 paradigms, and each one." in pairs_of(
        "Marvin & Linzen", 9
    )


def test_minimal_pairs_tell_what_their_intervals_are_over():
    assert "Intervals are those of independent pairs; but pairs share words" in pairs_of("BLiMP", 2)
    clustered = pairs_of("BLiMP", 2, intervals_over="words that differ")
    assert "Intervals are clustered over words that differ" in clustered
    assert "independent pairs; but" not in clustered


def test_probes_stand_beside_majority_and_random_weights():
    result = {
        "task": "pos",
        "source": "UD English EWT",
        "probe": "linear",
        "layer": 2,
        "seeds": 3,
        "examples": {"train": 194_423, "dev": 10_154, "test": 25_147},
        "accuracy": 0.91,
        "interval": [0.9, 0.92],
        "majority": 0.861,
        "most_frequent": 0.17,
        "random_model": 0.7,
    }
    told = " ".join(results_of("pos", result | {"source": "ud_ewt/train.conllu, ud_ewt/dev.conllu"}).split())
    assert "UD English EWT (ud_ewt/train.conllu, ud_ewt/dev.conllu): 194,423 words" in told
    assert rows(results_of("pos", result))[2:] == [
        "| this model | 91.0 % (90.0–92.0) |",
        "| majority of the word | 86.1 % |",
        "| most frequent class | 17.0 % |",
        "| random weights | 70.0 % |",
    ]
    f1 = {"f1": 0.5, "f1_interval": [0.4, 0.6], "majority_f1": 0.45, "random_model_f1": 0.3}
    assert rows(results_of("entities", result | f1 | {"task": "entities"})) == [
        "| who | named entities, linear probe (F1) |",
        "| --- | ---: |",
        "| this model | 50.0 % (40.0–60.0) |",
        "| majority of the word | 45.0 % |",
        "| random weights | 30.0 % |",
    ]


def test_trees_with_and_without_punctuation():
    of_both = {
        "uuas": 0.6,
        "uuas_interval": [0.5, 0.7],
        "uuas_without_punctuation": 0.65,
        "uuas_without_punctuation_interval": [0.6, 0.7],
    }
    result = of_both | {
        "linear_chain": 0.4,
        "linear_chain_without_punctuation": 0.48,
        "random_model": 0.3,
        "random_model_without_punctuation": 0.35,
        "random_tree": 0.2,
        "positions_alone": of_both,
        "source": "UD English EWT",
        "sentences": {"train": 100, "dev": 10, "test": 10},
        "layer": 1,
        "seeds": 1,
    }
    told = rows(results_of("distances", result))
    assert told[2:4] == [
        "| this model | 60.0 % (50.0–70.0) | 65.0 % (60.0–70.0) |",
        "| linear chain | 40.0 % | 48.0 % |",
    ]
    assert "| random trees | 20.0 % | – |" in told


def test_all_texts_together_are_told_by_length_and_by_their_plain_mean():
    near, words = (
        {"masked_accuracy": 0.3, "perplexity": 2.0, "loss": 0.7},
        {"masked_accuracy": 0.1, "loss": 6.0},
    )
    asked = {
        "asked_share": 0.15625,
        "row_length": 64,
        "layout": "packed",
        "counted_in": "train.txt, 99 tokens",
    }
    one = EXAM | asked | {"loss": 0.0, "baselines": {"neighbours": near, "unigram": words}}
    other = one | {"text": "tales.txt", "masked_accuracy": 0.712, "loss": 2.0}
    shares = {"tatoeba.txt.gz": 0.25, "tales.txt": 0.75}
    told = results_of("metrics", {"texts": [one, other], "overall": EXAM | {"text": None, "shares": shares}})
    found = rows(told)[2:]
    assert [row.split(" | ")[0] for row in found] == [
        "| /somewhere/held_out/tatoeba",
        "| tales",
        "| overall",
        "| mean of the texts",
    ]
    assert found[-1].startswith(
        "| mean of the texts | 61.2 % | 2.7 | 30.0 % / 2.0 | 10.0 % / 403.4 | 10,240 |"
    )
    for words in (
        "15.6 % of the tokens are hidden, all behind [MASK]",
        "99 tokens",
        "tatoeba 25 %, tales 75 %",
    ):
        assert words in " ".join(told.split())


def test_what_is_of_no_known_kind_is_told_number_by_number():
    told = results_of("mine", {"weights": "ab", "figures": {"list": [1, {"x": 0.5}]}, "seed": 3})
    assert rows(told)[2:] == ["| figures › list › 1 | 1 |", "| figures › list › 2 › x | 0.5 |"]


def test_minimal_pairs_tell_that_not_all_were_asked():
    assert "at most 10 pairs were asked" in pairs_of("BLiMP", 23, most_pairs=10)
    for most in (None, 11):
        assert "were asked." not in pairs_of("BLiMP", 23, most_pairs=most)
