"""From the command line to settings: which file, which sources, which task, and what was overridden."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from satisfice.cli.terminal import one_line, tell
from satisfice.config.mistakes import nearest
from satisfice.config.reading import Given, Loaded, budget_from_text, load
from satisfice.config.sources import chosen
from satisfice.config.tables import DEFAULT_TASK
from satisfice.core.tasks import EFFORTS
from satisfice.errors import ConfigError, Problem

BUDGET = "--budget"
EFFORT = "--effort"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says about settings."""

    config: Path | None = None
    folders: Sequence[Path] = ()
    store: Path | None = None
    ignore: Sequence[str] = ()
    task: str = DEFAULT_TASK
    effort: str | None = None
    budget: str | None = None


def prepare(asked: Asked, *, quiet: bool = False) -> Loaded:
    """Settings with the command line laid over them and only the sources that were asked for.

    Raises
    ------
    ConfigError
        Settings, a task or a budget that cannot be used.
    InputError
        A folder that is not there.
    """
    given = [Given("--store", ("store", "dir"), asked.store)] if asked.store else []
    loaded = load(asked.config, [*given, *_task_overrides(asked)])
    # An override must not bring a task into being, so the name is looked up where there are none.
    load(asked.config, given).settings.task_class(asked.task, where="--task")
    if not quiet:
        for warning in loaded.warnings:
            tell(f"warning: {one_line(str(warning), 500)}", "yellow")
    sources = chosen(loaded.settings, asked.folders)
    if asked.ignore:
        extra = tuple(asked.ignore)
        sources = {n: s.model_copy(update={"ignore": (*s.ignore, *extra)}) for n, s in sources.items()}
    return replace(loaded, settings=loaded.settings.model_copy(update={"source": sources}))


def _task_overrides(asked: Asked) -> list[Given]:
    given: list[Given] = []
    if asked.effort is not None:
        if asked.effort not in EFFORTS:
            hint = nearest(asked.effort, EFFORTS)
            raise ConfigError((Problem(EFFORT, "effort", repr(asked.effort), ", ".join(EFFORTS), hint),))
        given.append(Given(EFFORT, ("task", asked.task, "complexity"), EFFORTS[asked.effort].value))
    for name, value in budget_from_text(asked.budget or "", BUDGET).items():
        given.append(Given(BUDGET, ("task", asked.task, "budget", name), value))
    return given
