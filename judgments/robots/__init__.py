"""Robot participants: what they answer, and how they walk through the real pages over HTTP."""
