"""Print mean P@5, R@5 and RR@5 of a TREC run by ir_measures; takes qrels and run."""

from __future__ import annotations

import sys

import ir_measures
from ir_measures import RR, P, R


def main(qrels: str, run: str) -> None:
    """Read both files and print the means."""
    measures = [P @ 5, R @ 5, RR @ 5]
    judged = ir_measures.read_trec_qrels(qrels)  # type: ignore[no-untyped-call]  # has no types
    ranked = ir_measures.read_trec_run(run)  # type: ignore[no-untyped-call]  # has no types
    found = ir_measures.calc_aggregate(measures, judged, ranked)
    for measure in measures:
        sys.stdout.write(f"{measure} {found[measure]:.6f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
