"""The 36 conditions that the specification counts: a catalogue that grows keeps their figures."""

from django.core.management import call_command

from catalog.actions.releases import publish_structure
from catalog.models import Release, Task
from catalog.truth import surface

# workflows.md, "Sources of our catalogue": four factors, both tracks, six factors
FOUR_FACTORS = (
    *("breast_diagnostic", "ionosphere", "digits", "auto_mpg", "biomass", "diabetes"),
    *("glass", "penguins", "pendigits", "elnino", "nile", "sunspots"),
    *("coffee", "hubble_deep_field", "rocket", "debtags"),
)
BOTH_TRACKS = ("spambase", "concrete", "wine", "co2", "astronaut", "semanlink")
SIX_FACTORS = (
    *("ecg_208", "simulated_sinus", "simulated_tachycardia", "simulated_ectopic"),
    *("graph_lesmis", "karate", "celegans_neural", "drosophila_mushroom_body"),
)
SLUGS = (
    *FOUR_FACTORS,
    *BOTH_TRACKS,
    *(f"{name}__d6" for name in BOTH_TRACKS + SIX_FACTORS),
)


def load_first_release() -> None:
    """Load the catalogue, and leave only the tasks that the specification counts."""
    call_command("load_catalog", verbosity=0)
    release = Release.objects.get()
    Task.objects.exclude(slug__in=SLUGS).update(is_current=False)
    current = Task.objects.filter(is_current=True)
    publish_structure(release=release, surfaces={task: surface(task) for task in current})
