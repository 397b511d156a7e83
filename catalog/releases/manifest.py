"""What the manifest of a release says of its files, held against the files."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

# What manifests call the things that structure.counts counts.
SAME_AS = {
    "tasks": "instances",
    "conditions": "instances",
    "references": "instances",
    "cells": "records",
    "measurements": "records",
    "outcomes": "records",
    "effects": "conditional_effects",
    "interactions": "pair_interactions",
}


def listed_instances(manifest: Mapping[str, Any]) -> list[str]:
    """Return the instances that the manifest lists by name, by file or as objects; else none."""
    names: list[str] = []
    for key, value in manifest.items():
        if _thing(key) == "instances" and isinstance(value, list | Mapping):
            names.extend(_name(entry) for entry in value)
    return names


def list_faults(manifest: Mapping[str, Any], found: set[str]) -> Iterator[str]:
    """Say which listed instances have no files, and which files are of none that is listed."""
    listed = listed_instances(manifest)
    if repeated := sorted({name for name in listed if listed.count(name) > 1}):
        yield f"lists {', '.join(repeated)} more than once"
    if missing := sorted(set(listed) - found):
        yield f"lists {', '.join(missing)}, which the folder lacks"
    if listed and (unlisted := sorted(found - set(listed))):
        yield f"does not list {', '.join(unlisted)}, which the folder has"


def count_faults(manifest: Mapping[str, Any], counts: Mapping[str, int]) -> Iterator[str]:
    """Say which numbers of the manifest, itself or under `counts`, are not those of the files."""
    inner = manifest.get("counts")
    stated = {**manifest, **(inner if isinstance(inner, Mapping) else {})}
    for key, value in stated.items():
        actual = counts.get(_thing(key))
        is_number = isinstance(value, int | float)
        if actual is not None and is_number and (value is True or value != actual):
            yield f"{key} is {value}, the files have {actual}"


def hash_faults(manifest: Mapping[str, Any], contents: Mapping[str, bytes]) -> Iterator[str]:
    """Say which files differ from the SHA-256 that the manifest lists for them under `files`."""
    for path, expected in _listed_hashes(manifest.get("files")):
        for file, raw in contents.items():
            is_same = file == path or file == f"benchmark/{path}"
            if is_same and hashlib.sha256(raw).hexdigest() != expected:
                yield f"SHA-256 of {file} is not the listed one"


def _listed_hashes(files: object) -> Iterator[tuple[str, object]]:
    if isinstance(files, Mapping):
        for path, entry in files.items():
            yield path, entry.get("sha256") if isinstance(entry, Mapping) else entry
    elif isinstance(files, list):
        for entry in files:
            if isinstance(entry, Mapping) and "sha256" in entry:
                yield str(entry.get("path", entry.get("file"))), entry["sha256"]


def _thing(key: str) -> str:
    """Return what a key counts: n_tasks, task_count and conditions all count instances."""
    name = key.removeprefix("n_").removeprefix("num_")
    if name.endswith("_count"):
        name = f"{name.removesuffix('_count')}s"
    return SAME_AS.get(name, name)


def _name(entry: object) -> str:
    if isinstance(entry, Mapping):
        entry = entry.get("instance")
    return PurePosixPath(str(entry)).stem
