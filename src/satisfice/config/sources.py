"""Which sources a caller means: names from the settings, or paths."""

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
        if not folder.exists():
            raise _missing(settings, folder)
        chosen[_fresh_name(folder, {*chosen, *settings.source})] = SourceTable(path=folder)
    return chosen


def _declared(settings: Settings, folder: Path) -> str | None:
    if str(folder) in settings.source:
        return str(folder)
    place = folder.resolve()
    return next((name for name, source in settings.source.items() if source.path.resolve() == place), None)


def _missing(settings: Settings, folder: Path) -> InputError:
    around = [child.name for child in folder.parent.iterdir() if child.is_dir()] if folder.parent.is_dir() else []
    hint = nearest(folder.name, sorted({*around, *settings.source}))
    known = (
        f"a folder or file that exists, or one of the sources in the settings ({', '.join(settings.source) or 'none'})"
    )
    return InputError(f"there is no {str(folder)!r}", f"allowed: {known}", hint or "Check the path.")


def _fresh_name(folder: Path, taken: set[str]) -> str:
    base = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder.resolve().name).strip("-") or "folder"
    names = [base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
