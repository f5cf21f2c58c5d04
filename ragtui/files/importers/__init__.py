"""Other tools' result files as question sets and runs, one module a format."""
