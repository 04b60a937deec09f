"""The reference pages say what the code says."""

import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from satisfice.cli.exits import MEANINGS

ROOT = Path(__file__).parents[2]


def generator() -> ModuleType:
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_reference_page_is_stale() -> None:
    made = generator()
    behind = [name for name in made.PAGES if (made.REFERENCE / name).read_text(encoding="utf-8") != made.text(name)]
    assert behind == [], "run `make docs`"


def test_every_link_in_the_pages_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    dead = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert dead == []


def test_a_stale_page_is_written_again_and_fails(tmp_path: Path) -> None:
    script = (ROOT / "docs" / "generate.py").read_text(encoding="utf-8")
    (tmp_path / "generate.py").write_text(script, encoding="utf-8")
    run = [sys.executable, tmp_path / "generate.py"]
    first, second = (subprocess.run(run, check=False, capture_output=True, text=True, timeout=60) for _ in range(2))
    assert (first.returncode, second.returncode) == (1, 0)
    assert "errors.md was stale" in first.stdout


def test_every_test_the_readme_names_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)`((?:: (?:`test_\w+`(?:, )?)+)?)", text)
    assert len(named) > 5
    for path, names in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert all(f"def {name}(" in source for name in re.findall(r"`(test_\w+)`", names)), path


def test_the_readme_lists_every_exit_code() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"| {code.value} | {meaning} |" in text for code, meaning in MEANINGS.items())
