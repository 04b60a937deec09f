"""Counting tokens."""

from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens the way some model would. `id` is recorded with every count."""

    @property
    def id(self) -> str: ...

    def count(self, text: str) -> int:
        """Tokens in `text`; at least 1 for text that is not empty."""
        ...
