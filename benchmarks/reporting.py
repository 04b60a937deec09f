"""The one output form of every benchmark: rows, a table with aim and miss, and JSON with machine and commit.

def main() -> None:
    options = parse("answers", "Does the quoted text hold the answer?")
    questions = read(options, "squad", "questions.jsonl", sample=100)
    emit(options, [Row("answers", "squad", "lexical", "answer_in_quote@1", 0.84, n=len(questions), aim=0.84)])
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

_LESS_IS_BETTER = {"ns", "us", "ms", "s", "wall ms", "wall s", "B", "kB", "MB", "GB", "usd", "microusd", "violations"}
"""Units in which an aim is an upper bound; in every other unit it is a lower bound."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. Rates are fractions, times CPU milliseconds unless the unit says wall; `n` is what it rests on."""

    bench: str
    set: str
    arm: str
    metric: str
    value: float | None
    """None when it cannot be had; shown as such, never as zero."""
    unit: str = "fraction"
    n: int = 0
    aim: float | None = None

    @property
    def miss(self) -> float | None:
        """How far the value stays from its aim; 0 when reached, None without an aim or a value."""
        if self.aim is None or self.value is None:
            return None
        short = self.value - self.aim if self.unit in _LESS_IS_BETTER else self.aim - self.value
        return max(0.0, short)


@dataclass(frozen=True, slots=True)
class Options:
    """What every benchmark is told on its command line."""

    data: Path
    quick: bool
    json: Path | None


def parse(name: str, description: str, arguments: Sequence[str] | None = None) -> Options:
    """Read the options that all benchmarks share."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument(
        "--data", type=Path, default=SHARED_DATA, help="a folder with one folder per set (default: %(default)s)"
    )
    parser.add_argument("--quick", action="store_true", help="a sample of the questions, to see that it runs")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="also write the rows here")
    given = parser.parse_args(arguments)
    return Options(data=given.data, quick=given.quick, json=given.json)


def read(options: Options, set_name: str, file: str, *, sample: int = 0) -> list[dict[str, Any]]:
    """The records of a set's JSONL file; with `--quick`, `sample` of them, spread evenly. Ends the program when absent."""
    path = options.data / set_name / file
    if not path.is_file():
        sys.exit(f"{path} is missing; allowed: a folder laid out as SET/{file}. Point --data at it.")
    with path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines if line.strip()]
    if options.quick and 0 < sample < len(records):
        return [records[index * len(records) // sample] for index in range(sample)]
    return records


def present(options: Options, sets: Sequence[str]) -> list[str]:
    """The sets that are there; those that are not are named. Ends the program when none is."""
    found = [set_ for set_ in sets if (options.data / set_).is_dir()]
    for set_ in sets:
        if set_ not in found:
            print(f"{options.data / set_} is missing: skipped", file=sys.stderr)
    if not found:
        sys.exit(
            f"none of {', '.join(sets)} is in {options.data}; point --data at a folder laid out as SET/corpus.jsonl"
        )
    return found


def emit(options: Options, rows: Sequence[Row]) -> None:
    """Print the table and write the JSON file when one was asked for."""
    machine, commit = describe_machine(), describe_commit()
    if options.json is not None:
        report = {"machine": machine, "commit": commit, "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    table = Table("bench", "set", "arm", "metric", "value", "unit", "n", "aim", "miss", title=f"{commit} on {machine}")
    for row in rows:
        table.add_row(*_cells(row))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _cells(row: Row) -> Iterator[str]:
    yield from (row.bench, row.set, row.arm, row.metric, "not available" if row.value is None else _number(row.value))
    yield from (row.unit, str(row.n), "" if row.aim is None else _number(row.aim))
    yield "" if row.miss is None else "reached" if row.miss == 0 else _number(row.miss)


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


def describe_machine() -> str:
    """Processor, cores, Python and how busy it is, in one line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}{load}"


def describe_commit() -> str:
    """The commit in short form, with `-dirty` when tracked files differ from it; `unknown` outside a repository."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "unknown"
