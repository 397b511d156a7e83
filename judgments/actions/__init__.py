"""Writes: each is one durable transaction, committed when it returns."""
