"""One order, one port call, one outcome. Nothing else in satisfice reaches the world on behalf of a run."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from satisfice.core.amounts import Amounts, Charge
from satisfice.core.checking import fault_of
from satisfice.core.facts import (
    CacheReadFailed,
    LookUpFailed,
    LookUpFinished,
    Outcome,
    RerankFailed,
    SearchFailed,
    SearchFinished,
    ThinkFailed,
    ThinkFinished,
    Thought,
)
from satisfice.core.orders import Effect, LookUp, ReadCache, Rerank, Search, Think
from satisfice.core.passages import Passage
from satisfice.core.state import RunState
from satisfice.errors import AdapterError, ModelError
from satisfice.ports.model import Completion, Prompt
from satisfice.ports.reasoner import Reasoner, Unusable, View
from satisfice.runtime.deadlines import within
from satisfice.runtime.viewing import Viewer
from satisfice.runtime.world import World


@dataclass(slots=True)
class Attempt:
    """One order on its way: whether its port was called, and what was used once that is known."""

    order: Effect
    called: bool = False
    used: Charge | None = None

    def cost(self) -> Charge:
        """What is owed for it as things stand: a step until the port is called, then the ceiling, then what was used."""
        if self.used is not None:
            return self.used
        return _tried(self.order) if self.called else Charge(Amounts(steps=1))


class Performer:
    """Performs the orders of one run."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._viewer = Viewer(world)

    async def perform(self, attempt: Attempt, state: RunState, left_ms: int) -> Outcome:
        """The order's outcome; `state` is the one in which it starts, with so much time left for searching.

        Never raises but for cancellation: what goes wrong in the world is an outcome.
        """
        try:
            match attempt.order:
                case Think() as order:
                    return await self._think(order, attempt, state)
                case Search() as order:
                    return await self._search(order, attempt, state, left_ms)
                case LookUp() as order:
                    return await self._look_up(order, attempt, state)
                case Rerank():
                    return RerankFailed("no reranker is bound", retryable=False, charge=attempt.cost())
                case ReadCache():
                    return CacheReadFailed("no evidence cache is bound", retryable=False, charge=attempt.cost())
        except AdapterError as error:
            return self._failed(attempt, state, str(error), retryable=error.retryable, error=error)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return self._failed(attempt, state, "the adapter cancelled its own call", retryable=True)
        except (OSError, TimeoutError) as error:
            return self._failed(attempt, state, f"{type(error).__name__}: {error}", retryable=True)
        except Exception as error:  # noqa: BLE001 - the border: a foreign adapter may raise anything, a run still reports
            return self._failed(attempt, state, f"{type(error).__name__}: {error}", retryable=False)

    def _failed(
        self, attempt: Attempt, state: RunState, why: str, *, retryable: bool, error: AdapterError | None = None
    ) -> Outcome:
        order, charge = attempt.order, attempt.cost()
        after = self._backoff(order, state.started.policy.backoff_ms, error)
        forbidden = bool(getattr(error, "forbidden", False))
        match order:
            case Think():
                usage = getattr(error, "charge", None)
                return ThinkFailed(why, retryable, usage if isinstance(usage, Charge) else charge, after)
            case Search():
                return SearchFailed(why, retryable, charge, after, forbidden)
            case LookUp():
                return LookUpFailed(why, retryable, charge, after, forbidden)
            case Rerank():
                return RerankFailed(why, retryable, charge, after)
            case ReadCache():
                return CacheReadFailed(why, retryable, charge, after)

    def _backoff(self, order: Effect, first_ms: int, error: AdapterError | None) -> int:
        """How long to wait before the next attempt: what the provider asked for, else doubling with jitter drawn here."""
        if error is not None and error.retry_after_ms > 0:
            return error.retry_after_ms
        return round(first_ms * 2 ** (order.attempt - 1) * (0.5 + self._world.jitter() / 2))

    # --- searching -------------------------------------------------------------------------------------------------

    async def _search(self, order: Search, attempt: Attempt, state: RunState, left_ms: int) -> SearchFinished:
        retriever = self._world.retrievers[order.query.source]
        limit = order.ceiling.amounts.documents
        attempt.called = True
        call = retriever.search(order.query, state.started.principal, limit=limit)
        hits = await within(self._world.clock, call, left_ms, retriever.profile.time_share)
        if hits is None:  # pyright: ignore[reportUnnecessaryComparison]  # a foreign retriever may return no object
            warning = f"{order.query.source} returned no result object; treated as empty"
            return SearchFinished((), (), _tried(order), warnings=(warning,))
        passages = _cut(hits.passages, order.ceiling.amounts)
        charge = _charged(order, passages, hits.microusd)
        return SearchFinished(passages, hits.handles, charge, hits.version, hits.readable, hits.warnings)

    async def _look_up(self, order: LookUp, attempt: Attempt, state: RunState) -> LookUpFinished:
        retriever = self._world.retrievers[order.source]
        attempt.called = True
        found = await retriever.look_up(order.passages, state.started.principal)
        passages = _cut(found, order.ceiling.amounts)
        return LookUpFinished(passages, _charged(order, passages, 0))

    # --- thinking --------------------------------------------------------------------------------------------------

    async def _think(self, order: Think, attempt: Attempt, state: RunState) -> ThinkFinished | ThinkFailed:
        reasoner = self._world.reasoners[order.by]
        view = await self._viewer.view(state, order, reasoner)
        answer = reasoner.ask(order.steps, view)
        if isinstance(answer, Prompt):
            return await self._prompted(order, attempt, reasoner, view, answer)
        return _thought(order, answer, attempt.cost(), reasoner.id)

    async def _prompted(
        self, order: Think, attempt: Attempt, reasoner: Reasoner, view: View, prompt: Prompt
    ) -> ThinkFinished | ThinkFailed:
        model = self._world.models.get(order.by)
        if model is None:
            raise ModelError(order.by, "the route has no model")
        asked = model.prompt_tokens(prompt) + prompt.max_completion_tokens
        if asked > order.ceiling.amounts.model_tokens:
            why = f"the prompt may take {asked} tokens, {order.ceiling.amounts.model_tokens} are held"
            return ThinkFailed(why, retryable=False, charge=attempt.cost())
        attempt.called = True
        completion = await model.complete(prompt)
        attempt.used = self._usage(order, prompt, completion)
        read = reasoner.read(order.steps, view, completion)
        if isinstance(read, Unusable):
            return ThinkFailed(read.why, retryable=True, charge=attempt.cost())
        return _thought(order, read, attempt.cost(), reasoner.id, prompt.hash)

    def _usage(self, order: Think, prompt: Prompt, completion: Completion) -> Charge:
        """Real usage where the provider reports it; a marked estimate for what it leaves out."""
        model = self._world.models[order.by]
        usage = completion.usage
        prompt_tokens = _reported(usage.prompt_tokens)
        completion_tokens = _reported(usage.completion_tokens)
        estimated = prompt_tokens is None or completion_tokens is None
        if prompt_tokens is None:
            prompt_tokens = model.prompt_tokens(prompt)
        if completion_tokens is None:
            completion_tokens = self._world.tokens.count(completion.text)
        cost = model.price_microusd(prompt_tokens, completion_tokens)
        amounts = Amounts(
            steps=1,
            model_calls=1,
            model_tokens=prompt_tokens + completion_tokens,
            cost_microusd=order.ceiling.amounts.cost_microusd if cost is None else cost,
        )
        return Charge(amounts, estimated=estimated)


def _thought(order: Think, thought: Thought, charge: Charge, by: str, prompt: str = "") -> ThinkFinished | ThinkFailed:
    """What a reasoner said, unless it is not what its types promise: then nothing may rely on it."""
    fault = "" if order.by == "extractive" else fault_of(thought)
    if fault:
        return ThinkFailed(f"unusable thought: {fault}", retryable=False, charge=charge)
    return ThinkFinished(thought, charge, by, prompt)


def _reported(tokens: int | None) -> int | None:
    """A number of tokens a provider can have used; anything else was not reported."""
    return tokens if type(tokens) is int and tokens >= 0 else None


# --- charges -------------------------------------------------------------------------------------------------------


def _tried(order: Effect) -> Charge:
    """What an attempt costs that brought nothing: its calls and its price stay spent, its passages come back."""
    ceiling = order.ceiling
    return replace(ceiling, amounts=replace(ceiling.amounts, documents=0, retrieved_tokens=0))


def _charged(order: Search | LookUp, passages: tuple[Passage, ...], microusd: int) -> Charge:
    """The attempt and what it returned."""
    tried = _tried(order)
    cost = max(tried.amounts.cost_microusd, microusd)
    return replace(tried, amounts=replace(_with(tried.amounts, passages), cost_microusd=cost))


def _with(amounts: Amounts, passages: Sequence[Passage]) -> Amounts:
    return replace(amounts, documents=len(passages), retrieved_tokens=sum(p.tokens for p in passages))


def paid_once(outcome: Outcome, state: RunState) -> Outcome:
    """The outcome as it is recorded: passages that are held, or came with another order of this round, are not paid again."""
    if not isinstance(outcome, SearchFinished | LookUpFinished):
        return outcome
    arrived = [flight.outcome for flight in state.round.flights.values()]
    known = {p.id for other in arrived if isinstance(other, SearchFinished | LookUpFinished) for p in other.passages}
    new = [p for p in outcome.passages if p.id not in known and p.id not in state.ledger.passages]
    return replace(outcome, charge=replace(outcome.charge, amounts=_with(outcome.charge.amounts, new)))


def _cut(passages: Sequence[Passage], held: Amounts) -> tuple[Passage, ...]:
    """The first distinct passages that fit what is held; one too large for the rest is shortened and marked."""
    kept: list[Passage] = []
    left = held.retrieved_tokens
    for passage in {p.id: p for p in passages}.values():
        if len(kept) == held.documents or left <= 0:
            break
        fitted = passage
        if passage.tokens > left:
            text = passage.text[: max(1, len(passage.text) * left // passage.tokens)]
            fitted = replace(passage, text=text, tokens=left, cut=True)
        kept.append(fitted)
        left -= fitted.tokens
    return tuple(kept)
