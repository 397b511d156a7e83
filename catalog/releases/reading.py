"""Reading a release whole: every file is checked, and one fault anywhere refuses all."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.releases import folder, manifest, structure
from catalog.releases.faults import Fault, ReleaseRefused
from catalog.releases.instances import (
    NAME,
    Instance,
    instance_of,
    reference_faults,
    task_faults,
)
from scoring.structure import CatalogueStructure

MANIFEST = "benchmark/manifest.json"
TASKS = "benchmark/public/tasks"
REFERENCES = "benchmark/evaluator/references"
# The engine could take more; a folder that has more is no release of this benchmark.
MAX_INSTANCES = 500


@dataclass(frozen=True)
class PublicRelease:
    """The instances in the order of their names, and counts over their surfaces."""

    instances: tuple[Instance, ...]
    structure: CatalogueStructure

    def is_paired(self, instance: Instance) -> bool:
        """Tell whether a four-factor instance has the same source."""
        return any(other.d == 4 and other.source == instance.source for other in self.instances)


def read_release(root: Path) -> PublicRelease:
    """Read the folder of a public release and check it whole.

    Parameters
    ----------
    root : Path
        The folder that has `benchmark/`.

    Raises
    ------
    ReleaseRefused
        With every fault that was found.
    """
    reading = _Reading(root)
    instances = reading.instances()
    if reading.faults:
        raise ReleaseRefused(reading.faults)
    return PublicRelease(instances, structure.structure_of(instances))


class _Reading:
    """One pass over a folder that gathers hashes and faults."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.faults: list[Fault] = []
        self.hashes: dict[str, str] = {}

    def instances(self) -> tuple[Instance, ...]:
        """Return the instances that can be read; `faults` then says what is wrong."""
        stated = self._object(MANIFEST)
        names = self._names()
        found = [instance for name in names for instance in self._instance(name)]
        if stated is not None:
            self._add(MANIFEST, manifest.list_faults(stated, set(names)))
            self._add(MANIFEST, manifest.hash_faults(stated, self.hashes))
        # Counts of what could not be read would blame the manifest for another file's fault.
        if stated is not None and not self.faults:
            self._add(MANIFEST, manifest.count_faults(stated, structure.counts(found)))
        self._add_pairs(found)
        self._add(REFERENCES, structure.published_faults(found))
        return tuple(found)

    def _names(self) -> list[str]:
        tasks, references = self._listing(TASKS), self._listing(REFERENCES)
        for name in sorted(tasks ^ references):
            absent = TASKS if name in references else REFERENCES
            self._add(f"{absent}/{name}.json", ["is missing"])
        names = sorted(tasks & references)
        if not tasks | references and not self.faults:
            self._add(TASKS, ["has no task"])
        if len(names) > MAX_INSTANCES:
            self._add(TASKS, [f"has {len(names)} tasks, more than {MAX_INSTANCES}"])
            return []
        return names

    def _listing(self, part: str) -> set[str]:
        try:
            return set(folder.names(self.root, part))
        except folder.Unreadable as error:
            self._add(part, [str(error)])
            return set()

    def _instance(self, name: str) -> Iterator[Instance]:
        task_file, reference_file = f"{TASKS}/{name}.json", f"{REFERENCES}/{name}.json"
        task, reference = self._object(task_file), self._object(reference_file)
        if NAME.fullmatch(name) is None:
            self._add(task_file, ["has a name of other characters than a-z, 0-9 and _"])
        if task is None or self._add(task_file, task_faults(name, task)) or reference is None:
            return
        if not self._add(reference_file, reference_faults(name, task, reference)):
            yield instance_of(task, reference)

    def _object(self, file: str) -> dict[str, Any] | None:
        try:
            raw = folder.read_bytes(self.root, file)
            self.hashes[file] = hashlib.sha256(raw).hexdigest()
            return folder.parse_object(raw)
        except folder.Unreadable as error:
            self._add(file, [str(error)])
            return None

    def _add_pairs(self, found: list[Instance]) -> None:
        for name, reason in structure.pair_faults(found):
            self._add(f"{REFERENCES}/{name}.json", [reason])

    def _add(self, file: str, reasons: Iterable[str]) -> bool:
        before = len(self.faults)
        self.faults.extend(Fault(file, reason) for reason in reasons)
        return len(self.faults) > before
