"""Going on with a stored run: written off what was in flight, spent what was spent, the same clock and the same budget."""

from datetime import UTC, datetime

from satisfice.core.amounts import Dimension
from satisfice.core.evolve import fold
from satisfice.core.facts import PersonAnswered, RunResumed
from satisfice.core.ids import RunId
from satisfice.runtime.engine import LEASE_SLACK_MS, Run
from satisfice.runtime.world import World


async def resume(world: World, run_id: RunId, answer: PersonAnswered | None = None) -> Run:
    """Take over a stored run. A finished one comes back as it is, with nothing to drive.

    Raises
    ------
    RunNotFound, RunBusy, Corrupt
        From the store: no such run, somebody else drives it, or its log is damaged.
    IllegalFact
        The log cannot have happened.
    """
    envelopes = await world.store.read(run_id)
    state = fold(envelopes)
    if state.stopped is not None:
        run = Run.continued(world, envelopes, state.epoch)
        run.done = True
        return run
    ttl = state.limit(Dimension.WALL_CLOCK_MS) + LEASE_SLACK_MS
    epoch = await world.store.take(run_id, world.owner, ttl)
    # Read again: the last owner may have written until the moment its lease was taken.
    run = Run.continued(world, await world.store.read(run_id), epoch)
    now = datetime.fromtimestamp(world.clock.wall_ms() / 1000, UTC).isoformat(timespec="seconds")
    await run.written_off(RunResumed(now))
    if answer is not None:
        run.answered(answer)
    return run
