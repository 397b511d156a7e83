"""What the manifest of a release says of its files, held against the files."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

# Where the files of instances are.
PARTS = ("benchmark/public/tasks/", "benchmark/evaluator/references/")
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


def list_faults(manifest: Mapping[str, Any], found: set[str]) -> Iterator[str]:
    """Say which listed instances have no files, and which files are of none that is listed.

    A list has names, file names, or objects with `instance`; an object has names as its keys.
    """
    for key, value in manifest.items():
        listed = list(filter(None, map(_name, _entries(value))))
        if _thing(key) != "instances" or not listed:
            continue
        if repeated := sorted({name for name in listed if listed.count(name) > 1}):
            yield f"{key} has {', '.join(repeated)} more than once"
        if missing := sorted(set(listed) - found):
            yield f"{key} has {', '.join(missing)}, which the folder lacks"
        if unlisted := sorted(found - set(listed)):
            yield f"{key} lacks {', '.join(unlisted)}, which the folder has"


def count_faults(manifest: Mapping[str, Any], counts: Mapping[str, int]) -> Iterator[str]:
    """Say which numbers of the manifest, itself or under `counts`, are not those of the files."""
    inner = manifest.get("counts")
    stated = {**manifest, **(inner if isinstance(inner, Mapping) else {})}
    for key, value in stated.items():
        actual = counts.get(_thing(key))
        is_number = isinstance(value, int | float)
        if actual is not None and is_number and (value is True or value != actual):
            yield f"{key} is {value}, the files have {actual}"


def hash_faults(manifest: Mapping[str, Any], hashes: Mapping[str, str]) -> Iterator[str]:
    """Say which files under `files` are not there, or have another SHA-256 than the listed one.

    `hashes` has the files of instances and the manifest; a release may list others too.
    """
    for path, expected in _listed_hashes(manifest.get("files")):
        file = path if path.startswith("benchmark/") else f"benchmark/{path}"
        if file in hashes and hashes[file] != expected:
            yield f"SHA-256 of {file} is not the listed one"
        elif file not in hashes and file.startswith(PARTS):
            yield f"files has {file}, which the folder lacks"


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


def _entries(value: object) -> list[Any]:
    """Return what a list has, or the keys of an object that describes each of them."""
    if isinstance(value, Mapping) and all(isinstance(each, Mapping) for each in value.values()):
        return list(value)
    return value if isinstance(value, list) else []


def _name(entry: object) -> str:
    if isinstance(entry, Mapping):
        entry = entry.get("instance")
    return PurePosixPath(entry).stem if isinstance(entry, str) else ""
