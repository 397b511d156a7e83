"""Electrocardiograms of the beat detection family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="ecg_208",
        title="MIT-BIH Arrhythmia record 208, five minutes, silver reference",
        family="beat_detection",
        files=("ecg_208.npz", "ecg_208_beats.json"),
        read=partial(readers.recording),
        n_factors=(6,),
        provenance=Provenance.SILVER,
        question="Which options find the heart beats of a recording with many ectopic beats best?",
        input_summary=(
            "Five minutes of one lead at 360 Hz (108,000 samples, mV); the 498 reference beats are "
            "those that at least two of three published detectors agree on, not a cardiologist's."
        ),
        cohort={"samples": 108000, "beats": 498},
    ),
    Source(
        name="simulated_sinus",
        title="Simulated sinus rhythm with baseline wander",
        family="beat_detection",
        files=("simulated_sinus.npz", "simulated_sinus_beats.json"),
        read=partial(readers.recording, steps_per_millivolt=1_000_000),
        n_factors=(6,),
        provenance=Provenance.SIMULATED,
        question="Which options find the beats of a wandering electrocardiogram best?",
        input_summary=(
            "Five simulated minutes at 360 Hz (108,000 samples, mV): 65 beats a minute, wandering "
            "baseline, 322 beats at exactly known times."
        ),
        cohort={"samples": 108000, "beats": 322},
    ),
    Source(
        name="simulated_tachycardia",
        title="Simulated tachycardia with muscle noise",
        family="beat_detection",
        files=("simulated_tachycardia.npz", "simulated_tachycardia_beats.json"),
        read=partial(readers.recording, steps_per_millivolt=1_000_000),
        n_factors=(6,),
        provenance=Provenance.SIMULATED,
        question="Which options find the beats of a fast, noisy electrocardiogram best?",
        input_summary=(
            "Five simulated minutes at 360 Hz (108,000 samples, mV): 150 beats a minute, muscle "
            "noise, 744 beats at exactly known times."
        ),
        cohort={"samples": 108000, "beats": 744},
    ),
    Source(
        name="simulated_ectopic",
        title="Simulated rhythm with ectopic beats",
        family="beat_detection",
        files=("simulated_ectopic.npz", "simulated_ectopic_beats.json"),
        read=partial(readers.recording, steps_per_millivolt=1_000_000),
        n_factors=(6,),
        provenance=Provenance.SIMULATED,
        question="Which options find normal and premature ventricular beats alike?",
        input_summary=(
            "Five simulated minutes at 360 Hz (108,000 samples, mV): 75 beats a minute, some of "
            "them premature and wide, 372 beats at exactly known times."
        ),
        cohort={"samples": 108000, "beats": 372},
    ),
)
