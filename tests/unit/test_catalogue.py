"""The table of sets, and what was recorded of those that are on this machine."""

import doctest
import json
import re

import pytest

from mini_bert.data import catalogue, conversion
from mini_bert.data.catalogue import SETS, DataSet, local_paths
from mini_bert.data.records import Record, digests, set_folder, verified, write_record


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MINI_BERT_CACHE", str(tmp_path / "cache"))


def put(name: str, **files: str) -> None:
    """A set on this machine, as if it had been fetched."""
    folder = set_folder(name)
    folder.mkdir(parents=True)
    named = {file.replace("_", "."): text for file, text in files.items()}
    for file, text in named.items():
        (folder / file).write_bytes(text.encode())
    write_record(folder, Record("owner/repo", "0" * 40, {}, digests(folder, named)))


@pytest.mark.parametrize("dataset", SETS, ids=lambda dataset: dataset.name)
class TestEachSet:
    def test_is_pinned_to_a_commit_and_says_its_licence(self, dataset: DataSet):
        assert re.fullmatch(r"[0-9a-f]{40}", dataset.revision)
        assert re.fullmatch(r"[\w-]+/[\w-]+", dataset.repo)
        assert dataset.licence

    def test_makes_each_file_of_other_files(self, dataset: DataSet):
        plain = [part.plain for part in dataset.parts]
        assert len(set(plain)) == len(plain)
        assert len(set(dataset.published)) == len(dataset.published)
        assert set(dataset.text) <= set(plain)

    def test_can_be_found_by_name_only(self, dataset: DataSet):
        assert catalogue.find(dataset.name) is dataset


def test_names_differ_from_each_other():
    names = [*catalogue.names(), *(corpus.name for corpus in catalogue.EMBEDDED)]
    assert len(set(names)) == len(names)


def test_blimp_has_its_67_paradigms():
    assert len(set(catalogue.BLIMP_PARADIGMS)) == 67


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("wikitext2", "did you mean 'wikitext-2'?"),
        ("world", "comes with the package"),
        ("xyzzy", "choose from"),
    ],
)
def test_a_wrong_name_is_explained(name, remedy):
    with pytest.raises(ValueError, match=re.escape(remedy)):
        catalogue.find(name)


class TestLocalPaths:
    def test_are_the_files_to_train_on(self):
        put("wikitext-2", train_txt="One.\n", test_txt="Two.\n")
        assert local_paths("wikitext-2") == [set_folder("wikitext-2") / "train.txt"]

    def test_are_none_for_a_name_that_no_set_has(self):
        assert local_paths("my-texts") is None

    @pytest.mark.parametrize(
        ("name", "remedy"),
        [("wikitext-2", "mini-bert data get wikitext-2"), ("blimp", "labelled, for measuring")],
    )
    def test_say_what_to_do_about_a_set_that_cannot_be_used(self, name, remedy):
        with pytest.raises(ValueError, match=remedy):
            local_paths(name)

    def test_need_the_training_text(self):
        put("wikitext-2", test_txt="Two.\n")
        with pytest.raises(ValueError, match=r"train\.txt is not in it"):
            local_paths("wikitext-2")


class TestVerification:
    def test_names_the_file_that_was_altered_and_both_checksums(self):
        put("wikitext-2", train_txt="One.\n")
        expected = verified("wikitext-2").files["train.txt"]
        path = set_folder("wikitext-2") / "train.txt"
        path.write_bytes(b"Won.\n")
        found = digests(path.parent, ["train.txt"])["train.txt"]
        with pytest.raises(ValueError, match=f"expected {expected}, found {found}.*--force") as caught:
            local_paths("wikitext-2")
        assert str(path) in str(caught.value)

    def test_names_the_file_that_is_gone(self):
        put("wikitext-2", train_txt="One.\n", test_txt="Two.\n")
        (set_folder("wikitext-2") / "test.txt").unlink()
        with pytest.raises(ValueError, match=r"test\.txt: the file is gone; fetch it anew"):
            local_paths("wikitext-2")

    @pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"files": {}})])
    def test_refuses_a_record_that_is_none(self, text):
        put("wikitext-2", train_txt="One.\n")
        (set_folder("wikitext-2") / "record.json").write_text(text)
        with pytest.raises(ValueError, match=r"record\.json: not a record.*--force"):
            verified("wikitext-2")

    def test_a_checksum_is_sha256(self):
        put("wikitext-2", train_txt="abc")
        abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        assert verified("wikitext-2").files == {"train.txt": abc}


def test_examples_in_docstrings():
    assert doctest.testmod(conversion).failed == 0
