"""A language model that speaks chat completions."""

from dataclasses import dataclass
from typing import Protocol

from satisfice.core.ids import PassageId


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt, ready to send. `hash` names the template version it came from."""

    messages: tuple[Message, ...]
    max_completion_tokens: int
    hash: str = ""
    shown: tuple[PassageId, ...] = ()
    """The passages it contains: citations in the reply may name these and no others."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a provider reports. None means it did not say, which is not zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply."""

    text: str
    usage: Usage = Usage()
    finish_reason: str = "stop"


class Model(Protocol):
    """One model behind one route. Never retries by itself: an attempt is an order with its own hold."""

    @property
    def id(self) -> str: ...

    @property
    def min_ms(self) -> int: ...

    def price_microusd(self, prompt_tokens: int, completion_tokens: int) -> int | None:
        """What so many tokens cost; None when the price is unknown, which is not zero."""
        ...

    def prompt_tokens(self, prompt: Prompt) -> int:
        """A sound upper bound on the prompt's tokens."""
        ...

    async def complete(self, prompt: Prompt) -> Completion:
        """Send the prompt once. Raises `ModelError`; a failed call may carry usage."""
        ...
