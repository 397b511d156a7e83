"""Make the three simulated recordings in catalog/data/sources with their exact beat times.

    python tools/simulate_ecg.py catalog/data/sources

The dynamical model of McSharry, Clifford, Tarassenko and Smith, "A dynamical model for generating
synthetic electrocardiogram signals", IEEE Transactions on Biomedical Engineering 50(3), 2003: an
angle turns once a beat, and five waves pull the signal as the angle passes them. A beat is where
the angle passes that of its R wave, so the beat times are known exactly. The signals are written
in nanovolts: coarser steps would make ties among peaks, which processors sort differently.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, lfilter, sosfilt

Signal = NDArray[np.float64]

HERTZ = 360
N_SAMPLES = 300 * HERTZ
STEPS_PER_MILLIVOLT = 1_000_000


@dataclass(frozen=True)
class Morphology:
    """Angle (radian), size and width of the waves P, Q, R, S, T: Table I of the paper."""

    angle: Signal
    size: Signal
    width: Signal


NORMAL = Morphology(
    np.pi * np.array([-1 / 3, -1 / 12, 0.0, 1 / 12, 1 / 2]),
    np.array([1.2, -5.0, 30.0, -7.5, 0.75]),
    np.array([0.25, 0.1, 0.1, 0.1, 0.4]),
)
# A premature ventricular beat: no P wave, a wide and large R wave, an inverted T wave.
VENTRICULAR = Morphology(
    NORMAL.angle,
    np.array([0.0, 0.0, 7.0, -1.5, -0.6]),
    np.array([0.25, 0.1, 0.25, 0.25, 0.5]),
)


def rr_intervals(rng: np.random.Generator, *, beats_per_minute: float, deviation: float) -> Signal:
    """Return intervals (s) whose spectrum has the paper's two peaks, 0.1 and 0.25 Hz, ratio 0.5."""
    n = 1024
    frequency = np.fft.rfftfreq(n, d=60 / beats_per_minute)
    power = sum(
        share * np.exp(-((frequency - centre) ** 2) / (2 * 0.01**2))
        for centre, share in ((0.1, 1 / 3), (0.25, 2 / 3))
    )
    phases = rng.uniform(0, 2 * np.pi, len(frequency))
    series = np.fft.irfft(np.sqrt(power) * np.exp(1j * phases), n)
    rate = beats_per_minute + deviation * (series - series.mean()) / series.std()
    intervals: Signal = 60 / rate
    return intervals


def waves(beat_times: Signal, kinds: list[Morphology]) -> Signal:
    """Integrate the third equation of the model and scale it to -0.4 ... 1.2 mV as the paper does.

    Started on the unit circle, the first two equations keep the angle on it: it is linear in
    time between beats. What is left is linear in z and integrated by the trapezoidal rule.
    """
    time = np.arange(N_SAMPLES) / HERTZ
    turns = np.interp(time, beat_times, np.arange(len(beat_times)))
    beat = np.rint(turns).astype(int)
    angle = 2 * np.pi * (turns - beat)
    pull = np.zeros(N_SAMPLES)
    for index, kind in enumerate(kinds):
        rows = np.flatnonzero(beat == index)
        offset = angle[rows, None] - kind.angle
        offset = (offset + np.pi) % (2 * np.pi) - np.pi
        pull[rows] = -(kind.size * offset * np.exp(-(offset**2) / (2 * kind.width**2))).sum(axis=1)
    half = 0.5 / HERTZ
    z = lfilter([half, half], [1 + half, half - 1], pull)
    normal = z[np.isin(beat, [i for i, kind in enumerate(kinds) if kind is NORMAL])]
    scaled: Signal = -0.4 + 1.6 * (z - normal.min()) / (normal.max() - normal.min())
    return scaled


def baseline_wander(rng: np.random.Generator) -> Signal:
    """Return breathing at 0.25 Hz and a slow drift, about half a millivolt each."""
    time = np.arange(N_SAMPLES) / HERTZ
    drift = sosfilt(butter(2, 0.1, fs=HERTZ, output="sos"), rng.normal(size=N_SAMPLES))
    wander: Signal = 0.5 * np.sin(2 * np.pi * 0.25 * time) + 0.5 * drift / drift.std()
    return wander


def muscle_noise(rng: np.random.Generator, millivolt: float) -> Signal:
    """Return noise of 20 to 150 Hz that swells and fades over some seconds."""
    noise = sosfilt(
        butter(2, (20, 150), btype="bandpass", fs=HERTZ, output="sos"), rng.normal(size=N_SAMPLES)
    )
    swell = sosfilt(butter(2, 0.2, fs=HERTZ, output="sos"), rng.normal(size=N_SAMPLES))
    swelling: Signal = millivolt * noise / noise.std() * np.exp(0.5 * swell / swell.std())
    return swelling


def sinus(rng: np.random.Generator) -> tuple[Signal, Signal]:
    """Simulate a sinus rhythm of 65 a minute with baseline wander."""
    times = np.cumsum(rr_intervals(rng, beats_per_minute=65, deviation=3))
    signal = waves(times, [NORMAL] * len(times))
    return times, signal + baseline_wander(rng) + rng.normal(0, 0.02, N_SAMPLES)


def tachycardia(rng: np.random.Generator) -> tuple[Signal, Signal]:
    """Simulate a rhythm of 150 a minute with muscle noise."""
    times = np.cumsum(rr_intervals(rng, beats_per_minute=150, deviation=4))
    signal = waves(times, [NORMAL] * len(times))
    return times, signal + muscle_noise(rng, 0.25)


def ectopic(rng: np.random.Generator) -> tuple[Signal, Signal]:
    """Simulate a rhythm of 75 a minute of which every eighth beat or so is ventricular."""
    intervals = rr_intervals(rng, beats_per_minute=75, deviation=3)
    early = np.flatnonzero(rng.random(len(intervals)) < 1 / 8)
    early = early[np.diff(early, prepend=-9) > 1]
    # Early by 40 % of the interval, and a pause that makes up for it.
    shift = 0.4 * intervals[early]
    intervals[early] -= shift
    following = early + 1 < len(intervals)
    intervals[early[following] + 1] += shift[following]
    kinds = [NORMAL] * len(intervals)
    for index in early:
        kinds[index] = VENTRICULAR
    times = np.cumsum(intervals)
    return times, waves(times, kinds) + 0.3 * baseline_wander(rng) + muscle_noise(rng, 0.05)


def main(folder: str) -> None:
    """Write signal and beats of each rhythm; equal for equal libraries."""
    for seed, rhythm in enumerate((sinus, tachycardia, ectopic), start=20260907):
        times, signal = rhythm(np.random.default_rng(seed))
        steps = np.rint(signal * STEPS_PER_MILLIVOLT).astype("<i4")
        samples = [int(sample) for sample in np.rint(times * HERTZ) if sample < N_SAMPLES]
        stem = Path(folder) / f"simulated_{rhythm.__name__}"
        np.savez_compressed(stem.with_suffix(".npz"), ecg=steps)
        content = {"reference": "exact", "seed": seed, "samples": samples}
        text = json.dumps(content, indent=1) + "\n"
        stem.with_name(f"{stem.name}_beats.json").write_text(text, encoding="utf-8")
        print(stem.name, len(samples), "beats", signal.min().round(2), signal.max().round(2), "mV")


if __name__ == "__main__":
    main(*sys.argv[1:])
