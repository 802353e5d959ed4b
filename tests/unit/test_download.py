"""Sets come to this machine: through a folder that stands in for the hub, or from a copy."""

import gzip
import os
import shutil
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mini_bert.data import download
from mini_bert.data.catalogue import DataSet, find
from mini_bert.data.download import Meter, get
from mini_bert.data.installation import install_copy
from mini_bert.data.records import altered, digest, is_here, set_folder, verified
from mini_bert.data.sources import documents
from mini_bert.data.tasks import read_blimp, read_conllu, read_sst2

TREE = "# text = Cats sleep\n1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
WIKI = [
    " = Owl = \n",
    "",
    " An owl hunts @-@ and eats . \n",
    " = = Food = = \n",
    " Mice . \n",
    " = Hen = \n",
    " It lays . \n",
]
TALE = "Once there was a cat.\n\nIt slept.\n<|endoftext|>\n\nTim ran.\n<|endoftext|>\n"


def silent(done: float, note: str) -> None:
    assert 0 <= done <= 1


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MINI_BERT_CACHE", str(tmp_path / "cache"))


class FakeHub:
    """A folder that stands in for the hub; the connection breaks after `patience` files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.fetched, self.patience = folder, [], 10_000

    def put(self, path: str, content: bytes) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(content)

    def put_table(self, path: str, **columns: list) -> None:
        pa = pytest.importorskip("pyarrow", reason="parquet is read with pyarrow, of the extra hub")
        parquet = pytest.importorskip("pyarrow.parquet")
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table(columns), self.folder / path)

    def connect(self, dataset: DataSet) -> download.Fetch:
        def fetch(path: str, folder: Path, advance: download.Advance) -> None:
            target = folder / path
            if target.exists():
                return
            if len(self.fetched) >= self.patience:
                raise KeyboardInterrupt
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.folder / path, target)
            self.fetched.append(path)
            advance(target.stat().st_size)

        return fetch


@pytest.fixture
def hub(tmp_path):
    return FakeHub(tmp_path / "hub")


@pytest.fixture
def trees(hub):
    for split in ("train", "dev", "test"):
        hub.put(f"UD_English-EWT/en_ewt-ud-{split}.conllu", TREE.encode())
    return hub


class TestGet:
    def test_installs_and_records_a_checksum_of_each_file(self, trees):
        record = get(find("ud-ewt"), silent, connect=trees.connect)
        folder = set_folder("ud-ewt")
        assert record == verified("ud-ewt")
        assert record.files == {
            f"{split}.conllu": digest(folder / f"{split}.conllu") for split in ("train", "dev", "test")
        }
        assert set(record.published) == set(find("ud-ewt").published)
        assert record.revision == find("ud-ewt").revision
        assert read_conllu(folder / "dev.conllu")[0].words == ("Cats", "sleep")

    def test_leaves_nothing_else_behind(self, trees):
        get(find("ud-ewt"), silent, connect=trees.connect)
        assert sorted(os.listdir(set_folder("ud-ewt").parent)) == ["ud-ewt", "ud-ewt.lock"]

    def test_fetches_once_and_verifies_afterwards(self, trees):
        get(find("ud-ewt"), silent, connect=trees.connect)
        get(find("ud-ewt"), silent, connect=trees.connect)
        assert len(trees.fetched) == 3
        (set_folder("ud-ewt") / "dev.conllu").write_text("altered")
        with pytest.raises(ValueError, match=r"dev\.conllu: altered.*mini-bert data get ud-ewt --force"):
            get(find("ud-ewt"), silent, connect=trees.connect)

    def test_force_fetches_anew(self, trees):
        get(find("ud-ewt"), silent, connect=trees.connect)
        (set_folder("ud-ewt") / "dev.conllu").write_text("altered")
        get(find("ud-ewt"), silent, force=True, connect=trees.connect)
        assert len(trees.fetched) == 6
        assert verified("ud-ewt")

    def test_goes_on_where_it_was_interrupted(self, trees):
        trees.patience = 2
        with pytest.raises(KeyboardInterrupt):
            get(find("ud-ewt"), silent, connect=trees.connect)
        assert not is_here("ud-ewt")
        trees.patience = 3
        get(find("ud-ewt"), silent, connect=trees.connect)
        assert trees.fetched == find("ud-ewt").published
        assert is_here("ud-ewt")

    def test_what_is_malformed_is_not_installed(self, trees):
        trees.put("UD_English-EWT/en_ewt-ud-test.conllu", b"<html>Too many requests</html>")
        with pytest.raises(
            ValueError, match=r"en_ewt-ud-test\.conllu does not hold what it should.*1 column;.*--force"
        ):
            get(find("ud-ewt"), silent, connect=trees.connect)
        assert not is_here("ud-ewt")

    def test_force_tells_which_bytes_are_others_at_the_same_revision(self, trees):
        first = get(find("ud-ewt"), silent, connect=trees.connect)
        same = get(find("ud-ewt"), silent, force=True, connect=trees.connect)
        trees.put("UD_English-EWT/en_ewt-ud-dev.conllu", TREE.replace("Cats", "Dogs").encode())
        other = get(find("ud-ewt"), silent, force=True, connect=trees.connect)
        assert altered(first, same) == altered(None, other) == []
        assert altered(first, other) == ["UD_English-EWT/en_ewt-ud-dev.conllu"]
        assert altered(replace(first, revision="another"), other) == []
        copied = replace(first, repo="", revision="")
        assert altered(copied, replace(other, repo="", revision="")) == []

    def test_progress_never_goes_back(self, trees):
        shares = []
        get(find("ud-ewt"), lambda done, _: shares.append(done), connect=trees.connect)
        assert shares == sorted(shares)

    def test_a_failed_force_keeps_what_was_there(self, trees):
        get(find("ud-ewt"), silent, connect=trees.connect)
        trees.put("UD_English-EWT/en_ewt-ud-test.conllu", b"broken")
        with pytest.raises(ValueError, match="does not hold"):
            get(find("ud-ewt"), silent, force=True, connect=trees.connect)
        assert verified("ud-ewt")


class TestConversion:
    def test_wikitext_has_an_article_in_a_paragraph(self, hub):
        for split in ("train", "validation", "test"):
            hub.put_table(f"wikitext-2-raw-v1/{split}-00000-of-00001.parquet", text=WIKI)
        get(find("wikitext-2"), silent, connect=hub.connect)
        assert list(documents(set_folder("wikitext-2") / "train.txt")) == [
            "Owl\nAn owl hunts-and eats .\nFood\nMice .",
            "Hen\nIt lays .",
        ]

    def test_shards_become_one_file(self, hub):
        for split, count in (("train", 2), ("validation", 1), ("test", 1)):
            for i in range(count):
                hub.put_table(
                    f"wikitext-103-raw-v1/{split}-{i:05d}-of-{count:05d}.parquet",
                    text=[f" = {split} {i} = \n"],
                )
        get(find("wikitext-103"), silent, connect=hub.connect)
        assert list(documents(set_folder("wikitext-103") / "train.txt")) == ["train 0", "train 1"]

    def test_tinystories_has_a_story_in_a_paragraph(self, hub):
        for split in ("train", "valid"):
            hub.put(f"TinyStoriesV2-GPT4-{split}.txt", TALE.encode())
        get(find("tinystories"), silent, connect=hub.connect)
        found = list(documents(set_folder("tinystories") / "train.txt"))
        assert found == ["Once there was a cat.\nIt slept.", "Tim ran."]

    def test_sst2_becomes_a_table_and_loses_what_has_no_label(self, hub):
        for split in ("train", "validation"):
            hub.put_table(
                f"data/{split}-00000-of-00001.parquet",
                idx=[0, 1, 2],
                sentence=["a fine\tfilm ", "dull", "whose label is hidden"],
                label=[1, 0, -1],
            )
        get(find("sst-2"), silent, connect=hub.connect)
        found = read_sst2(set_folder("sst-2") / "dev.tsv")
        assert [(one.text, one.label) for one in found] == [("a fine film", "1"), ("dull", "0")]

    def test_blimp_becomes_a_file_for_each_paradigm(self, hub):
        for path in find("blimp").published:
            hub.put_table(
                path,
                sentence_good=["Cats “sleep”."],
                sentence_bad=["Cats “sleeps”."],
                UID=[path.partition("/")[0]],
                pair_id=[0],
            )
        get(find("blimp"), silent, connect=hub.connect)
        [pair] = read_blimp(set_folder("blimp") / "wh_island.jsonl")
        assert (pair.good, pair.bad, pair.paradigm) == ("Cats “sleep”.", "Cats “sleeps”.", "wh_island")

    def test_a_file_that_is_no_parquet_is_named(self, hub):
        pytest.importorskip("pyarrow", reason="parquet is read with pyarrow, of the extra hub")
        for path in find("sst-2").published:
            hub.put(path, b"<html>")
        with pytest.raises(ValueError, match=r"train-00000-of-00001\.parquet: not a parquet file"):
            get(find("sst-2"), silent, connect=hub.connect)

    def test_a_missing_column_is_named(self, hub):
        for path in find("sst-2").published:
            hub.put_table(path, sentence=["dull"], labels=[0])
        with pytest.raises(ValueError, match="unknown column 'label'; did you mean 'labels'"):
            get(find("sst-2"), silent, connect=hub.connect)


class TestInstallCopy:
    def test_takes_files_by_the_names_they_were_published_under(self, tmp_path):
        copy = tmp_path / "copy"
        copy.mkdir()
        for split in ("train", "dev", "test"):
            (copy / f"en_ewt-ud-{split}.conllu").write_text(TREE)
        record = install_copy(find("ud-ewt"), copy, silent)
        assert set(record.files) == {"train.conllu", "dev.conllu", "test.conllu"}
        assert verified("ud-ewt") == record

    def test_takes_one_file(self, tmp_path):
        (tmp_path / "wiki.train.raw").write_text("\n".join(WIKI))
        record = install_copy(find("wikitext-2"), tmp_path / "wiki.train.raw", silent)
        assert list(record.files) == ["train.txt"]
        assert len(list(documents(set_folder("wikitext-2") / "train.txt"))) == 2

    def test_takes_plain_files_as_they_are(self, tmp_path):
        (tmp_path / "train.tsv").write_text("label\tcontent\n1\ta fine film\n")
        install_copy(find("sst-2"), tmp_path / "train.tsv", silent)
        assert digest(set_folder("sst-2") / "train.tsv") == digest(tmp_path / "train.tsv")

    def test_takes_compressed_files(self, tmp_path):
        (tmp_path / "dev.conllu.gz").write_bytes(gzip.compress(TREE.encode()))
        install_copy(find("ud-ewt"), tmp_path / "dev.conllu.gz", silent)
        assert (set_folder("ud-ewt") / "dev.conllu").read_text() == TREE

    def test_names_a_broken_compressed_file(self, tmp_path):
        (tmp_path / "dev.conllu.gz").write_bytes(gzip.compress(TREE.encode())[:-9])
        with pytest.raises(ValueError, match=r"dev\.conllu\.gz: broken gzip file"):
            install_copy(find("ud-ewt"), tmp_path, silent)

    def test_does_not_take_one_file_for_every_paradigm(self, tmp_path):
        (tmp_path / "train-00000-of-00001.parquet").write_bytes(b"")
        with pytest.raises(ValueError, match="no file of blimp"):
            install_copy(find("blimp"), tmp_path, silent)

    @pytest.mark.parametrize(
        ("copy", "remedy"),
        [("nowhere", "no such file or folder"), ("", r"no file of ud-ewt; name .*en_ewt-ud-train")],
    )
    def test_explains_what_is_missing(self, tmp_path, copy, remedy):
        with pytest.raises(ValueError, match=remedy):
            install_copy(find("ud-ewt"), tmp_path / copy, silent)

    def test_a_damaged_copy_needs_no_network(self, tmp_path):
        (tmp_path / "train.conllu").write_text(TREE)
        install_copy(find("ud-ewt"), tmp_path, silent)
        (set_folder("ud-ewt") / "train.conllu").write_text("altered")
        remedy = r"install the copy again: mini-bert data get ud-ewt --from FOLDER\|FILE --force$"
        with pytest.raises(ValueError, match=remedy):
            verified("ud-ewt")
        (tmp_path / "train.conllu").write_text("no trees")
        with pytest.raises(ValueError, match=remedy):
            install_copy(find("ud-ewt"), tmp_path, silent, force=True)

    def test_does_not_replace_unasked(self, tmp_path):
        (tmp_path / "train.conllu").write_text(TREE)
        install_copy(find("ud-ewt"), tmp_path, silent)
        with pytest.raises(ValueError, match="--force"):
            install_copy(find("ud-ewt"), tmp_path / "train.conllu", silent)
        install_copy(find("ud-ewt"), tmp_path / "train.conllu", silent, force=True)

    def test_an_empty_text_is_refused(self, tmp_path):
        (tmp_path / "train.txt").write_bytes(b"")
        with pytest.raises(ValueError, match="no text in it"):
            install_copy(find("wikitext-2"), tmp_path / "train.txt", silent)


class TestTheHub:
    """Through huggingface_hub itself, as far as one comes without a network."""

    @pytest.fixture(autouse=True)
    def no_network(self, monkeypatch):
        def refuse(*args, **options):
            raise OSError(101, "Network is unreachable")

        monkeypatch.setattr(socket, "create_connection", refuse)
        for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_ENDPOINT"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setattr(download, "getproxies", dict)

    def test_says_that_there_is_no_network_and_what_to_do(self):
        pytest.importorskip(
            "huggingface_hub", reason="sets are fetched with huggingface_hub, of the extra hub"
        )
        with pytest.raises(ValueError, match=r"no network: huggingface\.co cannot be reached") as caught:
            get(find("ud-ewt"), silent)
        assert "mini-bert data get ud-ewt --from FOLDER" in str(caught.value)
        assert "mini-bert data prepare my.txt" in str(caught.value)

    def test_heeds_the_switch(self, monkeypatch):
        pytest.importorskip(
            "huggingface_hub", reason="sets are fetched with huggingface_hub, of the extra hub"
        )
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(ValueError, match=r"HF_HUB_OFFLINE=1.*--from FOLDER"):
            get(find("ud-ewt"), silent)

    def test_says_how_to_install_what_it_needs(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "huggingface_hub", None)
        with pytest.raises(ValueError, match=r'pip install "mini-bert\[hub\]".*--from FOLDER\|FILE'):
            get(find("ud-ewt"), silent)

    def test_asks_for_pyarrow_before_it_fetches(self, monkeypatch, hub):
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        with pytest.raises(ValueError, match=r'needs pyarrow.*pip install "mini-bert\[hub\]"') as caught:
            get(find("wikitext-2"), silent, connect=hub.connect)
        assert not hub.fetched
        assert 'pip install -e ".[hub]" in a clone' in str(caught.value)
        assert "(wiki.train.raw, train.txt, wiki.valid.raw, validation.txt)" in str(caught.value)
        assert "mini-bert data get wikitext-2 --from FOLDER|FILE" in str(caught.value)

    def test_a_failure_of_the_library_is_one_message(self, monkeypatch, tmp_path):
        client = pytest.importorskip("huggingface_hub", reason="sets are fetched with huggingface_hub")
        monkeypatch.setattr(download, "offline", str)

        def fails(*args, **options):
            raise RuntimeError("503 Service Unavailable\nand a long story")

        monkeypatch.setattr(client, "hf_hub_download", fails)
        with pytest.raises(
            ValueError, match=r"did not come \(503 Service Unavailable\); run the command again"
        ) as caught:
            get(find("ud-ewt"), silent)
        assert "\n" not in str(caught.value)

    def test_bytes_are_counted_through_the_librarys_bar(self, monkeypatch):
        client = pytest.importorskip("huggingface_hub", reason="sets are fetched with huggingface_hub")
        monkeypatch.setattr(download, "offline", str)
        notes = []

        def fetched(repo, path, *, repo_type, revision, local_dir, tqdm_class):
            assert (repo, repo_type, revision) == (find("ud-ewt").repo, "dataset", find("ud-ewt").revision)
            (Path(local_dir) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(local_dir) / path).write_text(TREE)
            with tqdm_class(total=3_000_000, initial=1_000_000, unit="B", name="x") as bar:
                bar.update(2_000_000)

        monkeypatch.setattr(client, "hf_hub_download", fetched)
        get(find("ud-ewt"), lambda done, note: notes.append(note))
        assert notes[0] == "file 1 of 3, 3.0 MB"


def test_a_meter_without_a_size_counts_files():
    seen = []
    meter = Meter(find("blimp"), lambda done, note: seen.append(done))
    meter.advance(10)
    meter.complete(10)
    meter.advance(10)
    assert seen == [0, 1 / 67]
