"""Finding the files of a folder: what is hidden, ignored, linked or of an unknown kind stays out."""

import os
import stat
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

from satisfice.corpus.declaring import DEFAULTS_FILE, NOTHING_DECLARED, Declared, folder_defaults, within
from satisfice.corpus.formats import FORMATS, Format, Unreadable, format_of
from satisfice.errors import InputError

IGNORE_FILES = (".gitignore", ".satisficeignore")
_NEVER = frozenset({"node_modules", "__pycache__"})
_ENVIRONMENT_MARK = "pyvenv.cfg"
_SHOWN_KINDS = 8
_MAX_IGNORE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `uri` is its path below the root with `/` between the parts, printable whatever the name holds.

    `key` is the same path as the file system has it; two files never share one.
    """

    path: Path
    uri: str
    key: bytes
    format: Format
    size: int
    mtime_ns: int
    declared: Declared = NOTHING_DECLARED


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that did not become a document: its name and why."""

    uri: str
    why: str

    def __str__(self) -> str:
        return f"{self.uri}: {self.why}"


@dataclass(slots=True)
class Found:
    """Everything below a root, in the order of names."""

    files: list[SourceFile] = field(default_factory=list[SourceFile])
    skipped: list[Skipped] = field(default_factory=list[Skipped])


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path
    parts: tuple[str, ...]
    rules: tuple[tuple[int, GitIgnoreSpec], ...]
    """(depth of the folder the patterns count from, patterns), outermost first."""
    declared: Declared


def find_files(
    root: Path, *, ignore: tuple[str, ...] = (), declared: Declared = NOTHING_DECLARED
) -> Generator[None, None, Found]:
    """The files below `root`, or `root` itself when it is a file. Pauses after every folder.

    Left out without a word: hidden files and folders, `node_modules`, `__pycache__`, Python environments, what the
    patterns of `.gitignore`, `.satisficeignore` (each for its own folder and below) and `ignore` (for the root) name. Links to
    folders are not followed, so there are no loops; a link to a file is, when the file lies below the root and was not
    found by its own name. Pipes, sockets and devices are never opened.

    Raises
    ------
    InputError
        No such folder, or it cannot be listed.
    """
    try:
        status = root.stat()
    except OSError as error:
        raise InputError(
            f"{str(root)!r} cannot be opened ({_reason(error)})", "a folder or a file is needed", "Check the path"
        ) from error
    if stat.S_ISREG(status.st_mode):
        return _single(root, status, declared)
    if not stat.S_ISDIR(status.st_mode):
        raise InputError(f"{str(root)!r} is no folder", "a folder or a file is needed", "Check the path")
    return (yield from _Walk(root.resolve(), ignore).run(declared))


def printable(name: bytes) -> str:
    """A path as text: bytes that are not UTF-8, and control characters, are spelled out."""
    text = name.decode("utf-8", "backslashreplace")
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )


def _single(root: Path, status: os.stat_result, declared: Declared) -> Found:
    name = os.fsencode(root.name)
    kind = format_of(root.name)
    if kind is None:
        raise InputError(
            f"{printable(name)!r} is of a kind that is not read", f"allowed: {_kinds()}", "Convert it first"
        )
    return Found(
        [SourceFile(root.resolve(), printable(name), name, kind, status.st_size, status.st_mtime_ns, declared)]
    )


def _kinds() -> str:
    return ", ".join(sorted(suffix for suffix in FORMATS if suffix))


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


class _Walk:
    def __init__(self, root: Path, ignore: tuple[str, ...]) -> None:
        self._root = root
        self._own_rules = GitIgnoreSpec.from_lines(ignore) if ignore else None
        self._found = Found()
        self._unknown: Counter[str] = Counter()
        self._outside = 0
        self._links: list[tuple[os.DirEntry[str], _Folder]] = []
        self._seen: set[tuple[int, int]] = set()

    def run(self, declared: Declared) -> Generator[None, None, Found]:
        waiting = [_Folder(self._root, (), (), declared)]
        while waiting:
            yield
            folder = waiting.pop()
            try:
                entries = sorted(os.scandir(folder.path), key=lambda entry: os.fsencode(entry.name))
            except OSError as error:
                if not folder.parts:
                    raise InputError(
                        f"{str(self._root)!r} cannot be listed ({_reason(error)})",
                        "its files must be readable",
                        "Check its permissions",
                    ) from error
                self._skip(folder.parts, f"the folder cannot be listed ({_reason(error)}); check its permissions")
                continue
            names = {entry.name for entry in entries}
            if folder.parts and _ENVIRONMENT_MARK in names:
                continue
            try:
                here = self._enter(folder, names)
            except Unreadable as error:
                self._skip((*folder.parts, DEFAULTS_FILE), str(error))
                continue
            waiting += reversed(list(self._visit(here, entries)))
        self._follow_links()
        self._found.skipped += self._summaries()
        return self._found

    def _enter(self, folder: _Folder, names: set[str]) -> _Folder:
        declared = folder.declared
        if DEFAULTS_FILE in names:
            declared = within(declared, folder_defaults(folder.path / DEFAULTS_FILE))
            if declared.problems:
                raise Unreadable(f"{'; '.join(declared.problems)}. Nothing of its folder was read")
        rules = list(folder.rules)
        for name in IGNORE_FILES:
            if name in names:
                rules += self._rules(folder, name)
        return _Folder(folder.path, folder.parts, tuple(rules), declared)

    def _rules(self, folder: _Folder, name: str) -> Iterator[tuple[int, GitIgnoreSpec]]:
        try:
            with (folder.path / name).open("rb") as file:
                text = file.read(_MAX_IGNORE_BYTES).decode("utf-8", "replace")
            yield len(folder.parts), GitIgnoreSpec.from_lines(text.splitlines())
        except (OSError, ValueError) as error:
            self._skip((*folder.parts, name), f"its patterns are not used ({error})")

    def _visit(self, folder: _Folder, entries: Iterable[os.DirEntry[str]]) -> Iterator[_Folder]:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _NEVER:
                continue
            try:
                if entry.is_symlink():
                    self._links.append((entry, folder))
                elif entry.is_dir(follow_symlinks=False):
                    if not self._ignored(folder, entry.name, is_folder=True):
                        yield _Folder(Path(entry.path), (*folder.parts, entry.name), folder.rules, folder.declared)
                elif not self._ignored(folder, entry.name, is_folder=False):
                    self._add(entry, entry.stat(follow_symlinks=False), folder)
            except OSError as error:
                self._skip((*folder.parts, entry.name), _reason(error))

    def _ignored(self, folder: _Folder, name: str, *, is_folder: bool) -> bool:
        verdict = False
        parts = (*folder.parts, name)
        rules = folder.rules if self._own_rules is None else (*folder.rules, (0, self._own_rules))
        for depth, spec in rules:
            path = "/".join(parts[depth:]) + ("/" if is_folder else "")
            included = spec.check_file(path).include
            verdict = verdict if included is None else included
        return verdict

    def _add(self, entry: os.DirEntry[str], status: os.stat_result, folder: _Folder) -> None:
        parts = (*folder.parts, entry.name)
        if not stat.S_ISREG(status.st_mode):
            self._skip(parts, "neither a file nor a folder (a pipe, a socket or a device)")
            return
        self._seen.add((status.st_dev, status.st_ino))
        kind = format_of(entry.name)
        if kind is None:
            self._unknown[Path(entry.name).suffix.lower()] += 1
            return
        key = os.fsencode("/".join(parts))
        self._found.files.append(
            SourceFile(Path(entry.path), printable(key), key, kind, status.st_size, status.st_mtime_ns, folder.declared)
        )

    def _follow_links(self) -> None:
        for entry, folder in self._links:
            try:
                target = Path(entry.path).resolve(strict=True)
                status = target.stat()
            except (OSError, RuntimeError):  # a loop of links is a RuntimeError up to Python 3.12
                self._skip((*folder.parts, entry.name), "a link that leads nowhere")
                continue
            if stat.S_ISDIR(status.st_mode) or self._ignored(folder, entry.name, is_folder=False):
                continue
            if not target.is_relative_to(self._root):
                self._outside += 1
            elif (status.st_dev, status.st_ino) not in self._seen:
                self._add(entry, status, folder)

    def _summaries(self) -> Iterator[Skipped]:
        if self._outside:
            yield Skipped("links", f"{self._outside} lead out of the folder and are not followed")
        if self._unknown:
            often = sorted(self._unknown.items(), key=lambda item: (-item[1], item[0]))
            named = ", ".join(f"{count} {printable(os.fsencode(suffix))}" for suffix, count in often[:_SHOWN_KINDS])
            more = f" and {len(often) - _SHOWN_KINDS} more kinds" if len(often) > _SHOWN_KINDS else ""
            yield Skipped("other files", f"{self._unknown.total()} of kinds that are not read ({named}{more})")

    def _skip(self, parts: tuple[str, ...], why: str) -> None:
        self._found.skipped.append(Skipped(printable(os.fsencode("/".join(parts))), why))
