import json

import numpy as np
import pytest

from catalog.workflows.beat_detection import (
    Recording,
    event_f1,
    inside,
    moved_to_maxima,
    prepare,
    robust_height,
    run,
    squared_slope,
    usual_height,
)
from catalog.workflows.factors import masks
from tests.shared import SHARED, needs_shared

QRS_CODES = {*range(1, 14), 25, 30, 31, 34, 35, 38, 41}


def first_channel(raw: bytes) -> np.ndarray:
    """Decode WFDB format 212: two 12-bit samples, one per channel, in three bytes."""
    low, middle, _ = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 3).astype(np.int64).T
    value = low | (middle & 0x0F) << 8
    return np.where(value < 2048, value, value - 4096)


def beat_samples(raw: bytes) -> np.ndarray:
    """Decode the QRS labels of a WFDB annotation file in MIT format."""
    words, time, position, beats = np.frombuffer(raw, dtype="<u2"), 0, 0, []
    while words[position] != 0:
        code, value = divmod(int(words[position]), 1024)
        position += 1
        if code == 59:  # a long interval follows, high word first
            time += (int(words[position]) << 16) + int(words[position + 1])
            position += 2
        elif code == 63:  # text of that many bytes follows
            position += (value + 1) // 2
        elif code < 60:
            time += value
            beats += [time] * (code in QRS_CODES)
    return np.array(beats)


@needs_shared
@pytest.mark.shared
def test_record_100_gives_the_published_utilities():
    folder = SHARED / "data" / "fetched" / "mitdb"
    adc = first_channel((folder / "100.dat").read_bytes())[:108000]
    beats = beat_samples((folder / "100.atr").read_bytes())
    # workflows.md, "WFDB record"
    assert adc[0] == 995
    assert (len(beats), beats[:3].tolist()) == (2273, [77, 370, 662])
    recording = prepare(Recording((adc - 1024) / 200, beats[beats < 108000]))
    assert len(recording.beats) == 369

    reference = SHARED / "data" / "wwb" / "references" / "mitdb_100__d6.json"
    truth = json.loads(reference.read_text())["truth"]
    utility = {mask: run(recording, mask).utility for mask in masks(6)}
    # Equal peaks of a quantised signal: NumPy sorts them differently with AVX-512 and without.
    del utility["001010"], truth["001010"]
    assert utility == pytest.approx(truth, abs=1e-9)


def test_an_event_matches_once():
    assert event_f1(np.array([100, 110]), np.array([105]), tolerance=36) == pytest.approx(2 / 3)


def test_the_tolerance_itself_still_matches():
    assert event_f1(np.array([100]), np.array([136]), tolerance=36) == 1.0
    assert event_f1(np.array([100]), np.array([137]), tolerance=36) == 0.0
    assert event_f1(np.array([136]), np.array([100]), tolerance=36) == 1.0


def test_an_unmatched_event_does_not_block_the_next():
    predicted, reference = np.array([10, 500, 900]), np.array([505, 700, 899])
    assert event_f1(predicted, reference, tolerance=36) == pytest.approx(2 * 2 / 6)


def test_no_beats_at_all_is_perfect_and_only_one_side_is_zero():
    none = np.array([], dtype=np.int64)
    assert event_f1(none, none, tolerance=36) == 1.0
    assert event_f1(none, np.array([5]), tolerance=36) == 0.0
    silence = prepare(Recording(np.zeros(3600), none))
    assert run(silence, "000000").utility == 1.0


def test_peaks_move_to_the_largest_deflection_and_merge():
    magnitude = np.zeros(200)
    magnitude[[100, 5]] = 1.0
    assert moved_to_maxima(magnitude, np.array([3, 73, 127])).tolist() == [5, 100]
    assert moved_to_maxima(magnitude, np.array([72])).tolist() == [45]


def test_the_first_and_the_last_second_are_left_out():
    assert inside(np.array([359, 360, 3239, 3240]), 3600).tolist() == [360, 3239]


def test_heights_and_slope_follow_their_formulas():
    envelope = np.array([0.0, 1.0, 2.0, 5.0])
    assert usual_height(envelope) == 2.0 + np.sqrt(3.5)
    assert robust_height(envelope) == pytest.approx(1.5 + 3 * 1.4826 * 1.0)
    assert squared_slope(envelope).tolist() == [0.0, 1.0, 1.0, 9.0]
