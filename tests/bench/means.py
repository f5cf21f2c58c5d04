"""Print mean P@5, R@5 and RR@5 of one run, given its manifest."""

from __future__ import annotations

import sys

import ragtui


def main(manifest: str) -> None:
    """Load, score, and print the means."""
    run = ragtui.load(manifest)
    for measure in run.measures[:3]:
        mean = run.own(measure).mean
        sys.stdout.write(f"{measure.written(run.cutoff)} {float(mean or 0):.6f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
