"""Going on with a stored run: written off what was in flight, spent what was spent, the same clock and the same budget."""

from datetime import UTC, datetime

from satisfice.core.amounts import Dimension
from satisfice.core.evolve import fold
from satisfice.core.facts import PersonAnswered, RunResumed
from satisfice.core.ids import RunId
from satisfice.core.state import RunState
from satisfice.errors import InputError
from satisfice.runtime.engine import LEASE_SLACK_MS, Run
from satisfice.runtime.world import World


async def resume(world: World, run_id: RunId, answer: PersonAnswered | None = None) -> Run:
    """Take over a stored run. A finished one, or one that waits for a person, comes back as it is: nothing to drive.

    Raises
    ------
    RunNotFound, RunBusy, Corrupt
        From the store: no such run, somebody else drives it, or its log is damaged.
    IllegalFact
        The log cannot have happened.
    InputError
        An answer to a run that asked nobody.
    """
    envelopes = await world.store.read(run_id)
    state = fold(envelopes)
    if not _goes_on(state, answer):
        return await _as_it_is(Run.continued(world, envelopes, state.epoch))
    # As for a new run: however narrow the slice it works on now, it may go on until the task's own limit.
    ttl = state.started.task.limits()[Dimension.WALL_CLOCK_MS] + LEASE_SLACK_MS
    epoch = await world.store.take(run_id, world.owner, ttl)
    try:
        # Read again: the last owner may have written, even finished, until the moment its lease was taken.
        run = Run.continued(world, await world.store.read(run_id), epoch)
        if not _goes_on(run.state, answer):
            await world.store.release(run_id, epoch)
            return await _as_it_is(run)
        now = datetime.fromtimestamp(world.clock.wall_ms() / 1000, UTC).isoformat(timespec="seconds")
        await run.written_off(RunResumed(now))
        if answer is not None:
            run.answered(answer)
    except BaseException:
        await world.store.release(run_id, epoch)
        raise
    return run


async def _as_it_is(run: Run) -> Run:
    await run.leave_as_it_is()
    return run


def _goes_on(state: RunState, answer: PersonAnswered | None) -> bool:
    """Whether there is anything to drive: not in a finished run, nor in a paused one without the answer it waits for."""
    if answer is not None and state.paused is None:
        raise InputError(
            f"run {state.started.run!r} asked nobody",
            "only a run that waits for a person takes an answer",
            "Resume it.",
        )
    return state.stopped is None and (state.paused is None or answer is not None)
