"""A round: orders started before waiting. Outcomes are applied in order number, however they arrive."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from satisfice.core.facts import Outcome
from satisfice.core.ids import BranchId
from satisfice.core.orders import Effect


@dataclass(frozen=True, slots=True)
class Flight:
    """An order that was started and whose outcome has not been applied yet."""

    number: int
    branch: BranchId
    order: Effect
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """The current round, by order number. `sealed` once an outcome arrived or a new leg began: nothing more may start."""

    flights: Mapping[int, Flight] = field(default_factory=dict[int, Flight])
    sealed: bool = False

    def started(self, flight: Flight) -> "Round":
        """The round with one more order."""
        return Round({**self.flights, flight.number: flight}, sealed=self.sealed)

    def seal(self) -> "Round":
        """The round closed to new orders; an empty round has nothing to close."""
        return replace(self, sealed=bool(self.flights))

    def arrived(self, number: int, outcome: Outcome) -> "Round":
        """The round with an outcome noted, not yet applied."""
        flights = {**self.flights, number: replace(self.flights[number], outcome=outcome)}
        return Round(flights, sealed=True)

    def ready(self) -> tuple[Flight, ...]:
        """Flights whose outcome can be applied now: no lower number is still out."""
        found: list[Flight] = []
        for number in sorted(self.flights):
            flight = self.flights[number]
            if flight.outcome is None:
                break
            found.append(flight)
        return tuple(found)

    def landed(self, number: int) -> "Round":
        """The round without a flight whose outcome was applied; an emptied round is a new one."""
        flights = {n: flight for n, flight in self.flights.items() if n != number}
        return Round(flights, sealed=self.sealed and bool(flights))

    def out(self) -> tuple[Flight, ...]:
        """Flights without an outcome, in order."""
        return tuple(self.flights[n] for n in sorted(self.flights) if self.flights[n].outcome is None)

    def of(self, branch: BranchId) -> tuple[Flight, ...]:
        """The branch's flights that are not applied yet."""
        return tuple(self.flights[n] for n in sorted(self.flights) if self.flights[n].branch == branch)
