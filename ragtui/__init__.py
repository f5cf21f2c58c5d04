"""Compare two recorded RAG runs over one frozen, human-labelled question set."""
