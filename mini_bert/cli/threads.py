"""Small matrices are multiplied several times faster by one BLAS thread than by all of them."""

from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]


def one_blas_thread() -> AbstractContextManager[object]:
    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits
