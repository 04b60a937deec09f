"""Options that several commands share, so that one name means one thing everywhere. Imports nothing heavy."""

from pathlib import Path
from typing import Annotated

import typer

from satisfice.core.access import LOCAL_TENANT, Principal

Folders = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Folders to search, or names of sources in the settings. Without any: the sources of the settings.",
        show_default=False,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", metavar="FILE", help="Settings to read instead of ./satisfice.toml.", show_default=False
    ),
]
Store = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="Where documents and runs are kept.", show_default=False),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="PATTERN", help="Leave out files, as in .gitignore. Repeatable.", show_default=False
    ),
]
As = Annotated[str, typer.Option("--as", metavar="NAME", help="Who asks.", show_default=False)]
Tenant = Annotated[str, typer.Option("--tenant", metavar="NAME", help="The asker's tenant.", show_default=False)]
Tags = Annotated[str, typer.Option("--tags", metavar="TAG,TAG", help="Access tags the asker has.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing about the work on stderr.")]

ANYONE = "anonymous"


def principal(name: str, tenant: str, tags: str) -> Principal:
    """Who asks, from the command line."""
    held = frozenset(tag.strip() for tag in tags.split(",") if tag.strip())
    return Principal(name or ANYONE, tenant or LOCAL_TENANT, held)
