"""Whatever a file holds, a reader reads it or says where it is wrong."""

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mini_bert.data.tasks import (
    read_analogies,
    read_blimp,
    read_cola,
    read_conllu,
    read_marvin_linzen,
    read_ner,
    read_pararel,
    read_sst2,
    read_sst_trees,
    read_word_pairs,
    read_zorro,
)
from tests.unit.task_readers.samples import BLIMP, ENTITIES, SENTENCE, TREE

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
