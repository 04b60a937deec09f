"""Which adapter stands behind each port. The only place that names adapters, each imported when it is built."""

import hashlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from satisfice.config.tables import Settings, SourceTable
from satisfice.core.access import Permission
from satisfice.core.ids import SourceId
from satisfice.core.sources import SourceProfile
from satisfice.corpus.chunking import Cutter
from satisfice.corpus.ingesting import Folder
from satisfice.errors import MissingExtraError, StoreError
from satisfice.ports.clock import Clock
from satisfice.ports.embedder import Embedder
from satisfice.ports.event_store import Owner
from satisfice.ports.reasoner import Reasoner
from satisfice.ports.tokens import TokenCounter

if TYPE_CHECKING:
    from satisfice.adapters.corpora.local import LocalCorpus
    from satisfice.adapters.event_stores.sqlite import SqliteEventStore
    from satisfice.adapters.event_stores.state_file import StateFile

ADAPTERS = {
    "clock": "satisfice.adapters.clocks.system:SystemClock",
    "corpus": "satisfice.adapters.corpora.local:LocalCorpus",
    "embedder": "satisfice.adapters.embedders.wordllama:WordllamaEmbedder",
    "events": "satisfice.adapters.event_stores.sqlite:SqliteEventStore",
    "owner": "satisfice.adapters.event_stores.processes:current_owner",
    "reasoner": "satisfice.adapters.reasoners.extractive:ExtractiveReasoner",
    "signature": "satisfice.adapters.corpora.signatures:signature",
    "signature_id": "satisfice.adapters.corpora.signatures:SIGNED_BY",
    "state_file": "satisfice.adapters.event_stores.state_file:StateFile",
    "synchronous": "satisfice.adapters.event_stores.state_file:Synchronous",
    "tokens": "satisfice.adapters.tokens.estimate:EstimatedTokens",
}


def _adapter(name: str) -> Any:
    module, _, attribute = ADAPTERS[name].partition(":")
    return getattr(import_module(module), attribute)


def clock() -> Clock:
    """The machine's clocks."""
    return _adapter("clock")()


def owner() -> Owner:
    """This process, as the owner of the runs it drives."""
    return _adapter("owner")()


def tokens() -> TokenCounter:
    """Estimated counts; a model's own tokenizer comes with the model."""
    return _adapter("tokens")()


def reasoner() -> Reasoner:
    """The reasoner that needs no model."""
    return _adapter("reasoner")()


def embedder() -> Embedder | None:
    """Vectors when the extra is installed; without them search is by words alone."""
    try:
        return _adapter("embedder")()
    except MissingExtraError:
        return None


def home(settings: Settings) -> Path:
    """Where everything is kept: the folder of the settings, else the user's cache."""
    return settings.store.dir or user_cache_path("satisfice")


def state_file(settings: Settings) -> "StateFile":
    """The file that remembers runs. Raises `StoreError` when its folder cannot be made."""
    folder = home(settings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"{str(folder)!r} cannot be made ({error.strerror}); choose another place with --store or [store] dir"
        raise StoreError("state", why) from error
    level = _adapter("synchronous")
    return _adapter("state_file")(folder / "state.db", synchronous=level.FULL if settings.store.fsync else level.NORMAL)


def event_store(file: "StateFile", ticking: Clock) -> "SqliteEventStore":
    """Logs in that file."""
    return _adapter("events")(file, ticking)


def profile(name: str, table: SourceTable) -> SourceProfile:
    """A source as the core sees it."""
    return SourceProfile(
        SourceId(name),
        table.description,
        evidence_class=table.evidence_class,
        authority=table.authority,
        passage_tokens=cutter().passage_tokens,
    )


def corpus_folder(settings: Settings, table: SourceTable, tenant: str) -> Path:
    """Where a folder's corpus is kept: named after the folder's place and its tenant, so that no two tenants share one."""
    place = str(table.path.resolve())
    key = hashlib.sha256(f"{tenant}\x1f{place}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return home(settings) / "sources" / f"{table.path.resolve().name[:40] or 'root'}-{key}"


def corpus(settings: Settings, name: str, table: SourceTable, tenant: str, vectors: Embedder | None) -> "LocalCorpus":
    """A folder's documents, searchable. Not opened yet."""
    return _adapter("corpus")(corpus_folder(settings, table, tenant), profile(name, table), vectors)


def folder(name: str, table: SourceTable, tenant: str) -> Folder:
    """What an ingest takes in for a source."""
    return Folder(
        table.path,
        SourceId(name),
        Permission(tenant, frozenset(table.access)),
        table.authority,
        table.evidence_class,
        table.ignore,
    )


def cutter() -> Cutter:
    """How passages are made of documents."""
    return Cutter(tokens(), sign=_adapter("signature"), signed_by=_adapter("signature_id"))
