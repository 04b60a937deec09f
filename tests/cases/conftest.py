import pytest

from satisfice.testing.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
