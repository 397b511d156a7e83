"""What people judged: studies, participants, items and judgments, only ever added to.

The house names this package (see docs/decisions); its tables arrive with the human study.
"""
