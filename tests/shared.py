"""The folder beside the repository with oracles that are not committed to it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

SHARED = Path(__file__).resolve().parents[2] / "shared"


def needs_shared(test: Test) -> Test:
    """Mark a test that reads ../shared, and skip it where that folder is absent."""
    absent = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is absent")
    marked: Test = pytest.mark.shared(absent(test))
    return marked
