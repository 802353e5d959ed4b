"""A corpus from its sources: nothing lost, nothing twice, the same bytes everywhere."""

import gzip
import json
import re
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mini_bert.data.building import building
from mini_bert.data.building.building import build
from mini_bert.data.building.manifest import read_manifest
from mini_bert.data.building.sources import NAMES
from mini_bert.data.building.splitting import kept_apart, key, sides

RAW = Path(__file__).parents[1] / "fixtures" / "corpus_sources"
PLACES = {
    "wikipedia": [RAW / "wikipedia"],
    "tatoeba": [RAW / "eng_sentences.tsv"],
    "books": [RAW / "books"],
    "tales": [RAW / "tales"],
    "stories": [RAW / "stories"],
}
NOTHING_HELD_OUT = dict.fromkeys(NAMES, 0.0)
SHARES = NOTHING_HELD_OUT | {"tatoeba": 0.3, "books": 0.5}


def text_of(path):
    return gzip.decompress(path.read_bytes()).decode()


@pytest.fixture
def lines(tmp_path):
    """A file of a hundred documents, the last of which is a copy."""
    path = tmp_path / "plain.txt"
    path.write_text(
        "\n".join(f"Story number {i}." for i in range(99)) + "\nstory NUMBER 7\n", encoding="utf-8"
    )
    return path


def test_every_source_gives_its_documents(tmp_path):
    out = tmp_path / "corpus"
    manifest = build(out, PLACES, SHARES)
    assert list(manifest.parts) == NAMES
    assert {name: (part.read, part.copies) for name, part in manifest.parts.items()} == {
        "tatoeba": (7, 1),
        "books": (2, 0),
        "tales": (2, 0),
        "stories": (1, 0),
        "wikipedia": (1, 0),
    }
    for text in manifest.texts:
        content = text_of(out / text.file)
        documents = content.removesuffix("\n").split("\n\n")
        assert len(documents) == text.documents
        assert sum(map(len, documents)) == text.characters
        assert sha256(content.encode()).hexdigest() == text.sha256
    assert read_manifest(out) == manifest
    assert sorted(path.name for path in out.iterdir()) == ["corpus.json", "held_out", "train"]
    assert sorted(path.name for path in (out / "held_out").iterdir()) == ["books.txt.gz", "tatoeba.txt.gz"]


def test_the_same_bytes_again_and_no_trace_of_place_or_hour(tmp_path):
    build(tmp_path / "a", PLACES, SHARES)
    build(tmp_path / "b", dict(reversed(PLACES.items())), SHARES)
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) == 8
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert str(tmp_path) not in (tmp_path / "a" / "corpus.json").read_text("utf-8")


def test_the_rule_of_the_held_out_side_told_once_more(tmp_path, lines):
    build(tmp_path / "corpus", {"tatoeba": [lines]}, {"tatoeba": 0.1})

    def digest(line):
        return blake2b(" ".join(re.findall(r"\w+", line.lower())).encode(), digest_size=8).digest()

    read = lines.read_text("utf-8").splitlines()
    lowest = set(sorted(map(digest, read))[:10])
    once = list({digest(line): line for line in reversed(read)}.values())[::-1]
    held = [line for line in once if digest(line) in lowest]
    kept = [line for line in once if digest(line) not in lowest]
    assert (
        text_of(tmp_path / "corpus/held_out/tatoeba.txt.gz")
        == "\n\n".join(sorted(held, key=read.index)) + "\n"
    )
    assert (
        text_of(tmp_path / "corpus/train/tatoeba.txt.gz") == "\n\n".join(sorted(kept, key=read.index)) + "\n"
    )


def test_another_order_holds_out_the_same(tmp_path, lines):
    reverse = tmp_path / "reverse.txt"
    reverse.write_text("\n".join(reversed(lines.read_text("utf-8").lower().split("\n"))), encoding="utf-8")
    found = []
    for path in (lines, reverse):
        build(tmp_path / path.stem, {"tatoeba": [path]}, {"tatoeba": 0.1})
        found.append(
            set(
                text_of(tmp_path / path.stem / "held_out/tatoeba.txt.gz").lower().replace(".", "").split("\n")
            )
        )
    assert found[0] == found[1]


def test_a_limit_takes_the_same_documents_of_more(tmp_path, lines):
    some = build(tmp_path / "some", {"tatoeba": [lines]}, {"tatoeba": 0.2}, {"tatoeba": 20}).parts["tatoeba"]
    fewer = build(tmp_path / "fewer", {"tatoeba": [lines]}, {"tatoeba": 0}, {"tatoeba": 10}).parts["tatoeba"]
    assert (some.held_out.documents, some.train.documents, fewer.train.documents) == (4, 16, 10)
    texts = [
        text_of(tmp_path / "some" / name / "tatoeba.txt.gz").split("\n") for name in ("train", "held_out")
    ]
    assert set(text_of(tmp_path / "fewer/train/tatoeba.txt.gz").split("\n")) <= set(texts[0] + texts[1])


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=60),
    st.floats(0.05, 0.95),
    st.none() | st.integers(1, 30),
)
def test_sides(numbers, share, limit):
    keys = np.array(numbers, dtype=np.uint64)
    try:
        chosen = sides(keys, share, limit, "books")
    except ValueError:
        return
    written = keys[chosen.written]
    assert len(set(written.tolist())) == len(written)
    assert set(written.tolist()) == set(sorted(set(numbers))[: limit or len(numbers)])
    held, trained = keys[chosen.written & chosen.held_out], keys[chosen.written & ~chosen.held_out]
    assert not len(held) or not len(trained) or held.max() < trained.min()
    kept = [number for number in numbers if number in set(written.tolist())]
    assert len(held)
    assert len(trained)
    assert len(held) == 1 or chosen.held_out[np.isin(keys, written)].sum() <= round(share * len(kept))


def test_copies_count_in_the_share():
    keys = np.array([5, 5, 7, 9, 11, 13, 15, 17, 19, 21], np.uint64)
    chosen = sides(keys, 0.2, None, "books")
    assert keys[chosen.held_out].tolist() == [5, 5]
    assert keys[chosen.held_out & chosen.written].tolist() == [5]


def test_a_document_is_held_out_though_it_has_more_copies_than_the_share(tmp_path):
    keys = np.array([1, 1, *range(2, 100)], np.uint64)
    assert keys[sides(keys, 0.01, None, "books").held_out].tolist() == [1, 1]
    path = tmp_path / "twice.txt"
    path.write_text("\n".join(f"Story number {i}." for i in range(30)) + "\n", encoding="utf-8")
    made = build(tmp_path / "corpus", {"tatoeba": [path, path]}).parts["tatoeba"]
    assert (made.copies, made.train.documents, made.held_out.documents) == (30, 29, 1)


@pytest.mark.parametrize(("keys", "limit"), [([5, 5, 5], None), ([5, 5, 5, 7, 9], 1)])
def test_copies_of_one_document_cannot_be_on_two_sides(keys, limit):
    with pytest.raises(
        ValueError, match=r"books: all of 3 documents are copies of one.*--held-out books=0\)"
    ):
        sides(np.array(keys, np.uint64), 0.4, limit, "books")


def documents_in(folder):
    return {line.lower() for path in folder.glob("*.txt.gz") for line in text_of(path).split("\n") if line}


def test_what_is_held_out_of_one_source_is_trained_on_in_none(tmp_path, lines):
    tales, stories = tmp_path / "tales.txt", tmp_path / "stories.txt"
    read = lines.read_text("utf-8").splitlines()
    tales.write_text("\n\n".join(read), encoding="utf-8")
    stories.write_text("\n\n".join([*read[40:], "Another story.", "A third."]).upper(), encoding="utf-8")
    out = tmp_path / "corpus"
    shares = {"tales": 0.1, "stories": 0.3}
    alone = {
        name: build(tmp_path / name, {name: [tmp_path / f"{name}.txt"]}, {name: share}).parts[name]
        for name, share in shares.items()
    }
    made = build(out, {"tales": [tales], "stories": [stories]}, shares).parts
    assert not documents_in(out / "train") & documents_in(out / "held_out")
    for name, part in made.items():
        assert part.held_out == alone[name].held_out
        assert part.read == part.copies + part.train.documents + part.held_out.documents
    assert made["tales"].copies > alone["tales"].copies
    trained = [set(text_of(out / f"train/{name}.txt.gz").lower().split("\n")) - {""} for name in made]
    assert trained[0] & trained[1]


def test_what_is_left_out_of_one_source_for_another_is_counted_once_as_a_copy():
    keys = {"tales": np.array([5, 5, 7, 9, 11], np.uint64), "stories": np.array([1, 7, 9, 9, 13], np.uint64)}
    chosen = {"tales": sides(keys["tales"], 0.2, None, "tales")}
    chosen["stories"] = sides(keys["stories"], 0.4, None, "stories")
    found = kept_apart(keys, chosen)
    assert keys["tales"][found["tales"].trained].tolist() == [9, 11]
    assert keys["stories"][found["stories"].trained].tolist() == [9, 13]
    assert (found["tales"].copies, found["stories"].copies) == (2, 1)
    assert chosen["tales"].written.sum() == 4


def test_a_source_that_others_leave_nothing_to_train_on_is_refused(tmp_path):
    stories, tale = tmp_path / "stories.txt", tmp_path / "tale.txt"
    texts = sorted((f"Story number {i}." for i in range(20)), key=lambda text: key((text,)))
    stories.write_text("\n\n".join(texts), encoding="utf-8")
    tale.write_text(texts[0], encoding="utf-8")
    places = {"tales": [tale], "stories": [stories]}
    with pytest.raises(
        ValueError,
        match=r"tales: all .* is held out of stories; .*\(--held-out stories=0\), or leave tales out",
    ):
        build(tmp_path / "corpus", places, {"tales": 0, "stories": 0.1})
    made = build(tmp_path / "corpus", places, {"tales": 0, "stories": 0})
    assert made.parts["tales"].train.documents == 1


def test_keys_of_the_same_words():
    assert key(("It is late.", "Go home!")) == key(("it is late -- go home",))
    assert key(("It is late.",)) != key(("It is later.",))
    assert key(("Who hid my hat?",)).to_bytes(8, "big") == blake2b(b"who hid my hat", digest_size=8).digest()


@pytest.mark.parametrize(
    "damage",
    [lambda raw: raw[:20], lambda raw: b"Another tale.\n", lambda raw: raw[:12] + b"\xff\xff" + raw[14:]],
    ids=["cut", "plain", "bits"],
)
def test_a_corpus_that_is_there_is_verified(tmp_path, monkeypatch, damage):
    out = tmp_path / "corpus"
    made = build(out, PLACES, SHARES)
    monkeypatch.setattr(building, "build_part", pytest.fail)
    assert build(out, PLACES, SHARES) == made
    (out / "train/tales.txt.gz").write_bytes(gzip.compress(b"Another tale.\n"))
    with pytest.raises(ValueError, match=r"tales\.txt\.gz: altered since it was built"):
        build(out, PLACES, SHARES)
    (out / "train/tales.txt.gz").write_bytes(damage(gzip.compress(b"Another tale.\n" * 9)))
    with pytest.raises(ValueError, match=r"tales\.txt\.gz: altered .* the file is broken .*; delete"):
        build(out, PLACES, SHARES)
    (out / "train/tales.txt.gz").unlink()
    with pytest.raises(ValueError, match=r"tales\.txt\.gz: the file is gone"):
        build(out, PLACES, SHARES)


def test_another_corpus_is_refused(tmp_path, lines):
    out = tmp_path / "corpus"
    build(out, {"tatoeba": [lines]})
    before = (out / "corpus.json").read_bytes()
    for places, shares in (
        ({"tatoeba": [lines]}, {"tatoeba": 0.5}),
        ({"tales": [RAW / "tales"]}, {"tales": 0}),
    ):
        with pytest.raises(ValueError, match=r"holds another corpus, which differs in .*tatoeba"):
            build(out, places, shares)
    assert (out / "corpus.json").read_bytes() == before
    (out / "corpus.json").write_text(json.dumps({"format": 0}))
    with pytest.raises(ValueError, match="build it anew in another folder"):
        build(out, {"tatoeba": [lines]})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear all")
    with pytest.raises(ValueError, match="not empty, and no corpus"):
        build(tmp_path / "mine", {"tatoeba": [lines]})


def test_what_fails_leaves_nothing_behind(tmp_path, lines):
    broken = tmp_path / "articles.jsonl"
    broken.write_text('{"text": 3}\n')
    before = set(tmp_path.iterdir())
    with pytest.raises(ValueError, match="no text in it"):
        build(tmp_path / "corpus", {"tatoeba": [lines], "wikipedia": [broken]})
    assert set(tmp_path.iterdir()) == before


def test_text_that_grows_while_it_is_read_is_refused(tmp_path, lines, monkeypatch):
    first = building.sides

    def meanwhile(*args):
        with lines.open("a") as file:
            file.write("One more.\n")
        return first(*args)

    monkeypatch.setattr(building, "sides", meanwhile)
    with pytest.raises(ValueError, match="changed while it was read"):
        build(tmp_path / "corpus", {"tatoeba": [lines]})


@pytest.mark.parametrize(
    ("places", "shares", "limits", "message"),
    [
        ({}, {}, {}, "no sources"),
        ({"tatoebe": [RAW]}, {}, {}, "unknown source 'tatoebe'; did you mean 'tatoeba'"),
        ({"books": [RAW / "nowhere"]}, {}, {}, "no such file or folder"),
        ({"books": [RAW / "wikipedia"]}, {}, {}, "the folder has no .txt file"),
        ({"tales": [RAW / "books/lantern.txt"]}, {"tales": 2}, {}, "choose a share from 0 to less than 1"),
        ({"tales": [RAW / "tales"]}, {}, {}, "0.04 of 2 documents is 0 documents; choose another share"),
        ({"tales": [RAW / "tales"]}, {"books": 0.1}, {}, "books: nothing can be held out of it"),
        ({"tales": [RAW / "tales"]}, {"tales": 0}, {"tales": 0}, "limited to 0 documents"),
        ({"wikipedia": [RAW / "eng_sentences.tsv"]}, {}, {}, "not a .jsonl or .json"),
        ({"tales": [RAW / "tales/questions"]}, {}, {}, "no columns section and text in it; it has "),
        (
            {"tales": [RAW / "tales"]},
            {"tales": 0.2},
            {"tales": 1},
            "0.2 of 1 document is 0 documents; hold nothing out (--held-out tales=0), or take more documents",
        ),
    ],
)
def test_complaints(tmp_path, places, shares, limits, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        build(tmp_path / "corpus", places, shares, limits)


@pytest.mark.parametrize("share", [1e-6, 1 - 1e-6])
@pytest.mark.parametrize("count", [2, 3, 7, 11, 40, 999])
def test_the_share_that_a_complaint_offers_can_be_held_out(share, count):
    keys = np.arange(count, dtype=np.uint64)
    with pytest.raises(ValueError, match="choose another share") as complaint:
        sides(keys, share, None, "tales")
    offered = float(re.search(r"--held-out tales=([\d.e-]+)", str(complaint.value))[1])
    held_out = sides(keys, offered, None, "tales").held_out.sum()
    assert held_out == (1 if share < 0.5 else count - 1)


def test_a_table_with_other_columns_is_refused_if_it_is_named(tmp_path):
    table = tmp_path / "s.csv"
    table.write_text("section,txt\n1,Once upon a time.\n")
    with pytest.raises(ValueError, match=r"s\.csv: no columns section and text in it; it has section, txt; "):
        build(tmp_path / "corpus", {"tales": [RAW / "tales", table]}, {"tales": 0})


def test_progress_ends_at_one(tmp_path):
    seen = []
    build(tmp_path / "corpus", PLACES, SHARES, report=lambda done, note: seen.append((done, note)))
    assert seen == sorted(seen, key=lambda entry: entry[0])
    assert seen[-1][0] == 1.0
    assert {note for _, note in seen} == set(NAMES)
