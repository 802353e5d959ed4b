"""What every test shares."""

import gc
from collections.abc import Iterator

import numpy  # noqa: F401  only a BLAS that is loaded can be limited
import pytest
from threadpoolctl import threadpool_limits

pytest.register_assert_rewrite(
    "tests.tolerances", "tests.mathematical.battery", "tests.mathematical.promises"
)


@pytest.fixture(scope="session", autouse=True)
def cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes what the user keeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINI_BERT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_collection_finish() -> None:
    """What was imported stays until the end: the garbage collector need not look at it over and over."""
    gc.collect()
    gc.freeze()


threadpool_limits(1)
"""One BLAS thread: the matrices of tests are so small that a second one only waits for the first."""
