"""The version of a task: a hash of its data, its code and its scoring rule."""

import hashlib
import json

from catalog.workflows.conditions import Condition


def task_version(condition: Condition) -> str:
    """Hash whatever decides the outcomes of a condition, equal on every machine.

    A changed file, reader argument, workflow line, scoring rule or number of factors gives
    another version; library versions do not, since outcomes are compared across them.

    Parameters
    ----------
    condition : Condition

    Returns
    -------
    str
        SHA-256 in lower-case hexadecimal.

    Examples
    --------
    >>> from catalog.workflows.conditions import find_condition
    >>> task_version(find_condition("co2")) == task_version(find_condition("co2__d6"))
    False
    """
    source, family = condition.source, condition.family
    reader = {"function": source.read.func.__name__, "arguments": source.read.keywords}
    decisive = {
        "files": {file.file: file.sha256 for file in source.described_files()},
        "reader": reader,
        "code": family.workflow_code(),
        "scoring": [family.native_metric, family.utility_rule],
        "factors": [factor.letter for factor in condition.factors],
    }
    canonical = json.dumps(decisive, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
