"""From text to batches in real processes that are killed: what goes on afterwards is what would have come.

Run with arguments, this file is the process that is killed.
"""

import json
import subprocess
import sys
import time
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.split import split
from mini_bert.data.tasks.alignment import align
from mini_bert.data.token_cache import tokenized
from mini_bert.data.world import stories, texts
from mini_bert.files import write_atomically
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.unigram import UnigramTokenizer
from mini_bert.training.masking import Masking, WholeWords
from mini_bert.training.stream import MaskedStream

BATCHES = 400
SIZES = (8, 16, 24)
"""The batch size grows in the course of the run, as in a warm-up."""


def small_tokenizer():
    return WordPieceTokenizer.train(list(texts(200)), 1000)


def stream_over(folder, source):
    tokenizer = small_tokenizer()
    cache = tokenized(
        corpus(source, unit="line"), tokenizer, folder, lambda share, note: print(note, flush=True)
    )
    rows = PackedRows(cache, split(cache, 0.1).training, 32, Layout.of(tokenizer), seed=1)
    return MaskedStream(rows, Masking(tokenizer.vocab_size), k=4, batch_size=8, seed=2)


def train(folder, source):
    """Take every batch, write down its hash, and save the state now and then, as a trainer does."""
    saved, log = folder / "state.json", folder / "log.txt"
    stream, step = stream_over(folder, source), 0
    if saved.exists():
        state = json.loads(saved.read_text())
        step = state.pop("step")
        stream.resume(state)
    with log.open("a") as file:
        while step < BATCHES:
            batch = stream.take(SIZES[step * len(SIZES) // BATCHES])
            digest = blake2b(digest_size=16)
            for array in (batch.ids, batch.positions, batch.labels, batch.weights):
                digest.update(np.ascontiguousarray(array))
            print(step, digest.hexdigest(), file=file, flush=True)
            step += 1
            if step % 7 == 0:
                write_atomically(saved, json.dumps({"step": step, **stream.state()}).encode())
            print("step", step, flush=True)
            time.sleep(0.001)


def started(*arguments):
    """This file as a process of its own."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


def killed_at(process, wanted):
    """Kill a process, which has no chance to clean up, when it says so."""
    for line in process.stdout:
        if line.startswith(wanted):
            process.kill()
            break
    else:
        pytest.fail(f"the process ended before {wanted!r}")
    process.stdout.close()
    process.wait()


def finished(process):
    output = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    return output


def hashes(log):
    """The hash of each step; a step that was taken twice must have the same both times."""
    found = {}
    for line in log.read_text().splitlines():
        step, digest = line.split()
        assert found.setdefault(step, digest) == digest
    return found


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A few blocks of text, so that a process can be killed between them."""
    path = tmp_path_factory.mktemp("book") / "book.txt"
    told = list(texts(600))
    path.write_text("\n".join(f"{story} {n}" for n in range(10) for story in told), encoding="utf-8")
    return path


def test_killed_and_resumed_is_the_same_as_never_stopped(book, tmp_path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    finished(started("train", whole, book))
    expected = hashes(whole / "log.txt")
    assert len(set(expected.values())) == BATCHES

    killed_at(started("train", broken, book), "tokenizing")
    home = broken / "tokens"
    assert [path.suffix for path in home.iterdir() if path.is_dir()] == [".unfinished"]
    for wanted in ("step 1\n", "step 25\n", "step 26\n", "step 140\n", "step 333\n"):
        killed_at(started("train", broken, book), wanted)
    finished(started("train", broken, book))
    assert hashes(broken / "log.txt") == expected
    assert [path.suffix for path in home.iterdir() if path.is_dir()] == [""]
    (folder,) = (path.name for path in home.iterdir() if path.is_dir())
    for file in (home / folder).iterdir():
        assert file.read_bytes() == (whole / "tokens" / folder / file.name).read_bytes()


def test_two_processes_build_the_same_cache_once(book, tmp_path):
    outputs = [finished(process) for process in [started("build", tmp_path, book) for _ in range(3)]]
    assert len({output.splitlines()[-1] for output in outputs}) == 1
    assert sum("tokenizing" in output for output in outputs) == 1
    assert len([path for path in (tmp_path / "tokens").iterdir() if path.is_dir()]) == 1


def test_a_builder_that_dies_does_not_keep_others_waiting(book, tmp_path):
    first = started("build", tmp_path, book)
    assert any(line.startswith("tokenizing") for line in first.stdout)
    second = started("build", tmp_path, book)
    first.kill()
    first.stdout.close()
    first.wait()
    assert "TokenCache" in finished(second)


@pytest.fixture(scope="module", params=[WordPieceTokenizer, ByteLevelBPETokenizer, UnigramTokenizer])
def tokenizer(request):
    return request.param.train(list(texts(200)), 600)


def test_rows_of_every_kind_of_tokenizer_read_as_text(tokenizer, tmp_path):
    cache = tokenized(corpus("world:40"), tokenizer, tmp_path)
    layout = Layout.of(tokenizer)
    rows = PackedRows(cache, np.arange(40), 2 + cache.contents.tokens + 39, layout, seed=None)
    before, *ids, after = rows[0:1][0]
    assert ([before], [after]) == (list(layout.before), list(layout.after))
    parts = " ".join(map(str, ids)).split(f" {layout.between[0]} ")
    decoded = [tokenizer.decode(map(int, part.split())) for part in parts]
    assert decoded == [
        tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) for text in texts(40)
    ]


def test_whole_words_of_every_kind_of_tokenizer_are_masked(tokenizer, tmp_path):
    cache = tokenized(corpus("world:40"), tokenizer, tmp_path)
    rows = PackedRows(cache, np.arange(40), 48, Layout.of(tokenizer))
    starts_word = np.array(tokenizer.starts_word())
    mask_id = tokenizer.token_to_id[tokenizer.roles.mask]
    masking = Masking(tokenizer.vocab_size, WholeWords(), mask_id=mask_id, special_ids=tokenizer.special_ids)
    batch = MaskedStream(rows, masking, 8, 100, starts_word=starts_word).batch(0, 100)
    asked = np.zeros(batch.ids.shape, bool)
    np.put_along_axis(asked, batch.positions, batch.weights > 0, 1)
    is_word = masking.is_word(rows[0:100])
    continues = ~starts_word[rows[0:100]][:, 1:] & is_word[:, 1:] & is_word[:, :-1]
    assert continues.any()
    assert (asked[:, 1:] == asked[:, :-1])[continues].all()


def test_words_of_every_kind_of_tokenizer_are_aligned(tokenizer):
    for story, _ in zip(stories(seed=9), range(30), strict=False):
        for sentence in story.sentences:
            words = [token.text for token in sentence.tokens]
            aligned = align(words, tokenizer)
            assert aligned.ids.tolist() == tokenizer.encode(" ".join(words))
            for word, first, last in zip(words, aligned.spans.first, aligned.spans.last, strict=True):
                pieces = aligned.ids[first : last + 1].tolist()
                written = tokenizer.decode(pieces).replace(" ", "")
                alone = tokenizer.decode(tokenizer.encode(word, add_special_tokens=False)).replace(" ", "")
                assert written == alone


@pytest.mark.skipif(
    sys.platform == "win32", reason="the resource module, which measures memory, is not on Windows"
)
def test_memory_does_not_grow_with_the_text(book, tmp_path):
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        for _ in range(4):
            file.write(book.read_bytes())
    peaks = [int(finished(started("measure", tmp_path, path)).split()[-1]) for path in (book, large)]
    assert large.stat().st_size > 10e6
    assert peaks[1] < 1.15 * peaks[0]


if __name__ == "__main__":
    what, folder, source = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    if what == "train":
        train(folder, source)
    else:
        made = tokenized(
            corpus(source, unit="line"),
            small_tokenizer(),
            folder,
            lambda share, note: print(note, flush=True),
        )
        print(made)
    if what == "measure":
        import resource

        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
