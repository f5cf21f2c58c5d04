"""How large and how deep a file may be; beyond these a clear error is kinder than a long wait."""

from __future__ import annotations

from typing import Final

__all__ = [
    "MAX_DOTTED_PARTS",
    "MAX_IDS_LAB",
    "MAX_IDS_OPEN",
    "MAX_ID_LENGTH",
    "MAX_INTEGER",
    "MAX_JOURNAL_BYTES",
    "MAX_LEDGER_BYTES",
    "MAX_LINE_BYTES",
    "MAX_NESTING",
    "MAX_QUESTIONS_TOML_BYTES",
    "MAX_TOML_BYTES",
    "MAX_TRIAGE_BYTES",
    "MIB",
]

MIB: Final = 1024 * 1024
"""Bytes in one mebibyte."""

MAX_TOML_BYTES: Final = MIB
"""Largest manifest, set or policy, in bytes."""

MAX_QUESTIONS_TOML_BYTES: Final = 4 * MIB
"""Largest file of questions written as TOML, in bytes; larger sets use JSONL."""

MAX_TRIAGE_BYTES: Final = 16 * MIB
"""Largest triage file, in bytes."""

MAX_JOURNAL_BYTES: Final = 64 * MIB
"""Largest journal of one session of triage, in bytes."""

MAX_LEDGER_BYTES: Final = 64 * MIB
"""Largest ledger of looks at a held-out set, in bytes."""

MAX_LINE_BYTES: Final = 16 * MIB
"""Longest line of a JSONL file, in bytes without its line end."""

MAX_NESTING: Final = 32
"""Deepest nesting of tables, objects and lists."""

MAX_DOTTED_PARTS: Final = 32
"""Most parts of one dotted TOML key; the standard parser is quadratic in them."""

MAX_INTEGER: Final = 2**63 - 1
"""Largest size of a whole number in a file."""

MAX_IDS_LAB: Final = 100
"""Most ids in one list under the id profile `lab`."""

MAX_IDS_OPEN: Final = 10_000
"""Most ids in one list under the id profile `open`."""

MAX_ID_LENGTH: Final = 512
"""Longest id under the id profile `open`, in characters."""
