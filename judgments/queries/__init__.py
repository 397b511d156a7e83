"""Reads that cross tables."""
