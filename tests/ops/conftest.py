"""What tests of servers need."""

import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def open_path():
    """A directory that the servers' account can enter; pytest closes its own to others."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory).resolve()
        path.chmod(0o711)
        yield path
