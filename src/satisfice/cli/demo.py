"""`demo`: seven questions about the handbook of a made-up company, each with what to look at."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from satisfice.assembly.application import Application
from satisfice.cli import showing
from satisfice.cli.preparing import Asked, prepare
from satisfice.cli.taking_in import refresh
from satisfice.cli.terminal import console, tell
from satisfice.cli.working import drive, stopped_by
from satisfice.core.access import Principal
from satisfice.errors import InputError

SCRIPT = "handbook.json"


@dataclass(frozen=True, slots=True)
class Scene:
    """One question, who asks it, under which budget, and what it shows."""

    shows: str
    question: str
    askers: tuple[Principal, ...]
    budget: Mapping[str, object]


def demo(store: Path | None, *, quiet: bool) -> None:
    """Ask each question and print its report."""
    folder, scenes = _script()
    settings = prepare(Asked(folders=[folder], store=store), quiet=True).settings

    async def main() -> None:
        out = console()
        async with Application(settings) as application:
            await refresh(application, quiet=quiet)
            for number, scene in enumerate(scenes, start=1):
                for asker in scene.askers:
                    await _play(application, scene, asker, f"{number} of {len(scenes)}", out)

    drive(main)
    if not quiet:
        tell('Ask your own: satisfice ask "..." path/to/folder. See how one went: satisfice runs show last --explain')


async def _play(application: Application, scene: Scene, asker: Principal, number: str, out: Console) -> None:
    tags = f" with the tag {', '.join(sorted(asker.tags))}" if asker.tags else ""
    limits = "".join(f", {name} {limit}" for name, limit in scene.budget.items())
    out.print(Rule(Text(f"{number}: {scene.shows}", "bold"), align="left", characters="─"))
    out.print(Text(f"{asker.name}{tags} asks{limits}: {scene.question}\n", "italic"))
    async with application.run(scene.question, principal=asker, budget=scene.budget) as run:
        with stopped_by(run.cancel):
            report = await run.report()
    showing.show(report, out)
    out.print()


def _script() -> tuple[Path, Sequence[Scene]]:
    """The folder and the questions: beside the package when installed, else in the repository it is developed in."""
    inside = Path(str(files("satisfice"))) / "examples"
    beside = Path(str(files("satisfice"))).parents[1] / "examples"
    place = next((place for place in (inside, beside) if (place / SCRIPT).exists()), None)
    if place is None:
        raise InputError("the example handbook is not installed", f"looked in {inside} and {beside}", "Reinstall it.")
    script = cast("dict[str, Any]", json.loads((place / SCRIPT).read_text(encoding="utf-8")))
    scenes = [
        Scene(
            scene["shows"],
            scene["question"],
            tuple(
                Principal(a["name"], tags=frozenset(a["tags"])) for a in (scene.get("as"), scene.get("again_as")) if a
            ),
            scene["budget"],
        )
        for scene in script["questions"]
    ]
    return place / script["folder"], scenes
