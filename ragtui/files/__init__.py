"""Bytes and paths on one side, core records on the other."""
