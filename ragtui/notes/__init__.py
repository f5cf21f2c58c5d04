"""Comparison → release note: one format-neutral document, and one writer a format."""
