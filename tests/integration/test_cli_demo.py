"""`satisfice demo` shows what it says it shows."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

SCRIPT = json.loads((Path(__file__).parents[2] / "examples" / "handbook.json").read_text(encoding="utf-8"))


def expectations() -> list[Mapping[str, Any]]:
    return [q[key] for q in SCRIPT["questions"] for key in ("expect", "expect_again") if key in q]


def test_each_question_of_the_demo_ends_as_its_script_says(cli: Cli) -> None:
    done = cli("demo", COLUMNS="200")
    assert done.returncode == 0
    scenes = re.split(r"^\d of 7: .*\n", done.stdout, flags=re.MULTILINE)[1:]
    assert len(scenes) == len(expectations())
    for scene, expected in zip(scenes, expectations(), strict=True):
        stops = {stop.upper() for stop in (expected["stop"], *expected.get("also_fine", ()))}
        [stopped] = re.findall(r"\(([A-Z_]+)\)$", scene, flags=re.MULTILINE)
        assert stopped in stops, scene
        assert all(text in scene for text in (*expected["contains"], *expected["cites"])), scene
        unwanted = (*expected.get("never_contains", ()), *expected.get("never_cites", ()))
        assert not any(text in scene for text in unwanted), scene
        assert scene.count("missing:") >= expected.get("min_gaps", 0), scene


def test_a_run_of_the_demo_can_be_looked_at_afterwards(cli: Cli) -> None:
    cli("demo")
    assert "Timeline" in cli("runs", "show", "last", "--explain").stdout
