"""One instance of a release: its task file and its reference file, checked against each other."""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

from catalog.workflows.registry import FAMILIES
from scoring.masks import all_masks, anchors

TASK_FIELDS = (
    "instance",
    "family",
    "source_name",
    "factor_order",
    "factors",
    "utility",
    "data",
    "source_code",
    "shared_code",
    "free_observations",
)
REFERENCE_FIELDS = (
    "instance",
    "family",
    "truth",
    "native_measurements",
    "source_table_file_sha256",
)
LETTERS = "ABCDEF"
# The tracks have four and six factors.
NUMBERS_OF_FACTORS = (4, 6)
NAME = re.compile(r"[a-z0-9][a-z0-9_]*")
SHA256 = re.compile(r"[0-9a-f]{64}")

Json = Mapping[str, Any]


@dataclass(frozen=True)
class ReleasedFactor:
    """One factor in the release's words."""

    letter: str
    name: str
    off: str
    on: str


@dataclass(frozen=True)
class Instance:
    """One condition of a release with its whole table, as plain values.

    `version` is the SHA-256 of the task file's content: of whatever an agent may know, and of no
    hidden outcome.
    """

    name: str
    family: str
    source_name: str
    factors: tuple[ReleasedFactor, ...]
    utility_words: str
    data_words: str
    code: str
    version: str
    utility: dict[str, float]
    native_value: dict[str, float]
    prediction_sha256: dict[str, str]

    @property
    def d(self) -> int:
        """Number of factors."""
        return len(self.factors)

    @property
    def source(self) -> str:
        """The name that a four-factor instance and its six-factor variant share."""
        return self.name.removesuffix("__d6")


def instance_of(task: Json, reference: Json) -> Instance:
    """Return the instance that two files without faults describe."""
    masks = all_masks(len(task["factor_order"]))
    measured = reference["native_measurements"]
    canonical = json.dumps(task, sort_keys=True, ensure_ascii=False)
    return Instance(
        name=task["instance"],
        family=task["family"],
        source_name=task["source_name"],
        factors=tuple(_factor(letter, entry) for letter, entry in _factor_entries(task)),
        utility_words=in_words(task["utility"]),
        data_words=in_words(task["data"]),
        code="\n\n".join(filter(None, map(_code, (task["shared_code"], task["source_code"])))),
        version=hashlib.sha256(canonical.encode()).hexdigest(),
        utility={mask: float(reference["truth"][mask]) for mask in masks},
        native_value={mask: float(measured[mask]["native_value"]) for mask in masks},
        prediction_sha256={mask: measured[mask]["prediction_sha256"] for mask in masks},
    )


def in_words(value: object) -> str:
    """Return any JSON value as one line for people."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {in_words(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    return "" if value is None else str(value)


def _code(value: object) -> str:
    """Return code that is one text, or texts by file name."""
    if isinstance(value, Mapping):
        return "\n\n".join(f"# {name}\n{in_words(text)}" for name, text in value.items())
    return in_words(value)


def _factor_entries(task: Json) -> list[tuple[str, Any]]:
    order, factors = task["factor_order"], task["factors"]
    if isinstance(factors, Mapping):
        return [(letter, factors[letter]) for letter in order]
    return list(zip(order, factors, strict=True))


def _factor(letter: str, entry: object) -> ReleasedFactor:
    """Take name, off and on where the release has them; else show the entry in its own words."""
    if isinstance(entry, Mapping) and {"name", "off", "on"} <= entry.keys():
        name, off, on = (in_words(entry[field]) for field in ("name", "off", "on"))
        return ReleasedFactor(letter, name, off, on)
    return ReleasedFactor(letter, in_words(entry), "off", "on")


# --- What can be wrong ----------------------------------------------------------------------
def task_faults(name: str, task: Json) -> Iterator[str]:
    """Say what is wrong with the content of a task file; nothing if it can be used."""
    if missing := [field for field in TASK_FIELDS if field not in task]:
        yield f"lacks {', '.join(missing)}"
        return
    yield from _name_faults(name, task)
    if not (isinstance(task["source_name"], str) and task["source_name"].strip()):
        yield "source_name is no text"
    if not _code(task["source_code"]).strip():
        yield "source_code is empty"
    order = task["factor_order"]
    if order not in [list(LETTERS[:d]) for d in NUMBERS_OF_FACTORS]:
        yield f"factor_order is neither A to D nor A to F: {order!r}"
        return
    yield from _factors_faults(order, task["factors"])
    observed = task["free_observations"]
    yield from _table_faults("free_observations", observed, anchors(len(order)), _utility_fault)


def reference_faults(name: str, task: Json, reference: Json) -> Iterator[str]:
    """Say what is wrong with a reference file beside its task file, which has no fault."""
    if missing := [field for field in REFERENCE_FIELDS if field not in reference]:
        yield f"lacks {', '.join(missing)}"
        return
    yield from _name_faults(name, reference)
    for field in ("family", "factor_order"):
        if reference.get(field, task[field]) != task[field]:
            yield f"{field} is {reference[field]!r}, the task file says {task[field]!r}"
    if not _is_sha256(reference["source_table_file_sha256"]):
        yield "source_table_file_sha256 is no SHA-256"
    masks = all_masks(len(task["factor_order"]))
    truth, measured = reference["truth"], reference["native_measurements"]
    yield from _table_faults("truth", truth, masks, _utility_fault)
    yield from _table_faults("native_measurements", measured, masks, _measurement_fault)
    yield from _metric_faults(measured)
    if isinstance(truth, Mapping):
        for mask, observed in task["free_observations"].items():
            if mask in truth and truth[mask] != observed:
                yield f"truth of anchor {mask} is not the free observation of the task file"


def _name_faults(name: str, content: Json) -> Iterator[str]:
    if content["instance"] != name:
        yield f"instance is {content['instance']!r}, not the name of the file"
    if not isinstance(content["family"], str) or content["family"] not in FAMILIES:
        yield f"family {content['family']!r} is unknown"


def _factors_faults(order: list[str], factors: object) -> Iterator[str]:
    if isinstance(factors, Mapping):
        if set(factors) != set(order):
            yield f"factors are {', '.join(factors)}, factor_order is {', '.join(order)}"
    elif not isinstance(factors, list) or len(factors) != len(order):
        yield f"factors are not one entry for each of {', '.join(order)}"


def _table_faults(
    field: str, table: object, masks: tuple[str, ...], fault: Callable[[object], str]
) -> Iterator[str]:
    """Ask that the table has exactly these masks, and of every value what `fault` asks."""
    if not isinstance(table, Mapping):
        yield f"{field} is no object of masks"
        return
    if missing := [mask for mask in masks if mask not in table]:
        yield f"{field} lacks {len(missing)} of {len(masks)} masks: {', '.join(missing)}"
    if unknown := sorted(set(table) - set(masks)):
        yield f"{field} has what is no mask of the task: {', '.join(unknown)}"
    for mask in masks:
        if mask in table and (reason := fault(table[mask])):
            yield f"{field} of {mask} {reason}"


def _utility_fault(value: object) -> str:
    if not _is_number(value):
        return "is no finite number"
    return "" if 0 <= value <= 1 else "is outside [0, 1]"


def _measurement_fault(value: object) -> str:
    if not isinstance(value, Mapping):
        return "is no object"
    if not _is_number(value.get("native_value")):
        return "has a native_value that is no finite number"
    is_hashed = _is_sha256(value.get("prediction_sha256"))
    return "" if is_hashed else "has no SHA-256 as prediction_sha256"


def _metric_faults(measured: object) -> Iterator[str]:
    cells = measured.values() if isinstance(measured, Mapping) else ()
    metrics = {in_words(cell.get("native_metric")) for cell in cells if isinstance(cell, Mapping)}
    if "" in metrics:
        yield "native_measurements have a cell without native_metric"
    elif len(metrics) > 1:
        yield f"native_measurements have several metrics: {', '.join(sorted(metrics))}"


def _is_number(value: object) -> TypeGuard[float]:
    # The JSON reader lets no nan or infinity through; a whole number can still have no float.
    return type(value) in (int, float) and abs(cast(float, value)) < sys.float_info.max


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and SHA256.fullmatch(value) is not None
