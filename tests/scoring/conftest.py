from hypothesis import settings

# A busy machine is not a wrong result.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
