"""What every `EventStore` must do. Subclass it in a test module and provide the fixtures `store` and `clock`.

`clock` is the one the store tells leases by, and moves by itself when somebody sleeps on it.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from satisfice.adapters.event_stores.processes import current_owner
from satisfice.core.amounts import FREE
from satisfice.core.facts import CancelRequested, Envelope, Fact, SearchFinished
from satisfice.core.ids import DocumentId, PassageId, RunId
from satisfice.core.passages import Handle, quote_hash
from satisfice.errors import Conflict, IllegalFact, RunBusy, RunNotFound, StoreError
from satisfice.ports.clock import Clock
from satisfice.ports.event_store import EventStore
from satisfice.testing.conformance.example_log import (
    AWKWARD,
    HIDDEN,
    RUN,
    TTL_MS,
    ended_process,
    owner,
    passage,
    placed,
    started,
    whole_run,
)
from satisfice.testing.conformance.refusing import refused


async def filled(store: EventStore, facts: Sequence[Fact], run: RunId = RUN) -> int:
    """Take a run, append its first facts, and give its epoch."""
    epoch = await store.take(run, owner("first"), TTL_MS)
    await store.append(run, placed(facts, epoch=epoch), 0, epoch)
    return epoch


def words(log: Sequence[Envelope]) -> str:
    """Everything a log says."""
    return repr([envelope.fact for envelope in log])


class EventStoreConformance:
    """Logs, epochs and leases."""

    # --- facts -----------------------------------------------------------------------------------------------------

    async def test_facts_come_back_as_they_were(self, store: EventStore, clock: Clock) -> None:
        log = placed(whole_run())
        epoch = await store.take(RUN, owner("first"), TTL_MS)
        await store.append(RUN, log[:1], 0, epoch)
        await store.append(RUN, log[1:4], 1, epoch)
        await store.append(RUN, log[4:], 4, epoch)

        assert list(await store.read(RUN)) == log

    async def test_reading_goes_on_after_any_fact(self, store: EventStore, clock: Clock) -> None:
        log = placed(whole_run())
        await filled(store, whole_run())

        for after in range(len(log) + 3):
            assert list(await store.read(RUN, after)) == log[after:]

    async def test_a_long_log_comes_back_whole_and_in_order(self, store: EventStore, clock: Clock) -> None:
        log = placed([started(), *(CancelRequested(str(number)) for number in range(2_500))])
        epoch = await store.take(RUN, owner("first"), TTL_MS)
        await store.append(RUN, log, 0, epoch)

        assert list(await store.read(RUN)) == log
        assert list(await store.read(RUN, 1_234)) == log[1_234:]

    async def test_runs_do_not_mix(self, store: EventStore, clock: Clock) -> None:
        names = [RunId(name) for name in ("a", "A", "a ", "", "a\x00b", "\ud800", "%")]
        for name in names:
            await filled(store, [started(name)], name)

        for name in names:
            (envelope,) = await store.read(name)
            assert envelope.fact == started(name)

    async def test_a_run_nobody_started_is_not_found(self, store: EventStore, clock: Clock) -> None:
        await store.take(RUN, owner("first"), TTL_MS)

        await refused(RunNotFound, store.read(RUN))
        await refused(RunNotFound, store.read(RunId("never"), 5))

    # --- appending -------------------------------------------------------------------------------------------------

    async def test_an_append_that_does_not_know_the_whole_log_conflicts(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, whole_run()[:3])

        for expected in (0, 2, 4):
            late = placed([CancelRequested()], after=expected, epoch=epoch)
            conflict = await refused(Conflict, store.append(RUN, late, expected, epoch))
            assert (conflict.expected, conflict.found) == (expected, 3)
        assert len(await store.read(RUN)) == 3

    async def test_facts_are_kept_all_or_none(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, [started()])
        good, gap = placed([CancelRequested(), CancelRequested()], after=1)
        nan = SearchFinished((), (Handle(PassageId("p"), DocumentId("d"), "", math.nan),), FREE)

        await refused(IllegalFact, store.append(RUN, [good, replace(gap, seq=4)], 1, epoch))
        await refused(StoreError, store.append(RUN, [good, replace(gap, fact=nan)], 1, epoch))

        assert len(await store.read(RUN)) == 1
        await store.append(RUN, [good, gap], 1, epoch)
        assert len(await store.read(RUN)) == 3

    async def test_appending_nothing_changes_nothing_and_is_still_fenced(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, [started()])

        await store.append(RUN, [], 1, epoch)

        assert len(await store.read(RUN)) == 1
        await refused(Conflict, store.append(RUN, [], 1, epoch - 1))

    async def test_only_an_owner_may_append(self, store: EventStore, clock: Clock) -> None:
        for epoch in (0, 1):
            await refused(Conflict, store.append(RUN, placed([started()]), 0, epoch))

        await refused(RunNotFound, store.read(RUN))

    async def test_of_two_appends_at_one_place_exactly_one_is_kept(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, [started()])
        attempts = [placed([CancelRequested(str(number))], after=1) for number in range(8)]

        outcomes = await asyncio.gather(
            *(store.append(RUN, facts, 1, epoch) for facts in attempts), return_exceptions=True
        )

        assert [type(outcome) for outcome in outcomes if outcome is not None] == [Conflict] * 7
        (kept,) = await store.read(RUN, 1)
        assert [kept] == attempts[outcomes.index(None)]

    # --- owning ----------------------------------------------------------------------------------------------------

    async def test_a_run_has_one_owner_while_its_lease_holds(self, store: EventStore, clock: Clock) -> None:
        await store.take(RUN, owner("first"), TTL_MS)

        await refused(RunBusy, store.take(RUN, owner("second"), TTL_MS))
        await store.take(RunId("another"), owner("second"), TTL_MS)

    async def test_taking_what_one_owns_renews_the_lease_and_keeps_the_epoch(
        self, store: EventStore, clock: Clock
    ) -> None:
        epoch = await store.take(RUN, owner("first"), TTL_MS)
        await clock.sleep_until(clock.monotonic_ms() + TTL_MS * 3 // 4)

        assert await store.take(RUN, owner("first"), TTL_MS) == epoch
        await clock.sleep_until(clock.monotonic_ms() + TTL_MS // 2)

        await refused(RunBusy, store.take(RUN, owner("second"), TTL_MS))
        await store.append(RUN, placed([started()], epoch=epoch), 0, epoch)

    async def test_a_lease_that_ended_is_taken_over_and_the_old_owner_is_fenced(
        self, store: EventStore, clock: Clock
    ) -> None:
        old = await filled(store, [started()])
        await clock.sleep_until(clock.monotonic_ms() + TTL_MS + 1)

        new = await store.take(RUN, owner("second"), TTL_MS)

        assert new > old
        conflict = await refused(Conflict, store.append(RUN, placed([CancelRequested()], after=1), 1, old))
        assert (conflict.expected, conflict.found) == (old, new)
        await store.append(RUN, placed([CancelRequested()], after=1, epoch=new), 1, new)

    async def test_an_owner_that_was_late_but_not_replaced_goes_on(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, [started()])
        await clock.sleep_until(clock.monotonic_ms() + TTL_MS + 1)

        await store.append(RUN, placed([CancelRequested()], after=1, epoch=epoch), 1, epoch)
        assert await store.take(RUN, owner("first"), TTL_MS) == epoch

    async def test_a_run_that_was_given_up_is_free_at_once(self, store: EventStore, clock: Clock) -> None:
        old = await filled(store, [started()])

        await store.release(RUN, old)

        await refused(Conflict, store.append(RUN, placed([CancelRequested()], after=1), 1, old))
        assert await store.take(RUN, owner("second"), TTL_MS) > old

    async def test_giving_up_with_a_stale_epoch_changes_nothing(self, store: EventStore, clock: Clock) -> None:
        old = await filled(store, [started()])
        await store.release(RUN, old)
        new = await store.take(RUN, owner("second"), TTL_MS)

        await store.release(RUN, old)
        await store.release(RunId("never"), 1)

        await refused(RunBusy, store.take(RUN, owner("third"), TTL_MS))
        await store.append(RUN, placed([CancelRequested()], after=1, epoch=new), 1, new)

    async def test_no_epoch_is_given_twice(self, store: EventStore, clock: Clock) -> None:
        epochs: list[int] = []
        for number in range(6):
            epochs.append(await store.take(RUN, owner(str(number)), TTL_MS))
            if number % 2:
                await store.release(RUN, epochs[-1])
            else:
                await clock.sleep_until(clock.monotonic_ms() + TTL_MS + 1)

        assert epochs == sorted(set(epochs))
        assert epochs[0] > 0

    async def test_of_many_who_take_a_run_at_once_exactly_one_gets_it(self, store: EventStore, clock: Clock) -> None:
        outcomes = await asyncio.gather(
            *(store.take(RUN, owner(str(number)), TTL_MS) for number in range(16)), return_exceptions=True
        )

        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["RunBusy"] * 15 + ["int"]

    async def test_an_owner_whose_process_died_on_this_host_is_replaced_at_once(
        self, store: EventStore, clock: Clock
    ) -> None:
        old = await store.take(RUN, ended_process(), 3_600_000)

        assert await store.take(RUN, owner("second"), TTL_MS) > old

    async def test_an_owner_whose_process_lives_on_this_host_is_not(self, store: EventStore, clock: Clock) -> None:
        await store.take(RUN, current_owner(), TTL_MS)

        await refused(RunBusy, store.take(RUN, current_owner(), TTL_MS))

    # --- listing, removing, redacting ------------------------------------------------------------------------------

    async def test_runs_are_listed_newest_first(self, store: EventStore, clock: Clock) -> None:
        await filled(store, [started(RunId("one"))], RunId("one"))
        await filled(store, whole_run(RunId("two")), RunId("two"))
        await store.take(RunId("taken, not started"), owner("first"), TTL_MS)

        two, one = await store.list()

        assert (two.run, two.facts, two.stop) == ("two", 6, "SUFFICIENT")
        assert (one.run, one.facts, one.stop) == ("one", 1, "")
        assert (one.tenant, one.principal, one.question) == ("acme", "ana", "When?")
        assert (one.task, one.started_at) == ("policy", "2030-01-01T00:00:00Z")

    async def test_a_list_may_be_of_one_tenant_and_short(self, store: EventStore, clock: Clock) -> None:
        for number in range(6):
            run = RunId(str(number))
            await filled(store, [started(run, tenant=("acme", "\ud800", "acme ")[number % 3])], run)

        assert [line.run for line in await store.list(tenant="acme")] == ["3", "0"]
        assert [line.run for line in await store.list(tenant="\ud800")] == ["4", "1"]
        assert [line.run for line in await store.list(tenant="nobody")] == []
        assert [line.run for line in await store.list(limit=2)] == ["5", "4"]

    async def test_a_list_shows_any_question(self, store: EventStore, clock: Clock) -> None:
        await filled(store, [started(question=AWKWARD)])

        (line,) = await store.list()

        assert line.question == AWKWARD

    async def test_a_removed_run_is_gone_and_the_others_stay(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, whole_run())
        await filled(store, [started(RunId("other"))], RunId("other"))

        assert await store.remove(RUN) is True

        assert await store.remove(RUN) is False
        await refused(RunNotFound, store.read(RUN))
        await refused(Conflict, store.append(RUN, placed([CancelRequested()], after=6), 6, epoch))
        assert [line.run for line in await store.list()] == ["other"]
        assert len(await store.read(RunId("other"))) == 1

    async def test_a_redacted_document_leaves_its_shape_and_no_word(self, store: EventStore, clock: Clock) -> None:
        await filled(store, whole_run())
        before = await store.read(RUN)

        assert await store.redact(DocumentId("secret")) == 1

        after = await store.read(RUN)
        assert HIDDEN in words(before)
        assert not any(word in words(after) for word in (HIDDEN, "moon", "Friday"))
        assert [replace(envelope, fact=CancelRequested()) for envelope in after] == [
            replace(envelope, fact=CancelRequested()) for envelope in before
        ]
        found = after[2].fact
        assert isinstance(found, SearchFinished)
        about, hidden = found.passages
        assert about == passage("p-open", "open", AWKWARD)
        assert (hidden.id, len(hidden.text)) == (PassageId("p-secret"), len(HIDDEN))
        assert hidden.content_hash == quote_hash(HIDDEN)

    async def test_what_cites_other_documents_is_not_redacted(self, store: EventStore, clock: Clock) -> None:
        await filled(store, whole_run())
        await filled(store, [started(RunId("other"))], RunId("other"))
        before = list(await store.read(RUN))

        assert await store.redact(DocumentId("unheard of")) == 0
        assert list(await store.read(RUN)) == before
        assert await store.redact(DocumentId("open")) == 1
        assert HIDDEN in words(await store.read(RUN))

    async def test_redacting_again_finds_nothing_left(self, store: EventStore, clock: Clock) -> None:
        for run in (RUN, RunId("second")):
            await filled(store, whole_run(run), run)

        assert await store.redact(DocumentId("secret")) == 2
        assert await store.redact(DocumentId("secret")) == 0

    async def test_a_redacted_run_goes_on(self, store: EventStore, clock: Clock) -> None:
        epoch = await filled(store, whole_run()[:3])

        await store.redact(DocumentId("secret"))
        await store.append(RUN, placed([CancelRequested()], after=3), 3, epoch)

        assert len(await store.read(RUN)) == 4
