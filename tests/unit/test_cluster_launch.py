"""Who trains together: what launchers say, and how many threads each rank then has."""

from __future__ import annotations

import os
from fractions import Fraction

import pytest

from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.training import workers
from mini_bert.training.cluster import beginning
from mini_bert.training.cluster.launch import launched_ranks
from mini_bert.training.cluster.ranks import Alone
from mini_bert.training.cluster.started import started_ranks
from mini_bert.training.config import TrainingConfig


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        ([["a", [0, 1]], ["a", [0, 1]]], [1, 1]),
        ([["a", [0, 1, 2, 3]], ["a", [4, 5, 6, 7]], ["b", [0, 1]]], [4, 4, 2]),
        ([["a", [0, 1]]] * 3, [Fraction(2, 3)] * 3),
    ],
    ids=["shared", "bound", "crowded"],
)
def test_a_core_that_ranks_share_counts_in_parts(cores, expected, monkeypatch):
    ranks = Alone()
    monkeypatch.setattr(ranks, "tell", lambda value: cores, raising=False)
    assert beginning.cores_of_ranks(ranks) == expected


def forget_launchers(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("PMI", "OMPI", "MPI_", "SLURM")):
            monkeypatch.delenv(name)


def test_without_a_launcher_there_is_one_rank(monkeypatch):
    forget_launchers(monkeypatch)
    assert started_ranks() == 1
    launched_ranks.cache_clear()
    assert isinstance(launched_ranks(), Alone)
    monkeypatch.setenv("PMIX_RANK", "3")
    assert started_ranks() is None
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "8")
    assert started_ranks() == 8


@pytest.mark.parametrize("pmix", [False, True])
def test_one_process_of_srun_is_alone(monkeypatch, pmix):
    forget_launchers(monkeypatch)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "1")
    if pmix:
        monkeypatch.setenv("PMIX_RANK", "0")
        monkeypatch.setenv("PMIX_NAMESPACE", "slurm.pmix.7.0")
    assert started_ranks() == 1


def test_a_launcher_inside_of_srun_does_not_tell_how_many_there_are(monkeypatch):
    forget_launchers(monkeypatch)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "1")
    monkeypatch.setenv("PMIX_RANK", "0")
    monkeypatch.setenv("PMIX_NAMESPACE", "prterun-node1")
    assert started_ranks() is None


def test_processes_of_srun_that_do_not_know_of_each_other_are_refused(monkeypatch):
    forget_launchers(monkeypatch)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    with pytest.raises(
        ValueError, match=r"srun started 4 processes that do not know of each other.*--mpi=pmi2"
    ):
        started_ranks()
    monkeypatch.setenv("PMIX_RANK", "2")
    assert started_ranks() is None


def test_ranks_with_other_cores_have_as_many_threads(monkeypatch):
    """How many suit a model depends on how many there are: all must be told the same number."""
    tokenizer = WordPieceTokenizer.train(["a cat sees a dog"] * 50, vocab_size=26)
    config = TrainingConfig.named("debugging", {"preset": "small", "batch": {"size": 32, "micro": 8}})
    told = [["a", list(range(12))], ["b", list(range(16))]]
    found = []
    for own in (12, 16):
        ranks = Alone()
        ranks.size = 2
        monkeypatch.setattr(ranks, "tell", lambda value: told, raising=False)
        monkeypatch.setattr(workers, "available_cores", lambda own=own: set(range(own)))
        found.append(beginning.workers_beside(config, tokenizer, ranks))
    assert found[0] == found[1] <= 12
