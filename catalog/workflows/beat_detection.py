"""Detection of heart beats in an electrocardiogram."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.signal import butter, find_peaks, sosfiltfilt

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome
from catalog.workflows.stages import Stage, compute

Samples = NDArray[np.int64]


@dataclass(frozen=True)
class Recording:
    """Five minutes of one lead at 360 Hz in mV, and the samples of its reference beats.

    Attributes
    ----------
    signal : ndarray of float, shape (n,)
        Millivolt, 360 samples a second.
    beats : ndarray of int, shape (n_beats,)
        Samples, sorted, from 0 to n - 1.
    """

    signal: FloatArray
    beats: Samples

    @property
    def cohort(self) -> dict[str, int]:
        """Count the samples and the reference beats that are scored."""
        return {"samples": len(self.signal), "beats": len(self.beats)}


def prepare(recording: Recording) -> Recording:
    """Keep the reference beats that are at least one second from both ends.

    Parameters
    ----------
    recording : Recording

    Returns
    -------
    Recording

    Examples
    --------
    >>> prepare(Recording(np.zeros(1080), np.array([359, 360, 719, 720]))).beats
    array([360, 719])
    """
    return Recording(recording.signal, inside(recording.beats, len(recording.signal)))


def run(recording: Recording, mask: str, stage: Stage = compute) -> Outcome:
    """Detect the beats and match them with the reference beats.

    Parameters
    ----------
    recording : Recording
        360 samples a second.
    mask : str
        Six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value and utility: F1 at 100 ms. Prediction: the samples of the detected beats.

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> signal = np.zeros(3600)
    >>> signal[300:3600:300] = 1.0
    >>> run(prepare(Recording(signal, np.arange(300, 3600, 300))), "000000").utility
    1.0
    """
    on = Switches.of(mask)

    work = stage(centred, recording.signal)
    if on.A:
        work = stage(filtered, work, kind="highpass", hertz=0.5)
    if on.B:
        work = stage(filtered, work, kind="lowpass", hertz=35.0)

    envelope = stage(squared_slope if on.C else np.abs, work)
    if on.D:
        envelope = stage(uniform_filter1d, envelope, size=43, mode="nearest")  # 0.12 s
    height = stage(robust_height if on.E else usual_height, envelope)
    peaks, _ = find_peaks(envelope, height=height, distance=108 if on.F else 72)  # 0.3 or 0.2 s

    beats = inside(moved_to_maxima(np.abs(work), peaks), len(work))
    f1 = event_f1(beats, recording.beats, tolerance=36)  # 0.1 s
    return Outcome.of(native_value=f1, utility=f1, prediction=beats)


def inside(beats: Samples, n_samples: int) -> Samples:
    """Keep the beats that are at least one second from both ends.

    Parameters
    ----------
    beats : ndarray of int
    n_samples : int
        Length of the recording.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> inside(np.array([0, 500, 719, 720]), 1080)
    array([500, 719])
    """
    return beats[(beats >= 360) & (beats < n_samples - 360)]


def centred(signal: FloatArray) -> FloatArray:
    """Subtract the median.

    Parameters
    ----------
    signal : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> centred(np.array([1.0, 2.0, 9.0]))
    array([-1.,  0.,  7.])
    """
    result: FloatArray = signal - np.median(signal)
    return result


def filtered(
    signal: FloatArray, *, kind: Literal["highpass", "lowpass"], hertz: float
) -> FloatArray:
    """Apply a second-order Butterworth filter forwards and backwards.

    Parameters
    ----------
    signal : ndarray of shape (n,)
        360 samples a second.
    kind : {"highpass", "lowpass"}
    hertz : float
        Cut-off frequency.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> bool(abs(filtered(np.ones(100), kind="highpass", hertz=0.5)).max() < 1e-9)
    True
    """
    sections = butter(2, hertz, btype=kind, fs=360, output="sos")
    result: FloatArray = sosfiltfilt(sections, signal)
    return result


def squared_slope(signal: FloatArray) -> FloatArray:
    """Square the difference to the sample before; the first value is 0.

    Parameters
    ----------
    signal : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> squared_slope(np.array([1.0, 3.0, 2.0]))
    array([0., 4., 1.])
    """
    slope: FloatArray = np.diff(signal, prepend=signal[0]) ** 2
    return slope


def usual_height(envelope: FloatArray) -> float:
    """Return the mean plus one standard deviation.

    Parameters
    ----------
    envelope : ndarray of shape (n,)

    Returns
    -------
    float

    Examples
    --------
    >>> usual_height(np.array([1.0, 3.0]))
    3.0
    """
    return float(envelope.mean() + envelope.std())


def robust_height(envelope: FloatArray) -> float:
    """Return the median plus three scaled median absolute deviations.

    Parameters
    ----------
    envelope : ndarray of shape (n,)

    Returns
    -------
    float

    Examples
    --------
    >>> round(robust_height(np.array([0.0, 1.0, 2.0])), 4)
    5.4478
    """
    median = np.median(envelope)
    deviation = np.median(np.abs(envelope - median))
    return float(median + 3 * 1.4826 * deviation)


def moved_to_maxima(magnitude: FloatArray, peaks: Samples) -> Samples:
    """Move each peak to the largest value within 75 ms, and merge those that meet.

    Parameters
    ----------
    magnitude : ndarray of shape (n,)
        360 samples a second.
    peaks : ndarray of int

    Returns
    -------
    ndarray of int
        Sorted, without repeats.

    Examples
    --------
    >>> magnitude = np.zeros(100)
    >>> magnitude[50] = 1.0
    >>> moved_to_maxima(magnitude, np.array([40, 60]))
    array([50])
    """
    starts = [max(peak - 27, 0) for peak in peaks]
    windows = zip(starts, peaks, strict=True)
    moved = {start + int(np.argmax(magnitude[start : peak + 28])) for start, peak in windows}
    return np.array(sorted(moved), dtype=np.int64)


def event_f1(predicted: Samples, reference: Samples, *, tolerance: int) -> float:
    """Match two sorted lists of events one to one, and return 2 TP / (predicted + reference).

    Parameters
    ----------
    predicted, reference : ndarray of int
        Samples, sorted.
    tolerance : int
        Largest distance of a match in samples.

    Returns
    -------
    float
        In [0, 1]; 1 if both lists are empty.

    Examples
    --------
    >>> event_f1(np.array([10, 100]), np.array([12, 300]), tolerance=5)
    0.5
    """
    if len(predicted) + len(reference) == 0:
        return 1.0
    n_matched = i = j = 0
    while i < len(predicted) and j < len(reference):
        lead = predicted[i] - reference[j]
        if abs(lead) <= tolerance:
            n_matched += 1
        # A match advances both lists; otherwise the earlier event goes unmatched.
        i += lead <= tolerance
        j += lead >= -tolerance
    return 2 * n_matched / (len(predicted) + len(reference))


FAMILY = Family(
    name="beat_detection",
    title="Beat detection",
    factors=(
        Factor("A", "Baseline filter", "none", "Butterworth high-pass 0.5 Hz, zero phase"),
        Factor("B", "Noise filter", "none", "Butterworth low-pass 35 Hz, zero phase"),
        Factor("C", "Envelope", "absolute value", "squared first difference"),
        Factor("D", "Smoothing", "none", "moving average over 0.12 s"),
        Factor("E", "Threshold", "mean + standard deviation", "median + 3 scaled deviations"),
        Factor("F", "Shortest distance of peaks", "0.2 s", "0.3 s"),
    ),
    native_metric="F1 of detected and reference beats within 100 ms",
    utility_rule=(
        "F1 = 2 TP / (detected + reference) of beats matched one to one within 100 ms, "
        "the first and the last second left out; 1 if there are none"
    ),
    prepare=prepare,
    run=run,
    code=(
        prepare,
        run,
        inside,
        centred,
        filtered,
        squared_slope,
        usual_height,
        robust_height,
        moved_to_maxima,
        event_f1,
    ),
)
