"""Measure the memory and the speed of the export of 200,000 judgments, checks aside.

Run as ``python -m benchmarks.study_export``; prints one JSON line. Two studies are exported in all
formats, each in a process of its own, one with ten times the judgments of the other.
``growth`` is the peak of resident memory of the large one over that of the small one, and
``growth_beyond_base`` the same without what a process has that exported one person's study before.
Linux only.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.throwaway_site import throwaway_site

N_PEOPLE = {"small": 417, "large": 4_167}  # of 48 judgments and 12 checks


def main() -> None:
    with throwaway_site():
        figures = measured()
    print(json.dumps({"benchmark": "study_export", **figures}))


def measured() -> dict[str, float]:
    make_studies()
    found = {}
    for slug in N_PEOPLE:
        child = [sys.executable, "-m", "benchmarks.study_export", slug]
        output = subprocess.run(child, check=True, capture_output=True, text=True).stdout
        found[slug] = json.loads(output.splitlines()[-1])
    small, large = found["small"], found["large"]
    beyond = [one["peak_mb"] - one["base_mb"] for one in (large, small)]
    return {
        "growth": round(large["peak_mb"] / small["peak_mb"], 3),
        "growth_beyond_base": round(beyond[0] / beyond[1], 3),
        "times_the_judgments": round(large["n_judgments"] / small["n_judgments"], 2),
        "times_the_seconds": round(large["s"] / small["s"], 2),
        **large,
    }


def make_studies() -> None:
    from django.core.management import call_command

    from tests.judgments.answers import answer_everything, coin
    from tests.judgments.crowds import copy_person
    from tests.judgments.studies import join_ready, make_study

    call_command("migrate", verbosity=0)
    for slug, n_people in {"one": 1, **N_PEOPLE}.items():
        study = make_study(slug)
        person = join_ready(study)
        answer_everything([person], coin(seed=1), comments=['=hostile, "text"\n'] * 60)
        copy_person(person, n_people - 1)


def export(slug: str) -> None:
    """Export one person's study, then this one, and print what that took."""
    import django

    django.setup()
    from django.utils import timezone

    from catalog.tabular_files import FORMATS
    from judgments.exports import write_export
    from judgments.models import Study

    with tempfile.TemporaryDirectory() as place:
        for name in ("one", slug):
            # Forget the peak so far, so that what follows is measured alone.
            Path("/proc/self/clear_refs").write_text("5")
            base_mb, started = memory_mb("VmRSS"), time.perf_counter()
            write_export(
                study=Study.objects.get(pk=name),
                folder=Path(place) / name,
                formats=tuple(FORMATS.values()),
                now=timezone.now(),
            )
        seconds = time.perf_counter() - started
        manifest = json.loads((Path(place) / slug / "manifest.json").read_text("utf-8"))
    by_kind = {one["item_kind"]: one["rows"] for one in manifest["counts"]["items"]["exported_by"]}
    figures = {
        "peak_mb": memory_mb("VmHWM"),
        "base_mb": base_mb,
        "n_judgments": by_kind.pop("judgment"),
        "n_checks": sum(by_kind.values()),
        "s": round(seconds, 2),
    }
    print(json.dumps(figures))


def memory_mb(name: str) -> float:
    """Return the resident memory of this process (VmRSS), or its peak (VmHWM)."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(f"{name}:"))
    return round(int(line.split()[1]) / 1024, 1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        export(sys.argv[1])
    else:
        main()
