"""The two characters that join or part letters without being seen."""

from typing import Final

__all__ = ["ZWJ", "ZWNJ"]

ZWNJ: Final = "\u200c"
ZWJ: Final = "\u200d"
