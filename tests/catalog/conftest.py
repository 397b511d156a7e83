"""What the tests of imported releases share."""

from pathlib import Path

import pytest

from tests.catalog.public_release import write_release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a small release in the public layout, and return its folder."""
    return write_release(tmp_path / "release")
