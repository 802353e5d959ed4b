"""The one array type of the package: a NumPy array of any shape and dtype."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
