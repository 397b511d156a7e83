"""What a new data set still lacks, a sentence a step: docs/add-a-data-set.md."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from catalog.workflows.conditions import conditions_of
from catalog.workflows.registry import FAMILIES
from catalog.workflows.source_files import SourceFile
from catalog.workflows.sources import Source
from catalog.workflows.tables import has_table

SOURCE_FILES = "catalog/data/sources/"
MANIFEST = f"{SOURCE_FILES}manifest.json"


def missing_steps(
    sources: Mapping[str, Source],
    manifest: Mapping[str, SourceFile],
    *,
    files: Path,
    tables: Path,
) -> list[str]:
    """Return what is to be done, in the order of the guide."""
    return [
        *_files(sources, manifest, files),
        *_entries(sources, manifest, files),
        *_tables(sources, tables),
    ]


def _files(
    sources: Mapping[str, Source], manifest: Mapping[str, SourceFile], folder: Path
) -> Iterator[str]:
    lying = {path.name for path in folder.iterdir()} - {"manifest.json"}
    used = {file for source in sources.values() for file in source.files}
    for file in sorted(lying - set(manifest)):
        raw = (folder / file).read_bytes()
        begun = {"file": file, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
        begun |= dict.fromkeys(("title", "origin", "licence", "note"), "...")
        yield f"{file} has no line in {MANIFEST}: add and complete {json.dumps(begun)}"
    for line in manifest.values():
        yield from _line(line, folder / line.file)
    for file in sorted((lying | set(manifest)) - used):
        yield (
            f"no source reads {file}: add an entry that names it to "
            "catalog/workflows/sources/<family>.py"
        )
    for file in sorted(used - lying - set(manifest)):
        readers = ", ".join(name for name, source in sources.items() if file in source.files)
        yield f"{readers} reads {file}, which is not there: put it into {SOURCE_FILES}"


def _line(line: SourceFile, path: Path) -> Iterator[str]:
    if not path.is_file():
        yield f"{line.file} is listed in {MANIFEST} and not there: put it into {SOURCE_FILES}"
    elif (n_bytes := path.stat().st_size) != line.bytes:
        yield f"the line of {line.file} in {MANIFEST} must say bytes {n_bytes}, not {line.bytes}"
    elif (digest := _sha256(path)) != line.sha256:
        yield f"the line of {line.file} in {MANIFEST} must say sha256 {digest}"
    for name in ("title", "origin", "licence"):
        if not getattr(line, name).strip(" ."):
            yield f"the line of {line.file} in {MANIFEST} has an empty {name}: write it"


def _entries(
    sources: Mapping[str, Source], manifest: Mapping[str, SourceFile], folder: Path
) -> Iterator[str]:
    told: dict[str, str] = {}
    for source in sources.values():
        place = f"the entry {source.name} in catalog/workflows/sources/{source.family}.py"
        for name in ("title", "question", "input_summary"):
            if not getattr(source, name).strip():
                yield f"{place} has an empty {name}: write it"
        of = told.setdefault(source.title, source.name)
        if of != source.name:
            yield f"{place} has the title of {of}: write its own"
        if all(_is_as_listed(folder / file, manifest.get(file)) for file in source.files):
            yield from _cohort(source, place, folder)


def _cohort(source: Source, place: str, folder: Path) -> Iterator[str]:
    raw = [(folder / file).read_bytes() for file in source.files]
    try:
        found = FAMILIES[source.family].prepare(source.read(*raw)).cohort
    except Exception as error:  # noqa: BLE001 - whatever a reader says of a file that it cannot read
        yield f"{place} cannot read {', '.join(source.files)}: {type(error).__name__}: {error}"
    else:
        if found != source.cohort:
            yield f"{place} must say cohort={found}; say the sizes in input_summary too"


def _tables(sources: Mapping[str, Source], folder: Path) -> Iterator[str]:
    slugs = [condition.slug for each in sources.values() for condition in conditions_of(each)]
    for slug in slugs:
        if not has_table(slug, folder):
            yield (
                f"{slug} has no table: make replay "
                f'ARGS="--task {slug} --write", then commit catalog/data/tables/{slug}.json'
            )
    for slug in sorted({path.stem for path in folder.glob("*.json")} - set(slugs)):
        yield f"catalog/data/tables/{slug}.json is of no condition: delete it, or add its entry"


def _is_as_listed(path: Path, line: SourceFile | None) -> bool:
    return line is not None and path.is_file() and _sha256(path) == line.sha256


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
