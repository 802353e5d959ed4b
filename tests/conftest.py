"""What every test shares."""

from collections.abc import Iterator

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


threadpool_limits(1)
"""One BLAS thread: the matrices of tests are so small that a second one only waits for the first."""
