import hashlib
import shutil

import pytest

from catalog.workflows.source_files import FOLDER, ChangedFile, UnknownFile, manifest, read
from catalog.workflows.sources import SOURCES


@pytest.mark.parametrize("file", sorted(manifest()))
def test_a_committed_file_has_the_size_and_hash_of_its_manifest_line(file):
    raw = (FOLDER / file).read_bytes()
    assert len(raw) == manifest()[file].bytes
    assert hashlib.sha256(raw).hexdigest() == manifest()[file].sha256
    assert manifest()[file].licence


def test_every_committed_file_has_a_manifest_line_and_a_source_that_uses_it():
    committed = {path.name for path in FOLDER.iterdir()} - {"manifest.json"}
    used = {file for source in SOURCES.values() for file in source.files}
    assert committed == set(manifest()) == used


def test_a_tampered_file_is_refused(tmp_path):
    shutil.copy(FOLDER / "nile.csv", tmp_path)
    with (tmp_path / "nile.csv").open("a") as file:
        file.write("1971,741\n")
    with pytest.raises(ChangedFile, match=r"nile\.csv is not the file of the manifest"):
        read("nile.csv", tmp_path)


def test_a_file_outside_the_manifest_is_refused_before_it_is_opened():
    with pytest.raises(UnknownFile):
        read("../tables/nile.json")
