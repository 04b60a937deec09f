"""The command line as a real process, in a home of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]

PAGES = {
    "refunds.md": "---\nauthority: official\npublished: 2026-04-01\n---\n# Refunds\n\n## Annual plans\n\n"
    "The refund window for annual plans is 14 days.\n\n## Monthly plans\n\nMonthly plans are not refunded.\n",
    "on-call.txt": "A page must be acknowledged within 15 minutes.\n",
    "hr/salaries.md": "---\naccess: [hr]\n---\n# Salary bands\n\nThe salary band of a senior engineer is 71,000 to 88,000 EUR.\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder to work in, with a small handbook in it."""
    for name, text in PAGES.items():
        place = tmp_path / "handbook" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """No settings of this machine, and a cache that is thrown away."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SATISFICE_", "COLUMNS"))}
    return {**kept, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}


@pytest.fixture
def cli(home: Path, environment: dict[str, str]) -> Cli:
    """Runs `satisfice` with these arguments and gives what it printed and its exit code."""

    def run(*arguments: str | bytes, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "satisfice", *arguments],
            check=False,
            cwd=home,
            env={**environment, **variables},
            input=stdin,
            capture_output=True,
            timeout=60,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run
