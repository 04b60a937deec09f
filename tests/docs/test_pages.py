"""Every block in README and docs runs, in order, in a folder that holds the example handbook.

`console` blocks are commands after `$` and what they print; `...` stands for anything. `python` blocks run as they are.
`toml` blocks become `satisfice.toml`. Other languages are not run.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = {"console", "python", "toml"}


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text and the line it starts on."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2], text[: m.start()].count("\n") + 1) for m in BLOCK.finditer(text) if m[1] in RUN]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command with the output expected of it. A command goes on in lines that begin with `>`."""
    command, expected = "", [""]
    for line in text.splitlines():
        if line.startswith("> ") and expected == []:
            command = f"{command}\n{line[2:]}"
        elif line.startswith("$ "):
            if command:
                yield command, "\n".join(expected)
            command, expected = line[2:], []
        else:
            expected.append(line)
    yield command, "\n".join(expected)


def matches(expected: str, printed: str) -> bool:
    parts = (re.escape(" ".join(part.split())) for part in expected.split("..."))
    pattern = r"\s*.*?\s*".join(part.replace(r"\ ", r"\s+") for part in parts)
    return re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL) is not None


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_do_what_the_page_says(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "handbook", tmp_path / "handbook")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SATISFICE_")}
    kept |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}", "NO_COLOR": "1"}
    kept |= {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / "cache")}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            check=False,
            cwd=tmp_path,
            env=kept,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
        )

    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.language == "toml":
            (tmp_path / "satisfice.toml").write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            done = run(sys.executable, "-c", block.text)
            assert done.returncode == 0, f"{where}\n{done.stdout}"
        else:
            for command, expected in commands(block.text):
                done = run("bash", "-c", command)
                assert matches(expected, done.stdout), f"{where}\n$ {command}\n{done.stdout}"


def test_the_harness_tells_a_right_output_from_a_wrong_one() -> None:
    assert matches("one ... three", "one\n two   three\n")
    assert matches("spent 1 of 8 queries, ... ms", "spent 1 of 8 queries, 7 of 15,000 ms\n")
    assert not matches("one ... three", "one two four")
    assert not matches("", "Error: nothing")


def test_commands_are_told_from_their_output() -> None:
    assert list(commands("$ a\n> b\nout\n\n$ c\n")) == [("a\nb", "out\n"), ("c", "")]
