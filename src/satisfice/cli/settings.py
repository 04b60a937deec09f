"""`config show`: every value with where it came from."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from rich.table import Table
from rich.text import Text

from satisfice.cli.preparing import Asked, prepare
from satisfice.cli.terminal import clean, console
from satisfice.config.reading import Loaded
from satisfice.config.tables import DEFAULT_TASK, TaskTable
from satisfice.core.amounts import Dimension

DEFAULT = "default"


def show(config: Path | None, store: Path | None, *, as_json: bool) -> None:
    """Print the settings as a table, or as one object from key to value and origin."""
    rows = list(_rows(prepare(Asked(config=config, store=store))))
    if as_json:
        print(json.dumps({key: {"value": value, "from": where} for key, value, where in rows}, indent=2))  # noqa: T201  the output
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("setting", "value", "from"):
        table.add_column(heading, overflow="fold")
    for key, value, where in rows:
        style = "dim" if where == DEFAULT else ""
        table.add_row(*(Text(clean(cell), style) for cell in (key, _written(value), where)))
    console(listing=True).print(table)


def _rows(loaded: Loaded) -> Iterator[tuple[str, object, str]]:
    tables = loaded.settings.model_dump(mode="json", by_alias=True, exclude={"task"})
    yield from _leaves(tables, "", loaded)
    for name in sorted({DEFAULT_TASK, *loaded.settings.task}):
        table = loaded.settings.task.get(name, TaskTable())
        dumped = table.model_dump(mode="json", by_alias=True, exclude={"budget"})
        yield from _leaves(dumped, f"task.{name}", loaded)
        for dimension, limit in table.task_class(name).limits().items():
            key = f"task.{name}.budget.{dimension}"
            dollars = f"task.{name}.budget.cost_usd" if dimension is Dimension.COST_MICROUSD else key
            where = loaded.origins.get(key, loaded.origins.get(dollars, DEFAULT))
            yield key, limit, where


def _leaves(value: object, key: str, loaded: Loaded) -> Iterator[tuple[str, object, str]]:
    if isinstance(value, dict) and value:
        for name, inner in cast("dict[str, object]", value).items():
            yield from _leaves(inner, f"{key}.{name}" if key else name, loaded)
    else:
        yield key, value, loaded.origins.get(key, DEFAULT)


def _written(value: object) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
