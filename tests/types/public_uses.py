"""Public uses, read by type checkers and never run: what a caller writes must type-check as it stands."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import assert_type

import satisfice
from satisfice import ActiveRun, Application, Dimension, Filters, Principal, RunReport, SatisficeError, StopReason
from satisfice.config import Settings
from satisfice.core.facts import Envelope, Fact
from satisfice.core.report import Citation, ClaimReport, Spent
from satisfice.errors import ConfigError, Problem


def one_call() -> None:
    report = satisfice.ask("How long is the refund window?", sources="handbook/")
    assert_type(report, RunReport)
    assert_type(report.answer, str | None)
    assert_type(report.stop, StopReason | None)
    assert_type(report.citations, tuple[Citation, ...])
    assert_type(report.claims, tuple[ClaimReport, ...])
    assert_type(report.spent, tuple[Spent, ...])


def every_option() -> RunReport:
    return satisfice.ask(
        "How long is the refund window?",
        sources=["handbook/", Path("notes")],
        settings=Path("satisfice.toml"),
        store="store",
        principal=Principal("ana", tenant="acme", tags=frozenset({"eu"})),
        task="policy",
        effort="high",
        budget={"queries": 2, Dimension.WALL_CLOCK_MS: 500},
    )


async def an_application() -> None:
    async with satisfice.open("satisfice.toml", tenant="acme") as application:
        assert_type(application, Application)
        await application.ingest()
        async with application.run("Who leads it?", history=("Tell me about the team.",), filters=Filters()) as run:
            assert_type(run, ActiveRun)
            async for fact in run:
                seen(fact)
            run.cancel()
            assert_type(await run.report(), RunReport)
        assert_type(await application.facts("a-run"), Sequence[Envelope])
        assert_type(await application.verify_sources(), Mapping[str, tuple[str, ...]])


def seen(fact: Fact) -> str:
    return type(fact).__name__


def envelopes_of(run: ActiveRun) -> AsyncIterator[Envelope]:
    return run.envelopes()


def mistakes() -> tuple[Problem, ...]:
    try:
        satisfice.open(Settings())
    except ConfigError as error:
        return error.problems
    except SatisficeError:
        raise
    return ()
