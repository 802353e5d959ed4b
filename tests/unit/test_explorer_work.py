"""Work beside the server: shared by all who want it, given up when nobody does."""

import asyncio
from threading import Event

import pytest

from mini_bert.explorer.work import Busy, Gone, Work, go_on


@pytest.fixture
def work():
    made = Work(threads=2, most=3)
    yield made
    made.end()
    for thread in made.threads:
        thread.join(10)
        assert not thread.is_alive()


def test_results_and_errors_come_back(work):
    def fail():
        raise ValueError("no")

    async def main():
        assert await work.do("a", lambda: 3) == 3
        with pytest.raises(ValueError, match="no"):
            await work.do("b", fail)
        assert not work.jobs

    asyncio.run(main())


def test_equal_work_is_done_once(work):
    done, held = [], Event()

    def compute():
        held.wait(10)
        done.append(1)
        return len(done)

    async def main():
        waiting = [asyncio.create_task(work.do("same", compute)) for _ in range(50)]
        await asyncio.sleep(0.02)
        held.set()
        assert await asyncio.gather(*waiting) == [1] * 50
        assert await work.do("same", compute) == 2  # it is work, not a memory

    asyncio.run(main())


def test_it_goes_on_for_the_others_and_ends_when_all_have_gone(work):
    rounds, ended = [], Event()

    def compute():
        try:
            while True:
                go_on()
                rounds.append(1)
                ended.wait(0.005)
        except Gone:
            ended.set()
            raise

    async def main():
        one, other = (asyncio.create_task(work.do("long", compute)) for _ in range(2))
        while not rounds:
            await asyncio.sleep(0.005)
        one.cancel()
        await asyncio.sleep(0.05)
        assert not ended.is_set()
        before = len(rounds)
        await asyncio.sleep(0.05)
        assert len(rounds) > before
        other.cancel()
        assert await asyncio.to_thread(ended.wait, 10)
        assert await work.do("long", lambda: "anew") == "anew"

    asyncio.run(main())


def test_what_nobody_waits_for_is_not_begun(work):
    held, begun = Event(), []

    async def main():
        busy = [asyncio.create_task(work.do(i, lambda: held.wait(10))) for i in range(2)]
        unwanted = asyncio.create_task(work.do("unwanted", lambda: begun.append(1)))
        await asyncio.sleep(0.02)
        unwanted.cancel()
        await asyncio.sleep(0)
        held.set()
        await asyncio.gather(*busy)
        assert await work.do("next", lambda: 1) == 1
        assert not begun

    asyncio.run(main())


def test_too_much_is_refused(work):
    held = Event()

    async def main():
        waiting = [asyncio.create_task(work.do(i, lambda: held.wait(10))) for i in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await work.do("one more", lambda: 1)
        joined = asyncio.create_task(work.do(0, lambda: 1))
        await asyncio.sleep(0)
        held.set()
        assert await asyncio.gather(*waiting, joined) == [True] * 4

    asyncio.run(main())
