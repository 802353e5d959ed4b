"""A team of threads: every job done, in order, and nothing lost when one fails."""

import _thread
import gc
import signal
import threading
import time
import weakref

import pytest
from threadpoolctl import threadpool_info

from mini_bert.training.parallel import Team, available_cores


@pytest.fixture(params=[1, 2, 3])
def team(request):
    with Team(request.param) as team:
        yield team


def test_results_come_in_the_order_of_the_workers(team):
    def job(worker):
        time.sleep(0.01 * (team.size - worker))  # the last is the first to end
        return worker, threading.get_ident()

    numbers, threads = zip(*team.each(job), strict=True)
    assert numbers == tuple(range(team.size))
    assert len(set(threads)) == team.size


def test_all_work_at_the_same_time(team):
    everyone = threading.Barrier(team.size, timeout=10)
    places = team.each(lambda worker: everyone.wait())
    assert sorted(places) == list(range(team.size))


def test_a_worker_is_the_same_thread_every_time(team):
    assert team.each(lambda worker: threading.get_ident()) == team.each(lambda worker: threading.get_ident())


def test_an_exception_travels_when_all_have_ended():
    ended = []

    def job(worker):
        if worker == 0:
            raise ZeroDivisionError("worker 0")
        time.sleep(0.05)
        ended.append(worker)
        raise KeyError("a later worker's is not the one that is told")

    with Team(2) as team:
        with pytest.raises(ZeroDivisionError, match="worker 0"):
            team.each(job)
        assert ended == [1]
        assert team.each(lambda worker: worker) == [0, 1]


@pytest.fixture
def listens_to_interrupts():
    """A program that was started in the background may have been told to ignore them."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.usefixtures("listens_to_interrupts")
def test_an_interrupt_waits_for_the_workers():
    ended = []

    def job(worker):
        if worker == 0:
            _thread.interrupt_main()
        time.sleep(0.2)
        ended.append(worker)

    with Team(2) as team:
        with pytest.raises(KeyboardInterrupt):
            team.each(job)
        assert sorted(ended) == [0, 1]
        assert team.each(lambda worker: worker) == [0, 1]


def test_blas_has_one_thread_while_the_team_works():
    def blas_threads(worker=0):
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = blas_threads()
    with Team(2) as team:
        assert all(count == 1 for counts in team.each(blas_threads) for count in counts)
    assert blas_threads() == before


def test_a_closed_team_leaves_no_threads():
    before = threading.active_count()
    with Team(3):
        assert threading.active_count() == before + 3
    assert threading.active_count() == before


def test_a_job_is_forgotten_when_it_is_done():
    class Load:
        pass

    load = Load()
    gone = weakref.ref(load)
    with Team(2) as team:
        team.each(lambda worker, load=load: None)
        del load
        gc.collect()
        assert gone() is None


def test_a_team_has_a_worker_for_each_core_unless_told_otherwise():
    with Team() as team:
        assert team.size == len(available_cores())
    with pytest.raises(ValueError, match="a team of 0: choose 1"):
        Team(0)
