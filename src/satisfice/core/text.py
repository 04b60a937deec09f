"""Text as the core compares it: canonical form, terms, sentences, names, numbers and a light stemmer."""

import unicodedata


def canonical(text: str) -> str:
    """NFKC, lower case, single spaces: equal for texts that differ only in spelling habits."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
