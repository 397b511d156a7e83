"""Make catalog/data/sources/ecg_208_beats.json: a silver reference for an unlabelled recording.

Run once in an environment of its own (pip install sleepecg neurokit2):

    python tools/prepare_ecg_208.py catalog/data/sources/ecg_208.npz OUTPUT

Three published detectors mark the beats. A beat of the reference is where at least two of them
agree within 100 ms, at the largest deflection within 75 ms of the median of their marks. This is
agreement of algorithms, not a cardiologist's reading: the file and the task are named silver.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import neurokit2  # type: ignore[import-not-found]  # never a requirement of the site
import numpy as np
import sleepecg  # type: ignore[import-not-found]
from numpy.typing import NDArray

Signal = NDArray[np.float64]
Samples = NDArray[np.int64]

HERTZ = 360
AGREE_WITHIN = 36  # samples, 100 ms
MOVE_WITHIN = 27  # samples, 75 ms
NEUROKIT = f"neurokit2 {version('neurokit2')} ecg_findpeaks"
DETECTORS = {
    "Pan and Tompkins 1985, modified": f"sleepecg {version('sleepecg')} detect_heartbeats",
    "Christov 2004": f"{NEUROKIT}(method='christov2004')",
    "Zong 2003": f"{NEUROKIT}(method='zong2003')",
}


def marks(ecg: Signal) -> list[Samples]:
    """Return the samples that each detector marks, in the order of DETECTORS."""
    cleaned = neurokit2.ecg_clean(ecg, sampling_rate=HERTZ, method="neurokit")
    return [
        sleepecg.detect_heartbeats(ecg, HERTZ),
        *(
            neurokit2.ecg_findpeaks(cleaned, sampling_rate=HERTZ, method=method)["ECG_R_Peaks"]
            for method in ("christov2004", "zong2003")
        ),
    ]


def consensus(all_marks: list[Samples], ecg: Signal) -> list[int]:
    """Return the beats on which at least two detectors agree."""
    labelled = sorted((int(mark), i) for i, found in enumerate(all_marks) for mark in found)
    groups: list[list[tuple[int, int]]] = []
    for mark in labelled:
        if groups and mark[0] - groups[-1][0][0] <= AGREE_WITHIN:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    deflection = np.abs(ecg - np.median(ecg))
    beats = set()
    for group in groups:
        if len({detector for _, detector in group}) >= 2:
            middle = int(np.median([mark for mark, _ in group]))
            start = max(middle - MOVE_WITHIN, 0)
            beats.add(start + int(np.argmax(deflection[start : middle + MOVE_WITHIN + 1])))
    return sorted(beats)


def main(recording: str, output: str) -> None:
    """Write the silver reference with the detectors and the rule that made it."""
    ecg = np.load(recording)["ecg"]
    all_marks = marks(ecg)
    beats = consensus(all_marks, ecg)
    content = {
        "reference": "silver",
        "rule": "at least two of three detectors within 100 ms; largest deflection within 75 ms",
        "detectors": DETECTORS,
        "samples": beats,
    }
    Path(output).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print([len(found) for found in all_marks], len(beats), output)


if __name__ == "__main__":
    main(*sys.argv[1:])
