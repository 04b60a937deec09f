"""Tokens without a vocabulary: an estimate, and marked as one."""

import re

_CHARS_PER_TOKEN = 3.6
"""English prose has about 4.2 with the vocabularies in use, code and tables about 3.2."""
_DENSE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]"
)
"""Characters that cost about a token each: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer, full width, emoji."""


class EstimatedTokens:
    """Counts characters: about 3.6 to a token, one in scripts that vocabularies spell character by character.

    Meant to be a little too high rather than too low. It is no upper bound: a limit that must hold is held in bytes.
    """

    id = "estimate/1"

    def count(self, text: str) -> int:
        """See the port."""
        if not text:
            return 0
        dense = 0 if text.isascii() else len(_DENSE.findall(text))
        return max(1, round(dense + (len(text) - dense) / _CHARS_PER_TOKEN))
