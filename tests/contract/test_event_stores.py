"""Every event store keeps the contract of its port."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from satisfice.adapters.event_stores.memory import MemoryEventStore
from satisfice.adapters.event_stores.sqlite import SqliteEventStore
from satisfice.adapters.event_stores.state_file import StateFile
from satisfice.testing.clock import FakeClock
from satisfice.testing.conformance.event_store import EventStoreConformance


@pytest.fixture
async def clock() -> AsyncIterator[FakeClock]:
    async with FakeClock().running() as clock:
        yield clock


class TestMemoryEventStore(EventStoreConformance):
    @pytest.fixture
    def store(self, clock: FakeClock) -> MemoryEventStore:
        return MemoryEventStore(clock)


class TestSqliteEventStore(EventStoreConformance):
    @pytest.fixture
    async def store(self, clock: FakeClock, tmp_path: Path) -> AsyncIterator[SqliteEventStore]:
        file = StateFile(tmp_path / "state.db")
        yield SqliteEventStore(file, clock)
        await file.close()
