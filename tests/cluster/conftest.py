"""Ranks of real MPI; without it every test here is skipped, with the reason told."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HAS_LAUNCHER = Path(sys.executable).with_name("mpiexec").exists() or shutil.which("mpiexec") is not None


def pytest_collection_modifyitems(items):
    if find_spec("mpi4py") is None or not HAS_LAUNCHER:
        reason = 'needs mpi4py and mpiexec: pip install -e ".[cluster]", or make cluster'
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))
