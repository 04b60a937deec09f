"""Which sources a caller means: names from the settings, or paths."""

import os
from collections.abc import Sequence
from pathlib import Path

from satisfice.config.mistakes import nearest
from satisfice.config.tables import Settings, SourceTable
from satisfice.errors import InputError


def chosen(settings: Settings, folders: Sequence[Path]) -> dict[str, SourceTable]:
    """The sources to search; without `folders`, all of the settings.

    A folder that the settings describe, named or reached by any path, keeps what they say about it, above all who may
    read it. Raises `InputError` for one that is not there.
    """
    if not folders:
        return settings.source
    chosen: dict[str, SourceTable] = {}
    for folder in folders:
        name = _declared(settings, folder)
        if name is not None:
            chosen[name] = settings.source[name]
            continue
        try:
            there = folder.exists()
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            found = f"{str(folder)!r} cannot be opened ({why})"
            raise InputError(found, "a folder or file that you may read is needed", "Check the path.") from error
        if not there:
            raise _missing(settings, folder)
        chosen[_fresh_name(folder, {*chosen, *settings.source})] = SourceTable(path=folder)
    return chosen


def _declared(settings: Settings, folder: Path) -> str | None:
    if str(folder) in settings.source:
        return str(folder)
    place = folder.resolve()
    return next((name for name, source in settings.source.items() if source.path.resolve() == place), None)


def _missing(settings: Settings, path: Path) -> InputError:
    there = next(above for above in path.absolute().parents if above.exists())
    name = path.absolute().relative_to(there).parts[0]
    beside = [child.name for child in there.iterdir()] if there.is_dir() and os.access(there, os.R_OK) else []
    known = (
        f"a folder or file that exists, or one of the sources in the settings ({', '.join(settings.source) or 'none'})"
    )
    hint = (
        nearest(name, sorted({*beside, *settings.source}))
        or "Check the path; a question of several words stands in quotes."
    )
    return InputError(f"there is no {str(path)!r}", f"allowed: {known}", hint)


def _fresh_name(folder: Path, taken: set[str]) -> str:
    base = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder.resolve().name).strip("-") or "folder"
    names = [base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
