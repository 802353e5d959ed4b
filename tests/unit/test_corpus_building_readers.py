"""Readers of public text: one for each form in which it is published."""

import bz2
import gzip
import re
import shutil
from pathlib import Path

import pytest

from mini_bert.data.building.gutenberg import LONGEST_NOTE, is_heading, paragraphs
from mini_bert.data.building.opening import Meter
from mini_bert.data.building.sources import located
from mini_bert.data.building.storybooks import objection

RAW = Path(__file__).parents[1] / "fixtures" / "corpus_sources"


def read(name, *places):
    return list(located(name, places).documents(Meter(1, lambda done, note: None)))


def test_sentences_of_tatoeba(tmp_path):
    sentences = [line for (line,) in read("tatoeba", RAW / "eng_sentences.tsv")]
    assert sentences[:4] == [
        "The kettle is singing.",
        "Who hid my hat?",
        "Who hid my hat!",
        '"It\'s raining," she said — again.',
    ]
    packed = tmp_path / "eng_sentences.tsv.bz2"
    packed.write_bytes(bz2.compress((RAW / "eng_sentences.tsv").read_bytes()))
    assert [line for (line,) in read("tatoeba", packed)] == sentences


def test_books_of_project_gutenberg():
    assert read("books", RAW / "books") == [
        ("The café stood so near the sea that its chairs were salty.",),
        (
            "THE LANTERN KEEPER",
            "The keeper climbed the hill every evening, and never once did she forget the oil.",
            '"It\'s late," said the cat--and it was.',
            "Part of the wall fell down, and nobody minded.",
        ),
    ]
    assert read("books", RAW / "books/lantern.txt") == read("books", RAW / "books")[1:]


@pytest.mark.parametrize(
    "note",
    [
        "[Illustration]",
        "[Illustration: a [green] hill]",
        "[Illuſtration: a hill]",
        "[Transcriber's Note: one [1]\n\ntwo [2]\n\nthree]",
    ],
)
def test_a_note_of_a_book_is_left_out(note):
    book = f"He sang.{note}\n\nOnce [upon] a time."
    assert list(paragraphs(book)) == ["He sang.", "Once [upon] a time."]


@pytest.mark.parametrize("stray", ["[Illustration: a hill]", "[upon]", "]"])
@pytest.mark.parametrize("note", ["[Illustration: a hill", "[Illustration: a [green] hill"])
def test_a_note_that_nobody_closed_leaves_the_story(note, stray):
    story = ["Once upon a time."] * (LONGEST_NOTE["picture"] // 10)
    found = list(paragraphs("\n\n".join([note, *story, f"They saw {stray} stars."])))
    kept = "" if stray.startswith("[Ill") else stray
    assert found == [note, *story, " ".join(f"They saw {kept} stars.".split())]


def test_brackets_in_a_note_that_nobody_closed_leave_the_story():
    story = ["Once upon a time."] * 500
    body = "\n\n".join(["[Illustration: a [green hill", *story, "a] b]", "The end came."])
    assert list(paragraphs(body)) == ["[Illustration: a [green hill", *story, "a] b]", "The end came."]


@pytest.mark.parametrize(("word", "kind"), [("ILLUSTRATION", "picture"), ("Transcriber", "transcriber")])
def test_the_longest_note(word, kind):
    start, rest = f"[{word}: ", "He sang."
    told = "x" * (LONGEST_NOTE[kind] - len(start) - 1)
    assert list(paragraphs(f"{start}{told}]{rest}")) == [rest]
    assert list(paragraphs(f"{start}{told}x]{rest}")) == [f"{start}{told}x]{rest}"]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_a_compressed_book_is_a_book(tmp_path, ending, pack):
    packed = tmp_path / f"lantern.txt{ending}"
    packed.write_bytes(pack((RAW / "books/lantern.txt").read_bytes()))
    assert read("books", packed) == read("books", RAW / "books/lantern.txt")


@pytest.mark.parametrize(
    "heading", ["CHAPTER XII", "Chapter 3. The Whale", "BOOK THE FIRST", "Part Two", "THE END.", "Letter I"]
)
def test_headings(heading):
    assert is_heading(heading)


@pytest.mark.parametrize(
    "line",
    [
        "Part I liked best.",
        "Book one passage for me, please.",
        "The end of it was sad.",
        "Letter in hand, he ran.",
    ],
)
def test_lines_that_look_like_headings(line):
    assert not is_heading(line)


def test_a_book_without_markers_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("No book.")
    with pytest.raises(ValueError, match=r"notes\.txt: no '\*\*\* START OF THE PROJECT GUTENBERG"):
        read("books", tmp_path)


def test_a_book_ends_after_its_beginning(tmp_path):
    book = (RAW / "books/lantern.txt").read_text("utf-8")
    (tmp_path / "lantern.txt").write_text(f"End of the Project Gutenberg header\n\n{book}", "utf-8")
    assert read("books", tmp_path) == read("books", RAW / "books/lantern.txt")


def test_a_book_of_nothing_is_refused(tmp_path):
    (tmp_path / "empty.txt").write_text("*** START OF THE PROJECT GUTENBERG EBOOK ***\n\nCHAPTER I\n\n")
    with pytest.raises(ValueError, match=r"empty\.txt: not a paragraph between its START and END"):
        read("books", tmp_path)


def test_tales_of_fairytale_qa():
    assert read("tales", RAW / "tales") == [
        ("There was a hare who would not run.",),
        (
            'Once a widow had three spoons. "One is silver," she said, "and two are not."',
            "The silver one was stolen, and then it was found.",
        ),
    ]


def test_stories_that_everybody_may_use():
    assert read("stories", RAW / "stories") == [
        ("Amina has a red bucket.", "She fills it with rain.", '"Look!" says Amina.')
    ]


@pytest.mark.parametrize(
    "licence",
    [
        "[CC-BY]",
        "CC BY 4.0",
        "cc-by-3.0 Unported",
        "Creative Commons Attribution 4.0 International License",
        "CC0 1.0 Universal",
        "[CC-0]",
        "Public Domain",
    ],
)
def test_licences_that_allow_every_use(licence):
    assert not objection({"license": licence, "language": "en"})


@pytest.mark.parametrize(
    "licence",
    [
        "CC-BY-ND",
        "CC BY NC 4.0",
        "[CC-BY-NC-SA]",
        "CC BY-SA 4.0",
        "Creative Commons Attribution-NonCommercial 4.0",
        "Creative Commons",
        "All rights reserved",
        "not in the public domain",
        "4.0",
        "",
    ],
)
def test_licences_that_forbid_something_or_are_not_known(licence):
    assert objection({"license": licence, "language": "en"})


def test_stories_that_may_not_be_used_are_refused_with_the_reason(tmp_path):
    story = (RAW / "stories/en/0001_the-red-bucket.md").read_text("utf-8")
    (tmp_path / "0002.md").write_text(re.sub(r"License: .*", "License: [CC-BY-NC]", story), "utf-8")
    told = r"stories: .*0002\.md: its licence, CC-BY-NC, is not known to allow every use; name what"
    for place in (tmp_path, tmp_path / "0002.md"):
        with pytest.raises(ValueError, match=told):
            read("stories", place)


def test_several_places_come_in_their_order(tmp_path):
    more = tmp_path / "more.txt"
    more.write_text("One page.\n\nAnother story.\n")
    assert read("stories", more, RAW / "stories")[:2] == [("One page.",), ("Another story.",)]


def test_articles_of_wikipedia(tmp_path):
    (article,) = read("wikipedia", RAW / "wikipedia")
    assert [line.split()[:3] for line in article] == [["A", "tern", "is"], ["Some", "of", "them"]]
    packed = tmp_path / "articles.jsonl.gz"
    packed.write_bytes(gzip.compress((RAW / "wikipedia/AA/wiki_00").read_bytes()))
    assert read("wikipedia", packed) == [article]


@pytest.mark.parametrize("name", ["books", "tales", "stories", "wikipedia"])
@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".txt.bz2"])
def test_plain_text_has_blank_lines_between_documents(tmp_path, name, ending):
    raw = "\ufeff one \r\ntwo\r\n\r\n\r\nthree“”\r\n".encode()
    pack = {".txt": bytes, ".txt.gz": gzip.compress, ".txt.bz2": bz2.compress}[ending]
    (tmp_path / f"my{ending}").write_bytes(pack(raw))
    assert read(name, tmp_path / f"my{ending}") == [("one", "two"), ("three“”",)]


def test_plain_sentences_have_a_line_each(tmp_path):
    (tmp_path / "my.txt").write_text("one\n\ntwo\nthree\n")
    assert read("tatoeba", tmp_path / "my.txt") == [("one",), ("two",), ("three",)]


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        ("tatoeba", "a.tsv", b"1\teng\n", "a.tsv:1: not a sentence of Tatoeba"),
        ("tatoeba", "a.txt", b"tea\ncaf\xe9\n", "a.txt:2: not UTF-8 text"),
        (
            "tatoeba",
            "a.txt.gz",
            gzip.compress(b"tea\n" * 5000 + b"caf\xe9\n", mtime=0),
            "a.txt.gz:5001: not UTF-8",
        ),
        ("tatoeba", "a.tsv.bz2", b"BZh9nonsense", "broken file"),
        ("books", "a.txt.gz", gzip.compress(b"hello " * 100, mtime=0)[:20], "broken file"),
        (
            "tales",
            "a.csv",
            b'section,text\n1,"Once,\nlong ago"\n2,"Open\n' + b"3,and on and on\n" * 9000,
            r"a\.csv:4: the row that begins here cannot be read \(field larger than .*; close its quotation marks",
        ),
        (
            "tales",
            "a.csv",
            b'section,text\n1,fine\n2,"never closed\n3,next section\n',
            r"a\.csv:3: the row that begins here cannot be read \(unexpected end of data\)",
        ),
        ("tales", "a.csv", b'"' + b"a" * 200_000, "a.csv:1: the row that begins here cannot be read"),
        ("wikipedia", "a.jsonl", b"{\n", "a.jsonl:1: not JSON"),
        ("wikipedia", "a.jsonl", b"[]\n", "a.jsonl:1: no text in it"),
    ],
)
def test_broken_files_are_named(tmp_path, name, file, content, message):
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read(name, tmp_path / file)


def test_hidden_files_of_a_folder_are_passed_over(tmp_path):
    shutil.copytree(RAW / "stories", tmp_path / "stories")
    (tmp_path / "stories" / "._0001.md").write_bytes(b"\0\0")
    assert read("stories", tmp_path / "stories") == read("stories", RAW / "stories")


def test_a_broken_book_in_a_folder_is_named(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress((RAW / "books/lantern.txt").read_bytes())[:200])
    with pytest.raises(ValueError, match=r"a\.txt\.gz: broken file"):
        read("books", tmp_path)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress((RAW / "books/lantern.txt").read_bytes()))
    assert read("books", tmp_path) == read("books", RAW / "books/lantern.txt")
