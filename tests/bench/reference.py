"""
What a person would write in an hour: load all three files with json, score by the plain rules.

Takes a folder with questions.jsonl, a.jsonl and b.jsonl; prints means and verdicts as JSON. No
check of any kind; everything in memory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CUTOFF = 5


def lines(path: Path) -> list[dict[str, Any]]:
    """Load one JSON object a line."""
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def score(question: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Score one question by the plain rules."""
    items = record["retrieved"][:CUTOFF]
    visible = [item["id"] if isinstance(item, dict) else item for item in items]
    relevant = set(question["relevant"])
    hits = [document for document in visible if document in relevant]
    ranks = [rank for rank, document in enumerate(visible, 1) if document in relevant]
    good = [
        claim["id"]
        for claim in record["claims"]
        if claim["citations"]
        and claim["id"] in question["support"]
        and all(c in question["support"][claim["id"]] and c in visible for c in claim["citations"])
    ]
    claims = len(record["claims"])
    return {
        "precision": len(hits) / CUTOFF if relevant else None,
        "recall": len(hits) / len(relevant) if relevant else None,
        "rr": (1 / ranks[0] if ranks else 0.0) if relevant else None,
        "support": len(good) / claims if claims else None,
        "coverage": len(set(good)) / len(question["support"]) if question["support"] else None,
        "abstained": not claims,
        "good": set(good),
        "bad": {claim["id"] for claim in record["claims"]} - set(good),
        "hits": set(hits),
    }


def main(folder: Path) -> None:
    """Print every question's scores and what was gained and lost."""
    questions = lines(folder / "questions.jsonl")
    runs = [{r["question"]: r for r in lines(folder / f"{name}.jsonl")} for name in "ab"]
    found = []
    for question in questions:
        a, b = (score(question, run[question["id"]]) for run in runs)
        plus = [*sorted(b["good"] - a["good"]), *sorted(a["bad"] - b["bad"])]
        minus = [*sorted(a["good"] - b["good"]), *sorted(b["bad"] - a["bad"])]
        for side in (a, b):
            for key in ("good", "bad", "hits"):
                side[key] = sorted(side[key])
        found.append({"question": question["id"], "a": a, "b": b, "plus": plus, "minus": minus})
    json.dump({"questions": found}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
