"""WordPiece: normalization, learning, and the way from text to ids and back."""

import doctest
import importlib
import os
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mini_bert.data.world import texts as stories
from mini_bert.tokenizers import SPECIAL_TOKENS, WordPieceTokenizer
from mini_bert.tokenizers.added import AddedTokens
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.special import BERT_TOKENS, CLS_ID, MASK_ID, PAD_ID, SEP_ID, UNK_ID
from mini_bert.tokenizers.training import CRITERIA

ANY_TEXT = st.text(st.characters())  # surrogates too, which st.text() alone leaves out
HENS = {"hen": 5, "hens": 1, "ten": 4, "quiz": 2}
TRAINED = WordPieceTokenizer.train(list(stories(500)), vocab_size=512)
WHOLE_WORDS = [token for token in TRAINED.id_to_token[5:] if not token.startswith("##")]

EXHAUSTED = pytest.mark.filterwarnings("ignore:the text has pieces for only")


@pytest.fixture
def tokenizer() -> WordPieceTokenizer:
    pieces = ("snow", "is", "white", "un", "##believ", "##able", "##s", ".")
    return WordPieceTokenizer([*SPECIAL_TOKENS, *pieces])


@pytest.mark.parametrize("module", ["normalize", "training", "wordpiece", "remembered", "decoding"])
def test_docstring_examples(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"mini_bert.tokenizers.{module}"))
    assert result.attempted
    assert not result.failed


def normalized(text: str) -> str:
    return " ".join(Normalizer().words(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("  tabs\tand\r\nlines\u00a0and\u2003spaces ", ["tabs", "and", "lines", "and", "spaces"]),
        ("line\u2028separator", ["line", "separator"]),
        ("zero\u200bwidth nul\0 bell\a lost\ufffd own\ue000", ["zerowidth", "nul", "bell", "lost", "own"]),
        ("Ünïcödé naïve Ångström İstanbul", ["unicode", "naive", "angstrom", "istanbul"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("中x文", ["中", "x", "文"]),
        ("ひらがな 한국", ["ひらかな", "한국"]),
        ("a+b=$5 ~x^y`", ["a", "+", "b", "=", "$", "5", "~", "x", "^", "y", "`"]),
        ("«¿qué?»…", ["«", "¿", "que", "?", "»", "…"]),
        ("don't state-of-the-art", ["don", "'", "t", "state", "-", "of", "-", "the", "-", "art"]),
        ("a ≠ b", ["a", "=", "b"]),
        ("##tag", ["#", "#", "tag"]),
        ("", []),
        ("\u200b \u0301", []),
    ],
)
def test_words_of(text: str, words: list[str]) -> None:
    # NFD takes Hangul apart into jamo, as in BERT; they are compared in the same form.
    assert [normalized(word) for word in words] == Normalizer().words(text)


@given(ANY_TEXT)
def test_normalizing_twice_is_normalizing_once(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_train_gives_the_size_asked_for(criterion: str) -> None:
    trained = WordPieceTokenizer.train(stories(300), 256, criterion)
    assert trained.vocab_size == 256
    assert trained.id_to_token[:5] == SPECIAL_TOKENS


@EXHAUSTED
def test_train_does_not_learn_from_special_tokens_or_endless_words() -> None:
    trained = WordPieceTokenizer.train(["[MASK] snow [SEP]", "z" * 101])
    assert "snow" in trained.token_to_id
    assert not {"[", "]", "m", "z", "##z"} & set(trained.token_to_id)


def test_train_refuses_one_string_and_no_words() -> None:
    with pytest.raises(ValueError, match=r"one string and no file; .* train\(\[text\]\)"):
        WordPieceTokenizer.train("snow is white")
    with pytest.raises(ValueError, match="hold no word"):
        WordPieceTokenizer.train(["", " \n"])


@EXHAUSTED
def test_train_takes_further_special_tokens() -> None:
    trained = WordPieceTokenizer.train(["Snow [X]snow"], 64, special_tokens=["[X]", "[MASK]"])
    assert trained.id_to_token[:6] == (*SPECIAL_TOKENS, "[X]")
    assert trained.tokenize("snow[X] SNOW") == ["snow", "[X]", "snow"]
    assert "x" not in trained.token_to_id
    assert trained.decode(trained.encode("[X] snow"), skip_special_tokens=True) == "snow"
    with pytest.raises(ValueError, match=r"special_tokens='\[X\]' is one string; pass a list"):
        WordPieceTokenizer.train(["snow"], special_tokens="[X]")
    with pytest.raises(ValueError, match="a token without letters"):
        WordPieceTokenizer.train(["snow"], special_tokens=[""])


def test_warnings_point_to_the_caller_of_train() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        WordPieceTokenizer.train(["snow is white"], 4096, limit_alphabet=5)
    assert [str(one.message).split()[0] for one in told] == ["limit_alphabet=5", "the"]
    assert {one.filename for one in told} == {__file__}


def test_special_tokens_are_the_first_five() -> None:
    assert (PAD_ID, UNK_ID, CLS_ID, SEP_ID, MASK_ID) == (0, 1, 2, 3, 4)
    assert SPECIAL_TOKENS == ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    assert [TRAINED.token_to_id[token] for token in SPECIAL_TOKENS] == [0, 1, 2, 3, 4]


def test_longest_match_first(tokenizer: WordPieceTokenizer) -> None:
    assert tokenizer.tokenize("Unbelievable snows.") == ["un", "##believ", "##able", "snow", "##s", "."]


def test_a_word_that_cannot_be_cut_is_one_unknown(tokenizer: WordPieceTokenizer) -> None:
    assert tokenizer.tokenize("unbelieving ice is white") == ["[UNK]", "[UNK]", "is", "white"]


def test_words_over_a_hundred_characters_are_unknown() -> None:
    letters = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "##a"])
    assert letters.tokenize("a" * 100) == ["a", *["##a"] * 99]
    assert letters.tokenize("a" * 101) == ["[UNK]"]


def test_hash_signs_are_not_taken_for_continuations() -> None:
    hashes = WordPieceTokenizer([*SPECIAL_TOKENS, "#", "tag", "##tag"])
    assert hashes.tokenize("##tag") == ["#", "#", "tag"]
    assert hashes.decode(hashes.encode("##tag", add_special_tokens=False)) == "# # tag"


def test_encode_and_decode(tokenizer: WordPieceTokenizer) -> None:
    ids = tokenizer.encode("Snow is [MASK].")
    assert ids == [CLS_ID, 5, 6, MASK_ID, 12, SEP_ID]
    assert tokenizer.decode(ids) == "[CLS] snow is [MASK] . [SEP]"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "snow is ."
    assert tokenizer.encode("Snow is [MASK].", add_special_tokens=False) == ids[1:-1]
    assert tokenizer.encode("") == [CLS_ID, SEP_ID]


@pytest.mark.parametrize("special", SPECIAL_TOKENS)
def test_special_tokens_in_the_text_are_kept_whole(tokenizer: WordPieceTokenizer, special: str) -> None:
    assert tokenizer.tokenize(f"snow{special}is {special}.") == ["snow", special, "is", special, "."]


@pytest.mark.parametrize("index", [-1, 13])
def test_decode_refuses_ids_outside_the_vocabulary(tokenizer: WordPieceTokenizer, index: int) -> None:
    with pytest.raises(ValueError, match=f"id {index} is outside the vocabulary of 13 pieces"):
        tokenizer.decode([5, index])


def test_names_and_sizes(tokenizer: WordPieceTokenizer) -> None:
    assert tokenizer.vocab_size == 13
    assert tokenizer.id_to_token[tokenizer.token_to_id["white"]] == "white"
    assert repr(tokenizer) == "WordPieceTokenizer(vocab_size=13)"


@given(ANY_TEXT)
def test_any_text_can_be_encoded(text: str) -> None:
    ids = TRAINED.encode(text)
    assert ids[0] == CLS_ID
    assert ids[-1] == SEP_ID
    assert all(0 <= index < TRAINED.vocab_size for index in ids)
    TRAINED.decode(ids)


@given(st.lists(st.sampled_from(WHOLE_WORDS)))
def test_known_words_come_back(words: list[str]) -> None:
    text = " ".join(words)
    assert TRAINED.decode(TRAINED.encode(text), skip_special_tokens=True) == text
    assert TRAINED.tokenize(text) == words


@EXHAUSTED
@given(ANY_TEXT, st.integers(0, 20), st.sampled_from(sorted(CRITERIA)))
@example("[MASK] and ##[SEP]", 0, "frequency")
def test_a_text_that_was_learned_from_comes_back(text: str, merges: int, criterion: str) -> None:
    parts = list(AddedTokens(BERT_TOKENS).split(text))
    words = [
        word for part in parts for word in ([part.token] if part.token else Normalizer().words(part.text))
    ]
    learned = [word for word in words if word not in SPECIAL_TOKENS]
    assume(learned)
    assume(max(map(len, learned)) <= 100)
    most_symbols = 2 * len(set("".join(learned)))  # each character at the beginning of a word, and within one
    tokenizer = WordPieceTokenizer.train([text], 5 + most_symbols + merges, criterion)
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == " ".join(words)


@EXHAUSTED
def test_vocabulary_of_any_script_survives_the_file(tmp_path: Path) -> None:
    trained = WordPieceTokenizer.train(["žluťoučký 東京 ελληνικά 🐍 한국어 العربية"])
    assert WordPieceTokenizer.load(trained.save(tmp_path)).id_to_token == trained.id_to_token


def test_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"\r\n".join(token.encode() for token in (*SPECIAL_TOKENS, "snow")))
    assert WordPieceTokenizer.load(path).id_to_token == (*SPECIAL_TOKENS, "snow")


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = TRAINED.save(tmp_path / "vocab.txt")
    before = path.read_bytes()

    def fail(source: Path, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        WordPieceTokenizer([*SPECIAL_TOKENS, "other"]).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("sprung",)


@pytest.mark.parametrize("name", ["vocab.pkl", "vocab.PICKLE"])
def test_a_pickle_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match=r"text files only, never a pickle, .* use .*tokenizer\.json"):
        WordPieceTokenizer.load(name)
    Path("vocab.txt").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match=r"vocab\.txt: not UTF-8 text"):
        WordPieceTokenizer.load("vocab.txt")
    assert not Path("sprung").exists()


@pytest.mark.parametrize("name", ["vocab.txt", "no/folder"])
def test_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"(vocab\.txt|tokenizer\.json): no such vocabulary; .*\.save"):
        WordPieceTokenizer.load(tmp_path / name)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([], "the vocabulary is empty; train one"),
        (["snow"], r"\[PAD\] is missing; a vocabulary needs \[PAD\], \[UNK\]"),
        (SPECIAL_TOKENS[:4], r"\[MASK\] is missing"),
        ([*SPECIAL_TOKENS, "snow", "ice", "snow"], "line 8: 'snow' is a duplicate of line 6; remove one"),
        ([*SPECIAL_TOKENS, "", "snow"], "line 6: '' is blank"),
        ([*SPECIAL_TOKENS, "snow\twhite"], "line 6: .* holds white space"),
        ([*SPECIAL_TOKENS, "snow white"], "line 6: 'snow white' is blank or holds white space"),
    ],
)
def test_faulty_vocabularies_say_what_and_where(tmp_path: Path, tokens: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=f"vocab.*{message}"):
        WordPieceTokenizer(tokens)
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{token}\n" for token in tokens), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"words\.txt.*{message}"):
        WordPieceTokenizer.load(path)


def test_white_space_that_no_line_ends_with_may_be_a_piece_as_in_chinese_bert(tmp_path: Path) -> None:
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "我", "\u2028", "是"])
    tokenizer.save(tmp_path)
    for again in (WordPieceTokenizer.load(tmp_path), WordPieceTokenizer.load(tmp_path / "vocab.txt")):
        assert again.id_to_token == tokenizer.id_to_token
        assert again.encode("我\u2028是", add_special_tokens=False) == [5, 7]


def test_special_tokens_may_stand_anywhere_in_a_foreign_vocabulary() -> None:
    tokenizer = WordPieceTokenizer(["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "snow"])
    assert tokenizer.encode("snow [MASK] ice") == [3, 6, 5, 2, 4]


@given(ANY_TEXT)
@example("a\x1cb\x85c\vd")
@example("İ한국 ﬁ [MASK]x[MASK]")
def test_the_fast_way_and_the_aligned_way_agree(text: str) -> None:
    encoding = TRAINED.encoding(text)
    assert encoding.ids == TRAINED.encode(text)
    assert all(0 <= start < end <= len(text) for start, end in encoding.offsets[1:-1])
    starts = [start for start, _ in encoding.offsets[1:-1]]
    assert starts == sorted(starts)


def test_offsets_lead_back_to_the_text() -> None:
    text = "  The Cow,  says [MASK]"
    encoding = TRAINED.encoding(text)
    found = [text[start:end] for start, end in encoding.offsets[1:-1]]
    assert "".join(found) == "TheCow,says[MASK]"
    assert encoding.word_ids[0] is None
    assert encoding.word_ids[-2] == 4


def test_pairs_are_cut_from_the_longer_side_and_filled_up() -> None:
    encoding = TRAINED.encoding("the man said no .", "a day", max_length=8, pad_to=10)
    assert encoding.tokens == ["[CLS]", "the", "man", "said", "[SEP]", "a", "day", "[SEP]", "[PAD]", "[PAD]"]
    assert encoding.type_ids == [0, 0, 0, 0, 0, 1, 1, 1, 0, 0]
    assert encoding.attention_mask == [1] * 8 + [0] * 2
    assert encoding.special_tokens_mask == [1, 0, 0, 0, 1, 0, 0, 1, 1, 1]


def test_no_room_for_the_special_tokens() -> None:
    with pytest.raises(ValueError, match="max_length=1: the special tokens alone are 2"):
        TRAINED.encoding("the cow", max_length=1)


def test_a_batch_is_as_long_as_its_longest() -> None:
    made = TRAINED.encodings(["the man said no .", "no"], pad=True)
    assert [len(one) for one in made] == [7, 7]
    assert TRAINED.encode_batch(["moo", "the cow"]) == [TRAINED.encode("moo"), TRAINED.encode("the cow")]


WINTER = WordPieceTokenizer([*SPECIAL_TOKENS, "snow", "##fall", "it", "is", "'", "s", ",", ".", "white"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WINTER.encode(None), "encode: expected a text, a str, found NoneType"),  # type: ignore[arg-type]
        (lambda: WINTER.encode(b"snow"), "encode: expected a text, a str, found bytes"),  # type: ignore[arg-type]
        (lambda: WINTER.tokenize(3), "tokenize: expected a text"),  # type: ignore[arg-type]
        (lambda: WINTER.encoding("snow", 3), "encoding: expected a text"),  # type: ignore[arg-type]
        (lambda: WINTER.encode_batch("snow"), "encode_batch: expected several texts, found one str"),
        (lambda: WINTER.encodings("snow"), "encodings: expected several texts, found one str"),
        (lambda: WINTER.encode_batch(None), "encode_batch: expected several texts"),  # type: ignore[arg-type]
        (lambda: WINTER.decode([5.0]), r"decode: expected whole numbers, found float \(5\.0\)"),  # type: ignore[list-item]
        (lambda: WINTER.decode(np.array([[5, 6]])), "one row of ids at a time"),  # type: ignore[arg-type]
        (lambda: WINTER.decode(5), "decode: expected a list of ids, found int"),  # type: ignore[arg-type]
        (lambda: WINTER.decode("5"), "decode: expected a list of ids, found str"),  # type: ignore[arg-type]
    ],
)
def test_other_things_than_texts_and_ids_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_ids_may_come_in_an_array() -> None:
    assert WINTER.decode(np.array([5, 6], np.uint16)) == "snowfall"  # type: ignore[arg-type]


def test_a_pair_knows_which_text_a_token_belongs_to() -> None:
    pair = WINTER.encoding("snow [MASK]", "white", pad_to=8)
    assert pair.sequence_ids == [None, 0, 0, None, 1, None, None, None]
    assert WINTER.encoding("snow", "white", add_special_tokens=False).sequence_ids == [0, 1]


def test_spaces_before_signs_go_if_they_are_to_be_cleaned_up(tmp_path: Path) -> None:
    tidy = WordPieceTokenizer(WINTER.id_to_token, clean_up=True)
    ids = tidy.encode("Snowfall, it's white.", add_special_tokens=False)
    assert WINTER.decode(ids) == "snowfall , it ' s white ."
    assert tidy.decode(ids) == "snowfall, it ' s white."
    for kept in (tidy.save(tmp_path / "tokenizer.json"), tidy.save(tmp_path / "folder")):
        assert WordPieceTokenizer.load(kept).clean_up
        assert WordPieceTokenizer.load(kept, lowercase=False).clean_up


def test_words_too_long_to_be_cut_are_not_learned_from_and_the_message_says_so() -> None:
    with pytest.raises(ValueError, match=r"hold no word; .* more than 100 letters"):
        WordPieceTokenizer.train(["ab" * 51])
