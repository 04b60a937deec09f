"""One application: settings bound to adapters, and everything a face can ask of it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from satisfice.assembly import wiring
from satisfice.config.tables import DEFAULT_TASK, Settings
from satisfice.core.access import LOCAL_TENANT, Principal
from satisfice.core.evolve import fold
from satisfice.core.facts import Envelope, Fact, RunStarted
from satisfice.core.ids import DocumentId, RunId, SourceId
from satisfice.core.limits import limits_from
from satisfice.core.policy import Policy
from satisfice.core.queries import NO_FILTERS, Filters
from satisfice.core.report import RunReport, report
from satisfice.core.tasks import EFFORTS, TaskClass
from satisfice.corpus.ingesting import IngestReport, Progress, ingest
from satisfice.errors import ConfigError, InputError, Problem, RunNotFound
from satisfice.ports.event_store import RunSummary
from satisfice.ports.observer import Observer
from satisfice.runtime.engine import Run
from satisfice.runtime.replaying import Verified, verify
from satisfice.runtime.resuming import resume
from satisfice.runtime.world import World

if TYPE_CHECKING:
    from satisfice.adapters.corpora.local import LocalCorpus


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source as it stands: what it is and what its store holds."""

    name: str
    path: str
    description: str
    passages: int
    version: str


class ActiveRun:
    """A run under way: `async with app.run(...) as run`. Leaving it early cancels the run; its log says so."""

    def __init__(self, world: Callable[[], World], first: Callable[[], RunStarted]) -> None:
        self._world, self._first = world, first

    async def __aenter__(self) -> Self:
        self._run = await Run.create(self._world(), self._first())
        self._driving = asyncio.ensure_future(self._run.drive())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._driving.done():
            self._run.cancel("the caller left")
            await asyncio.shield(self._driving)

    @property
    def id(self) -> RunId:
        """The run's name in the store."""
        return self._run.id

    async def __aiter__(self) -> AsyncIterator[Fact]:
        """Facts as they become durable, from the first one on."""
        async for envelope in self._run.facts():
            yield envelope.fact

    def envelopes(self) -> AsyncIterator[Envelope]:
        """The same with order, time and branch."""
        return self._run.facts()

    def cancel(self) -> None:
        """Ask for the end; the report follows within half a second."""
        self._run.cancel("the caller")

    async def report(self) -> RunReport:
        """Wait for the end. Raises `StoreError` when the log could not be kept."""
        return await asyncio.shield(self._driving)


class Application:
    """Settings bound to adapters, for one tenant. Open it with `async with`; several runs may use it at once."""

    def __init__(self, settings: Settings, *, tenant: str = LOCAL_TENANT, observers: Sequence[Observer] = ()) -> None:
        self.settings = settings
        self.tenant = tenant
        self._observers = tuple(observers)
        self._clock = wiring.clock()
        self._corpora: dict[SourceId, LocalCorpus] = {}

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            file = wiring.state_file(self.settings)
            stack.push_async_callback(file.close)
            self._embedder = wiring.embedder() if self.settings.source else None
            for name, table in self.settings.source.items():
                opened = wiring.corpus(self.settings, name, table, self.tenant, self._embedder)
                self._corpora[SourceId(name)] = await stack.enter_async_context(opened)
            self._store = wiring.event_store(file, self._clock)
            self._owner = wiring.owner()
            self._reasoner = wiring.reasoner()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._corpora.clear()
        await self._stack.aclose()

    # --- asking ----------------------------------------------------------------------------------------------------

    def run(
        self,
        question: str,
        *,
        principal: Principal | None = None,
        task: str = DEFAULT_TASK,
        effort: str | None = None,
        budget: Mapping[str, object] | None = None,
        history: Sequence[str] = (),
        filters: Filters = NO_FILTERS,
    ) -> ActiveRun:
        """A run, to be entered with `async with`.

        Raises
        ------
        InputError
            The question is empty or too long, or the principal is of another tenant.
        ConfigError
            An unknown task or effort, or a budget that cannot be.
        """
        caller = principal or Principal(tenant=self.tenant)
        if caller.tenant != self.tenant:
            raise InputError(
                f"the caller is of tenant {caller.tenant!r}",
                f"this application is open for {self.tenant!r}",
                "Open one for that tenant.",
            )
        asked = _checked(question)
        chosen = _task(self.settings.task_class(task), effort, budget)
        return ActiveRun(
            self._world, lambda: self._first(asked, caller, chosen, history=tuple(history), filters=filters)
        )

    async def ask(self, question: str, **options: object) -> RunReport:
        """Run to the end; the options are those of `run`."""
        async with self.run(question, **options) as active:  # type: ignore[arg-type]  # `run` says which there are
            return await active.report()

    def _first(
        self, question: str, principal: Principal, task: TaskClass, *, history: tuple[str, ...], filters: Filters
    ) -> RunStarted:
        now = datetime.fromtimestamp(self._clock.wall_ms() / 1000, UTC)
        return RunStarted(
            RunId(f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"),
            question,
            principal,
            task,
            Policy(),
            tuple(corpus.profile for corpus in self._corpora.values()),
            now.isoformat(timespec="seconds"),
            history=history,
            filters=filters,
        )

    def _world(self) -> World:
        return World(
            retrievers=dict(self._corpora),
            reasoners={"extractive": self._reasoner},
            store=self._store,
            clock=self._clock,
            tokens=wiring.tokens(),
            owner=replace(self._owner, token=secrets.token_hex(8)),
            jitter=secrets.SystemRandom().random,
            embedder=self._embedder,
            observers=self._observers,
        )

    # --- documents -------------------------------------------------------------------------------------------------

    async def ingest(
        self, source: str | None = None, *, on_progress: Callable[[str, Progress], None] | None = None
    ) -> tuple[IngestReport, ...]:
        """Make the stores hold what the folders hold now; of one source, or of all. Raises `InputError`, `CorpusError`."""
        if source is not None and source not in self.settings.source:
            known = ", ".join(sorted(self.settings.source)) or "none"
            raise InputError(f"no source {source!r}", f"known: {known}", "Name one of them, or add it to the settings.")
        reports: list[IngestReport] = []
        for name, table in self.settings.source.items():
            if source not in (None, name):
                continue
            reports.append(
                await ingest(
                    wiring.folder(name, table, self.tenant),
                    self._corpora[SourceId(name)],
                    cutter=wiring.cutter(),
                    clock=self._clock,
                    stamps=wiring.corpus_folder(self.settings, table, self.tenant) / "stamps",
                    on_progress=partial(on_progress, name) if on_progress else None,
                )
            )
        return tuple(reports)

    async def sources(self, principal: Principal | None = None) -> tuple[SourceInfo, ...]:
        """What there is to search, as this caller may know it."""
        caller = principal or Principal(tenant=self.tenant)
        found: list[SourceInfo] = []
        for name, table in self.settings.source.items():
            corpus = self._corpora[SourceId(name)]
            statistics = await corpus.statistics((), caller)
            found.append(
                SourceInfo(name, str(table.path), table.description, statistics.passages, corpus.profile.version)
            )
        return tuple(found)

    async def verify_sources(self) -> Mapping[str, tuple[str, ...]]:
        """For each source, how what was derived differs from what is stored; nothing when all is well."""
        return {str(name): tuple(await corpus.verify()) for name, corpus in self._corpora.items()}

    # --- runs ------------------------------------------------------------------------------------------------------

    async def runs(self, limit: int = 50) -> Sequence[RunSummary]:
        """The newest runs of this tenant first."""
        return await self._store.list(tenant=self.tenant, limit=limit)

    async def facts(self, run: str) -> Sequence[Envelope]:
        """A run's log. Raises `RunNotFound`, also for a run of another tenant."""
        envelopes = await self._store.read(RunId(run))
        first = envelopes[0].fact
        if isinstance(first, RunStarted) and first.principal.tenant != self.tenant:
            raise RunNotFound("runs", f"no run is called {run!r}")
        return envelopes

    async def report(self, run: str, reader: Principal | None = None) -> RunReport:
        """A stored run's report, with nothing in it that the reader may not read."""
        return report(fold(await self.facts(run)), reader)

    async def verify(self, run: str) -> Verified:
        """Decide again over a stored log."""
        return verify(await self.facts(run))

    async def resume(self, run: str) -> RunReport:
        """Go on with a run that was left open, on the same budget. A finished one gives its report."""
        await self.facts(run)
        going = await resume(self._world(), RunId(run))
        return going.report() if going.done else await going.drive()

    async def remove(self, run: str) -> bool:
        """Forget a run; False when there was none."""
        await self.facts(run)
        return await self._store.remove(RunId(run))

    async def remove_older_than(self, days: int) -> int:
        """Forget runs that started more than so many days ago; how many there were."""
        now = datetime.fromtimestamp(self._clock.wall_ms() / 1000, UTC)
        removed = 0
        for summary in await self._store.list(tenant=self.tenant, limit=1_000_000):
            if (now - datetime.fromisoformat(summary.started_at)).days >= days:
                removed += await self._store.remove(summary.run)
        return removed

    async def forget_old(self) -> int:
        """Forget what the settings' retention does not keep; how many runs there were. Nothing without a retention."""
        days = self.settings.store.retention_days
        return 0 if days is None else await self.remove_older_than(days)

    async def redact(self, document: str) -> int:
        """Blank a document's text in every stored run; how many were touched."""
        return await self._store.redact(DocumentId(document))


def _checked(question: str) -> str:
    limit = Policy().max_question_chars
    if not question.strip():
        raise InputError("the question is empty", "it needs at least one word", "Ask something.")
    if len(question) > limit:
        raise InputError(
            f"the question has {len(question):,} characters",
            f"at most {limit:,} are allowed",
            "Shorten it, or put the text into a file of the folder.",
        )
    return question


def _task(task: TaskClass, effort: str | None, budget: Mapping[str, object] | None) -> TaskClass:
    if effort is not None:
        if effort not in EFFORTS:
            raise ConfigError((Problem("call", "effort", repr(effort), ", ".join(EFFORTS)),))
        task = replace(task, complexity=EFFORTS[effort])
    overrides = limits_from(budget or {}, {})
    return replace(task, budget=tuple({**dict(task.budget), **overrides}.items()))
