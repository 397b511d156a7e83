"""A small release in the layout of the public one, written from our committed tables."""

import json
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from catalog.models import Family, Release, Source, Task
from catalog.truth import Outcome
from catalog.workflows.conditions import find_condition
from catalog.workflows.tables import read_table
from scoring.masks import anchors

# Four families; one source with four and with six factors, one with six alone.
INSTANCES = ("co2", "digits", "karate__d6", "wine", "wine__d6")
N_RECORDS = 3 * 16 + 2 * 64
N_EFFECTS = 3 * 32 + 2 * 192
N_INTERACTIONS = 3 * 6 + 2 * 15

MANIFEST = Path("benchmark/manifest.json")


def task_file(name: str) -> Path:
    return Path(f"benchmark/public/tasks/{name}.json")


def reference_file(name: str) -> Path:
    return Path(f"benchmark/evaluator/references/{name}.json")


def write_release(folder: Path, names: Sequence[str] = INSTANCES) -> Path:
    """Write the release into the folder, and return the folder."""
    for name in names:
        _write(folder / task_file(name), _task(name))
        _write(folder / reference_file(name), _reference(name))
    tables = [read_table(name) for name in names]
    manifest = {
        "name": "small",
        "instances": list(names),
        "counts": {"n_records": sum(len(table.utility) for table in tables)},
    }
    _write(folder / MANIFEST, manifest)
    return folder


def _write(place: Path, content: object) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(content, indent=1))


def _task(name: str) -> dict[str, Any]:
    condition, table = find_condition(name), read_table(name)
    return {
        "instance": name,
        "family": condition.family.name,
        "source_name": condition.source.title,
        "factor_order": [factor.letter for factor in condition.factors],
        "factors": {
            factor.letter: {"name": factor.name, "off": factor.off, "on": factor.on}
            for factor in condition.factors
        },
        "utility": {"name": condition.family.native_metric, "rule": condition.family.utility_rule},
        "data": {"rows": condition.source.cohort},
        "source_code": condition.family.workflow_code(),
        "shared_code": "import numpy as np",
        "free_observations": {mask: table.utility[mask] for mask in anchors(condition.d)},
    }


def _reference(name: str) -> dict[str, Any]:
    condition, table = find_condition(name), read_table(name)
    return {
        "instance": name,
        "family": condition.family.name,
        "truth": table.utility,
        "native_measurements": {
            mask: {
                "native_metric": condition.family.native_metric,
                "native_value": table.native_value[mask],
                "prediction_sha256": table.prediction_sha256[mask],
            }
            for mask in condition.masks
        },
        "source_table_file_sha256": "0f" * 32,
    }


def load_release(folder: Path, *options: str) -> str:
    out = StringIO()
    call_command("import_release", str(folder), *options, stdout=out)
    return out.getvalue()


def change(place: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change one JSON file in place."""
    content = json.loads(place.read_text())
    edit(content)
    place.write_text(json.dumps(content))


def catalogue_rows() -> list[list[Any]]:
    """Return every row of the catalogue."""
    models: tuple[Any, ...] = (Family, Source, Release, Task, Outcome)
    return [list(model.objects.order_by("pk").values()) for model in models]
