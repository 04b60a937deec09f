"""Everything a run may reach, as ports: the only way from an order to an effect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from satisfice.core.ids import SourceId
from satisfice.ports.clock import Clock
from satisfice.ports.embedder import Embedder
from satisfice.ports.event_store import EventStore, Owner
from satisfice.ports.model import Model
from satisfice.ports.observer import Observer
from satisfice.ports.quota import Quota
from satisfice.ports.reasoner import Reasoner
from satisfice.ports.retriever import Retriever
from satisfice.ports.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class World:
    """The bound ports of one application.

    `reasoners` and `models` are by route; the route `extractive` always has a reasoner and never a model. `jitter`
    draws from 0 to 1 for back-off. `quota_path` names the shared accounts above a run, outermost first.
    """

    retrievers: Mapping[SourceId, Retriever]
    reasoners: Mapping[str, Reasoner]
    store: EventStore
    clock: Clock
    tokens: TokenCounter
    owner: Owner
    jitter: Callable[[], float]
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    embedder: Embedder | None = None
    observers: Sequence[Observer] = ()
    quota: Quota | None = None
    quota_path: Sequence[str] = ()
