"""Each reader on a file small enough to check by eye, plain and gzipped, and on every way it can be malformed."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mini_bert.data.tasks import (
    SST2,
    Analogy,
    DependencySentence,
    Fact,
    Labelled,
    MinimalPair,
    TaggedSentence,
    WordPair,
    read_analogies,
    read_blimp,
    read_blimp_folder,
    read_cola,
    read_conllu,
    read_marvin_linzen,
    read_marvin_linzen_folder,
    read_ner,
    read_pararel,
    read_pararel_folder,
    read_sst2,
    read_sst_trees,
    read_tsv,
    read_word_pairs,
    read_zorro,
    read_zorro_folder,
)

Written = Callable[..., Path]


@pytest.fixture(params=["plain", "gz"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Written:
    """Writes a text under a name, with `.gz` added half of the time."""

    def write(text: str | bytes, name: str = "file.txt") -> Path:
        raw = text.encode() if isinstance(text, str) else text
        path = tmp_path / (name if request.param == "plain" else f"{name}.gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw if request.param == "plain" else gzip.compress(raw))
        return path

    return write


def complaint(read: Callable[[Path], object], path: Path) -> str:
    """What a reader says of a file, without the folder."""
    with pytest.raises(ValueError, match=path.name) as caught:
        read(path)
    return str(caught.value).removeprefix(f"{path}:").strip()


# files


def test_byte_order_mark_and_windows_line_ends_are_no_text(written: Written) -> None:
    path = written(b"\xef\xbb\xbf: x\r\na b c d\r\n")
    assert read_analogies(path) == [Analogy("a", "b", "c", "d", "x")]


def test_a_line_ends_at_a_line_feed_only(written: Written) -> None:
    assert read_zorro(written("bad\u2028one\ngood\x85one"))[0].bad == "bad\u2028one"


def test_invalid_utf8_names_line_and_byte(written: Written) -> None:
    path = written(b"a b c d\na b \xff d\n")
    expected = "2: byte 0xff in column 5 is not UTF-8; convert the file to UTF-8"
    assert complaint(read_analogies, path) == expected


@pytest.mark.parametrize("text", ["", "\n \n", b"\xef\xbb\xbf"])
def test_empty_file(written: Written, text: str | bytes) -> None:
    assert "empty" in complaint(read_analogies, written(text))


def test_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "train.tsv.gz").touch()
    assert complaint(read_cola, tmp_path / "train.tsv") == "no such file; did you mean train.tsv.gz?"
    assert complaint(read_cola, tmp_path / "elsewhere" / "x") == "no such file; check the path"


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert "a folder, not a file" in complaint(read_cola, tmp_path)


@pytest.mark.parametrize("content", [b"plain text", gzip.compress(b"a b c d\n" * 99, mtime=0)[:-12]])
def test_broken_gzip(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(content)
    assert "broken gzip file" in complaint(read_analogies, path)


# TSV


def test_tsv_by_name_and_by_number(written: Written) -> None:
    path = written('id\tone\ttwo\tlabel\n7\tIt rains.\tIt is "wet".\tyes\n')
    expected = [Labelled("It rains.", "yes", 'It is "wet".')]
    assert read_tsv(path, text="one", pair="two", label="label", labels=("yes", "no")) == expected
    assert read_tsv(path, text=1, pair=2, label=-1, header=True) == expected


def test_tsv_without_header(written: Written) -> None:
    path = written("a\t1\nb\t0")
    expected = [Labelled("a", "1"), Labelled("b", "0")]
    assert read_tsv(path, text=0, label=1, header=False) == expected
    assert read_tsv(path, text=0, label=1) == expected
    assert read_tsv(path, text=0, label=1, header=True) == expected[1:]


@pytest.mark.parametrize("text", ["label\tcontent\r\n1\tfine film \r\n", "sentence\tlabel\nfine film\t1\n"])
def test_sst2_with_the_label_on_either_side(written: Written, text: str) -> None:
    assert read_sst2(written(text)) == [Labelled("fine film", "1")]


def test_cola(written: Written) -> None:
    assert read_cola(written("gj04\t0\t*\tHim ran.\n")) == [Labelled("Him ran.", "0")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("label\tt\n1\ta\n2\tb", "3: label '2' is outside the set; choose from 0, 1"),
        ("label\tt\n1\ta\tb", "2: 3 columns where the first line has 2; put tabs between columns only"),
        ("label\tt\n1\t ", "2: an empty text or label; fill it in or leave the line out"),
        ("lable\tt\n1\ta", "1: unknown column 'label'; did you mean 'lable'?"),
        ("label\n1", "1: no column 1; the columns are 0 to 0"),
        ("label\tt\n", "1: a header and nothing after it; fetch the file again or pass another"),
    ],
)
def test_malformed_sst2(written: Written, text: str, expected: str) -> None:
    assert complaint(read_sst2, written(text)) == expected


def test_a_column_name_needs_a_header(written: Written) -> None:
    said = complaint(lambda path: read_tsv(path, text="t", label=0, header=False), written("1\ta"))
    assert said == "1: column 't' in a file without header; give the column's number"


# SST trees

TREE = "(3 (2 It) (4 (2 -LRB-) (3 (4 shines) (2 1\\/2))))\n"


def test_sst_sentences(written: Written) -> None:
    assert read_sst_trees(written(TREE + "(2 so)")) == [Labelled("It ( shines 1/2", "3"), Labelled("so", "2")]


def test_sst_phrases_without_the_neutral(written: Written) -> None:
    assert read_sst_trees(written(TREE), phrases=True, classes=SST2) == [
        Labelled("It ( shines 1/2", "1"),
        Labelled("( shines 1/2", "1"),
        Labelled("shines 1/2", "1"),
        Labelled("shines", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(3 (2 It)", "1: 1 bracket is not closed"),
        ("(2 a)\n(5 b)", "2: neither a mark from 0 to 4 nor a word at '(5 b)'"),
        ("(12 b)", "1: neither a mark from 0 to 4 nor a word at '(12 b)'"),
        ("(2 a) b", "1: 'b' outside of a tree"),
        ("(2 a))", "1: ')' outside of a tree"),
        ("(2 a) (2 b)", "1: text after the tree's end"),
        ("(2 )", "1: a phrase without words"),
    ],
)
def test_malformed_trees(written: Written, text: str, expected: str) -> None:
    assert complaint(read_sst_trees, written(text)).startswith(expected)


# CoNLL-U


def row(number: str, form: str, upos: str, head: str, relation: str, misc: str = "_") -> str:
    return "\t".join([number, form, "_", upos, "_", "_", head, relation, "_", misc]) + "\n"


SPAN = row("2-3", "didn't", "_", "_", "_")
WORDS = [
    row("1", "She", "PRON", "4", "nsubj"),
    row("2", "did", "AUX", "4", "aux"),
    row("3", "n't", "PART", "4", "advmod"),
    row("4", "sing", "VERB", "0", "root", "Gloss=x|SpaceAfter=No"),
    row("5", ".", "PUNCT", "4", "punct"),
]
EMPTY = row("4.1", "sing", "VERB", "_", "_")
SENTENCE = "".join([WORDS[0], SPAN, *WORDS[1:4], EMPTY, WORDS[4]])
TREE_OF_WORDS = DependencySentence(
    words=("She", "did", "n't", "sing", "."),
    upos=("PRON", "AUX", "PART", "VERB", "PUNCT"),
    heads=(4, 4, 4, 0, 4),
    relations=("nsubj", "aux", "advmod", "root", "punct"),
    space_after=(True, False, True, False, True),
    text="She didn't sing.",
)


@pytest.mark.parametrize("comment", ["", "# sent_id = 1\n# text = She didn't sing.\n"])
def test_conllu_skips_spans_and_empty_nodes_but_keeps_their_text(written: Written, comment: str) -> None:
    assert read_conllu(written(f"{comment}{SENTENCE}\n{SENTENCE}")) == [TREE_OF_WORDS] * 2


def test_conllu_text_of_a_span_that_is_not_its_words_joined(written: Written) -> None:
    french = row("1-2", "du", "_", "_", "_", "SpaceAfter=No") + row("1", "de", "ADP", "0", "root")
    sentence = read_conllu(written(french + row("2", "le", "DET", "1", "det")))[0]
    assert (sentence.text, sentence.space_after) == ("du", (False, False))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SENTENCE + "\n1\tShe\n", "9: 2 columns; CoNLL-U has 10, with tabs between them"),
        (row("1", "", "X", "0", "root"), "1: an empty column; write _ for nothing"),
        (row("one", "a", "X", "0", "root"), "1: 'one' is no id; write 3 for a word"),
        (row("2", "a", "X", "0", "root"), "1: word 2 where 1 is due; number the words 1, 2, 3..."),
        (row("1", "a", "X", "2", "dep"), "1: head '2'; give a number from 0, the root's, to 1"),
        (row("1", "a", "X", "_", "dep"), "1: head '_'"),
        (row("1", "a", "N", "0", "root"), "1: part of speech 'N' is outside the set; choose from ADJ, ADP,"),
        (row("1", "a", "X", "1", "dep"), "1: a sentence with 0 roots; give exactly one word the head 0"),
        (row("1", "a", "X", "0", "root") + row("2", "b", "X", "2", "dep"), "2: the heads run in a circle"),
        (row("2-1", "ab", "_", "_", "_") + row("1", "a", "X", "0", "root"), "1: span 2-1; write first-last"),
        ("# text = a\n\n", "1: a sentence without words; leave its comments out"),
        (row("9" * 5000, "a", "X", "0", "root"), "1: '999"),
    ],
)
def test_malformed_conllu(written: Written, text: str, expected: str) -> None:
    assert complaint(read_conllu, written(text)).startswith(expected)


# named entities

ENTITIES = "# text = Ann Lee's Xbox.\n1\tAnn\tB-PER\t-\n2\tLee\tI-PER\n3\t's\tB-O\n4\tXbox\tB-OTH\n5\t.\tO\n"


def test_ner_keeps_other_types_unless_renamed(written: Written) -> None:
    path = written(ENTITIES)
    words, text = ("Ann", "Lee", "'s", "Xbox", "."), "Ann Lee's Xbox."
    assert read_ner(path) == [TaggedSentence(words, ("B-PER", "I-PER", "O", "B-OTH", "O"), text)]
    plain = [TaggedSentence(words, ("B-PER", "I-PER", "O", "O", "O"), text)]
    assert read_ner(path, rename={"OTH": "O"}, types=frozenset({"PER"})) == plain


def test_ner_in_the_columns_of_conll_2003(written: Written) -> None:
    path = written("-DOCSTART- -X- -X- O\n\n# NN B-NP O\nU.N. NNP I-NP B-ORG\n")
    expected = [TaggedSentence(("#", "U.N."), ("O", "B-ORG"), "# U.N.")]
    assert read_ner(path) == read_ner(path, word=0, tag=3, comments=False) == expected


def test_ner_sees_the_columns_by_the_numbers_of_all_lines(written: Written) -> None:
    scores = "-DOCSTART- -X- -X- O\n\n1 CD B-NP O\n2 CD I-NP O\n"
    assert read_ner(written(scores)) == [TaggedSentence(("1", "2"), ("O", "O"), "1 2")]
    assert read_ner(written("Ann B-PER\n\n7 O\n"))[1].words == ("7",)
    assert read_ner(written(ENTITIES), tag=2, comments=True) == read_ner(written(ENTITIES))


def test_ner_takes_comments_among_words_if_told(written: Written) -> None:
    path = written("# id 12\nAnn\tB-PER\n")
    assert "is it a comment? then pass comments=True" in complaint(read_ner, path)
    assert read_ner(path, comments=True) == [TaggedSentence(("Ann",), ("B-PER",), "Ann")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\tAnn\tI-PER", "1: I-PER after O continues nothing; begin the entity with B-PER"),
        (
            "1\tAnn\tB-PER\n2\tRome\tI-LOC",
            "2: I-LOC after B-PER continues nothing; begin the entity with B-LOC",
        ),
        ("1\tAnn\tPER", "1: tag 'PER' is not IOB2; write O, B-TYPE or I-TYPE"),
        ("1\tAnn", "1: 2 columns, none numbered 2; give `word` and `tag` for this file"),
        ("Ann", "1: 1 column; give `word` and `tag` for this file"),
        ("1\t\tO", "1: column 1 is empty; give each word a form and a tag"),
        ("1\tAnn\tB-GOD", "1: type 'GOD' is outside the set; choose from LOC, PER"),
    ],
)
def test_malformed_ner(written: Written, text: str, expected: str) -> None:
    assert complaint(lambda path: read_ner(path, types=frozenset({"PER", "LOC"})), written(text)) == expected


# minimal pairs

BLIMP = '{"sentence_good": "He runs.", "sentence_bad": "He run.", "UID": "agreement", "pairID": "0"}\n'


def test_blimp(written: Written) -> None:
    path = written(BLIMP, "agreement.jsonl")
    assert read_blimp(path) == [MinimalPair("He runs.", "He run.", "agreement")]
    assert read_blimp_folder(path.parent) == {"agreement": read_blimp(path)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BLIMP + "{", "2: not JSON (Expecting property name"),
        ("[]", "1: not a JSON object; write one object per line"),
        ('{"UID": "x"}', "1: no text in field 'sentence_good'; the object has UID"),
        ('{"sentence_good": 3}', "1: no text in field 'sentence_good'; the object has sentence_good"),
        (
            BLIMP + BLIMP.replace("He run.", "He runs."),
            "2: the good sentence is the bad one too; mend one of them or leave the line out",
        ),
        ("{}", "1: no text in field 'sentence_good'; the object has nothing"),
        ("[" * 100_000, "1: not JSON ("),
    ],
)
def test_malformed_blimp(written: Written, text: str, expected: str) -> None:
    assert complaint(read_blimp, written(text)).startswith(expected)


def test_zorro_has_the_bad_line_first(written: Written) -> None:
    path = written("he run .\nhe runs .\n", "agreement.txt")
    assert read_zorro(path) == [MinimalPair("he runs .", "he run .", "agreement")]
    assert read_zorro_folder(path.parent) == {"agreement": read_zorro(path)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\nc\n", "3: a bad sentence without its good one; write two lines per pair, the bad one first"),
        ("a\n\nb\n", "3: a blank line inside a pair; write the good sentence right after the bad one"),
    ],
)
def test_malformed_zorro(written: Written, text: str, expected: str) -> None:
    assert complaint(read_zorro, written(text)) == expected


def test_marvin_linzen_makes_a_pair_of_each_bad_sentence(written: Written) -> None:
    path = written("past\tno one ever\tthe one ever\tmost ever\n", "npi.tsv")
    expected = [MinimalPair("no one ever", bad, "npi", "past") for bad in ("the one ever", "most ever")]
    assert read_marvin_linzen(path) == expected
    assert read_marvin_linzen_folder(path.parent) == {"npi": expected}


@pytest.mark.parametrize("text", ["past\tgood", "past\tgood\t", "past good bad"])
def test_malformed_marvin_linzen(written: Written, text: str) -> None:
    expected = "1: not case, good and bad sentence; write the three with tabs between them"
    assert complaint(read_marvin_linzen, written(text)) == expected


def test_folders_are_in_the_order_of_names_and_without_hidden_files(written: Written) -> None:
    for name in ("b.txt", "a.txt", ".c.txt", "d.md"):
        folder = written("x\ny\n", name).parent
    assert list(read_zorro_folder(folder)) == ["a", "b"]


def test_a_folder_without_files_and_no_folder(tmp_path: Path) -> None:
    assert complaint(read_zorro_folder, tmp_path).startswith("no .txt or .txt.gz file in the folder")
    assert complaint(read_zorro_folder, tmp_path / "x") == "no such folder; check the path"


# facts

FACT = '{"sub_label": "[Y] Club", "obj_label": "Rome", "uuid": "1"}\n'
PATTERNS = '{"pattern": "[X] is in [Y] ."}\n{"pattern": "[Y] has [X] "}\n'


def test_pararel(written: Written) -> None:
    facts = written(FACT, "facts/P17.jsonl")
    patterns = written(PATTERNS, "patterns/P17.jsonl")
    expected = [Fact("P17", "[Y] Club", "Rome", ("[X] is in [Y] .", "[Y] has [X]"))]
    assert read_pararel(facts, patterns) == expected
    assert read_pararel_folder(facts.parent.parent) == {"P17": expected}
    assert expected[0].clozes("<mask>") == ("[Y] Club is in <mask> .", "<mask> has [Y] Club")


def test_pararel_pattern_without_a_place_for_the_object(written: Written) -> None:
    facts, patterns = written(FACT, "P17.jsonl"), written('{"pattern": "[X] is."}', "p.jsonl")
    said = complaint(lambda path: read_pararel(facts, path), patterns)
    assert said == "1: pattern '[X] is.'; write [X] for the subject and [Y] for the object, once each"


def test_pararel_relation_without_patterns(written: Written) -> None:
    facts = written(FACT, "facts/P17.jsonl")
    written(PATTERNS, "patterns/P18.jsonl")
    with pytest.raises(ValueError, match=r"no patterns for P17; add patterns/P17\.jsonl"):
        read_pararel_folder(facts.parent.parent)


# words


def test_word_pairs(written: Written) -> None:
    expected = [WordPair("old", "new", 1.58)]
    assert read_word_pairs(written("old\tnew\t1.58\n")) == expected
    assert read_word_pairs(written("old new 1.58\n")) == expected
    assert (
        read_word_pairs(written("Word 1,Word 2,Mean\nold,new,1.58\n"), separator=",", header=True) == expected
    )
    assert read_word_pairs(written("a\tb\tPOS\tS\nold\tnew\tA\t1.58\n"), score=3, header=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("old\tnew", "1: 2 columns, the score in number 2; write two words and a score"),
        ("word1\tword2\tscore", "1: score 'score' is no number; pass header=True if this line is a header"),
        (
            "w1\tw2\tPOS\tS\nold\tnew\tA\t1.58",
            "1: score 'POS' is no number; pass header=True if this line is a header"
            " and score=3, the first column that has numbers",
        ),
        (
            "old,new,1.58",
            "1: 1 column, the score in number 2; do commas stand between them? then pass separator=','",
        ),
        (
            "a\tb\t1\na\tb\t?\t3\na\tb\t4",
            "2: score '?' is no number; write a number there, or leave the line out",
        ),
        ("old\tnew\tnan", "1: score 'nan' is not finite; leave the line out"),
        ("old\t\t1", "1: a missing word; write two words and a score"),
    ],
)
def test_malformed_word_pairs(written: Written, text: str, expected: str) -> None:
    assert complaint(read_word_pairs, written(text)) == expected


def test_word_pairs_of_simlex_with_a_header_name_the_column_of_the_score(written: Written) -> None:
    path = written("w1\tw2\tPOS\tS\nold\tnew\tA\t1.58\n")
    said = complaint(lambda path: read_word_pairs(path, header=True), path)
    assert said == "2: score 'A' is no number; pass score=3, the first column that has numbers"


def test_analogies(written: Written) -> None:
    path = written("a b c d\n: gram1 x\nRome Italy Oslo Norway\n")
    assert read_analogies(path) == [
        Analogy("a", "b", "c", "d", ""),
        Analogy("Rome", "Italy", "Oslo", "Norway", "gram1 x"),
    ]
    assert (
        complaint(read_analogies, written("a b c"))
        == "1: 3 words; write four per line: a is to b as c is to d"
    )
    assert complaint(read_analogies, written("a")).startswith("1: 1 word; write four")


# any bytes at all

READERS: list[Callable[[Path], object]] = [
    read_analogies,
    read_blimp,
    read_cola,
    read_conllu,
    read_marvin_linzen,
    read_ner,
    read_sst2,
]
READERS += [read_sst_trees, read_word_pairs, read_zorro, lambda path: read_pararel(path, path)]
SHREDS = st.sampled_from([*SENTENCE.split("\t"), *TREE.split(), *ENTITIES.split("\n"), *BLIMP.split('"')])
SHREDDED = st.lists(SHREDS | st.sampled_from(["\t", "\n", " ", ":"])).map("".join).map(str.encode)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@example(b"\xff\xfe")
@given(st.binary() | SHREDDED)
def test_whatever_the_file_holds_the_reader_returns_or_says_where(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    for read in READERS:
        assert outcome(read, path).startswith(("read", str(path))), read


def outcome(read: Callable[[Path], object], path: Path) -> str:
    try:
        read(path)
    except ValueError as problem:
        return str(problem)
    return "read"
