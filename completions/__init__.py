"""What models said: requests and responses of language models, only ever added to.

The house names this package (see docs/decisions); its tables arrive with the LLM collections.
"""
