"""The explorer's answer about words and pieces: the stories of the cuts lead to the very pieces of the tokenizer."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mini_bert.data.world import texts
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Question
from mini_bert.explorer.views.words import WordsAsked, give_words
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.special import SPECIAL_TOKENS
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from tests.unit.unigrams_by_hand import tokenizer_of

WORDPIECE = WordPieceTokenizer(
    [*SPECIAL_TOKENS, "un", "##believ", "##able", "##a", "cafe", "a", "b", "##b", "!"]
)
BPE = ByteLevelBPETokenizer.train(texts(100), 400)
UNIGRAM = tokenizer_of("albert")
SOME_TEXT = st.text("abelivun cafeCÉé!☃[MASK]", max_size=30)


def desk_of(tokenizer):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, max_seq_length=12))
    model.tokenizer = tokenizer
    return Desk.of(model)


DESKS = {"wordpiece": desk_of(WORDPIECE), "bpe": desk_of(BPE), "unigram": desk_of(UNIGRAM)}


def asked(kind, text):
    return give_words(DESKS[kind], WordsAsked(question=Question(text=text)))


def told(answer, word):
    return [answer["pieces"][place]["piece"] for place in word["places"]]


def test_each_candidate_longer_than_the_found_one_is_unknown():
    answer = asked("wordpiece", "Unbelievable!")
    word, mark = answer["words"]
    assert told(answer, word) == ["un", "##believ", "##able"]
    assert [step["found"] for step in word["story"]["steps"]] == ["un", "##believ", "##able"]
    assert [step["tried"] for step in word["story"]["steps"]] == [
        len("unbelievable") - 1,
        len("believable") - 5,
        1,
    ]
    assert [step["rest"] for step in word["story"]["steps"]] == ["unbelievable", "believable", "able"]
    assert word["normal"] == "unbelievable"
    assert word["changes"] == ["capitals become small letters"]
    assert mark["story"]["steps"] == [
        {"prefix": "", "rest": "!", "tried": 1, "found": "!", "id": WORDPIECE.token_to_id["!"]}
    ]


def test_accents_and_capitals_are_told():
    (word,) = asked("wordpiece", "CAFÉ")["words"]
    assert (word["written"], word["normal"]) == ("CAFÉ", "cafe")
    assert word["changes"] == ["capitals become small letters", "accents are dropped"]


def test_a_cased_vocabulary_keeps_capitals():
    cased = WordPieceTokenizer([*SPECIAL_TOKENS, "Cafe", "é"], normalizer=Normalizer(lowercase=False))
    answer = give_words(desk_of(cased), WordsAsked(question=Question(text="Cafe é")))
    assert [word["changes"] for word in answer["words"]] == [[], []]
    assert answer["rules"][:2] == ["capitals stay", "accents stay"]


def test_an_unknown_word_tells_where_no_piece_fits():
    (word,) = asked("wordpiece", "unbelievablex")["words"]
    assert word["unknown"]
    assert word["story"]["steps"][-1] == {"prefix": "##", "rest": "x", "tried": 1, "found": None, "id": None}


def test_a_word_too_long_to_be_cut():
    (word,) = asked("wordpiece", "a" * 101)["words"]
    assert word["unknown"]
    assert word["story"] == {"steps": [], "too_long": 100}


def test_mask_is_taken_whole_in_the_spelling_of_the_vocabulary():
    answer = asked("bpe", "the [MASK]")
    assert answer["text"] == "the <mask>"
    mask = answer["words"][-1]
    assert mask["added"]
    assert mask["story"] is None
    assert told(answer, mask) == ["<mask>"]


def test_what_is_hidden_does_not_matter():
    question = Question(text="a b!", hidden=(1,), target={1: "b"})
    assert give_words(DESKS["wordpiece"], WordsAsked(question=question)) == asked("wordpiece", "a b!")


@pytest.mark.parametrize("kind", DESKS)
@given(text=SOME_TEXT)
@example(text="")
@example(text="  Élan☃  [MASK]a")
@settings(max_examples=60, deadline=None)
def test_pieces_are_those_of_the_tokenizer(kind, text):
    answer = asked(kind, text)
    tokenizer = DESKS[kind].model("").tokenizer
    encoding = tokenizer.encoding(answer["text"])
    assert [piece["piece"] for piece in answer["pieces"]] == encoding.tokens
    assert [piece["id"] for piece in answer["pieces"]] == encoding.ids
    for piece in answer["pieces"]:
        if piece["word"] is not None:
            assert piece["written"] == answer["text"][piece["start"] : piece["end"]]
    assert [place for word in answer["words"] for place in word["places"]] == [
        place for place, word in enumerate(encoding.word_ids) if word is not None
    ]


@given(text=SOME_TEXT)
@settings(max_examples=60, deadline=None)
def test_the_longest_match_is_the_cut(text):
    answer = asked("wordpiece", text)
    for word in answer["words"]:
        if word["added"]:
            continue
        found = [step["found"] for step in word["story"]["steps"]]
        assert (None in found) == word["unknown"]
        if not word["unknown"]:
            assert found == told(answer, word)
            assert "".join(found).replace("##", "") == word["normal"]
        for step in word["story"]["steps"]:
            longer = range(len(step["rest"]) - step["tried"] + 2, len(step["rest"]) + 1)
            assert all(step["prefix"] + step["rest"][:size] not in WORDPIECE.token_to_id for size in longer)


@given(text=st.sampled_from(list(texts(30))) | st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_merges_replayed_are_the_cut(text):
    answer = asked("bpe", text)
    for word in answer["words"]:
        if word["added"]:
            continue
        pieces = list(word["story"]["letters"])
        for merge in word["story"]["merges"]:
            place = merge["place"]
            pair = tuple(pieces[place : place + 2])
            assert BPE.merges[merge["rank"] - 1] == pair
            ranks = [BPE.merges.index(one) for one in pairwise(pieces) if one in BPE.merges]
            assert min(ranks) == merge["rank"] - 1
            pieces[place : place + 2] = ["".join(pair)]
            assert pieces[place] == merge["made"]
        assert pieces == told(answer, word)


@given(text=st.sampled_from(list(texts(30))))
@settings(max_examples=30, deadline=None)
def test_the_best_way_is_the_cut(text):
    answer = asked("unigram", text)
    for word in answer["words"]:
        if word["added"] or word["unknown"]:
            continue
        ways = word["story"]["ways"]
        assert ways[0]["pieces"] == told(answer, word)
        for way in ways:
            assert "".join(way["pieces"]) == word["normal"]
            assert sum(way["scores"]) == pytest.approx(way["score"])
        assert [way["score"] for way in ways] == sorted((way["score"] for way in ways), reverse=True)


def test_a_model_without_vocabulary_says_what_is_missing():
    model = MiniBERT(ModelConfig.preset("debug"))
    with pytest.raises(ValueError, match="there is no tokenizer beside this model"):
        give_words(Desk.of(model), WordsAsked(question=Question(text="a")))


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="shorten it"):
        asked("wordpiece", "a " * 2000)
